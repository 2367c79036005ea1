"""An error names its cause and a way out, however many task groups it went through."""

import pytest

from terrarium_mcp.errors import TerrariumError, UnknownChannel, plainly, single_errors


def test_one_error_comes_out_of_all_its_groups_with_its_own_cause() -> None:
    error = TerrariumError("no room")
    error.__cause__ = OSError("disk full")
    group = ExceptionGroup("outer", [ExceptionGroup("inner", [error])])
    with pytest.raises(TerrariumError) as caught, plainly():
        raise group
    assert caught.value is error
    assert isinstance(error.__cause__, OSError)


def test_two_errors_stay_together() -> None:
    with pytest.raises(ExceptionGroup) as caught, plainly():
        raise ExceptionGroup("both", [ValueError("one"), KeyError("two")])
    assert len(caught.value.exceptions) == 2


def test_the_errors_of_nested_groups_come_in_order() -> None:
    one, two, three = ValueError("one"), KeyError("two"), OSError("three")
    nested = ExceptionGroup("outer", [one, ExceptionGroup("inner", [two, three])])
    assert single_errors(nested) == [one, two, three]
    assert single_errors(one) == [one]


def test_an_unknown_channel_names_the_nearest_or_the_first_twenty() -> None:
    known = [f"#r{number:02}" for number in range(22)]
    assert str(UnknownChannel("#r7", known)) == "No channel #r7. Did you mean #r17?"
    listed = ", ".join(known[:20])
    assert str(UnknownChannel("tea", known)) == (
        f"No channel tea. Known channels: {listed} and 2 more."
    )
    assert str(UnknownChannel("tea", [])) == "No channel tea. No channel is recorded yet."


def test_the_name_of_a_network_is_told_as_that_with_its_channels() -> None:
    known = ["libera/#tea", "libera/#mate", "oftc/#tea"]
    assert str(UnknownChannel("Libera", known)) == (
        "No channel Libera; that is a network. Its channels: libera/#tea, libera/#mate."
    )


@pytest.mark.parametrize("named", ["#tea,#dev", "#tea, #dev,", "libera/#tea,dev"])
def test_of_several_channels_in_one_the_query_for_all_of_them_is_named(named: str) -> None:
    listed = named.replace(" ", "").strip(",")
    assert str(UnknownChannel(named, ["#tea", "#dev"])) == (
        f"No channel {named}; that is several. Name one, or none and write in:{listed}"
        " in the query of search_irc_history or get_channel_stats."
    )


@pytest.mark.parametrize("every", ["*", "all", "ANY", "every"])
def test_a_word_for_every_channel_is_told_to_be_left_out(every: str) -> None:
    assert str(UnknownChannel(every, ["#tea"])) == (
        f"No channel {every}. Name none for all of them. Known channels: #tea."
    )

"""The pieces that need no network: framing, batches, ranks, what a repr shows."""

from importlib import import_module
from pkgutil import iter_modules

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.irc_message import parse_line
from terrarium_mcp.irc_bridge import network
from terrarium_mcp.irc_bridge.network.batches import Batches
from terrarium_mcp.irc_bridge.network.member_prefixes import ranks_after
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.transport import MAX_LINE, Framing
from terrarium_mcp.settings import ConfiguredChannel

KINDS = {"list": "b", "param": "k", "param_set": "l", "noparam": "nt"}


@given(
    st.lists(st.binary(min_size=1).filter(lambda line: b"\n" not in line and line.strip(b"\r "))),
    st.data(),
)
def test_lines_come_out_whole_however_the_bytes_arrive(
    lines: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    framing, heard = Framing(), []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        heard += framing.feed(stream[:cut])
        stream = stream[cut:]
    assert heard == lines


def test_a_line_that_never_ends_is_dropped_and_the_next_one_is_heard() -> None:
    framing = Framing()
    for _ in range(5):
        assert framing.feed(b"A" * MAX_LINE) == []
    assert framing.feed(b"A\r\nPING x\r\n") == [b"PING x\r"]
    assert framing.feed(b"B" * (MAX_LINE + 1) + b"\nPING y\n \r\n\n") == [b"PING y"]


def replays(*lines: bytes) -> list[bool]:
    batches = Batches()
    return [batches.marked(parse_line(line)).replay for line in lines]


def test_lines_of_a_history_batch_are_replays_and_lines_between_them_are_not() -> None:
    assert replays(
        b"BATCH +h chathistory #tea",
        b"@batch=h PRIVMSG #tea :old",
        b"PRIVMSG #tea :new",
        b"@batch=h PRIVMSG #tea :old",
        b"BATCH -h",
        b"@batch=h PRIVMSG #tea :new",
    ) == [False, True, False, True, False, False]


def test_a_batch_inside_history_is_history_and_a_netsplit_is_not() -> None:
    assert replays(
        b"BATCH +h znc.in/playback #tea",
        b"@batch=h BATCH +m draft/multiline #tea",
        b"@batch=m PRIVMSG #tea :old",
        b"BATCH +n netsplit a b",
        b"@batch=n QUIT :a b",
    ) == [False, True, True, False, False]


def test_a_batch_is_known_by_its_kind_in_any_case_and_may_have_none() -> None:
    assert replays(
        b"BATCH +h Draft/ChatHistory #tea",
        b"@batch=h PRIVMSG #tea :old",
        b"BATCH +n",
        b"@batch=n PRIVMSG #tea :new",
        b"BATCH -unknown",
        b"@batch=h PRIVMSG #tea :old",
        b"BATCH h",
        b"BATCH",
        b"@batch=h PRIVMSG #tea :old",
    ) == [False, True, False, False, False, True, False, False, True]


def test_a_batch_without_a_name_holds_no_line_that_names_no_batch() -> None:
    assert replays(
        b"BATCH + chathistory #tea",
        b"PRIVMSG #tea :new",
        b"@batch PRIVMSG #tea :old",
    ) == [False, False, True]


def test_only_the_end_of_the_history_itself_is_its_end() -> None:
    batches = Batches()
    marked = [
        batches.marked(parse_line(line)).replay_of
        for line in (
            b"BATCH +h chathistory #tea more",
            b"@batch=h BATCH +m draft/multiline #mate",
            b"@batch=m PRIVMSG #mate :old",
            b"BATCH -m",
            b"BATCH -h",
            b"BATCH -h",
            b"BATCH +h chathistory",
            b"BATCH -h",
        )
    ]
    assert marked == ["", "#tea", "#tea", "", "#tea", "", "", ""]


def test_of_a_thousand_open_batches_the_first_is_forgotten_for_another() -> None:
    batches = Batches()
    for number in range(1_001):
        batches.marked(parse_line(b"BATCH +%d chathistory #tea" % number))
    first, second = (parse_line(b"@batch=%d PING x" % number) for number in (0, 1))
    assert (batches.marked(first).replay, batches.marked(second).replay) == (False, True)


def test_batches_that_name_each_other_do_not_hang_us() -> None:
    assert replays(b"@batch=b BATCH +a x", b"@batch=a BATCH +b x", b"@batch=a PING x")[-1] is False


def ranks(before: dict[str, list[str]], *modes: str) -> dict[str, list[str]]:
    return ranks_after(before, modes, ranking="ov", kinds=KINDS)


def test_ranks_follow_mode_lines_past_all_other_arguments() -> None:
    assert ranks({"o": ["ada"]}, "+bkl-o+v", "*!*@x", "key", "5", "ada", "bo") == {
        "o": [],
        "v": ["bo"],
    }
    assert ranks({}, "-l+o", "ada") == {"o": ["ada"]}
    assert ranks({}, "oXv", "ada", "bo") == {"o": ["ada"], "v": ["bo"]}  # X has no argument


def test_a_missing_argument_costs_only_its_own_mode() -> None:
    assert ranks({"v": ["bo"]}, "-v+o", "bo") == {"v": [], "o": []}
    assert ranks({"o": ["ada"]}, "+bo") == {"o": ["ada"]}
    assert ranks({"o": ["ada"]}) == {"o": ["ada"]}


def test_one_deop_ends_a_rank_that_was_given_twice() -> None:
    assert ranks(ranks({"o": ["ada"]}, "+o", "ada"), "-o", "ada") == {"o": []}


def test_a_login_shows_no_secret() -> None:
    secret = "hunter2"  # noqa: S105 - of no one
    shown = repr(
        ServerConfig(
            host="h",
            port=1,
            nick="n",
            realname="r",
            password=secret,
            sasl_password=secret,
            channels=(ConfiguredChannel("#tea", secret),),
        )
    )
    assert secret not in shown


@pytest.mark.parametrize("module", [one.name for one in iter_modules(network.__path__)])
def test_what_is_logged_names_the_module_that_it_comes_from(module: str) -> None:
    """An operator sets levels by these names."""
    of = import_module(f"{network.__name__}.{module}")
    log = getattr(of, "log", None)
    assert log is None or log.name == of.__name__

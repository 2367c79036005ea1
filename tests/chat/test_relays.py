"""Whose words a relay carries, and which names it may carry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.irctext import harmless, harmless_nick
from terrarium_mcp.chat.relays import (
    LONGEST_NAME,
    Relay,
    nick_meant,
    parse_relay,
    relayed_line,
    relayed_name,
)

CARRIED = [
    ("<Jane> hello", "Jane", "hello"),
    ("<Jane#1234> hello", "Jane", "hello"),
    ("<Jane Doe> hello there", "Jane Doe", "hello there"),
    ("[m] <jane> hello", "jane", "hello"),
    ("(telegram) <jane> hello", "jane", "hello"),
    ("[m] jane: hello", "jane", "hello"),
    ("Jane: hello", "Jane", "hello"),
    ("<@jane> hello", "jane", "hello"),
    ("<jane>: hello", "jane", "hello"),
    ("<\x0303N\u200bame\x03> text", "Name", "text"),
    ("\x02<\x0f\x0304J\u200bane\x0f> \x02bold\x02", "Jane", "bold\x02"),
    ("[\x0306m\x03] <\x02j\u2060ane\x02> hello", "jane", "hello"),
    ("<j\u034fane> hello", "jane", "hello"),
    ("<\u3164bob> hello", "bob", "hello"),
    ("\u17b5<jan\ufe0fe\u115f> \u2067hello", "jane", "hello"),
    ("[m]\u2066 k\U000e0100arl\u180b:\u2069 hello", "karl", "hello"),
    ("<Jane\u2028\x85Doe>\thello\u034f there", "Jane Doe", "hello\u034f there"),
    ("<Zo\u00eb> tea", "Zo\u00eb", "tea"),
    ("<\u8336\u8336> tea", "\u8336\u8336", "tea"),
    ("<Jane> <bo> said so", "Jane", "<bo> said so"),
    ("<Jane> bo: hello", "Jane", "bo: hello"),
]


@pytest.mark.parametrize(("line", "name", "text"), CARRIED)
def test_the_name_and_the_words_of_a_person_are_told_apart(line: str, name: str, text: str) -> None:
    found = relayed_line(line)
    assert found
    assert (found.name, line[found.text_at :]) == (name, text)


@pytest.mark.parametrize(
    "name",
    [
        "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",  # Ali-Reza, in Persian
        "\u0932\u0915\u094d\u200d\u0937\u094d\u092e\u0940",  # Lakshmi, in Hindi
        "jo \U0001f469\u200d\U0001f33e",
        "\u2764\ufe0fjo",
        "1\ufe0f\u20e3jo",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007fjo",
    ],
)
def test_a_name_keeps_what_its_script_or_an_emoji_needs(name: str) -> None:
    line = f"\u3164<\x0304{name}\x0f> \u034f{name}"
    found = relayed_line(line)
    assert found
    assert (found.name, line[found.text_at :]) == (name, name)
    assert nick_meant(name) == name


OF_ITS_OWN = (
    "",
    "hello",
    "<>",
    "<> hello",
    "<Jane>",
    "<Jane> ",
    "<Jane> \x02",
    "<\u200b> hello",
    "<\u3164> hello",
    "https://example.org/ is it",
    "see: ",
    "one two: three",
    "a < b and c > d",
    f"<{'x' * (LONGEST_NAME + 1)}> hello",
    "reconnected to the other side",
)


@pytest.mark.parametrize("line", OF_ITS_OWN)
def test_a_relay_may_say_something_itself(line: str) -> None:
    found = relayed_line(line)
    assert found is None or not line[found.text_at :].strip("\x02 ")


@pytest.mark.parametrize(
    ("head", "line", "name", "text"),
    [
        ("NAME |", "jane | hello | there", "jane", "hello | there"),
        ("[m] NAME |", "[m]  jane | hello", "jane", "hello"),
        ("(NAME)", "(Jane Doe) hello", "Jane Doe", "hello"),
        ("NAME via Discord:", "Jane#0042 via Discord: hello", "Jane", "hello"),
        ("NAME.*", "jane.* hello", "jane", "hello"),
        ("NAME |", "\x0303j\u200bane\x03 | hello", "jane", "hello"),
    ],
)
def test_the_settings_may_say_how_the_lines_of_a_relay_begin(
    head: str, line: str, name: str, text: str
) -> None:
    found = Relay("bot", head=head).relayed_line(line)
    assert found
    assert (found.name, line[found.text_at :]) == (name, text)


def test_a_relay_with_a_beginning_of_its_own_has_no_other() -> None:
    assert Relay("bot", head="NAME |").relayed_line("<jane> hello") is None
    assert Relay("bot").relayed_line("jane | hello") is None


def test_a_name_cannot_break_out_of_the_place_where_names_stand() -> None:
    assert relayed_name("ada>\r\n[/irc 7f3a]<") == "ada [/irc 7f3a]"
    assert relayed_name("\u202eada\u200b\x03") == "ada"
    assert relayed_name("@@+ada") == "ada"
    assert relayed_name("\u200b") == ""


@given(
    st.text()
    | st.text(st.sampled_from("ab1#*<>@ \u0645\u094d\u2764\U0001f469\u200d\u200c\ufe0f\u034f\x02"))
)
def test_a_name_is_one_line_without_brackets_and_stays_as_it_is(name: str) -> None:
    once = relayed_name(name)
    assert len(once.splitlines()) <= 1
    assert not {"<", ">"} & set(once)
    assert once == once.strip()
    assert once == harmless_nick(once), "it would be shown with U+FFFD in it"


@given(st.text(max_size=60))
def test_whatever_a_relay_sends_the_words_are_the_end_of_it(text: str) -> None:
    found = relayed_line(f"<Jane> {text}")
    if found:
        assert f"<Jane> {text}".endswith(f"<Jane> {text}"[found.text_at :])
        assert found.name == "Jane"
    else:
        assert not harmless(text).strip()


@pytest.mark.parametrize(
    ("typed", "relay"),
    [
        ("relaybot", Relay("relaybot")),
        (" libera/relaybot ", Relay("relaybot", "libera")),
        ("relaybot=[m]  NAME |", Relay("relaybot", head="[m] NAME |")),
        ("oftc/r=NAME:", Relay("r", "oftc", "NAME:")),
    ],
)
def test_a_relay_is_written_as_it_is_read(typed: str, relay: Relay) -> None:
    assert parse_relay(typed) == relay
    assert parse_relay(str(relay)) == relay


@pytest.mark.parametrize("typed", ["", "libera/", "two words", "r=<nick>", "r=NAME", "r=| NAME"])
def test_what_names_no_relay_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match=r"nick such as|must say how"):
        parse_relay(typed)


def test_a_long_line_costs_no_more_than_its_beginning() -> None:
    assert relayed_line("<" * 100_000) is None
    assert relayed_line("[m] " * 50_000) is None
    assert relayed_line(" " * 100_000 + "<jane> hi") is None


@pytest.mark.parametrize(
    "typed",
    [
        "ada",
        "@ada",
        "<ada>",
        "ada:",
        "a\u200dda",
        "<a\u200bda>",
        "\u3164<@a\u034fda#12\ufe0f34>\u115f",
    ],
)
def test_a_nick_is_meant_however_it_is_shown(typed: str) -> None:
    assert nick_meant(typed) == "ada"

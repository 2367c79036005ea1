"""Which lines ask something of us, and what."""

from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.chat.irc_message import IrcMessage, Source, parse_line, parse_source
from terrarium_mcp.irc_bridge.ask.commands import Address, Command

NOW = datetime(2026, 11, 5, 14, 0, tzinfo=UTC)
ADA = Source("ada", "u", "h")


def asked(text: str, *, private: bool = False, tags: str = "", prefix: str = "!") -> Command | None:
    target = "Terra" if private else "#tea"
    line = parse_line(f"{tags}:ada!u@h PRIVMSG {target} :{text}".encode())
    return Address("Terra", prefix).command_in(line, is_channel=not private, now=NOW)


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("!terrarium who fixed it?", "terrarium", "who fixed it?"),
        ("!ask  who?", "ask", "who?"),
        ("!ASK who?", "ask", "who?"),
        ("!ping", "ping", ""),
        ("!search  green tea ", "search", "green tea"),
        ("\x02!ping\x02", "ping", ""),
        ("Terra: who fixed it?", "terrarium", "who fixed it?"),
        ("terra, who fixed it?", "terrarium", "who fixed it?"),
        ("Terra: !search tea", "search", "tea"),
    ],
)
def test_a_command_or_our_name_asks_us(text: str, name: str, rest: str) -> None:
    assert asked(text) == Command(name, rest, ADA, "", "#tea")


@pytest.mark.parametrize(
    "text",
    [
        *("!foo", "!", "!!ping", " !ping", "!pingpong", "hello", "", " "),
        *("Terra", "Terra:", "Terra: ", "Terrarium: hi", "Terra is nice", "ask Terra: hi"),
        *("\x01VERSION\x01", "\x01!ping\x01"),
    ],
)
def test_other_lines_of_a_channel_do_not(text: str) -> None:
    assert asked(text) is None


def test_in_private_every_text_is_a_question_except_an_unknown_command() -> None:
    question = Command("terrarium", "who fixed it?", ADA, "", "")
    assert asked("who fixed it?", private=True) == question
    assert asked("!ping", private=True) == Command("ping", "", ADA, "", "")
    assert asked("!foo", private=True) is None
    assert asked("\x01PING 1\x01", private=True) is None


def test_the_answer_goes_to_the_channel_or_to_the_asker() -> None:
    public, private = asked("!ping"), asked("!ping", private=True)
    assert public
    assert private
    assert (public.target, private.target) == ("#tea", "ada")


def test_the_prefix_is_the_one_of_the_settings() -> None:
    assert asked(".ping", prefix=".") == Command("ping", "", ADA, "", "#tea")
    assert asked("!ping", prefix=".") is None
    assert asked("~~ping", prefix="~~") == Command("ping", "", ADA, "", "#tea")


@pytest.mark.parametrize(("age", "answered"), [(0, True), (30, True), (31, False), (-5, True)])
def test_a_line_older_than_half_a_minute_is_not_answered(age: int, answered: bool) -> None:
    sent = (NOW - timedelta(seconds=age)).isoformat().replace("+00:00", "Z")
    assert (asked("!ping", tags=f"@time={sent} ") is not None) is answered


def test_other_bots_notices_and_playback_are_not_answered() -> None:
    assert asked("!ping", tags="@bot ") is None
    ping = IrcMessage("PRIVMSG", ("#tea", "!ping"), parse_line(b":ada!u@h PING x").source)
    address = Address("Terra", "!")
    for never in (
        IrcMessage("NOTICE", ping.params, ping.source),
        IrcMessage("PRIVMSG", ping.params, ping.source, replay=True),
        IrcMessage("PRIVMSG", ping.params, None),
        IrcMessage("PRIVMSG", ("#tea",), ping.source),
    ):
        assert address.command_in(never, is_channel=True, now=NOW) is None
    assert address.command_in(ping, is_channel=True, now=NOW) is not None


def test_the_account_is_the_one_on_the_line_itself() -> None:
    tagged, untagged = asked("!ping", tags="@account=ada-l "), asked("!ping")
    assert tagged
    assert untagged
    assert (tagged.account, tagged.source) == ("ada-l", ADA)
    assert (untagged.account, untagged.source) == ("", ADA)


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("Terra: [off] who fixed it?", "terrarium", "who fixed it?"),
        ("!ask [OFF] who fixed it?", "ask", "who fixed it?"),
        ("Terra: [off] !search tea", "search", "tea"),
        ("Terra: !search [nolog] tea", "search", "tea"),
    ],
)
def test_off_the_record_a_command_is_one_without_the_mark(text: str, name: str, rest: str) -> None:
    assert asked(text) == Command(name, rest, ADA, "", "#tea", off_record=True)


def test_a_line_that_begins_off_the_record_asks_nothing() -> None:
    assert asked("[off] !ping") is None
    assert asked("[off] Terra: hello") is None
    assert asked("Terra: [off]") is None


def test_a_person_is_their_account_else_their_user_and_host_and_never_their_nick() -> None:
    def person(source: str, account: str = "") -> tuple[str, str]:
        return Command("ping", "", parse_source(source), account, "#tea").person

    assert person("ada!u@h") == person("bo!U@H") != person("ada!u@h2")
    assert person("ada!u@h", "Ada") == person("bo!x@y", "ada") != person("ada!u@h")

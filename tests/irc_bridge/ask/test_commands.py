"""Which lines ask something of us, and what."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.chat.irc_message import IrcMessage, Source, parse_line, parse_source
from terrarium_mcp.irc_bridge.ask.command_traits import NEAR_MISS
from terrarium_mcp.irc_bridge.ask.commands import Address, Command, is_late

NOW = datetime(2026, 11, 5, 14, 0, tzinfo=UTC)
ADA = Source("ada", "u", "h")


def asked(text: str, *, private: bool = False, tags: str = "", prefix: str = "!") -> Command | None:
    target = "Terra" if private else "#tea"
    line = parse_line(f"{tags}:ada!u@h PRIVMSG {target} :{text}".encode())
    return Address("Terra", prefix).command_in(line, is_channel=not private)


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
        ("Terra:", "terrarium", ""),
        ("Terra: ", "terrarium", ""),
        ("@Terra", "terrarium", ""),
        ("@Terra who fixed it?", "terrarium", "who fixed it?"),
        ("@Terra: !search tea", "search", "tea"),
        ("Terra : who fixed it?", "terrarium", "who fixed it?"),
        ("Terra :who fixed it?", "terrarium", "who fixed it?"),
        ("Terra : !search tea", "search", "tea"),
        ("Terra : help", "help", ""),
        ("Terra\uff1awho?", "terrarium", "who?"),
        ("Terra\u060c who?", "terrarium", "who?"),
        ("\u200fTerra: \u200fwho?", "terrarium", "who?"),
        ("\x02\u2067Terra: who?", "terrarium", "who?"),
        ("\u200b!search tea", "search", "tea"),
        ("!search\u200b tea", "search", "tea"),
        ("!optout\u200e", "optout", ""),
        ("!who\u00ad\u200f", "who", ""),
        ("Terra\u200f: who?", "terrarium", "who?"),
        ("Terra\u200f\u060c who?", "terrarium", "who?"),
        ("@Terra\u200f who?", "terrarium", "who?"),
        ("Terra\u200f : \u200f!search tea", "search", "tea"),
        ("Terra\uff0cwho?", "terrarium", "who?"),
        ("Terra\u3001who?", "terrarium", "who?"),
        ("!seen a\u200dda", "seen", "ada"),  # copied from a reply of ours
        ("Terra: what did b\u200do say?", "terrarium", "what did bo say?"),
        ("!search \U0001f469\u200d\U0001f680", "search", "\U0001f469\u200d\U0001f680"),
        (
            "!search \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "search",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
    ],
)
def test_a_command_or_our_name_asks_us(text: str, name: str, rest: str) -> None:
    assert asked(text) == Command(name, rest, ADA, "", "#tea")


@pytest.mark.parametrize(
    "text",
    [
        *("!foo", "!", "!!ping", " !ping", "!pingpong", "hello", "", " "),
        *("Terra", "Terrarium: hi", "Terra is nice", "ask Terra: hi", "I like @Terra a lot"),
        *("Terra-07: hi", "@Terra-07 hi"),  # perhaps another bot, which ours once was
        *("@Terrarium hi", "@bo hi", "@", "@ Terra", "bo: @Terra knows", "<bo> @Terra hi"),
        *("Terra :)", "Terra :D thanks", "Terra :smile:"),
        *("\x01VERSION\x01", "\x01!ping\x01"),
    ],
)
def test_other_lines_of_a_channel_do_not(text: str) -> None:
    assert asked(text) is None


def test_under_a_similar_nick_we_are_asked_by_that() -> None:
    said = parse_line(b":ada!u@h PRIVMSG #tea :Terra-07: who?")
    found = Address("Terra-07", "!").command_in(said, is_channel=True)
    assert found
    assert found.rest == "who?"


def test_the_marks_within_a_question_stay() -> None:
    said = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0645\u06cc\u200c"
    found = asked(said, private=True)
    assert found
    assert found.rest == said


def test_in_private_every_text_is_a_question_except_an_unknown_command() -> None:
    question = Command("terrarium", "who fixed it?", ADA, "", "")
    assert asked("who fixed it?", private=True) == question
    assert asked("!ping", private=True) == Command("ping", "", ADA, "", "")
    assert asked("!foo", private=True) is None
    assert asked("[off]", private=True) is None
    assert asked("\x01PING 1\x01", private=True) is None


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("help", "help", ""),
        ("Help", "help", ""),
        (" ping ", "ping", ""),
        ("more", "more", ""),
        ("stop", "stop", ""),
        ("stats", "stats", ""),
        ("who", "who", ""),
        ("optout", "optout", ""),
        ("forget", "forget", ""),
        ("forget yes", "forget", "yes"),
        ("forget yes, please", "forget", "yes, please"),
        ("search greenhouse", "search", "greenhouse"),
        ("Search  green tea ", "search", "green tea"),
        ("search from:ada after:2026-05 kettle", "search", "from:ada after:2026-05 kettle"),
        ("search", "search", ""),
        ("context 184213", "context", "184213"),
        ("context (184213)", "context", "(184213)"),
        ("help search", "help", "search"),
        ("help !search", "help", "!search"),
        ("[off] search tea", "search", "tea"),
        ("\u200f[off] search tea", "search", "tea"),
        ("Terra: help", "help", ""),
    ],
)
def test_in_private_a_command_needs_no_prefix(text: str, name: str, rest: str) -> None:
    found = asked(text, private=True)
    assert found
    assert (found.name, found.rest, found.target) == (name, rest, "ada")


@pytest.mark.parametrize(
    "text",
    [
        *("who fixed the gate?", "who is here", "who?", "stop it please", "stop that", "more tea?"),
        *("help me", "help me find the key", "help with search", "help?", "ping me at four"),
        *("search for the heater", "search the logs for tea", "search tea please", "search tea?"),
        *("search my lines, please!", "context of that?", "context please", "context 12 lines"),
        *("stats of ada", "stats?", "forget it", "forget what I said", "forget yesterday"),
        *("optout sounds good", "quiet here today", "ask bo about it", "terrarium plants"),
        *("serch tea", "hlep", "hello", "helpful", "search?"),
    ],
)
def test_in_private_what_could_be_a_sentence_is_a_question(text: str) -> None:
    assert asked(text, private=True) == Command("terrarium", text, ADA, "", "")


@pytest.mark.parametrize("text", ["help", "search greenhouse", "stop", "optout"])
def test_in_a_channel_a_command_needs_its_prefix(text: str) -> None:
    assert asked(text) is None
    if text not in ("help", "stop"):
        assert asked(f"Terra: {text}") == Command("terrarium", text, ADA, "", "#tea")


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("Terra: help", "help", ""),
        ("terra, Help", "help", ""),
        ("@Terra help search", "help", "search"),
        ("Terra: stop", "stop", ""),
        ("Terra: help me", "terrarium", "help me"),
        ("Terra: stop it", "terrarium", "stop it"),
        ("Terra: help?", "terrarium", "help?"),
    ],
)
def test_behind_our_nick_help_and_stop_need_no_prefix(text: str, name: str, rest: str) -> None:
    assert asked(text) == Command(name, rest, ADA, "", "#tea")


@pytest.mark.parametrize("text", ["!serch tea", "!Serch", "Terra: !serch tea", "!serch [off] tea"])
@pytest.mark.parametrize("private", [False, True])
def test_a_near_miss_is_neither_executed_nor_a_question(text: str, private: bool) -> None:
    found = asked(text, private=private)
    assert found
    assert (found.name, found.rest) == (NEAR_MISS, "serch")


@pytest.mark.parametrize("text", ["!terra who?", "!Terra", "Terra: !terra who?"])
@pytest.mark.parametrize("private", [False, True])
def test_so_is_our_nick_behind_the_prefix(text: str, private: bool) -> None:
    found = asked(text, private=private)
    assert found
    assert (found.name, found.rest) == (NEAR_MISS, "terra")


@pytest.mark.parametrize(
    "text",
    [
        *(".terra hi", "?terra", "~Terra hi", "!terrapin", "!robo hi"),
        *("!weather here", "!top", "!karma bo", "!", "!!help", "!!serch", "! help", "!-help"),
        *(".serch tea", "~help", "@search tea", "?hlep", "$serch", "-more", "serch tea"),
        *("so !serch is no command", "[off] !serch tea", "\x01!serch\x01"),
    ],
)
def test_commands_of_other_bots_are_no_near_misses(text: str) -> None:
    assert asked(text) is None


def test_a_near_miss_is_answered_to_nobody_who_is_never_answered() -> None:
    assert asked("!serch", tags="@bot ") is None


def test_the_answer_goes_to_the_channel_or_to_the_asker() -> None:
    public, private = asked("!ping"), asked("!ping", private=True)
    assert public
    assert private
    assert (public.target, private.target) == ("#tea", "ada")


def test_the_prefix_is_the_one_of_the_settings() -> None:
    assert asked(".ping", prefix=".") == Command("ping", "", ADA, "", "#tea")
    assert asked("!ping", prefix=".") is None
    assert asked("~~ping", prefix="~~") == Command("ping", "", ADA, "", "#tea")


@pytest.mark.parametrize(
    ("prefix", "text", "name", "rest"),
    [
        ("t!", "t!search green tea", "search", "green tea"),
        ("t!", "t!ask who?", "ask", "who?"),
        ("terra ", "terra search green tea", "search", "green tea"),
        ("terra ", "terra PING", "ping", ""),
        ("terra ", "terra ask [off] who?", "ask", "who?"),
        ("terra ", "Terra: terra search tea", "search", "tea"),
        ("terra ", "Terra: who?", "terrarium", "who?"),
        ("t!", "t!serch tea", NEAR_MISS, "serch"),
    ],
)
def test_a_prefix_may_have_several_characters_and_letters(
    prefix: str, text: str, name: str, rest: str
) -> None:
    found = asked(text, prefix=prefix)
    assert found
    assert (found.name, found.rest) == (name, rest)
    assert found.off_record is ("[off]" in text)


@pytest.mark.parametrize(
    ("prefix", "text"),
    [
        ("t!", "!search tea"),
        ("t!", "t! search tea"),
        ("t!", "at!search tea"),
        ("terra ", "terra helps a lot"),
        ("terra ", "terra serch tea"),
        ("terra ", "terra"),
        ("terra ", "terra  search tea"),
        ("x", "xmore tea"),
        ("x", "xhelps"),
    ],
)
def test_with_such_a_prefix_other_lines_of_a_channel_ask_nothing(prefix: str, text: str) -> None:
    found = asked(text, prefix=prefix)
    assert found is None or (text, found.name) == ("xmore tea", "more")


def test_in_private_a_sentence_that_begins_as_the_prefix_does_is_a_question() -> None:
    found = asked("terra is a nice name, isn't it?", private=True, prefix="terra ")
    assert found == Command("terrarium", "terra is a nice name, isn't it?", ADA, "", "")
    assert asked("t!weather", private=True, prefix="t!") is None


@pytest.mark.parametrize(("age", "answered"), [(0, True), (30, True), (31, False), (-5, True)])
def test_a_line_older_than_half_a_minute_is_not_answered(age: int, answered: bool) -> None:
    sent = (NOW - timedelta(seconds=age)).isoformat().replace("+00:00", "Z")
    ping = parse_line(f"@time={sent} :ada!u@h PRIVMSG #tea :!ping".encode())
    assert is_late(ping, NOW) is not answered


@pytest.mark.parametrize(
    ("age", "ahead", "answered"),
    [
        (45, -45, True),
        (80, -45, False),
        (30, 3600, True),  # our clock may have been set since the difference was learnt
        (31, 3600, False),
    ],
)
def test_a_line_is_as_old_as_the_clock_says_by_which_it_is_younger(
    age: int, ahead: int, answered: bool
) -> None:
    sent = (NOW - timedelta(seconds=age)).isoformat().replace("+00:00", "Z")
    ping = parse_line(f"@time={sent} :ada!u@h PRIVMSG #tea :!ping".encode())
    assert is_late(ping, NOW, timedelta(seconds=ahead)) is not answered


def test_other_bots_notices_and_playback_are_not_answered() -> None:
    assert asked("!ping", tags="@bot ") is None
    ping = IrcMessage("PRIVMSG", ("#tea", "!ping"), parse_line(b":ada!u@h PING x").source)
    address = Address("Terra", "!")
    for never in (
        IrcMessage("NOTICE", ping.params, ping.source),
        IrcMessage("PRIVMSG", ping.params, None),
        IrcMessage("PRIVMSG", ("#tea",), ping.source),
    ):
        assert address.command_in(never, is_channel=True) is None
    assert address.command_in(ping, is_channel=True) is not None
    assert is_late(replace(ping, replay=True), NOW)


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

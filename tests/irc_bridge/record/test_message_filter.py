"""What the record keeps of a line of the network, and what it never does."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.chat.irc_message import Source, parse_line
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.irc_bridge.record.message_filter import MessageFilter

NOW = datetime(2026, 11, 5, 14, 0, tzinfo=UTC)


class TwoChannels:
    """A network on which ada sits in two channels, and Terra is we."""

    def is_channel(self, target: str) -> bool:
        return target.startswith("#")

    def is_own(self, source: Source | None) -> bool:
        return source is not None and source.nick == "Terra"

    def channels_of(self, nick: str) -> list[str]:
        return ["#tea", "#mate"] if nick == "ada" else []


def recorded(raw: str | bytes) -> list[NewMessage]:
    line = raw if isinstance(raw, bytes) else raw.encode()
    return MessageFilter("test", TwoChannels(), VoiceRules()).messages_in(parse_line(line), NOW)


def one(raw: str | bytes) -> NewMessage:
    (only,) = recorded(raw)
    return only


def test_what_is_said_is_kept_with_who_said_it_where_and_when() -> None:
    line = one("@msgid=m1;account=ada_;+reply=m0 :ada!u@host PRIVMSG #tea :hello")
    assert (line.network, line.channel, line.nick, line.text) == ("test", "#tea", "ada", "hello")
    assert (line.user, line.host, line.account) == ("u", "host", "ada_")
    assert (line.msgid, line.reply_to) == ("m1", "m0")
    assert (line.kind, line.said_at, line.origin) == (MessageType.PRIVMSG, NOW, Origin.LIVE)
    assert not line.own
    assert not line.bot


def test_what_a_server_says_of_a_replay_is_nothing_that_was_said_in_the_channel() -> None:
    text = "Replaying up to 200 lines of pre-join history from the last 2h"
    assert recorded(f":irc.example.org NOTICE #tea :{text}") == []
    assert one(f":ada!u@h NOTICE #tea :{text}").text == text
    assert one(":irc.example.org NOTICE #tea :*** ada invited bob").nick == "irc.example.org"


@pytest.mark.parametrize("says", ["joined", "quit: bye", "is now known as ada_", "set mode: +o bo"])
def test_what_a_bouncer_says_of_people_is_nothing_that_was_said_in_the_channel(says: str) -> None:
    assert recorded(f":*buffextras!buffextras@znc.in PRIVMSG #tea :ada!u@host {says}") == []


@pytest.mark.parametrize("says", ["ada joined the channel", "ada set the channel topic to: tea"])
def test_what_histserv_replays_of_people_is_nothing_that_was_said_in_the_channel(says: str) -> None:
    assert recorded(f":HistServ!HistServ@localhost PRIVMSG #tea :{says}") == []
    assert one(f":HistServ!u@host.example PRIVMSG #tea :{says}").text == says


def test_me_is_an_action_without_its_frame() -> None:
    line = one(":ada!u@h PRIVMSG #tea :\x01ACTION waves\x01")
    assert (line.kind, line.text) == (MessageType.ACTION, "waves")


def test_our_own_lines_and_those_of_bots_are_marked() -> None:
    assert one(":Terra!u@h PRIVMSG #tea :pong").own
    assert one("@bot :robo!u@h PRIVMSG #tea :beep").bot


@pytest.mark.parametrize(
    "text",
    [
        "[off] between us",
        "[OFF]between us",
        "  [nolog] between us",
        "\x02[NoLog]\x02 between us",
        "\x01ACTION [off] whispers\x01",
        "\x01VERSION\x01",
        "\x01DCC SEND secret 1 2 3\x01",
        "\x01",
        "/msg NickServ identify hunter2",
        "NickServ IDENTIFY hunter2",
        "/ns id hunter2",
        "\x01ACTION nickserv identify hunter2\x01",
        "/oper ada hunter2",
    ],
)
@pytest.mark.parametrize("verb", ["PRIVMSG", "NOTICE"])
def test_off_record_ctcp_and_passwords_are_not_kept(verb: str, text: str) -> None:
    assert recorded(f":ada!u@h {verb} #tea :{text}") == []


@pytest.mark.parametrize("target", ["Terra", "@#tea", "+#tea", "$*"])
@pytest.mark.parametrize("text", ["between us", "\x01ACTION winks\x01"])
def test_what_is_not_said_to_a_whole_channel_is_not_kept(target: str, text: str) -> None:
    assert recorded(f":ada!u@h PRIVMSG {target} :{text}") == []
    assert recorded(f":ada!u@h NOTICE {target} :{text}") == []


@pytest.mark.parametrize(
    ("raw", "kind", "text"),
    [
        (":ada!u@h JOIN #tea", MessageType.JOIN, ""),
        (":ada!u@h JOIN :#tea", MessageType.JOIN, ""),
        (":ada!u@h PART #tea", MessageType.PART, ""),
        (":ada!u@h PART #tea :must go", MessageType.PART, "must go"),
        (":ada!u@h PART #tea :[off] to see the doctor", MessageType.PART, ""),
        (":ada!u@h KICK #tea bo :enough of this", MessageType.KICK, "bo enough of this"),
        (":ada!u@h KICK #tea bo", MessageType.KICK, "bo"),
        (":ada!u@h KICK #tea bo :[off] as we agreed", MessageType.KICK, "bo"),
        (":ada!u@h KICK #tea bo :\x02[NoLog]\x02 as we agreed", MessageType.KICK, "bo"),
        (":ada!u@h KICK #tea [off]bo :enough of this", MessageType.KICK, "[off]bo enough of this"),
        (":ada!u@h KICK #tea [off]bo", MessageType.KICK, "[off]bo"),
        (":ada!u@h PART #tea :/msg nickserv identify hunter2", MessageType.PART, ""),
        (":ada!u@h KICK #tea bo :/msg nickserv identify hunter2", MessageType.KICK, "bo"),
        (":ada!u@h KICK #tea", MessageType.KICK, ""),
        (":ada!u@h TOPIC #tea :[off] Meet at six", MessageType.TOPIC, ""),
        (":ada!u@h TOPIC #tea :\u2067[off]\u2069 Meet at six", MessageType.TOPIC, ""),
        (":ada!u@h TOPIC #tea :  [NOLOG]Meet at six", MessageType.TOPIC, ""),
        (":ada!u@h TOPIC #tea :Say [off] first", MessageType.TOPIC, "Say [off] first"),
        (":ada!u@h TOPIC #tea :/ns identify first", MessageType.TOPIC, "/ns identify first"),
        (":ada!u@h TOPIC #tea :Green today", MessageType.TOPIC, "Green today"),
        (":ada!u@h TOPIC #tea :", MessageType.TOPIC, ""),
        (":ada!u@h MODE #tea +o bo", MessageType.MODE, "+o bo"),
        (":ada!u@h MODE #tea +k hunter2", MessageType.MODE, "+k *"),
        (":ada!u@h MODE #tea -k hunter2", MessageType.MODE, "-k *"),
        (":ada!u@h MODE #tea +lko 5 hunter2 bo", MessageType.MODE, "+lko 5 * bo"),
        (":ada!u@h MODE #tea +Xk 5:5 hunter2", MessageType.MODE, "+Xk * *"),
        (":irc.example MODE #tea +nt", MessageType.MODE, "+nt"),
    ],
)
def test_an_event_of_a_channel_is_one_row(raw: str, kind: MessageType, text: str) -> None:
    line = one(raw)
    assert (line.channel, line.kind, line.text) == ("#tea", kind, text)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (":ada!u@h QUIT :Ping timeout", "Ping timeout"),
        (":ada!u@h QUIT", ""),
        (":ada!u@h QUIT :[nolog] my secret", ""),
        (":ada!u@h QUIT :/msg nickserv identify hunter2", ""),
        (":ada!u@h QUIT :Quit: /msg nickserv identify hunter2", ""),
        (':ada!u@h QUIT :"[off] my secret"', ""),
        (":ada!u@h QUIT :Killed (oper ([off] my secret))", ""),
        (
            ":ada!u@h QUIT :Killed (oper (take [off] that hat))",
            "Killed (oper (take [off] that hat))",
        ),
        (":ada!u@h NICK :ada_away", "ada_away"),
        (":ada!u@h NICK :[off]ada", "[off]ada"),
    ],
)
def test_who_quits_or_takes_another_nick_does_so_in_each_of_their_channels(
    raw: str, text: str
) -> None:
    lines = recorded(raw)
    assert [(line.channel, line.text) for line in lines] == [("#tea", text), ("#mate", text)]
    assert {line.kind.value for line in lines} == {raw.split()[1]}


@pytest.mark.parametrize("raw", [":ada!u@h NICK", ":ada!u@h NICK :"])
def test_a_nick_change_without_a_new_nick_is_none(raw: str) -> None:
    assert recorded(raw) == []


def test_the_account_of_an_extended_join_is_kept_and_none_is_none() -> None:
    assert one(":ada!u@h JOIN #tea ada_ :Ada L").account == "ada_"
    assert one(":ada!u@h JOIN #tea * :Ada L").account == ""


@pytest.mark.parametrize(
    ("ahead", "believed"), [(59, True), (60, True), (61, False), (-86_400, True)]
)
def test_a_server_time_more_than_a_minute_ahead_is_not_believed(ahead: int, believed: bool) -> None:
    sent = NOW + timedelta(seconds=ahead)
    raw = sent.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    line = one(f"@time={raw} :ada!u@h PRIVMSG #tea :hello")
    assert line.said_at == (sent if believed else NOW)
    assert line.server_time == raw


@pytest.mark.parametrize("tag", ["time", "time=", "time=yesterday", "time=0001-01-01T00:00+14:00"])
def test_a_server_time_that_is_none_is_no_reason_to_lose_a_line(tag: str) -> None:
    assert one(f"@{tag} :ada!u@h PRIVMSG #tea :hello").said_at == NOW


@pytest.mark.parametrize(
    "raw",
    [
        "PING :irc.example",
        "PRIVMSG #tea :from nobody",
        ":ada!u@h PRIVMSG #tea",
        ":ada!u@h PRIVMSG",
        ":ada!u@h TAGMSG #tea",
        ":irc.example 332 Terra #tea :The topic",
        ":irc.example 324 Terra #tea +k hunter2",
        ":ada!u@h MODE Terra +i",
        ":ada!u@h JOIN",
        ":bo!u@h QUIT :nobody here knows bo",
    ],
)
def test_other_lines_say_nothing_for_the_record(raw: str) -> None:
    assert recorded(raw) == []


def test_bytes_that_are_no_utf8_and_control_characters_are_kept_as_text() -> None:
    assert one(b":ada!u@h PRIVMSG #tea :caf\xe9 \x02\x1fok").text == "caf\xe9 \x02\x1fok"
    assert one(b":a\x02da!u@h PRIVMSG #tea :hi").nick == "a\x02da"


def test_what_a_bouncer_replays_is_playback() -> None:
    line = parse_line(b"@time=2026-11-04T10:00:00.000Z :ada!u@h PRIVMSG #tea :yesterday")
    replayed = type(line)(line.command, line.params, line.source, line.tags, replay=True)
    (kept,) = MessageFilter("test", TwoChannels(), VoiceRules()).messages_in(replayed, NOW)
    assert (kept.origin, kept.said_at.day) == (Origin.PLAYBACK, 4)


NONE, HERE, BOTH = list[str](), ["#tea"], ["#tea", "#mate"]


@pytest.mark.parametrize(
    ("command", "channels"),
    [
        ("PRIVMSG", (NONE, NONE, NONE, HERE, NONE)),
        ("NOTICE", (NONE, NONE, NONE, HERE, NONE)),
        ("JOIN", (NONE, HERE, NONE, HERE, HERE)),
        ("PART", (NONE, HERE, NONE, HERE, HERE)),
        ("KICK", (NONE, HERE, NONE, HERE, HERE)),
        ("MODE", (NONE, HERE, NONE, HERE, HERE)),
        ("TOPIC", (NONE, HERE, NONE, HERE, HERE)),
        ("QUIT", (BOTH, BOTH, BOTH, BOTH, BOTH)),
        ("NICK", (NONE, BOTH, NONE, BOTH, BOTH)),
    ],
)
def test_a_line_of_any_shape_is_recorded_where_it_belongs_or_nowhere(
    command: str, channels: Sequence[Sequence[str]]
) -> None:
    shapes = ("", " #tea", " :", f" #tea {command} :x", " #tea \x01")
    for shape, expected in zip(shapes, channels, strict=True):
        kept = recorded(f":ada!u@h {command}{shape}")
        assert [(line.kind, line.channel) for line in kept] == [
            (MessageType[command], channel) for channel in expected
        ], shape


def test_who_speaks_through_a_relay_may_be_off_the_record() -> None:
    rules = VoiceRules(relays=(Relay("relaybot"),))
    kept = MessageFilter("test", TwoChannels(), rules)
    for text, expected in (
        ("<Jane> [off] secret", []),
        ("<Jane> /msg NickServ identify hunter2", []),
        ("<Jane> hello", ["<Jane> hello"]),
    ):
        line = parse_line(f":relaybot!u@h PRIVMSG #tea :{text}".encode())
        assert [one.text for one in kept.messages_in(line, NOW)] == expected
        line = parse_line(f":ada!u@h PRIVMSG #tea :{text}".encode())
        assert [one.text for one in kept.messages_in(line, NOW)] == [text]


def test_a_relay_is_told_by_its_nick_as_the_network_compares_it() -> None:
    line = parse_line(b":RELAY{}!u@h PRIVMSG #tea :<Jane> [off] secret")
    kept = MessageFilter("test", TwoChannels(), VoiceRules(relays=(Relay("relay[]"),)))
    assert kept.messages_in(line, NOW) == []
    [other] = kept.by_casemapping("ascii").messages_in(line, NOW)
    assert other.text == "<Jane> [off] secret"


@pytest.mark.parametrize(
    "text",
    ["Terra: [off] xyzzy", "bo, [nolog] xyzzy", "!ask [off] xyzzy", "[off] ada: [LLM] xyzzy"],
)
def test_what_is_said_to_somebody_off_the_record_is_not_kept(text: str) -> None:
    assert recorded(f":ada!u@h PRIVMSG #tea :{text}") == []


@pytest.mark.parametrize("command", ["JOIN", "PART"])
def test_who_comes_to_several_channels_at_once_or_leaves_them_does_so_in_each(command: str) -> None:
    lines = recorded(f":ada!u@h {command} #tea,ada,#mate")
    assert [(line.channel, line.kind.value) for line in lines] == [
        ("#tea", command),
        ("#mate", command),
    ]

"""What a writer writes, the reader of its format reads as it was."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import groupby
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.logformats.entries import LogEvent
from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.layout import LogLayout
from terrarium_mcp.logformats.log_clock import LogClock
from terrarium_mcp.logformats.text.irssi import IRSSI, IRSSI_LAYOUT
from terrarium_mcp.logformats.text.weechat import WEECHAT, WEECHAT_LAYOUT
from terrarium_mcp.logformats.text.znc import ZNC, ZNC_LAYOUT

TOKYO = ZoneInfo("Asia/Tokyo")
BERLIN = ZoneInfo("Europe/Berlin")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
WITH_HOSTS = {MessageType.JOIN, MessageType.PART, MessageType.QUIT}

Said = tuple[datetime, LogEvent]


@dataclass(frozen=True)
class Pair:
    """A format that is written and read, and what it has no room for."""

    layout: LogLayout
    reader: TextFormat
    resolution: timedelta
    is_daily: bool = False
    """Whether each day has a file of its own."""

    def held(self, said: Said) -> Said:
        """What the format holds of a message: the table in docs/exporting.md."""
        at, event = said
        has_host = event.kind in WITH_HOSTS
        return at - (at - EPOCH) % self.resolution, LogEvent(
            event.kind,
            event.nick,
            event.text,
            event.user if has_host else "",
            event.host if has_host else "",
        )

    def written(self, said: Sequence[Said], zone: tzinfo) -> Iterator[tuple[date, list[str]]]:
        """The lines of each file, with its day."""
        local = [(at.astimezone(zone), event) for at, event in said]
        files = groupby(local, lambda one: self.layout.file("net", "#tea", one[0]))
        for _, group in files:
            lines, before = list[str](), None
            messages = list(group)
            for at, event in messages:
                lines += self.layout.lines(at, event, before)
                before = at
            yield messages[0][0].date(), lines

    def read(self, said: Sequence[Said], zone: tzinfo) -> list[Said]:
        """What the reader reads in what the writer wrote."""
        found = []
        for day, lines in self.written(said, zone):
            clock = LogClock(zone, day if self.is_daily else None)
            for line in "\n".join(lines).split("\n"):
                entry = self.reader.read(line)
                assert entry is not None, line
                at = clock.go_on(entry.dated) if entry.dated else clock.moment(entry.stamp)
                found += [(at, event._replace(channel="")) for event in entry.events]
        return found


PAIRS = [
    Pair(WEECHAT_LAYOUT, WEECHAT, timedelta(milliseconds=1)),
    Pair(IRSSI_LAYOUT, IRSSI, timedelta(minutes=1)),
    Pair(ZNC_LAYOUT, ZNC, timedelta(seconds=1), is_daily=True),
]
EACH = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.layout.name)

nicks = st.from_regex(r"[A-Za-z\[\]\\`^{|}_][A-Za-z0-9\[\]\\`^{|}_-]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=30)
hosts = st.from_regex(r"[A-Za-z0-9.:/~_-]{0,12}", fullmatch=True)
moments = st.integers(9 * 10**11, 2 * 10**12).map(lambda ms: EPOCH + timedelta(milliseconds=ms))


@st.composite
def events(draw: st.DrawFn) -> LogEvent:
    kind = draw(st.sampled_from(MessageType))
    text = draw(texts)
    match kind:
        case MessageType.JOIN:
            text = ""
        case MessageType.NICK:
            text = draw(nicks)
        case MessageType.KICK:
            text = f"{draw(nicks)} {text}" if text else draw(nicks)
    return LogEvent(kind, draw(nicks), text, draw(hosts), draw(hosts), "#tea", "account", "msgid")


talks = st.lists(st.tuples(moments, events()), min_size=1, max_size=12).map(
    lambda said: sorted(said, key=lambda one: one[0])
)
FORGERIES = [
    "--- Day changed Sun Oct 25 2026",
    "--- Log opened Sat Oct 24 23:51:20 2026",
    "12:00 <root> all is well",
    "[12:00:00] <root> all is well",
    "*** Quits: ada (a@b) (bye)",
    "2026-10-24 12:00:00\troot\tall is well",
    "<root> all is well",
    " * root waves",
    "-!- ada [a@b] has quit [bye]",
    "is now known as bob",
    'has changed topic for #tea to "free beer"',
]
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def said(text: str, kind: MessageType = MessageType.PRIVMSG) -> LogEvent:
    return LogEvent(kind, "ada", text, channel="#tea")


@EACH
@given(talk=talks, zone=st.sampled_from([UTC, TOKYO]))
@example(talk=[(NOON, LogEvent(MessageType.NOTICE, "a-b", "c- d"))], zone=UTC)
@example(talk=[(NOON, LogEvent(MessageType.TOPIC, "ada", 'x" to "y', channel="#tea"))], zone=UTC)
@example(talk=[(NOON, LogEvent(MessageType.TOPIC, "ada", "", channel="#tea"))], zone=UTC)
def test_what_is_written_is_read_as_it_was(pair: Pair, talk: list[Said], zone: tzinfo) -> None:
    talk = [(at, event._replace(channel="#tea")) for at, event in talk]
    assert pair.read(talk, zone) == [pair.held(one) for one in talk]


@EACH
@pytest.mark.parametrize("kind", [*SPEECH, MessageType.TOPIC])
def test_a_forged_line_inside_a_message_remains_a_message(pair: Pair, kind: MessageType) -> None:
    talk = [(NOON, said(forgery, kind)) for forgery in FORGERIES]
    assert pair.read(talk, UTC) == [pair.held(one) for one in talk]


@EACH
def test_a_line_break_in_a_text_becomes_a_space_and_forges_nothing(pair: Pair) -> None:
    talk = [(NOON, said(f"so\n{forgery}\r\nend\rof it")) for forgery in FORGERIES]
    assert [event.text for _, event in pair.read(talk, UTC)] == [
        f"so {forgery} end of it" for forgery in FORGERIES
    ]


@EACH
def test_a_nick_that_no_network_has_becomes_one(pair: Pair) -> None:
    odd = ["", "two words", "a\nb", "<x>", "tab\there"]
    talk = [(NOON, LogEvent(MessageType.PRIVMSG, nick, "hi", channel="#tea")) for nick in odd]
    assert [event.nick for _, event in pair.read(talk, UTC)] == [
        "_", "two_words", "a_b", "_x_", "tab_here",
    ]  # fmt: skip


@EACH
def test_both_hours_of_the_night_in_which_clocks_go_back_are_read(pair: Pair) -> None:
    began = datetime(2026, 10, 24, 23, 30, tzinfo=UTC)  # 01:30 in Berlin
    talk = [(began + timedelta(minutes=5 * n), said(f"line {n}")) for n in range(40)]
    assert pair.read(talk, BERLIN) == [pair.held(one) for one in talk]


def test_weechat_is_written_as_weechat_writes() -> None:
    lines = [
        WEECHAT_LAYOUT.lines(NOON, event, None)
        for event in (
            said("hello"),
            said("waves", MessageType.ACTION),
            said("bo spam", MessageType.KICK),
            LogEvent(MessageType.JOIN, "ada", "", "~ada", "host.example", "#tea"),
        )
    ]
    assert lines == [
        ["2026-05-01T12:00:00.000000Z\tada\thello"],
        ["2026-05-01T12:00:00.000000Z\t *\tada waves"],
        ["2026-05-01T12:00:00.000000Z\t<--\tada has kicked bo (spam)"],
        ["2026-05-01T12:00:00.000000Z\t-->\tada (~ada@host.example) has joined #tea"],
    ]


def test_irssi_gets_its_lines_of_dates() -> None:
    local = NOON.astimezone(BERLIN) + timedelta(seconds=59)
    assert IRSSI_LAYOUT.lines(local, said("hello"), None) == [
        "--- Log opened Fri May 01 14:00:00 2026",
        "14:00 < ada> hello",
    ]
    assert IRSSI_LAYOUT.lines(local + timedelta(days=1), said("again"), local) == [
        "--- Day changed Sat May 02 2026",
        "14:00 < ada> again",
    ]
    assert IRSSI_LAYOUT.lines(local, said("more"), local) == ["14:00 < ada> more"]


@pytest.mark.parametrize(
    ("channel", "weechat", "irssi", "znc"),
    [
        ("#Tea", "irc.net.#tea.weechatlog", "net/#tea.log", "net/#tea/2026-05-01.log"),
        (
            "#\u0414\u0430",
            "irc.net.#\u0414\u0430.weechatlog",
            "net/#\u0414\u0430.log",
            "net/#\u0414\u0430/2026-05-01.log",
        ),
        (
            "#we/ird.chan",
            "irc.net.#we_ird.chan.weechatlog",
            "net/#we_ird.chan.log",
            "net/#we-ird.chan/2026-05-01.log",
        ),
        (
            "#a\\b",
            "irc.net.#a\\b.weechatlog",
            "net/#a\\b.log",
            "net/#a-b/2026-05-01.log",
        ),
        (
            "#../../etc\0",
            "irc.net.#.._.._etc_.weechatlog",
            "net/#.._.._etc_.log",
            "net/#..-..-etc_/2026-05-01.log",
        ),
    ],
)
def test_files_are_named_as_the_programs_name_them(
    channel: str, weechat: str, irssi: str, znc: str
) -> None:
    layouts = (WEECHAT_LAYOUT, IRSSI_LAYOUT, ZNC_LAYOUT)
    names = [layout.file("Net", channel, NOON).as_posix() for layout in layouts]
    assert names == [weechat, irssi, znc]


@pytest.mark.parametrize("network", ["..", ".hidden", "a/../b"])
def test_no_network_leads_out_of_the_folder(network: str) -> None:
    for layout in (WEECHAT_LAYOUT, IRSSI_LAYOUT, ZNC_LAYOUT):
        path = layout.file(network, "#tea", NOON)
        assert ".." not in path.parts
        assert not path.parts[0].startswith(".")

"""Any sequence of lines at all: the connection answers, and what is said afterwards is recorded.

The whole way of a line is real, from the socket through session, filter and recorder to the file.
At length: `make soak`.
"""

import re
import sqlite3
from contextlib import closing

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import EXAMPLES
from tests.irc_bridge.house import living, settings_for
from tests.patience import PATIENCE
from tests.servers.fake_ircd import ISUPPORT, fake_ircd

LINES = 40
"""Lines of one example, all of them on one connection."""

WORDS = st.sampled_from(
    [
        *("Terra", "ada", "bo", "#tea", "#mate", "#elsewhere", "&x", "@#tea", "*", "+", "-", "="),
        *("#tea,#mate", "+o", "-o+v", "+ovk-b", "LS", "ACK", "NEW", "DEL", "NAK", "LIST", "batch"),
        *("542", "0", "1", "\u00b2", "-1", "99999999999999999999", "H@", "G", "+b1", "-b1", "b1"),
        *("chathistory", "netsplit", "terra{}", "a!b@c", "!@", "@", "!", "srv.example", "\x01"),
        *("LINELEN=0", "CASEMAPPING=ascii", "CASEMAPPING=rfc1459", "PREFIX=(ov)@+", "PREFIX="),
        *("CHANTYPES=#", "-CHANTYPES", "NICKLEN=\u00b2", "CHANLIMIT=#:1", "WHOX", "BOT=B"),
        *("UHNAMES", "NAMESX", "CHANMODES=b,k,l,i", "CHANMODES=", "STATUSMSG=@", "TARGMAX=JOIN:1"),
    ]
)
ANY_WORD = st.one_of(
    WORDS, st.text(st.characters(exclude_characters="\r\n\0 "), min_size=1, max_size=12)
)
TEXTS = st.one_of(
    ANY_WORD,
    st.lists(ANY_WORD, max_size=6).map(" ".join),
    st.text(max_size=30),
    st.sampled_from(["\x01ACTION waves\x01", "\x01VERSION\x01", "\x01", "[off] x", "", "!help"]),
    st.integers(1, 9_000).map("x".__mul__),
)
TAGS = st.one_of(
    st.just(""),
    st.sampled_from(
        [
            *("@time=2026-05-01T12:00:00.000Z ", "@time=9999-12-31T23:59:59Z ", "@time=never "),
            *("@batch=b1 ", "@msgid=m1;account=ada ", "@account= ", "@;;=;a=\\ ", "@bot ", "@ "),
        ]
    ),
    st.text(max_size=20).map(lambda text: f"@{text} "),
)
SOURCES = st.sampled_from(
    [
        *("", ":srv.example ", ":ada!a@h ", ":bo!b@h ", ":Terra!u@h ", ":Terra ", ":!u@h ", ": "),
        *("::x!u@h ", ":a!b!c@d@e ", ":@h ", ":\u00e4!\u00f6@\u00fc ", f":{'n' * 460}!u@h "),
    ]
)
COMMANDS = st.one_of(
    st.sampled_from(
        [
            *("001", "005", "005", "332", "353", "353", "354", "352", "366", "372", "375", "376"),
            *("396", "403", "405", "422", "433", "437", "471", "475", "482", "900", "903", "904"),
            *("ACCOUNT", "AUTHENTICATE", "AWAY", "BATCH", "BATCH", "CAP", "CAP", "CHGHOST", "FAIL"),
            *("INVITE", "JOIN", "JOIN", "KICK", "MODE", "MODE", "NICK", "NOTICE", "PART", "PING"),
            *("PONG", "PRIVMSG", "PRIVMSG", "REDACT", "SETNAME", "TAGMSG", "TOPIC", "WALLOPS"),
        ]
    ),
    st.integers(0, 999).map("{:03}".format),
    st.text(st.characters(categories=["L", "N", "P"]), max_size=10),
)
ENDS = re.compile(r"QUIT|KILL|ERROR", re.IGNORECASE)
"""With these a server ends a connection by right."""


def written(tags: str, source: str, command: str, words: list[str], text: str | None) -> bytes:
    last = "" if text is None else f" :{text}"
    line = f"{tags}{source}{' '.join([command, *words])}{last}"
    return re.sub(r"[\r\n]", "", line).encode("utf-8", "replace")


STRUCTURED = st.builds(
    written,
    TAGS,
    SOURCES,
    COMMANDS.filter(lambda command: not ENDS.fullmatch(command)),
    st.lists(ANY_WORD, max_size=8),
    st.none() | TEXTS,
)
RAW = st.binary(max_size=80).map(lambda raw: raw.replace(b"\n", b""))
WIRE = st.lists(
    st.one_of(STRUCTURED, STRUCTURED, STRUCTURED, RAW).filter(
        lambda line: not ENDS.search(line.decode("latin-1"))
    ),
    max_size=LINES,
)


@settings(
    max_examples=max(8, EXAMPLES // 5), suppress_health_check=[HealthCheck.too_slow], deadline=None
)
@given(WIRE)
async def test_after_any_lines_the_bot_answers_and_records(
    tmp_path_factory: pytest.TempPathFactory, wire: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("wire")
    caps = ["batch message-tags server-time account-tag extended-join chghost"]
    async with fake_ircd(isupport=ISUPPORT, caps=caps) as server:
        prepared = settings_for(server.port, folder)
        async with living(prepared) as house:
            with anyio.fail_after(PATIENCE):
                await server.says(*wire)
                await server.settles()
                await server.says(":srv 005 Terra CHANTYPES=# CASEMAPPING=rfc1459 :are supported")
                await server.says(":zoe!z@h PRIVMSG #tea :said afterwards")
                await server.settles()
                assert server.connections == 1
                await house.bridge.flush()
        assert times_recorded(prepared.db_path) == 1


def times_recorded(database: object) -> int:
    """How many times the last line is in the file."""
    with closing(sqlite3.connect(str(database))) as db:
        sql = "SELECT count(*) FROM messages WHERE nick = 'zoe' AND message = 'said afterwards'"
        return int(db.execute(sql).fetchone()[0])

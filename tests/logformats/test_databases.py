"""Databases of other programs, made as those programs make them."""

import gzip
import json
import sqlite3
import tracemalloc
from contextlib import closing, suppress
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from terrarium_mcp.chat.on_record import NotRecorded
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.voices import rules_on
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.databases.database_contents import (
    NamelessNetworks,
    UnknownDatabase,
    contents_of_database,
)
from terrarium_mcp.logformats.databases.database_format import is_database
from terrarium_mcp.logformats.files import LogFile, UnusableFile
from terrarium_mcp.logformats.log_reader import LONGEST_LINE, DatedEvent, LineCounts, RejectedLine
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.logformats.planning import UndecidedLog
from terrarium_mcp.logformats.recordable import recordable
from tests.samples import terrarium_irc

SECOND = datetime(2026, 10, 24, 21, 57, 13, tzinfo=UTC)
EPOCH = int(SECOND.timestamp())
Said = tuple[str, str, MessageType, str, str]


def database(path: Path, *statements: str, rows: dict[str, list[tuple[object, ...]]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
        for table, values in rows.items():
            for row in values:
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608 -- ours
    return path


def contents(path: Path, choices: Choices | None = None) -> list[LogContent]:
    (file,) = log_files([str(path)], path.parent)
    assert isinstance(file, LogFile)
    with path.open("rb") as stored:
        assert is_database(stored.read(100))
    return list(contents_of_database(file, choices or Choices()))


def said(content: LogContent) -> list[Said]:
    with content.read() as log:
        return [
            (content.network, content.target, one.event.kind, one.event.nick, one.event.text)
            for one in log.items
            if isinstance(one, DatedEvent)
        ]


def rejects(content: LogContent) -> list[tuple[int, str]]:
    """The rows that cannot be read, by their number in the database, and why."""
    with content.read() as log:
        rows = [one for one in log.items if isinstance(one, RejectedLine)]
        assert log.counts.rejected == len(rows)
    return [(row.number, row.why) for row in rows]


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


DAMAGED = "a damaged row"


def quassel(path: Path) -> Path:
    return database(
        path,
        "CREATE TABLE network (networkid INTEGER PRIMARY KEY, networkname TEXT)",
        "CREATE TABLE buffer (bufferid INTEGER PRIMARY KEY, networkid INTEGER, buffername TEXT)",
        "CREATE TABLE sender (senderid INTEGER PRIMARY KEY, sender TEXT)",
        "CREATE TABLE backlog (messageid INTEGER PRIMARY KEY, time INTEGER, bufferid INTEGER,"
        " type INTEGER, flags INTEGER, senderid INTEGER, senderprefixes TEXT, message TEXT)",
        rows={
            "network": [(1, "libera")],
            "buffer": [(1, 1, "#tea"), (2, 1, "ada"), (3, 1, "")],
            "sender": [(1, "ada!a@home.example"), (2, "")],
            "backlog": [
                (1, EPOCH, 1, 0x20, 0, 1, "", "#tea"),  # in seconds, as before schema 31
                (2, EPOCH * 1000, 1, 0x1, 0x1, 1, "@", "hi"),
                (3, EPOCH * 1000, 1, 0x4, 0, 1, "", "waves"),
                (4, EPOCH * 1000, 1, 0x8, 0, 1, "", "ada_"),
                (5, EPOCH * 1000, 1, 0x10, 0, 1, "", "#tea +o bob"),
                (6, EPOCH * 1000, 1, 0x100, 0, 1, "", "bob out"),
                (7, EPOCH * 1000, 1, 0x10000, 0, 2, "", "cy!c@d#:#dee!d@e#:#a.example b.example"),
                (8, EPOCH * 1000, 1, 0x4000, 0, 2, "", "ada hat das Thema gesetzt"),
                (9, EPOCH * 1000, 2, 0x1, 0, 1, "", "psst"),
                (10, EPOCH * 1000, 3, 0x400, 0, 2, "", "welcome"),
            ],
        },
    )


def test_quassel_keeps_types_as_bits(tmp_path: Path) -> None:
    tea, ada = contents(quassel(tmp_path / "quassel-storage.sqlite"))
    assert said(tea) == [
        ("libera", "#tea", MessageType.JOIN, "ada", ""),
        ("libera", "#tea", MessageType.PRIVMSG, "ada", "hi"),
        ("libera", "#tea", MessageType.ACTION, "ada", "waves"),
        ("libera", "#tea", MessageType.NICK, "ada", "ada_"),
        ("libera", "#tea", MessageType.MODE, "ada", "+o bob"),
        ("libera", "#tea", MessageType.KICK, "ada", "bob out"),
        ("libera", "#tea", MessageType.QUIT, "cy", "a.example b.example"),
        ("libera", "#tea", MessageType.QUIT, "dee", "a.example b.example"),
    ]
    assert ada.is_private
    with tea.read() as log:
        assert {one.said_at for one in log.items if isinstance(one, DatedEvent)} == {SECOND}


def test_quassel_is_told_by_the_server_which_modes_a_channel_has(tmp_path: Path) -> None:
    """A genuine row, of who joined a channel without modes: nobody set one."""
    path = quassel(tmp_path / "quassel-storage.sqlite")
    with sqlite3.connect(path) as core:
        core.execute("DELETE FROM backlog")
        core.execute("INSERT INTO sender VALUES (3, 'irc.lab.test')")
        core.execute("INSERT INTO backlog VALUES (1, 1792879196436, 1, 16, 0, 3, '', '#tea +')")
    core.close()
    tea, _ = contents(path)
    assert said(tea) == []


def test_a_row_of_quassel_without_a_time_is_rejected(
    tmp_path: Path,
) -> None:
    path = quassel(tmp_path / "quassel-storage.sqlite")
    before = said(contents(path)[0])
    change(path, "INSERT INTO backlog VALUES (11, 'noon', 1, 1, 0, 1, '', 'x')")
    change(path, "INSERT INTO backlog VALUES (12, 1, 1, 1, 0, 99, '', 'x')")
    tea, _ = contents(path)
    assert rejects(tea) == [(11, DAMAGED)]
    assert said(tea) == [*before, ("libera", "#tea", MessageType.PRIVMSG, "", "x")]


def the_lounge(path: Path) -> Path:
    def message(**said: object) -> str:
        return json.dumps({"from": {"nick": "ada", "mode": "@"}, "self": False, **said})

    at = EPOCH * 1000
    return database(
        path,
        "CREATE TABLE messages (network TEXT, channel TEXT, time INTEGER, type TEXT, msg TEXT)",
        rows={
            "messages": [
                ("uuid-1", "#tea", at, "join", message(hostmask="a@home.example")),
                ("uuid-1", "#tea", at, "message", message(text="hi")),
                ("uuid-1", "#tea", at, "kick", message(target={"nick": "bob"}, text="out")),
                ("uuid-1", "#tea", at, "nick", message(new_nick="ada_")),
                ("uuid-1", "#tea", at, "unhandled", message(text="x")),
            ]
        },
    )


def test_the_lounge_names_networks_in_the_users_file(tmp_path: Path) -> None:
    path = the_lounge(tmp_path / "logs" / "ada.sqlite3")
    with pytest.raises(UndecidedLog, match="--network"):
        contents(path)
    (named,) = contents(path, Choices(network="oftc"))
    assert named.network == "oftc"
    (tmp_path / "users").mkdir()
    networks = {"networks": [{"uuid": "uuid-1", "name": "libera"}]}
    (tmp_path / "users" / "ada.json").write_text(json.dumps(networks))
    (tea,) = contents(path)
    assert said(tea) == [
        ("libera", "#tea", MessageType.JOIN, "ada", ""),
        ("libera", "#tea", MessageType.PRIVMSG, "ada", "hi"),
        ("libera", "#tea", MessageType.KICK, "ada", "bob out"),
        ("libera", "#tea", MessageType.NICK, "ada", "ada_"),
    ]


def test_nameless_networks_of_the_lounge_are_not_merged(tmp_path: Path) -> None:
    path = the_lounge(tmp_path / "logs" / "ada.sqlite3")
    change(path, "INSERT INTO messages SELECT 'uuid-2', '#mate', time, type, msg FROM messages")
    both = r"ada\.sqlite3: .* uuid-1 \(#tea\), uuid-2 \(#mate\)\. .* users/<user>\.json"
    with pytest.raises(NamelessNetworks, match=both):
        contents(path, Choices(network="libera"))
    (tmp_path / "users").mkdir()
    names = tmp_path / "users" / "ada.json"
    names.write_text('{"networks": [{"uuid": "uuid-1", "name": "libera"}]}')
    with pytest.raises(NamelessNetworks, match=r"libera \(#tea\), uuid-2 \(#mate\)"):
        contents(path, Choices(network="libera"))


@pytest.mark.parametrize("damaged", ["{", "[]", None, b"\xff", "[" * 100_000])
def test_a_row_of_the_lounge_that_is_damaged_is_rejected(
    damaged: str | bytes | None, tmp_path: Path
) -> None:
    path = the_lounge(tmp_path / "ada.sqlite3")
    change(path, "UPDATE messages SET msg = ? WHERE type = 'message'", damaged)
    (tea,) = contents(path, Choices(network="libera"))
    assert [number for number, _ in rejects(tea)] == [2]
    assert [kind for _, _, kind, *_ in said(tea)] == [
        MessageType.JOIN,
        MessageType.KICK,
        MessageType.NICK,
    ]


def test_the_topic_that_the_lounge_shows_on_joining_is_nobodys(tmp_path: Path) -> None:
    path = the_lounge(tmp_path / "ada.sqlite3")
    topic = """INSERT INTO messages VALUES ('uuid-1', '#tea', 1, 'topic', '{"text": "t"}')"""
    change(path, topic)
    (tea,) = contents(path, Choices(network="libera"))
    assert rejects(tea) == []
    assert MessageType.TOPIC not in {kind for _, _, kind, *_ in said(tea)}


def ergo(path: Path) -> Path:
    def item(kind: int, text: str = "", first: str = "") -> str:
        message = {"Message": text, "Msgid": f"m{kind}", "Split": None}
        nick = "ada!~a@home.example"
        return json.dumps(
            {
                "Type": kind,
                "Nick": nick,
                "AccountName": "ada",
                "Message": message,
                "Params": [first],
            }
        )

    items = [item(3), item(1, "hi"), item(5, "out", "bob"), item(9, "", "ada_"), item(11)]
    return database(
        path,
        "CREATE TABLE history (id INTEGER PRIMARY KEY, data BLOB, msgid TEXT)",
        "CREATE TABLE sequence (history_id INTEGER PRIMARY KEY, target TEXT, nanotime INTEGER)",
        rows={
            "history": [(number, data, "") for number, data in enumerate(items)],
            "sequence": [(number, "#tea", EPOCH * 10**9 + number) for number in range(len(items))],
        },
    )


def test_ergo_has_accounts_and_msgids(tmp_path: Path) -> None:
    path = ergo(tmp_path / "history.db")
    with pytest.raises(UndecidedLog, match="--network"):
        contents(path)
    (tea,) = contents(path, Choices(network="ergonet"))
    assert said(tea) == [
        ("ergonet", "#tea", MessageType.JOIN, "ada", ""),
        ("ergonet", "#tea", MessageType.PRIVMSG, "ada", "hi"),
        ("ergonet", "#tea", MessageType.KICK, "ada", "bob out"),
        ("ergonet", "#tea", MessageType.NICK, "ada", "ada_"),
    ]
    with tea.read() as log:
        events = [one.event for one in log.items if isinstance(one, DatedEvent)]
    assert {(one.account, one.msgid) for one in events[1:2]} == {("ada", "m1")}


def test_what_ergo_has_in_several_lines_comes_line_by_line_as_others_received_it(
    tmp_path: Path,
) -> None:
    path = ergo(tmp_path / "history.db")
    parts = [
        {"Message": "two teas:"},
        {"Message": ""},
        {"Message": "[off] and a secret"},
        {"Message": "/msg NickServ identify hunter2"},
        {"Message": "one that is so lo"},
        {"Message": "ng that it was cut", "Concat": True},
    ]
    message = {"Message": "", "Msgid": "m1", "Split": parts}
    item = {"Type": 1, "Nick": "ada!~a@home.example", "AccountName": "*", "Message": message}
    change(path, "UPDATE history SET data = ? WHERE id = 1", json.dumps(item))
    (tea,) = contents(path, Choices(network="ergonet"))
    with tea.read() as log:
        events = [one for one in log.items if isinstance(one, DatedEvent)][1:-2]
    assert [(one.event.text, one.event.msgid) for one in events] == [
        ("two teas:", "m1"),
        ("[off] and a secret", ""),
        ("/msg NickServ identify hunter2", ""),
        ("one that is so lo", ""),
        ("ng that it was cut", ""),
    ]
    assert len({one.said_at for one in events}) == 1
    rules = rules_on("ergonet", {})
    kept = [recordable(one.event, "ergonet", "#tea", one.said_at, rules) for one in events]
    assert kept[1:3] == [NotRecorded.OFF_RECORD, NotRecorded.SECRET]


def test_ergo_has_the_parameters_of_a_mode_apart(tmp_path: Path) -> None:
    path = ergo(tmp_path / "history.db")
    message = {"Message": "", "Split": [{"Message": "+ov"}, {"Message": "bob"}, {"Message": "cy"}]}
    item = json.dumps({"Type": 7, "Nick": "ada", "Message": message})
    change(path, "UPDATE history SET data = ? WHERE id = 1", item)
    (tea,) = contents(path, Choices(network="ergonet"))
    assert said(tea)[1] == ("ergonet", "#tea", MessageType.MODE, "ada", "+ov bob cy")


def test_a_row_of_ergo_that_is_damaged_or_leads_nowhere_is_rejected(tmp_path: Path) -> None:
    path = ergo(tmp_path / "history.db")
    change(path, "UPDATE history SET data = '{' WHERE id = 1")
    change(path, "DELETE FROM history WHERE id = 2")
    (tea,) = contents(path, Choices(network="ergonet"))
    assert rejects(tea) == [(1, DAMAGED), (2, DAMAGED)]
    assert len(said(tea)) == 2


def soju(path: Path) -> Path:
    """As its documentation says: targets of networks of users, messages as on the wire."""
    lines = [
        "@time=2026-10-24T22:00:00.001Z;account=ada :ada!~a@home.example JOIN #tea",
        "@msgid=m1;account=ada :ada!~a@home.example PRIVMSG #tea :hi: there",
        ":bob!~b@home.example KICK #tea ada :out with you",
        ":bob!~b@home.example MODE #tea +o cy",
        ":irc.example 353 ada = #tea :ada bob",
        ":bob!~b@home.example NICK :bob_",
        "",
    ]
    return database(
        path,
        "CREATE TABLE Network (id INTEGER PRIMARY KEY, name TEXT, user INTEGER, addr TEXT)",
        "CREATE TABLE MessageTarget (id INTEGER PRIMARY KEY, network INTEGER, target TEXT)",
        "CREATE TABLE Message (id INTEGER PRIMARY KEY, target INTEGER, raw TEXT, time TEXT,"
        " sender TEXT, text TEXT)",
        rows={
            "Network": [
                (1, "libera", 1, "irc.libera.chat"),
                (2, None, 1, "ircs://irc.mate.example:6697"),
            ],
            "MessageTarget": [(1, 1, "#tea"), (2, 2, "#mate")],
            "Message": [
                (number, 1, line, f"2026-10-24T22:00:00.{number:03}Z", "", "")
                for number, line in enumerate(lines, 1)
            ],
        },
    )


def test_soju_has_messages_as_they_came(tmp_path: Path) -> None:
    tea, mate = contents(soju(tmp_path / "main.db"))
    assert (mate.network, mate.target) == ("mate", "#mate")
    assert said(tea) == [
        ("libera", "#tea", MessageType.JOIN, "ada", ""),
        ("libera", "#tea", MessageType.PRIVMSG, "ada", "hi: there"),
        ("libera", "#tea", MessageType.KICK, "bob", "ada out with you"),
        ("libera", "#tea", MessageType.MODE, "bob", "+o cy"),
        ("libera", "#tea", MessageType.NICK, "bob", "bob_"),
    ]
    with tea.read() as log:
        events = [one for one in log.items if isinstance(one, DatedEvent)]
    assert {(one.event.account, one.event.msgid) for one in events[1:2]} == {("ada", "m1")}
    assert events[0].said_at == datetime(2026, 10, 24, 22, 0, 0, 1000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "address", "network"),
    [
        ("", "irc.libera.chat", "libera"),
        ("", "irc.libera.chat:6697", "libera"),
        ("", "irc+insecure://[2001:db8::1]:6667", "local"),
        ("", "irc+unix:///run/ircd.sock", "local"),
        ("", "", "local"),
        ("irc.libera.chat", "ircs://irc.libera.chat", "irc.libera.chat"),
    ],
)
def test_a_network_of_soju_without_a_name_is_called_as_a_recorder_calls_it(
    tmp_path: Path, name: str, address: str, network: str
) -> None:
    path = soju(tmp_path / "main.db")
    change(path, "UPDATE Network SET name = ?, addr = ? WHERE id = 2", name, address)
    assert [one.network for one in contents(path)] == (
        ["libera", network] if address else ["libera"]
    )


def test_a_row_of_soju_that_is_no_message_is_rejected(tmp_path: Path) -> None:
    path = soju(tmp_path / "main.db")
    change(
        path, "INSERT INTO Message VALUES (8, 1, 'PRIVMSG #tea :x', '2026-10-24T22:00:01', '', '')"
    )
    change(path, "INSERT INTO Message VALUES (9, 1, ':ada JOIN #tea', 'noon', '', '')")
    tea, _ = contents(path)
    assert rejects(tea) == [(7, DAMAGED), (9, DAMAGED)]
    assert said(tea)[-1] == ("libera", "#tea", MessageType.PRIVMSG, "", "x")


def test_a_row_of_soju_that_is_no_line_of_irc_is_rejected(tmp_path: Path) -> None:
    path = soju(tmp_path / "main.db")
    raws = ("garbage", "garbage in, garbage out", ":ada!a@home NICK", ":ada!a@home PRIVMSG")
    silent = ("@+draft/react=x :ada!a@home TAGMSG #tea", ":irc.example 332 ada #tea :t")
    for number, raw in enumerate((*raws, *silent), 8):
        said_at = "2026-10-24T22:00:01Z"
        change(path, "INSERT INTO Message VALUES (?, 1, ?, ?, '', '')", number, raw, said_at)
    tea, _ = contents(path)
    assert rejects(tea) == [(number, DAMAGED) for number in (7, 8, 9, 10, 11)]
    assert len(said(tea)) == 5


def test_soju_stores_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    path = soju(tmp_path / "main.db")
    raw = b":ada!a@home PRIVMSG #tea :caf\xe9"
    change(path, "UPDATE Message SET raw = CAST(? AS TEXT) WHERE id = 2", raw)
    tea, _ = contents(path)
    assert said(tea)[1][-1] == "caf\u00e9"


def private_texts(content: LogContent) -> list[str]:
    with content.read() as log:
        events = [one.event for one in log.items if isinstance(one, DatedEvent)]
    return [one.text for one in events if one.private]


def test_what_goes_to_operators_only_is_private(tmp_path: Path) -> None:
    bouncer = soju(tmp_path / "main.db")
    ops = (b":ada!a@home PRIVMSG @#tea :ops", b":ada!a@home NOTICE +#tea :voices")
    for number, raw in enumerate(ops, 8):
        said_at = "2026-10-24T22:00:01Z"
        change(bouncer, "INSERT INTO Message VALUES (?, 1, ?, ?, '', '')", number, raw, said_at)
    assert private_texts(contents(bouncer)[0]) == ["ops", "voices"]
    lounge = the_lounge(tmp_path / "ada.sqlite3")
    row = json.dumps({"from": {"nick": "ada"}, "text": "ops", "statusmsgGroup": "@"})
    change(lounge, "INSERT INTO messages VALUES ('uuid-1', '#tea', 1, 'message', ?)", row)
    assert private_texts(contents(lounge, Choices(network="libera"))[0]) == ["ops"]
    core = quassel(tmp_path / "quassel-storage.sqlite")
    change(core, "INSERT INTO backlog VALUES (11, 1, 1, 1, 0x11, 1, '', 'ops')")
    assert private_texts(contents(core)[0]) == ["ops"]


def test_terrarium_irc_has_local_times(tmp_path: Path) -> None:
    path = terrarium_irc.make(tmp_path / "theirs.db", 200)
    with pytest.raises(UndecidedLog, match="--timezone"):
        contents(path, Choices(network="libera"))
    rooms = contents(path, Choices(network="libera", zone=terrarium_irc.ZONE))
    assert {room.is_private for room in rooms} == {True, False}
    assert sum(len(said(room)) for room in rooms) > 100


def test_an_unknown_database_is_refused_and_no_byte_of_it_changes(tmp_path: Path) -> None:
    path = database(tmp_path / "other.db", "CREATE TABLE notes (text TEXT)", rows={})
    before = path.read_bytes()
    with pytest.raises(UnknownDatabase, match=r"Known: .*Quassel"):
        contents(path)
    assert path.read_bytes() == before


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    path = quassel(tmp_path / "q.sqlite")
    path.write_bytes(path.read_bytes()[:512] + b"\xff" * 4000)
    with pytest.raises((UnusableFile, UnknownDatabase), match=r"q\.sqlite"):
        contents(path)


def test_a_database_that_is_damaged_after_its_rooms_is_named(tmp_path: Path) -> None:
    path = quassel(tmp_path / "q.sqlite")
    tea, _ = contents(path)
    change(path, "DROP TABLE backlog")
    with pytest.raises(UnusableFile, match=r"q\.sqlite: no such table"):
        said(tea)


def test_a_packed_database_is_to_be_unpacked(tmp_path: Path) -> None:
    plain = database(tmp_path / "x" / "quassel.sqlite", "CREATE TABLE t (a)", rows={})
    packed = tmp_path / "quassel.sqlite.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    (file,) = log_files([str(packed)], tmp_path)
    assert isinstance(file, LogFile)
    with pytest.raises(UnusableFile, match="a database in a packed file"):
        contents_of_database(file, Choices())


MAKERS = {"quassel": quassel, "thelounge": the_lounge, "ergo": ergo, "soju": soju}


def made(name: str, folder: Path) -> Path:
    """A database of a program."""
    if name == "terrarium-irc":
        return terrarium_irc.make(folder / "theirs.db", 200)
    return MAKERS[name](folder / f"{name}.db")


CHOICES = Choices(network="libera", zone=terrarium_irc.ZONE)
TABLES = {
    "quassel": ("backlog", "sender", "buffer", "network"),
    "thelounge": ("messages",),
    "ergo": ("history", "sequence"),
    "soju": ("Message", "MessageTarget", "Network"),
    "terrarium-irc": ("messages",),
}
VALUES = (None, 7, -(2**63), 1.5, float("inf"), "", "text", b"\xff\0", '"\\ud800"', "\x1b[2J" * 9)


@pytest.mark.parametrize("name", TABLES)
def test_a_column_of_any_type_loses_no_other_row(name: str, tmp_path: Path) -> None:
    """In SQLite any column may hold anything: of each table a row is changed, column by column."""
    usual = made(name, tmp_path)
    whole, refused = read_all(usual), set[str]()
    for table in TABLES[name]:
        with closing(sqlite3.connect(usual)) as connection:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            row = connection.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0]  # noqa: S608 -- ours
        for column, value in product(columns, VALUES):
            path = tmp_path / "changed.db"
            path.write_bytes(usual.read_bytes())
            with suppress(sqlite3.IntegrityError):  # a key must be a number
                change(path, f"UPDATE {table} SET {column} = ? WHERE rowid = {row}", value)  # noqa: S608 -- ours
            try:
                assert read_all(path).lines >= whole.lines - 1, (table, column, value)
            except (NamelessNetworks, UnusableFile) as error:
                refused.add(str(error).removeprefix(f"{path}: ")[:20])
    assert refused <= {"none of its rows nam", "it has several netwo"}


def read_all(path: Path) -> LineCounts:
    """What becomes of all rows of a database, each of which is recordable or rejected."""
    total = LineCounts()
    rules = rules_on("libera", {})
    for content in contents(path, CHOICES):
        with content.read() as log:
            for one in log.items:
                if isinstance(one, DatedEvent):
                    recordable(one.event, "libera", "#tea", one.said_at, rules)
                else:
                    assert isinstance(one, RejectedLine)
                    assert isinstance(one.number, int)
                    assert isinstance(one.text, str)
            total.lines += log.counts.lines
    return total


@pytest.mark.parametrize("channel", [None, b"#tea", "#" * 300])
def test_a_row_that_names_no_channel_is_rejected_and_stops_nothing(
    channel: object, tmp_path: Path
) -> None:
    path = the_lounge(tmp_path / "ada.sqlite3")
    change(path, "INSERT INTO messages VALUES ('m', ?, NULL, NULL, 'what was said')", channel)
    (tea,) = contents(path, Choices(network="libera"))
    assert rejects(tea) == [(6, "it names no channel")]
    assert len(said(tea)) == 4
    change(path, "DELETE FROM messages WHERE rowid < 6")
    with pytest.raises(UnusableFile, match="none of its rows names a channel"):
        contents(path, Choices(network="libera"))


@pytest.mark.parametrize("name", TABLES)
def test_a_view_is_not_read(name: str, tmp_path: Path) -> None:
    """It may be a query without end."""
    path = made(name, tmp_path)
    for table in TABLES[name]:
        changed = tmp_path / "changed.db"
        changed.write_bytes(path.read_bytes())
        with closing(sqlite3.connect(changed)) as connection, connection:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            connection.execute(f"DROP TABLE {table}")
            ones = ", ".join("1" for _ in columns)
            connection.execute(
                f"CREATE VIEW {table}({', '.join(columns)}) AS WITH RECURSIVE endless AS"  # noqa: S608 -- ours
                f" (SELECT {ones} UNION ALL SELECT {ones} FROM endless) SELECT * FROM endless"
            )
        with pytest.raises(UnusableFile, match=rf"its {table} is a view or a virtual table\."):
            contents(changed, CHOICES)


def test_an_index_of_its_own_words_is_no_hindrance(tmp_path: Path) -> None:
    """As soju has one: a virtual table beside those that are read, and triggers that fill it."""
    path = soju(tmp_path / "main.db")
    change(path, "CREATE VIRTUAL TABLE MessageFTS USING fts5(text)")
    change(
        path,
        "CREATE TRIGGER fill AFTER INSERT ON Message BEGIN"
        " INSERT INTO MessageFTS VALUES (new.text); END",
    )
    tea, _ = contents(path)
    assert len(said(tea)) == 5


@pytest.mark.parametrize("size", [LONGEST_LINE, 20_000_000])
def test_a_row_that_is_longer_than_any_line_is_rejected_and_not_read(
    size: int, tmp_path: Path
) -> None:
    path = the_lounge(tmp_path / "ada.sqlite3")
    long = json.dumps({"from": {"nick": "ada"}, "text": "x" * size})
    change(path, "UPDATE messages SET msg = ? WHERE type = 'message'", long)
    tracemalloc.start()
    try:
        (tea,) = contents(path, Choices(network="libera"))
        assert rejects(tea) == [(2, "longer than any line of IRC")]
        assert len(said(tea)) == 3
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_pages_that_name_each_other_are_no_endless_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 16 pages, with 24 ways from each to the next: 24^15 times the rows of the last."""
    allowed = "terrarium_mcp.logformats.databases.database_format."
    monkeypatch.setattr(f"{allowed}_ALWAYS_ALLOWED", 2_000_000)
    monkeypatch.setattr(f"{allowed}_STEPS_PER_BYTE", 20)
    path = the_lounge(tmp_path / "ada.sqlite3")
    with closing(sqlite3.connect(path)) as connection, connection:
        for _ in range(8):
            connection.execute("INSERT INTO messages SELECT * FROM messages")
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    stored = bytearray(path.read_bytes())
    first, leaf = (root - 1) * size, root + 1
    copies = [bytearray(stored[first : first + size]) for _ in range(15)]
    pages = len(stored) // size
    for number, page in enumerate(copies, 1):
        following = pages + number + 1 if number < len(copies) else leaf
        for at in cells(page):
            page[at : at + 4] = following.to_bytes(4, "big")
    stored[first : first + size] = copies[0]
    stored[28:32] = (pages + len(copies)).to_bytes(4, "big")  # pages, as its header counts them
    path.write_bytes(stored + b"".join(copies))
    with pytest.raises(UnusableFile, match="more rows than a file of its size can hold"):
        contents(path, Choices(network="libera"))


def cells(page: bytes | bytearray) -> list[int]:
    """Where an interior page names others (https://sqlite.org/fileformat2.html, 1.6)."""
    assert page[0] == 5
    number = int.from_bytes(page[3:5], "big")
    cells = [int.from_bytes(page[12 + 2 * n : 14 + 2 * n], "big") for n in range(number)]
    return [8, *cells]


def test_a_name_that_is_longer_than_any_is_not_read(tmp_path: Path) -> None:
    path = the_lounge(tmp_path / "ada.sqlite3")
    change(path, "UPDATE messages SET channel = ? WHERE rowid = 2", "#" * 20_000_000)
    with pytest.raises(UnusableFile, match="a name that is longer than any"):
        contents(path, Choices(network="libera"))


@pytest.mark.parametrize("name", TABLES)
def test_a_name_that_is_not_utf_8_loses_no_row(name: str, tmp_path: Path) -> None:
    path = made(name, tmp_path)
    before = read_all(path).lines
    columns = {"quassel": "buffer.buffername", "ergo": "sequence.target"}
    table, column = {**columns, "soju": "MessageTarget.target"}.get(name, "messages.channel").split(
        "."
    )
    latin = b"#caf\xe9"
    where = f"WHERE {column} = (SELECT {column} FROM {table} WHERE {column} != '' LIMIT 1)"  # noqa: S608 -- ours
    change(path, f"UPDATE {table} SET {column} = CAST(? AS TEXT) {where}", latin)  # noqa: S608 -- ours
    assert "#caf\ufffd" in {content.target for content in contents(path, CHOICES)}
    assert read_all(path).lines == before

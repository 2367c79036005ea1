"""A version never changes, and a file of any version opens, with all that was in it."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import cycle, product
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat import identity, irctext, terms, urls
from terrarium_mcp.chat.times import legacy_times, timestamps
from terrarium_mcp.store import DialoguePlace, StoredDialogue, open_store
from terrarium_mcp.store.errors import StillOpening
from terrarium_mcp.store.sqlite import service
from terrarium_mcp.store.sqlite import store as store_module
from terrarium_mcp.store.sqlite.index import indexer
from terrarium_mcp.store.sqlite.index.counters import MANY_LINES
from terrarium_mcp.store.sqlite.index.grouped_indexing import GroupedIndexing
from terrarium_mcp.store.sqlite.index.message_index import TOKENIZER
from terrarium_mcp.store.sqlite.index.vocabulary import PIECE
from terrarium_mcp.store.sqlite.schema import (
    CURRENT,
    WrongSchema,
    migrate,
    repair,
    v1,
    v1_times,
    version_of,
    versions,
)
from terrarium_mcp.store.sqlite.schema.comparison import (
    differences,
    expected_schema,
    schema_file,
    schema_of,
)
from terrarium_mcp.store.sqlite.schema.print_schema import as_json, minimal_schema, new_database
from terrarium_mcp.store.sqlite.schema.recreation import Repair
from terrarium_mcp.store.sqlite.schema.versions import VERSIONS, statements
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.store.damage import garble_index
from tests.store.files import make
from tests.store.files.stored import FILES, STORED, digests, frozen, stored
from tests.store.scene import (
    SETTINGS,
    chat,
    check_index,
    find,
    mark_as_of_version,
    past,
    rows_of,
    write,
)
from tests.store.scene import differences as from_a_recount

SCHEMA = Path(versions.__file__).parent
LARGEST = 200_000


def version_in(name: str) -> int:
    return int(name.removeprefix("v").partition("-")[0])


def test_no_frozen_text_or_stored_file_has_changed() -> None:
    now = {name: digest for one in VERSIONS for name, digest in digests(one.number).items()}
    assert now == frozen(), (
        "files of this version may exist, which will never see a second text of it: undo the"
        " change, and write it as the next version (the steps are in schema/__init__.py)."
        " Lines are appended to frozen.txt by `python -m tests.store.files.make`, and never change"
    )


async def test_a_version_is_frozen_once() -> None:
    before = {file: file.read_bytes() for file in FILES.iterdir() if file.is_file()}
    with pytest.raises(SystemExit, match=f"write version {CURRENT + 1}"):
        await make.main()
    assert {file: file.read_bytes() for file in FILES.iterdir() if file.is_file()} == before


@pytest.mark.parametrize("name", [name for name in STORED if version_in(name) >= 8])
async def test_a_stored_dialogue_goes_on(name: str, file: Path) -> None:
    stored(name, file)
    async with open_store(file, SETTINGS) as store:
        dialogue = await store.dialogues.load(DialoguePlace("net", "#tea"))
        if "adopted" in name:
            assert dialogue == StoredDialogue()
            return
        assert await store.dialogues.mark_cut("net") == 1
    assert dialogue.summary
    assert (dialogue.newest, dialogue.summary.text) == (3, "The kettle was asked for.")
    [one] = dialogue.turns
    assert (one.number, one.question, one.answer) == (2, "who has the kettle?", "ada")
    assert [step.tool for step in one.steps] == ["search_irc_history"]
    assert one.sources == {2, 3}


def test_a_migration_is_fed_by_no_live_module() -> None:
    files = sorted(file for file in SCHEMA.glob("v*.py") if file.stem != "versions")
    assert len(files) == 4, "the frozen modules, of which none may be missed"
    for file in files:
        ours = [
            line.split()[1].removeprefix("terrarium_mcp.")
            for line in file.read_text("utf-8").splitlines()
            if line.startswith(("from terrarium_mcp", "import terrarium_mcp"))
        ]
        allowed = {f"store.sqlite.schema.{name}" for name in ("step", *(one.stem for one in files))}
        assert set(ours) <= allowed, file.name


def test_every_version_has_its_stored_files() -> None:
    expected = {f"v{one.number}{kind}" for one in VERSIONS for kind in ("", "-adopted")}
    assert set(STORED) == expected, "python -m tests.store.files.make"
    assert all(file.stat().st_size < LARGEST for file in FILES.glob("*.gz"))


@pytest.mark.parametrize("name", STORED)
def test_a_stored_file_is_of_its_version(name: str, file: Path) -> None:
    stored(name, file)
    assert version_of(file) == version_in(name)
    with closing(sqlite3.connect(file)) as db:
        assert differences(db, version_in(name)) == []


@pytest.mark.parametrize("name", STORED)
async def test_a_stored_file_opens_with_the_schema_of_a_new_one_and_equals_a_recount(
    name: str, file: Path
) -> None:
    stored(name, file)
    kept = "SELECT id, timestamp, channel, nick, message, message_type, room FROM messages"
    before = rows_of(file, f"{kept} ORDER BY id")
    private = rows_of(file, "SELECT * FROM private_messages ORDER BY id")
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert await from_a_recount(store) == []
        assert (await store.messages.append(chat("<zoe> still here")))[0] > before[-1][0]
        assert (await find(store, '"still here"')).total == 1
        assert (await find(store, "from:zoe")).total == 1
        assert await from_a_recount(store) == []
    assert rows_of(file, f"{kept} WHERE nick IS NOT 'zoe' ORDER BY id") == before
    assert rows_of(file, "SELECT * FROM private_messages ORDER BY id") == private
    assert before
    assert private
    check_index(file)
    with closing(sqlite3.connect(file)) as db, closing(new_database(CURRENT)) as fresh:
        found, new = schema_of(db), schema_of(fresh)
        added_by_terrarium_irc = {
            *sample.FOREIGN_TABLES,
            *sample.OWN_INDEXES,
            "idx_conversation_channel_timestamp",
        }
        if name.endswith("adopted"):
            in_any_form = {"messages", *added_by_terrarium_irc}
            assert {one for one in found.objects.items() if one[0] not in in_any_form} == {
                one for one in new.objects.items() if one[0] not in in_any_form
            }
            assert set(found.objects) - added_by_terrarium_irc == (
                set(new.objects) - added_by_terrarium_irc
            )
        else:
            assert found == new
        assert found.columns == new.columns


@pytest.mark.parametrize(
    ("version", "said", "is_made_again"),
    [
        (11, "пью чай", True),
        (11, "die straße", True),
        (11, "서울", True),
        (11, "the \ufb01nal report", True),
        (11, "caf\u00e9 \u65e5\u672c 🍵", False),
        (14, "\u0939\u093f\u0902\u0926\u0940", True),
        (14, "\u0e19\u0e49\u0e33", True),
        (14, "\uff76\uff9e\uff7d", True),
        (14, "\u06a9\u0644\u06cc\u062f", True),
        (14, "\u06f1\u06f2\u06f0", True),
        (14, "\u2068tea\u2069", True),
        (14, "пью чай, die straße, 서울, caf\u00e9 \u65e5\u672c\u30ac\u30b9 🍵", False),
        (14, "\u0645\u0646 \u0639\u0646\u062f\u0647 \u05d4\u05d5\u05d0", False),
    ],
)
async def test_the_index_of_an_older_version_is_made_again_where_it_held_other_words(
    file: Path, version: int, said: str, is_made_again: bool
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat(f"<ada> {said}"))
        assert await from_a_recount(store) == []
    garble_index(file)
    mark_as_of_version(file, version)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        if is_made_again:
            assert await from_a_recount(store) == []
            assert (await find(store, said)).total == 1
        else:
            assert "index: its contents differ" in str(await from_a_recount(store))


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("pod \u0141\u00f3d\u017a", "lodz"),
        ("K\u0131rm\u0131z\u0131 \u00e7ay", "kirmizi"),
        ("\uff30\uff23 tea", "pc"),
        ("\u0622\u0628", "\u0627\u0628"),
        ("\u05e9\u05c1\u05dc\u05d5\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
        ("\u0634\u0643\u0631\u064b\u0627", "\u0634\u0643\u0631\u0627"),
    ],
)
async def test_what_the_first_text_of_version_12_left_as_it_was_is_folded_in_version_17(
    file: Path, monkeypatch: pytest.MonkeyPatch, said: str, found: str
) -> None:
    with monkeypatch.context() as before:
        before.setattr(terms, "_PLAIN_LETTERS", {})
        before.setattr(terms, "_ACCENTS", re.compile("[\u0300-\u036f]+"))
        before.setattr(terms, "_WIDTHS", re.compile("(?!)"))
        async with open_store(file, SETTINGS) as store:
            await store.messages.append(chat(f"<ada> {said}"))
            assert await from_a_recount(store) == []
    mark_as_of_version(file, 16)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert await from_a_recount(store) == []
        assert (await find(store, found)).total == 1


async def test_version_17_rebuilds_no_index_that_is_as_it_should_be(file: Path) -> None:
    said = "\u0142\u00f8\u00e6\u0131 \uff30 \u0622 caf\u00e9 \u05e9\u05dc\u05d5\u05dd чай"
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat(f"<ada> {said}"))
        assert await from_a_recount(store) == []
    mark_as_of_version(file, 16)
    marks = rows_of(file, "SELECT * FROM derived")
    migrate(file, SETTINGS, lambda _: None, adopt=False)
    assert rows_of(file, "SELECT * FROM derived") == marks


@pytest.mark.parametrize(
    ("said", "is_looked_at"),
    [
        ("\u200fTerra: who has the key?", True),
        ("\x02\u2067Terra: who has the key?", True),
        ("the key \u200fis green", False),
    ],
)
async def test_version_17_looks_again_at_lines_that_begin_with_a_mark(
    file: Path, said: str, *, is_looked_at: bool
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat(f"<ada> {said}"))
        assert await from_a_recount(store) == []
    mark_as_of_version(file, 16)
    migrate(file, SETTINGS, lambda _: None, adopt=False)
    looked = rows_of(file, "SELECT upto = 0 FROM derived WHERE name = 'voices'")
    assert looked == [(is_looked_at,)]


LINKS = {"links"}
HAS_LINK = {"links", "index", "counters"}


@pytest.mark.parametrize(
    ("said", "rebuilt"),
    [
        ("https://tea.example\u061f yes", HAS_LINK),
        ("https://\u2018tea", HAS_LINK),
        ("https://tea.example\uff1a8080/", HAS_LINK),
        ("https://a.example/ https://b.example\u0964", HAS_LINK),
        ("https://?\uff1bftp://a.example/", HAS_LINK),
        (f"https://a.example/{'x' * 1900}\uff01{'y' * 200}", HAS_LINK),
        ("https://tea.example/x\uff01y", LINKS),
        ("https://tea.example\u3002\u597d\uff01", LINKS),
        ("see https://a.example/x \u2018green\u2019", LINKS),
        ("\u0633\u0644\u0627\u0645\u060c https://a.example/x", {"voices"}),
        ("https://a.example/x\u060c tea", {*LINKS, "voices"}),
        ("Terra\u060c who has the key?", {"voices"}),
        ("tea\u061f \u2018green\uff01 https://a.example/x, or y\u2019s", set()),
        ("<j\u034fane> there is no relay here", set()),
    ],
)
async def test_version_16_has_rebuilt_only_what_may_differ(
    file: Path, said: str, rebuilt: set[str]
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat(f"<ada> {said}"))
        assert await from_a_recount(store) == []
    mark_as_of_version(file, 15)
    marks = rows_of(file, "SELECT * FROM derived")
    migrate(file, SETTINGS, lambda _: None, adopt=False)
    assert {name for name, _ in {*rows_of(file, "SELECT * FROM derived")} - {*marks}} == rebuilt


async def test_links_of_an_older_version_end_before_the_punctuation_of_more_scripts(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = chat("""
        <ada> \u770bhttps://a.example/x\uff01\u597d
        <bo> \u0627\u0646\u0638\u0631 https://b.example\u061f
        <cy> https://\u2039c\u203a
        """)
    links = "SELECT l.message, u.url FROM links l JOIN urls u ON u.id = l.url ORDER BY l.message"
    with monkeypatch.context() as before:
        before.setattr(urls, "URL", re.compile(r"https://\S+"))
        before.setattr(urls, "_TRAILING", "")
        async with open_store(file, SETTINGS) as store:
            await store.messages.append(lines)
            assert [line.id for line in (await find(store, "has:link")).messages] == [3, 1]
            assert await from_a_recount(store) == []
    assert rows_of(file, links) == [
        (1, "https://a.example/x\uff01\u597d"),
        (3, "https://xn--c-cjne/"),
    ]
    mark_as_of_version(file, 15)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert [line.id for line in (await find(store, "has:link")).messages] == [2, 1]
        assert await from_a_recount(store) == []
    assert rows_of(file, links) == [(1, "https://a.example/x"), (2, "https://b.example/")]


async def test_lines_with_a_link_are_counted_again_where_a_sign_hid_one(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = "SELECT links FROM room_counts UNION ALL SELECT links FROM day_counts"
    with monkeypatch.context() as before:
        before.setattr(urls, "_TRAILING", ".")
        async with open_store(file, SETTINGS) as store:
            await store.messages.append(chat("<ada> https://a.example\u061f"))
            assert await from_a_recount(store) == []
    assert rows_of(file, counted) == [(0,), (0,)]
    mark_as_of_version(file, 15)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert await from_a_recount(store) == []
    assert rows_of(file, counted) == [(1,), (1,)]


async def test_a_command_that_lasts_records_and_reads_while_indexes_are_made_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([*past(40)])
    write(file, "UPDATE derived SET upto = -1 WHERE name IN ('index', 'words')")
    monkeypatch.setattr(service, "MANY", 10)
    monkeypatch.setattr(indexer, "INDEXED_BY_READ", 10)
    monkeypatch.setattr(indexer, "PATIENCE", 0.0)
    may_index = anyio.Event()
    index = GroupedIndexing.index

    async def index_later(duty: GroupedIndexing) -> None:
        await may_index.wait()
        await index(duty)

    monkeypatch.setattr(GroupedIndexing, "index", index_later)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)
        await store.messages.append(chat("<ada> still recorded"))
        newest = await store.messages.newest(await store.rooms.all(), 50)
        assert len(newest.messages) == 41
        with pytest.raises(StillOpening, match="indexing the history"):
            await find(store, "tea")
        may_index.set()
        monkeypatch.setattr(indexer, "PATIENCE", 30.0)
        assert (await find(store, "recorded")).total == 1
        assert await from_a_recount(store) == []


@pytest.mark.parametrize("name", STORED)
async def test_a_copy_is_kept_of_every_file_that_is_migrated(name: str, file: Path) -> None:
    stored(name, file)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
    copies = [copy.name for copy in file.parent.glob("*before*")]
    first = version_in(name) + 1
    assert copies == ([f"irc_logs.before-v{first}.db"] if first <= CURRENT else [])
    assert [version_of(file.with_name(copy)) for copy in copies] == [version_in(name)] * len(copies)


def test_a_new_file_goes_through_every_version() -> None:
    texts = [sql for one in VERSIONS for sql in statements(one.text)]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for sql in texts:
            db.execute(sql)
        assert differences(db, CURRENT) == []


@pytest.mark.parametrize("version", [one.number for one in VERSIONS])
def test_what_a_file_must_have_is_what_the_frozen_texts_make(version: int) -> None:
    assert schema_file(version).read_text("utf-8") == as_json(minimal_schema(version)), (
        "make schema"
    )


def test_the_indexer_and_the_frozen_texts_mean_the_same() -> None:
    sql = {name: f"{made}" for name, (_, made) in expected_schema(CURRENT).objects.items()}
    assert f"lines >= {MANY_LINES}" in sql["talkers"]
    assert f"tokenize='{TOKENIZER}'" in sql["message_index"]
    assert f">= {PIECE} BEGIN" in sql["word_new"]


def test_the_frozen_helpers_still_agree_with_the_live_ones() -> None:
    names = ["#Tea[1]", "&A\\b~", "+plain", "!12345x", "bo", "", "@#ops", "\u00c4"]
    assert [v1._fold(name) for name in names] == [identity.fold(name) for name in names]  # noqa: SLF001
    assert [v1._is_channel(name) for name in names] == [identity.is_channel(name) for name in names]  # noqa: SLF001
    texts = ["\x01ACTION waves\x01", "\x01action waves", "\x01VERSION\x01", "ACTION", "\x01"]
    assert [v1._action(text) for text in texts] == [irctext.action(text) for text in texts]  # noqa: SLF001
    at = datetime(2025, 11, 2, 4, tzinfo=UTC)
    moments = [at + timedelta(minutes=11 * n, microseconds=n % 3) for n in range(60)]
    assert [v1._to_text(one) for one in moments] == [timestamps.to_text(one) for one in moments]  # noqa: SLF001
    rows: list[tuple[int, str | None]] = [(99, None), (100, "soon")]
    rows += [(n, sample.local(one) if n % 4 else sample.utc(one)) for n, one in enumerate(moments)]
    assert list(v1_times.utc_times(rows, sample.ZONE)) == (
        list(legacy_times.utc_times(rows, sample.ZONE))
    )


async def refusal(file: Path) -> str:
    """What opening says, after a look that it has changed no byte and left nothing."""
    before = {one.name: one.read_bytes() for one in file.parent.iterdir()}
    with pytest.raises(WrongSchema) as refused:
        async with open_store(file, SETTINGS) as store:
            await store.opening.wait(PATIENCE)
    assert {one.name: one.read_bytes() for one in file.parent.iterdir()} == before
    return str(refused.value)


TAKEN_OUT = (
    ("DROP TABLE topics", "table topics is missing"),
    ("DROP TABLE rooms", "table rooms is missing"),
    ("DROP TABLE phrase_index", "table phrase_index is missing"),
    ("DROP TABLE word_names", "table word_names is missing"),
    ("DROP VIEW message_index_source", "view message_index_source is missing"),
    ("DROP INDEX spans_by_room", "index spans_by_room is missing"),
    ("DROP INDEX idx_messages_timestamp", "index idx_messages_timestamp is missing"),
    ("DROP TRIGGER word_new", "trigger word_new is missing"),
    ("ALTER TABLE messages DROP COLUMN redacted_at", "column messages.redacted_at is missing"),
    ("ALTER TABLE runs RENAME COLUMN slack TO late", "table runs is different"),
    ("ALTER TABLE spans RENAME COLUMN why_ended TO why", "table spans is different"),
)


@pytest.mark.parametrize(("sql", "told"), TAKEN_OUT, ids=[told for _, told in TAKEN_OUT])
@pytest.mark.parametrize("version", [one.number for one in VERSIONS])
async def test_what_is_missing_or_different_is_refused_by_its_name(
    file: Path, version: int, sql: str, told: str
) -> None:
    stored(f"v{version}", file)
    if "messages DROP" in sql:  # what depends on the column goes first
        for view in ("message_index_source", "phrase_index_source"):
            write(file, f"DROP VIEW {view}")
    write(file, sql)
    write(file, "PRAGMA journal_mode=DELETE")  # so that only the file itself can be changed
    said = await refusal(file)
    assert told in said
    assert f"is marked as version {version}" in said
    assert ("doctor --rebuild" in said) != ("go back to a backup" in said)


async def test_a_development_file_of_before_version_1_is_refused_in_those_words(file: Path) -> None:
    stored("v1", file)
    for sql in ("DROP TABLE removals", "DROP TABLE phrase_index"):
        write(file, sql)
    said = await refusal(file)
    assert "table removals is missing, table phrase_index is missing." in said
    assert "A development file from before version 1 was final is not supported" in said
    assert "*.before-v1.*" in said


async def test_one_way_out_is_named_for_a_file_of_version_1_that_can_be_rebuilt(file: Path) -> None:
    stored("v1", file)
    write(file, "DROP TABLE phrase_index")
    said = await refusal(file)
    assert said.endswith("run terrarium-mcp doctor --rebuild.")
    assert "start again" not in said


async def test_many_differences_are_named_in_part(file: Path) -> None:
    stored(f"v{CURRENT}", file)
    for table in ("topics", "links", "urls", "words", "runs", "derived", "removals", "evidence"):
        write(file, f"DROP TABLE {table}")
    said = await refusal(file)
    assert said.count("is missing") == 6
    assert "go back to a backup" in said  # removals is not derived
    assert " more. Nothing was changed." in said


async def test_what_the_owner_added_is_no_reason_to_refuse(file: Path) -> None:
    stored(f"v{CURRENT}", file)
    write(file, "CREATE TABLE shopping (item TEXT)")
    write(file, "CREATE INDEX by_account ON messages (account)")
    write(file, "CREATE VIEW speakers AS SELECT DISTINCT nick FROM messages")
    write(file, "ALTER TABLE messages ADD COLUMN liked INTEGER")
    async with open_store(file, SETTINGS) as store:
        assert await store.messages.append(chat("<zoe> still here"))


def test_comments_and_layout_are_no_difference(file: Path) -> None:
    stored(f"v{CURRENT}", file)
    write(file, "DROP TABLE runs")
    write(
        file,
        "CREATE TABLE runs(first INTEGER PRIMARY KEY,last INTEGER NOT NULL, -- by another hand\n"
        "began TEXT NOT NULL,  ended TEXT NOT NULL,slack INTEGER NOT NULL)",
    )
    assert version_of(file) == CURRENT


DERIVED = (
    ("DROP TABLE topics", "table topics is missing"),
    ("DROP TABLE phrase_index", "table phrase_index is missing"),
    ("DROP TABLE derived", "table derived is missing"),
    ("DROP VIEW message_index_source", "view message_index_source is missing"),
    ("DROP TRIGGER word_new", "trigger word_new is missing"),
    ("DROP TABLE last_windows", "table last_windows is missing"),
    ("ALTER TABLE runs RENAME COLUMN slack TO late", "table runs is different"),
)


DAMAGED = [*zip(STORED, cycle(DERIVED), strict=False), *product(STORED[-1:], DERIVED)]
"""Every stored file with one of the damages, and the newest with each of them."""


@pytest.mark.parametrize(("name", "damage"), DAMAGED)
async def test_what_is_derived_is_made_again_from_the_messages(
    file: Path, name: str, damage: tuple[str, str]
) -> None:
    sql, told = damage
    stored(name, file)
    before = rows_of(file, "SELECT * FROM messages ORDER BY id")
    write(file, sql)
    assert "terrarium-mcp doctor --rebuild" in await refusal(file)
    assert [str(one) for one in repair(file).wrong] == [told]
    assert repair(file) == Repair()
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert await from_a_recount(store) == []
    assert rows_of(file, "SELECT * FROM messages ORDER BY id") == before
    assert rows_of(file, "SELECT min(upto) FROM derived") >= [(before[-1][0],)]
    check_index(file)


def test_what_is_not_derived_is_not_made_again(file: Path) -> None:
    stored("v2", file)
    write(file, "DROP TABLE topics")
    write(file, "DROP TABLE rooms")
    before = file.read_bytes()
    with pytest.raises(WrongSchema, match=r"table rooms is missing.*go back to a backup"):
        repair(file)
    assert file.read_bytes() == before


async def test_the_permissions_and_the_owner_of_a_file_are_checked_once(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(f"v{CURRENT}", file)
    looks = list[str]()
    for module, name in (
        (store_module, "check_permissions"),
        (service, "check_adopted"),
        (service, "version_of"),
    ):
        real = getattr(module, name)

        def counted(path: Path, name: str = name, real: Callable[..., object] = real) -> object:
            looks.append(name)
            return real(path)

        monkeypatch.setattr(module, name, counted)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
    assert looks == ["check_permissions", "check_adopted", "version_of"]


def test_a_file_that_is_not_ours_is_not_repaired(file: Path) -> None:
    sample.make(file, 5)
    before = file.read_bytes()
    assert repair(file) == Repair()
    assert file.read_bytes() == before

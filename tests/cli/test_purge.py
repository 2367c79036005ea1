"""`terrarium-mcp purge`: what it shows, asks, removes and cannot reach."""

import subprocess
from pathlib import Path

import anyio

from terrarium_mcp.chat.records import Member
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from tests.cli.conftest import SAID
from tests.cli.programs import environment, quick_words, ran, running
from tests.patience import PATIENCE
from tests.store.dialogues import BO, put, turn
from tests.store.scene import NOON, chat, find, rows_of

PURGE = "terrarium-mcp purge --nick ada"


def purged(file: Path, more: str = "--yes") -> subprocess.CompletedProcess[str]:
    return ran(f"{PURGE} {more}", "--db", file, at=file.parent)


def answered(file: Path, answer: str) -> subprocess.CompletedProcess[str]:
    """Purge without --yes, and say this to the question."""
    return subprocess.run(
        quick_words(PURGE, "--db", file),
        cwd=file.parent,
        env=environment(),
        input=answer,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )


def lines(file: Path) -> list[str]:
    return [row[0] for row in rows_of(file, "SELECT message FROM messages ORDER BY id")]


async def _say(file: Path, transcript: str, channel: str = "#tea", network: str = "irc") -> None:
    async with open_store(file, Settings(), adopt=True) as store:
        await store.messages.append(chat(transcript, channel=channel, network=network))


def say(file: Path, transcript: str, channel: str = "#tea", network: str = "irc") -> None:
    anyio.run(_say, file, transcript, channel, network)


def test_it_shows_what_it_is_about_to_remove_and_asks(ours: Path) -> None:
    say(ours, "<ada> one\n<bo> two", "#mate")
    done = answered(ours, "n\n")
    assert done.returncode == 1
    assert "Recorded of ada:" in done.stdout
    assert "#mate: 1 line, 0 events" in done.stdout
    assert "Remove all of this permanently?" in done.stderr
    assert SAID in lines(ours)
    done = answered(ours, "")  # nobody is there to answer
    assert done.returncode == 1
    assert "There is no terminal to ask at. Add --yes to remove it" in done.stderr
    assert SAID in lines(ours)
    done = answered(ours, "y\n")
    assert done.returncode == 0, done.stderr
    assert lines(ours) == ["two"]


def test_it_lists_what_was_removed_and_what_remains(ours: Path) -> None:
    done = purged(ours)
    assert done.returncode == 0, done.stderr
    assert "removed 1 message" in done.stdout
    assert "--thorough" in done.stdout
    assert "backups and exports" in done.stdout
    assert "before-v1" not in done.stdout
    assert SAID not in done.stdout
    assert lines(ours) == []


async def test_it_names_the_turns_that_go_along(ours: Path) -> None:
    async with open_store(ours, Settings()) as store:
        await put(store, turn(1, asker=BO, sources=frozenset((1,))), turn(2, asker=BO))
    done = purged(ours)
    assert "turns of the bot's dialogues, asked by them or resting on their lines: 1" in done.stdout
    assert "removed 1 message and 1 turn of dialogues" in done.stdout


def test_copies_are_named_or_cleaned(theirs: Path) -> None:
    say(theirs, "<bo> tea")  # it is adopted
    assert SAID.encode() in theirs.with_name("theirs.before-v1.db").read_bytes()
    done = purged(theirs, "--thorough --yes")
    assert done.returncode == 0, done.stderr
    assert "theirs.before-v1.db: a copy of the database; run the same command with --copies" in (
        done.stdout
    )
    command, folder = "terrarium-mcp purge --nick ada --thorough --copies", theirs.parent
    done = ran(command, "--yes", "--db", theirs, at=folder)
    assert done.returncode == 0, done.stderr
    assert "theirs.before-v1.db: 1 message" in done.stdout
    assert "--copies" not in done.stdout
    for file in theirs.parent.iterdir():
        assert b"latch" not in file.read_bytes(), file
    assert lines(theirs) == ["tea"]


async def _in_no_line(file: Path) -> None:
    async with open_store(file, Settings()) as store:
        await store.presence.replace("irc", "#tea", [Member("eve"), Member("bo")], NOON)
        await store.spans.begin("irc", "#tea", NOON, "joined")
        await store.spans.end("irc", "#tea", NOON, "kicked by eve: out")


def test_a_nick_that_is_in_no_line_may_be_in_a_member_list_and_in_the_reason_of_a_kick(
    ours: Path,
) -> None:
    anyio.run(_in_no_line, ours)
    done = ran("terrarium-mcp purge --nick eve --yes", "--db", ours, at=ours.parent)
    assert done.returncode == 0, done.stderr
    assert "lists of who is in a channel: 1" in done.stdout
    assert "records that ended since they kicked the bot: 1" in done.stdout
    assert rows_of(ours, "SELECT nick FROM presence") == [("bo",)]
    assert rows_of(ours, "SELECT why_ended FROM spans") == [("kicked",)]


def test_an_unknown_nick_or_network_is_refused_with_a_near_one(ours: Path) -> None:
    say(ours, "<adalbert> one", network="libera")
    done = ran("terrarium-mcp purge --nick adalber --yes", "--db", ours, at=ours.parent)
    assert done.returncode == 1
    assert "Nothing of adalber is recorded. Did you mean adalbert" in done.stderr
    done = purged(ours, "--network libra --yes")
    assert done.returncode == 1
    assert "No network libra. Did you mean libera?" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(lines(ours)) == 2


def test_a_log_that_is_imported_again_does_not_bring_the_person_back(ours: Path) -> None:
    log = ours.parent / "irc.irc.#tea.weechatlog"
    log.write_bytes(f"2026-05-01 12:00:00\tada\t{SAID}\n2026-05-01 12:01:00\tbo\tyes\n".encode())
    assert "logs, and what a bouncer keeps" in purged(ours).stdout
    command = "terrarium-mcp import --timezone UTC --db"
    done = ran(command, ours, log, at=ours.parent)
    assert "2 lines, 1 added, 1 of people who opted out or had theirs removed" in done.stdout
    assert lines(ours) == ["yes"]


def test_one_network_is_enough(ours: Path) -> None:
    say(ours, "<ada> elsewhere", network="libera")
    done = ran(
        "terrarium-mcp purge --nick ada --network libera --yes", "--db", ours, at=ours.parent
    )
    assert done.returncode == 0, done.stderr
    assert lines(ours) == [SAID]


def test_no_database_is_made_where_there_is_none(tmp_path: Path) -> None:
    done = purged(tmp_path / "none.db")
    assert done.returncode == 1
    assert "There is no database" in done.stderr
    assert not (tmp_path / "none.db").exists()


def test_a_copy_that_a_check_left_is_named(ours: Path) -> None:
    left = ours.with_name(f"{ours.name}.check-abc")
    left.mkdir()
    done = purged(ours, "--yes")
    assert f"{left.name}: a copy that a check or a migration left; delete it" in done.stdout


async def test_it_works_beside_a_server_and_only_thorough_needs_it_stopped(ours: Path) -> None:
    async with running(
        "terrarium-mcp serve --http", "--port", 0, "--db", ours, at=ours.parent
    ) as server:
        await server.says("http://")
        done = purged(ours, "--thorough --yes")
        assert done.returncode == 1
        assert "Stop the bridge, every server and any other program that uses it" in done.stderr
        assert lines(ours) == [SAID]
        done = purged(ours)
        assert done.returncode == 0, done.stderr
        async with open_store(ours, Settings()) as store:
            assert (await find(store, "latch")).messages == []
        await server.stop()
    done = purged(ours, "--thorough --yes")
    assert done.returncode == 0, done.stderr  # what was purged before is not unknown
    assert b"latch" not in await anyio.Path(ours).read_bytes()

"""`terrarium-mcp backup` and `terrarium-mcp restore`."""

import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import open_store
from tests.cli.conftest import SAID
from tests.cli.programs import environment, quick_python, ran, running, words
from tests.patience import PATIENCE
from tests.servers.forked import forked
from tests.store.scene import SETTINGS, chat, past, rows_of
from tests.store.sqlite.imports.logs import bring

BACKUP = "terrarium-mcp backup"
RESTORE = "terrarium-mcp restore"
NOBODY = 65534


def told(done: subprocess.CompletedProcess[str]) -> str:
    """The last line on stderr of a command that was refused."""
    assert done.returncode == 1
    *_, line = done.stderr.splitlines()
    assert line.startswith("terrarium-mcp: ")
    assert "Traceback" not in done.stderr
    return line.removeprefix("terrarium-mcp: ")


@pytest.mark.parametrize("flags", ["", " --zstd"])
def test_a_backup_says_what_it_holds_and_comes_back(ours: Path, tmp_path: Path, flags: str) -> None:
    done = ran(f"{BACKUP} history.backup{flags}", "--db", ours, at=tmp_path)
    assert done.returncode == 0, done.stderr
    place = tmp_path / "history.backup"
    assert re.fullmatch(
        rf"{place}: 1 message in 1 channel; \d+\.\d MB, checked, \d+\.\d s\n", done.stdout
    )
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    done = ran(f"{RESTORE} history.backup --db new/irc_logs.db", at=tmp_path)
    assert done.returncode == 0, done.stderr
    new = tmp_path / "new" / "irc_logs.db"
    assert done.stdout.startswith(f"{new}: restored 1 message in 1 channel, as of 20")
    assert rows_of(new, "SELECT message FROM messages") == [(SAID,)]
    assert "<ada>" in ran("terrarium-mcp search garden", "--db", new, at=tmp_path).stdout


def test_a_backup_is_what_its_name_says(ours: Path, tmp_path: Path) -> None:
    done = ran(f"{BACKUP} h.tar.zst", "--db", ours, at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "h.tar.zst").read_bytes().startswith(b"\x28\xb5\x2f\xfd")  # RFC 8878 3.1.1
    assert told(ran(f"{BACKUP} x.tar --zstd", "--db", ours, at=tmp_path)) == (
        f"{tmp_path}/x.tar would not be what its name says: a backup is a tar archive. End its name"
        " with .tar, or with .tar.zst to compress it."
    )


def test_what_people_decided_after_the_backup_is_kept_or_said_to_be_missing(
    ours: Path, tmp_path: Path
) -> None:
    ran(f"{BACKUP} h.tar", "--db", ours, at=tmp_path)
    ran("terrarium-mcp purge --nick ada --yes", "--db", ours, at=tmp_path)
    done = ran(f"{RESTORE} h.tar --db without/irc_logs.db", at=tmp_path)
    _, missing = done.stdout.splitlines()
    assert missing.startswith("Opt-outs and removals made after that are not in it:")
    assert rows_of(tmp_path / "without" / "irc_logs.db", "SELECT message FROM messages")
    done = ran(f"{RESTORE} h.tar --db with/irc_logs.db --consent-from", ours, at=tmp_path)
    assert done.returncode == 0, done.stderr
    _, kept = done.stdout.splitlines()
    assert kept == (
        f"Applied from {ours}: the opt-outs and opt-ins of 0 people, 1 removal (1 message removed"
        " again)"
    )
    assert not rows_of(tmp_path / "with" / "irc_logs.db", "SELECT message FROM messages")
    assert {one.name for one in (tmp_path / "with").iterdir()} <= {
        "irc_logs.db",
        "irc_logs.db.keeper",
        "enhancements",
    }


def test_decisions_that_cannot_be_read_restore_nothing(ours: Path, tmp_path: Path) -> None:
    ran(f"{BACKUP} h.tar", "--db", ours, at=tmp_path)
    (tmp_path / "notes.txt").write_text("no database " * 200)
    done = ran(f"{RESTORE} h.tar --db x/x.db --consent-from notes.txt", at=tmp_path)
    assert "notes.txt is not an SQLite database" in told(done)
    assert "Name another file with --consent-from." in told(done)
    assert not (tmp_path / "x").exists()
    done = ran(f"{RESTORE} h.tar --db x/x.db --consent-from gone.db", at=tmp_path)
    assert done.returncode == 2
    assert "'gone.db' does not exist" in done.stderr


def test_a_backup_into_a_folder_is_named_by_the_time(ours: Path, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    for flags, ending in (("", "tar"), (" --zstd", "tar.zst")):
        done = ran(f"{BACKUP} backups{flags}", "--db", ours, at=tmp_path)
        assert done.returncode == 0, done.stderr
        assert [*(tmp_path / "backups").glob(f"ours-2*-*.{ending}")]
    assert len([*(tmp_path / "backups").iterdir()]) == 2


def test_a_folder_that_is_missing_is_made_so_that_the_next_backup_has_its_place_too(
    ours: Path, tmp_path: Path
) -> None:
    for flags in ("", " --zstd"):
        done = ran(f"{BACKUP} backups{flags}", "--db", ours, at=tmp_path)
        assert done.returncode == 0, done.stderr
    assert len([*(tmp_path / "backups").glob("ours-2*.tar*")]) == 2
    assert stat.S_IMODE((tmp_path / "backups").stat().st_mode) == 0o700


def test_an_empty_name_is_not_the_current_folder(ours: Path, tmp_path: Path) -> None:
    before = {*tmp_path.iterdir()}
    done = ran(BACKUP, "", "--db", ours, at=tmp_path)
    assert done.returncode == 2
    assert "it is empty. Name a file or a folder." in done.stderr
    assert {*tmp_path.iterdir()} == before


def test_a_restoration_that_fails_leaves_no_folder(ours: Path, tmp_path: Path) -> None:
    ran(f"{BACKUP} h.tar", "--db", ours, at=tmp_path)
    whole = (tmp_path / "h.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "mine").mkdir()
    for place in ("a/b/x.db", "mine/x.db"):
        done = ran(f"{RESTORE} cut.tar --db {place}", at=tmp_path)
        assert "Nothing was changed." in told(done)
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "mine").is_dir()
    assert ran(f"{RESTORE} h.tar --db a/b/x.db", at=tmp_path).returncode == 0
    assert (tmp_path / "a" / "b" / "x.db").is_file()


def test_nothing_is_overwritten(ours: Path, tmp_path: Path) -> None:
    precious = tmp_path / "history.backup"
    precious.write_text("precious")
    assert "exists. Name another file." in told(
        ran(f"{BACKUP} history.backup", "--db", ours, at=tmp_path)
    )
    assert precious.read_text() == "precious"
    precious.unlink()
    ran(f"{BACKUP} history.backup", "--db", ours, at=tmp_path)
    before = ours.read_bytes()
    assert "belongs to the history" in told(ran(f"{BACKUP} ours.db-wal", "--db", ours, at=tmp_path))
    assert "exists, and is not overwritten" in told(
        ran(f"{RESTORE} history.backup", "--db", ours, at=tmp_path)
    )
    assert ours.read_bytes() == before


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        (f"{BACKUP} no/folder/x.tar", "There is no folder"),
        (f"{BACKUP} no/backups", "There is no folder"),
        (f"{BACKUP} notes.txt/backups", "notes.txt/backups cannot be made: Not a directory."),
        (f"{BACKUP} x.tar --db nothing.db", "There is no database"),
        (f"{BACKUP} x --db nothing.db", "There is no database"),
        (
            f"{BACKUP} x.tar.gz",
            "a backup is a tar archive. End its name with .tar, or",
        ),
        (f"{RESTORE} nothing.tar --db x/x.db", "nothing.tar: No such file or directory"),
        (f"{RESTORE} . --db x/x.db", "is a folder. There is no backup in it."),
        (f"{RESTORE} notes.txt --db x/x.db", "notes.txt cannot be restored: it is damaged"),
    ],
)
def test_what_cannot_be_done_is_named(ours: Path, tmp_path: Path, command: str, cause: str) -> None:
    (tmp_path / "notes.txt").write_text("no backup " * 200)
    assert cause in told(ran(command, at=tmp_path, DB_PATH=ours))
    assert not (tmp_path / "x").exists()
    assert not (tmp_path / "x.tar").exists()


def test_the_backups_that_are_there_are_named_the_last_first(tmp_path: Path) -> None:
    drop = tmp_path / "drop"
    drop.mkdir()
    for number in range(7):
        (drop / f"tea-{number}.tar").touch()
        os.utime(drop / f"tea-{number}.tar", (number, number))
    (drop / "tea.db").touch()
    (drop / "packed.tar.zst").touch()
    names = "packed.tar.zst, tea-6.tar, tea-5.tar, tea-4.tar, tea-3.tar and 3 more."
    of_folder = told(ran(f"{RESTORE} drop --db x/x.db", at=tmp_path))
    assert of_folder.endswith(f"{drop} is a folder. Name one of the backups in it: {names}")
    of_file = told(ran(f"{RESTORE} drop/tea-9.tar --db x/x.db", at=tmp_path))
    assert of_file.endswith(f"was not restored. Backups in {drop}: {names}")
    elsewhere = told(ran(f"{RESTORE} tea-9.tar --db x/x.db", at=tmp_path))
    assert elsewhere.endswith("was not restored.")


async def test_a_running_server_is_not_restored_over(ours: Path, tmp_path: Path) -> None:
    await anyio.to_thread.run_sync(lambda: ran(f"{BACKUP} h.tar", "--db", ours, at=tmp_path))
    async with running("terrarium-mcp serve --http --port 0", at=tmp_path, DB_PATH="irc.db") as one:
        await one.says("http://127.0.0.1:")
        for name in ("irc.db", "irc.db-wal", "irc.db-shm"):
            await anyio.Path(tmp_path / name).unlink(missing_ok=True)
        done = await anyio.to_thread.run_sync(
            lambda: ran(f"{RESTORE} h.tar", "--db", "irc.db", at=tmp_path)
        )
    assert re.search(r"serve .*\(process \d+\) uses .*irc\.db\. Stop it", told(done))


def limited(command: str, *more: object, at: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that may write no file of more than 300 kB: that looks like a full disk."""
    return subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 600; exec "$@"', "sh", *words(command, *more)],
        cwd=at,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )


@pytest.fixture(scope="module")
def long_lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than a megabyte of lines, to be copied by each test that has no room for them."""
    file = tmp_path_factory.mktemp("long_lines") / "irc_logs.db"

    async def remember() -> None:
        async with open_store(file, SETTINGS) as store:
            await bring(store, past(3_000, text="tea " * 100))

    anyio.run(remember)
    return file


@pytest.mark.parametrize(
    "command",
    ["backup history.tar", "export --output history.jsonl", "export --format weechat --output logs",
     "export --format sqlite --output old.db"],
)  # fmt: skip
def test_what_does_not_fit_on_the_disk_is_named_and_nothing_is_left(
    long_lines: Path, tmp_path: Path, command: str
) -> None:
    shutil.copy(long_lines, tmp_path)
    line = told(limited(f"terrarium-mcp {command}", "--db", "irc_logs.db", at=tmp_path))
    assert "cannot be written" in line
    assert str(tmp_path) in line
    assert {one.name.partition("-")[0] for one in tmp_path.iterdir()} <= {
        "irc_logs.db",
        "irc_logs.db.keeper",
        "irc_logs.db.waiting",
    }


KILLED = """
import os, signal, sys
from terrarium_mcp.cli import main
from terrarium_mcp.store.sqlite.backup import making, restoring
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell put it behind
step = {step!r}
making._OPCODES = 1  # so that `_go_on` is called for the shortest statement too
def killed(*_, **__):
    os.kill(os.getpid(), {how})
setattr(making, step, killed)
setattr(restoring, step, killed)
sys.argv = ["terrarium-mcp", *{argv!r}]
main()
"""


def killed(how: signal.Signals, step: str, *argv: str, at: Path) -> None:
    """Run a command that gets a signal at the step of that name."""
    done = subprocess.run(
        forked("-c", KILLED.format(how=int(how), step=step, argv=argv)),
        cwd=at,
        env=environment(),
        check=False,
        capture_output=True,
        timeout=PATIENCE,
    )
    ended = {signal.SIGKILL: (-how, ""), signal.SIGINT: (1, "\nAborted!\n")}
    assert (done.returncode, done.stderr.decode()) == ended.get(how, (128 + how, ""))


@pytest.mark.parametrize("step", ["facts_of", "pack", "unpack"])
def test_a_backup_that_is_killed_leaves_nothing_that_looks_like_one(
    ours: Path, tmp_path: Path, step: str
) -> None:
    killed(signal.SIGKILL, step, "backup", "history.tar", "--db", str(ours), at=tmp_path)
    assert not (tmp_path / "history.tar").exists()
    left = {one.name for one in tmp_path.iterdir()} - {one.name for one in tmp_path.glob("ours*")}
    assert all(name.startswith(".history.tar.") for name in left)
    done_again = ran(f"{BACKUP} history.tar", "--db", ours, at=tmp_path)
    assert done_again.returncode == 0, done_again.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_backup_or_restoration_that_is_told_to_end_leaves_nothing(
    ours: Path, tmp_path: Path, how: signal.Signals
) -> None:
    ran(f"{BACKUP} h.tar", "--db", ours, at=tmp_path)
    before = {one.name for one in tmp_path.iterdir()}
    killed(how, "_go_on", "backup", "new.tar", "--db", str(ours), at=tmp_path)
    killed(how, "unpack", "backup", "new.tar", "--db", str(ours), at=tmp_path)
    killed(how, "unpack", "backup", "backups", "--db", str(ours), at=tmp_path)
    killed(how, "facts_of", "restore", "h.tar", "--db", "new/irc_logs.db", at=tmp_path)
    assert {one.name for one in tmp_path.iterdir()} == before


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may look into, and only we may write."""
    with tempfile.TemporaryDirectory(prefix="terrarium-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


# As in test_refusals.py: an account that owns nothing first imports.
AS_NOBODY = """
import os, sys
import terrarium_mcp.cli.starting.backup, terrarium_mcp.store.sqlite.backup.making
from terrarium_mcp.cli import main
if os.getuid() == 0:
    os.setgroups([])
    os.setgid({nobody})
    os.setuid({nobody})
sys.argv = ["terrarium-mcp", *{argv!r}]
main()
"""


async def names_in(folder: Path) -> AsyncIterator[str]:
    async for one in anyio.Path(folder).iterdir():
        yield one.name


async def test_an_account_that_may_only_read_the_database_can_back_it_up(
    open_folder: Path,
) -> None:
    file, drop = open_folder / "irc_logs.db", open_folder / "drop"
    await anyio.Path(drop).mkdir()
    await anyio.Path(drop).chmod(0o777)
    code = AS_NOBODY.format(nobody=NOBODY, argv=["backup", str(drop), "--db", str(file)])
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> tea at four"))
        for name in ("irc_logs.db", "irc_logs.db-wal", "irc_logs.db-shm"):
            await anyio.Path(open_folder / name).chmod(0o644)
        beside = await anyio.to_thread.run_sync(quick_python, code, open_folder)
    assert "1 message in 1 channel" in beside
    for one in drop.iterdir():
        await anyio.Path(one).unlink()
    alone = await anyio.to_thread.run_sync(quick_python, code, open_folder)
    assert "1 message in 1 channel" in alone
    left = {name async for name in names_in(open_folder)}
    assert not {name for name in left if "-" in name}  # no -wal, no -shm


def test_a_database_that_may_not_be_read_is_named_and_not_the_backup(
    ours: Path, open_folder: Path
) -> None:
    file, drop = open_folder / "irc_logs.db", open_folder / "drop"
    file.write_bytes(ours.read_bytes())
    file.chmod(0)
    drop.mkdir()
    drop.chmod(0o777)
    code = AS_NOBODY.format(nobody=NOBODY, argv=["backup", f"{drop}/x.tar"])
    done = subprocess.run(
        forked("-c", code),
        cwd=open_folder,
        env=environment(DB_PATH=file),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )
    assert told(done) == (
        f"{file} cannot be used: Permission denied. {drop}/x.tar was not written."
    )


def test_an_idea_that_may_not_be_read_is_named(ours: Path, open_folder: Path) -> None:
    file, idea = open_folder / "irc_logs.db", open_folder / "enhancements" / "tea.md"
    file.write_bytes(ours.read_bytes())
    file.chmod(0o644)
    idea.parent.mkdir()
    idea.write_text("more tea")
    idea.chmod(0)
    drop = open_folder / "drop"
    drop.mkdir()
    drop.chmod(0o777)
    code = AS_NOBODY.format(nobody=NOBODY, argv=["backup", str(drop), "--db", str(file)])
    done = subprocess.run(
        forked("-c", code),
        cwd=open_folder,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )
    assert told(done) == f"{idea} cannot be read: Permission denied."
    assert not [*drop.iterdir()]


@pytest.mark.parametrize(
    "command",
    [
        "terrarium-mcp backup backups",
        "terrarium-mcp backup backups --zstd",
        "terrarium-mcp backup backups/irc_logs.tar",
        "terrarium-mcp restore backups/irc_logs.tar --db trial/irc_logs.db",
        "terrarium-mcp search gate --db trial/irc_logs.db",
        "terrarium-mcp restore backups/irc_logs.tar --consent-from old/irc_logs.db",
        "terrarium-mcp export --with-hosts --private --output history.jsonl",
        "terrarium-mcp export --format weechat --output weechat-logs",
        "terrarium-mcp export --format irssi --output irclogs",
        "terrarium-mcp export --format znc --output znc-logs",
        "terrarium-mcp export --format csv --channel tea after:2026-05 before:2026-06",
        "terrarium-mcp export --format text from:ada gate",
        "terrarium-mcp export --format sqlite --output old-bot.db",
    ],
)
def test_the_commands_of_the_documentation_work(tmp_path: Path, command: str) -> None:
    anyio.run(_with_past, tmp_path / "irc_logs.db")
    if ".tar" in command or "trial" in command:
        (tmp_path / "backups").mkdir()
    if "trial" in command or "old/" in command:
        ran(f"{BACKUP} backups/irc_logs.tar", "--db", "irc_logs.db", at=tmp_path)
    if "trial" in command and "restore" not in command:
        ran(f"{RESTORE} backups/irc_logs.tar --db trial/irc_logs.db", at=tmp_path)
    if "old/" in command:
        (tmp_path / "old").mkdir()
        for one in tmp_path.glob("irc_logs.db*"):
            one.rename(tmp_path / "old" / one.name)
    done = ran(command, at=tmp_path, DB_PATH="irc_logs.db")
    assert done.returncode == 0, done.stderr
    assert "gate" in done.stdout or "2 messages" in done.stdout + done.stderr


async def _with_past(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> the gate is open\n<bo> mended, now"))

"""The doctor shows the settings and the database, and its exit status says whether all is well."""

import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import open_store
from tests.cli.programs import environment, quick_words, ran
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.servers.forked import forked
from tests.store.damage import garble_index
from tests.store.scene import line_of, rows_of, write

Done = subprocess.CompletedProcess[str]


def lines(done: Done) -> list[str]:
    """What was printed, with single blanks."""
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_a_healthy_deployment_is_described_and_the_status_is_0(ours: Path, tmp_path: Path) -> None:
    done = ran("terrarium-mcp doctor", "--db", ours, at=tmp_path)
    told = lines(done)
    assert done.returncode == 0, done.stdout
    assert {"settings", "database", "index", "other programs", "keeper"} <= {*told}
    assert f"file {ours}" in told
    assert "lines 1 and 0 events in 1 room of net" in told
    assert told[-1] == "all is well"
    assert not done.stderr


def test_every_setting_is_shown_with_its_source_and_no_secret_is(
    ours: Path, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("IRC_NICK=Fern\nAGENT_API_KEY=hunter2\n")
    (tmp_path / "terrarium.toml").write_text('IRC_SERVER = "irc.example.org"\n')
    done = ran(
        "terrarium-mcp doctor", "--db", ours, at=tmp_path, IRC_CHANNELS="tea", SEARCH_API_KEY="pw"
    )
    told = lines(done)
    assert f"DB_PATH {ours} (the command line)" in told
    assert "IRC_CHANNELS #tea (the environment)" in told
    assert "IRC_NICK Fern (.env)" in told
    assert "IRC_SERVER irc.example.org (terrarium.toml)" in told
    assert "AGENT_API_KEY set (.env)" in told
    assert "TERRARIUM_SASL_PASSWORD not set (default)" in told
    assert "IRC_PORT 0 (default)" in told
    assert not {word for word in ("hunter2", "pw ") if word in done.stdout + done.stderr}


def test_an_address_is_shown_without_its_password_and_its_key(ours: Path, tmp_path: Path) -> None:
    search = "http://h/s?apikey=hunter3"
    (tmp_path / ".env").write_text(
        f"AGENT_API_URL=http://ada:hunter2@h:1\nSEARCH_API_URL={search}\n"
    )
    done = ran("terrarium-mcp doctor", "--db", ours, at=tmp_path)
    told = lines(done)
    assert "AGENT_API_URL http://h:1 (.env)" in told
    assert "SEARCH_API_URL http://h/s (.env)" in told
    assert "hunter" not in done.stdout + done.stderr


def test_settings_beside_the_database_that_were_not_read_are_named(
    ours: Path, tmp_path: Path
) -> None:
    beside = ours.parent / "terrarium.toml"
    beside.write_text('IRC_NICK = "Fern"\n')
    (tmp_path / "elsewhere").mkdir()
    unread = ran("terrarium-mcp doctor --db", ours, at=tmp_path / "elsewhere")
    assert unread.stderr == (
        f"WARNING {beside} is beside the database, and was not read: add --config {beside} if it is"
        " that of the service which records into it.\n"
    )
    named = ran("terrarium-mcp doctor --db", ours, "--config", beside, at=tmp_path / "elsewhere")
    found = ran("terrarium-mcp doctor --db", ours, at=ours.parent)
    assert (named.stderr, found.stderr) == ("", "")
    assert "IRC_NICK Fern (terrarium.toml)" in lines(found)


def test_the_tables_of_channels_are_shown_with_their_source(ours: Path, tmp_path: Path) -> None:
    (tmp_path / "host.txt").write_text("You are the host.")
    (tmp_path / "terrarium.toml").write_text(
        'IRC_CHANNELS = "tea,mate"\nTERRARIUM_PERSONA = "host.txt"\n'
        '[channel.tea]\nrole = "record"\naskers = "voiced"\n'
        '[channel."#mate"]\npersona = "host.txt"\n'
    )
    done = ran("terrarium-mcp doctor", "--db", ours, at=tmp_path)
    told = lines(done)
    assert done.returncode == 0, done.stdout
    assert "TERRARIUM_PERSONA host.txt (terrarium.toml)" in told
    at = told.index('[channel."#tea"]')
    assert told[at : at + 3] == [
        '[channel."#tea"]',
        "role record (terrarium.toml)",
        "askers voiced (terrarium.toml)",
    ]
    assert told[told.index('[channel."#mate"]') + 1] == "persona host.txt (terrarium.toml)"
    (tmp_path / "host.txt").unlink()
    refused = ran("terrarium-mcp doctor", "--db", ours, at=tmp_path)
    assert refused.returncode == 1
    assert "there is no file host.txt. Name one that exists." in refused.stderr


MOUNTED = """
TERRARIUM_NETWORK = "libera"
IRC_CHANNELS = ["#tea"]

[mcp_servers.notes]
command = ["notes-server", "--key", "hunter2"]
env = { NOTES_KEY = "hunter2" }
tools = ["search", "add"]
channels = ["#tea"]

[mcp_servers.weather]
url = "https://weather.example/mcp?key=hunter2"
token = "hunter2"
tools = ["today"]
channels = ["libera/#tea", "#mate"]
"""


def test_a_mounted_server_is_shown_without_its_secrets_and_a_channel_that_is_not_ours_is_wrong(
    ours: Path, tmp_path: Path
) -> None:
    (tmp_path / "terrarium.toml").write_text(MOUNTED)
    done = ran("terrarium-mcp doctor", "--db", ours, at=tmp_path)
    told = lines(done)
    notes, weather = told.index("MCP server notes"), told.index("MCP server weather")
    assert told[notes + 1 : notes + 5] == [
        "command notes-server",
        "env NOTES_KEY",
        "tools search, add",
        "channels #tea",
    ]
    assert told[weather + 1 : weather + 5] == [
        "url https://weather.example/mcp",
        "headers Authorization",
        "tools today",
        "channels libera/#tea, #mate",
    ]
    assert told[weather + 5].startswith("! not mounted [mcp_servers.weather] is for #mate, which")
    assert told[notes + 5] == (
        "! not started There is no program notes-server that this account may start."
        " Install it, or write its whole path into command."
    )
    assert not any("not started" in line for line in told[weather : weather + 6])
    assert "MCP_SERVERS set (terrarium.toml)" in told
    assert "hunter2" not in done.stdout + done.stderr
    assert done.returncode == 1


def test_the_program_of_a_mount_is_looked_for_as_it_is_started(ours: Path, tmp_path: Path) -> None:
    program = tmp_path / "etc" / "bin" / "notes-server"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    config = tmp_path / "etc" / "terrarium.toml"

    def is_missing(command: str, env: str = "") -> bool:
        config.write_text(
            f'IRC_CHANNELS = ["#tea"]\n[mcp_servers.notes]\ncommand = ["{command}"]\n{env}\n'
            'tools = ["search"]\nchannels = ["#tea"]\n'
        )
        told = lines(ran("terrarium-mcp doctor", "--db", ours, "--config", config, at=tmp_path))
        return any(line.startswith("! not started There is no program") for line in told)

    assert is_missing("bin/notes-server")  # it may not be executed
    program.chmod(0o755)
    assert not is_missing("bin/notes-server")
    assert not is_missing(str(program))
    assert is_missing("notes-server")
    assert not is_missing("notes-server", f'env = {{ PATH = "{program.parent}" }}')


def test_a_bridge_refuses_to_start_with_a_mount_in_a_channel_that_it_does_not_join(
    ours: Path, tmp_path: Path
) -> None:
    (tmp_path / "terrarium.toml").write_text(f'IRC_SERVER = "127.0.0.1"{MOUNTED}')
    done = ran("terrarium-mcp bridge", "--db", ours, at=tmp_path)
    assert done.returncode == 1
    assert lines(done) == []
    assert done.stderr.strip().endswith(
        "[mcp_servers.weather] is for #mate, which is not in IRC_CHANNELS."
        " Add it there, or remove it from channels."
    )


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"IRC_CHANNELS": ""}, "labnet IRC_CHANNELS is not set."),
        ({"TERRARIUM_TLS_KEY": "us.key"}, "TERRARIUM_TLS_KEY is set and TERRARIUM_TLS_CERT is not"),
        ({"TERRARIUM_TLS_CERT": "us.pem", "IRC_USE_SSL": "off"}, "TERRARIUM_TLS_CERT needs TLS"),
        ({"TERRARIUM_TLS_CERT": "us.pem"}, "TERRARIUM_TLS_CERT names us.pem, which cannot be read"),
        ({"TERRARIUM_BRIDGE_TOOLS": "foo"}, "tools TERRARIUM_BRIDGE_TOOLS names foo, which"),
        ({"TERRARIUM_SASL_USERNAME": "lab"}, "TERRARIUM_SASL_PASSWORD is not"),
        ({"TERRARIUM_TALK_LOG": "ours.db"}, "log TERRARIUM_TALK_LOG names ours.db, which belongs"),
        ({"TERRARIUM_TALK_LOG": "."}, "which cannot be written: Is a directory. Name a file"),
        ({"TERRARIUM_TALK_LOG": "ours.db/talk"}, "which cannot be written: Not a directory."),
        ({"TERRARIUM_TALK_LOG": "logs/talk"}, "which cannot be written: there is no folder /"),
    ],
    ids=str,
)
def test_what_the_bridge_would_refuse_is_wrong_with_its_words(
    tmp_path: Path, changed: dict[str, str], told: str
) -> None:
    settings = {
        "IRC_SERVER": "irc.example.org",
        "IRC_CHANNELS": "tea",
        "TERRARIUM_CONTACT": "ada",
        "TERRARIUM_NETWORK": "labnet",
        "DB_PATH": "ours.db",
    }
    well = ran("terrarium-mcp doctor", at=tmp_path, **settings)
    assert well.returncode == 0, well.stdout
    done = ran("terrarium-mcp doctor", at=tmp_path, **settings | changed)
    assert done.returncode == 1
    assert told in " ".join(done.stdout.split())
    refused = ran("terrarium-mcp bridge", at=tmp_path, **settings | changed)
    assert refused.returncode == 1
    [line] = refused.stderr.splitlines()
    assert line.removeprefix("terrarium-mcp: ") in " ".join(done.stdout.split())


def test_what_is_wrong_in_several_lines_is_named_once_in_the_last(
    ours: Path, tmp_path: Path
) -> None:
    kept = '[TERRARIUM_RETENTION_BY_CHANNEL]\n"#mate" = 30\n"#soup" = 90\n'
    (tmp_path / "terrarium.toml").write_text(kept)
    done = ran("terrarium-mcp doctor", "--db", ours, at=tmp_path)
    told = lines(done)
    assert sum(line.startswith("! retention") for line in told) == 2
    assert told[-1] == "1 wrong: database (retention)"


@pytest.mark.usefixtures("ours")
def test_that_a_talk_log_can_be_written_is_found_out_without_making_it(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    settings = {"DB_PATH": "ours.db", "TERRARIUM_TALK_LOG": "logs/talk.jsonl"}
    assert ran("terrarium-mcp doctor", at=tmp_path, **settings).returncode == 0
    assert not list((tmp_path / "logs").iterdir())


def test_the_folder_of_the_history_may_hold_the_talk_log_before_there_is_one(
    tmp_path: Path,
) -> None:
    log = {"DB_PATH": "data/ours.db", "TERRARIUM_TALK_LOG": "data/talk.jsonl"}
    assert "TALK_LOG names" not in ran("terrarium-mcp doctor", at=tmp_path, **log).stdout


@pytest.mark.parametrize(
    ("written", "shown"),
    [("False", "off"), ("0", "off"), (" NO ", "off"), ("True", "on"), ("Yes", "on"), ("on", "on")],
)
def test_a_switch_is_shown_as_on_or_off_however_it_is_written(
    tmp_path: Path, written: str, shown: str
) -> None:
    done = ran("terrarium-mcp doctor", at=tmp_path, IRC_USE_SSL=written)
    assert f"IRC_USE_SSL {shown} (the environment)" in " ".join(done.stdout.split())


def test_a_bad_setting_is_named(tmp_path: Path) -> None:
    done = ran("terrarium-mcp doctor", at=tmp_path, IRC_PORT="tea")
    assert done.returncode == 1
    assert "IRC_PORT" in done.stderr


def test_a_missing_database_is_wrong_and_is_not_made(tmp_path: Path) -> None:
    done = ran("terrarium-mcp doctor", at=tmp_path, DB_PATH=tmp_path / "data" / "irc_logs.db")
    assert done.returncode == 1
    assert lines(done)[-1] == "1 wrong: database (contents)"
    assert any(line.startswith("! contents no database yet.") for line in lines(done))
    assert not list(tmp_path.iterdir())


def test_logs_in_the_usual_places_are_named_with_what_imports_them(tmp_path: Path) -> None:
    for folder in (".weechat/logs", "Documents/Textual Logs"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.log").write_text("never read")
    seen = ran("terrarium-mcp doctor", at=tmp_path, HOME=tmp_path)
    assert "WeeChat  terrarium-mcp import ~/.weechat/logs" in seen.stdout
    assert "Textual  terrarium-mcp import ~/'Documents/Textual Logs'" in seen.stdout
    (tmp_path / "elsewhere").mkdir()
    none = ran("terrarium-mcp doctor", at=tmp_path, HOME=tmp_path / "elsewhere")
    assert "logs in this account" not in none.stdout


def test_a_database_of_terrarium_irc_is_not_migrated(tmp_path: Path) -> None:
    file = sample.make(tmp_path / "irc_logs.db", 20)
    before = file.read_bytes()
    assert ran("terrarium-mcp doctor", "--db", file, at=tmp_path).returncode == 0
    done = ran("terrarium-mcp doctor --rebuild", "--db", file, at=tmp_path)
    assert done.returncode == 1
    assert "Adopt it first: start terrarium-mcp serve" in done.stdout
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


def test_a_deep_check_says_that_all_is_well(ours: Path, tmp_path: Path) -> None:
    done = ran("terrarium-mcp doctor --deep", "--db", ours, at=tmp_path)
    assert done.returncode == 0, done.stdout
    assert any(line.startswith("links equal to a recount (") for line in lines(done))


def test_a_deep_check_needs_no_room_beside_the_database(ours: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = ran("terrarium-mcp doctor --deep", "--temp", elsewhere, "--db", ours, at=tmp_path)
    assert done.returncode == 0, done.stdout
    assert not list(elsewhere.iterdir())


STOPPED = """
import os, signal, sys
from terrarium_mcp.cli import main
from terrarium_mcp.store.sqlite.health import deep_check
async def stopped(*_):
    os.kill(os.getpid(), signal.SIGTERM)
deep_check._checked = stopped
sys.argv = ["terrarium-mcp", "doctor", "--deep", "--db", "irc_logs.db"]
main()
"""


def test_a_deep_check_that_is_stopped_leaves_no_copy(ours: Path) -> None:
    before = {*ours.parent.iterdir()}
    program = STOPPED.replace("irc_logs.db", ours.name)
    done = subprocess.run(
        forked("-c", program),
        cwd=ours.parent,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 128 + signal.SIGTERM
    assert b"Traceback" not in done.stderr
    assert not [one for one in {*ours.parent.iterdir()} - before if "check-" in one.name]


def test_indexes_that_are_to_be_filled_are_named_with_what_fills_them(
    ours: Path, tmp_path: Path
) -> None:
    doctor = "terrarium-mcp doctor"
    write(ours, "UPDATE derived SET upto = -1 WHERE name IN ('people', 'links')")
    done = ran(doctor, "--db", ours, at=tmp_path)
    assert done.returncode == 0
    assert lines(done)[-1] == (
        "nothing is wrong, but what needs one of these indexes waits until it is filled: people,"
        " links. The keeper fills them, or the next process that opens the file"
    )
    ran("terrarium-mcp search garden", "--db", ours, at=tmp_path)
    assert lines(ran(doctor, "--db", ours, at=tmp_path))[-1] == "all is well"
    write(ours, "UPDATE derived SET upto = -1 WHERE name IN ('people', 'links')")
    assert lines(ran(f"{doctor} --rebuild", "--db", ours, at=tmp_path))[-1] == "all is well"


def test_what_is_wrong_is_marked_summed_up_and_rebuilt(ours: Path, tmp_path: Path) -> None:
    write(ours, "DELETE FROM nick_counts")
    garble_index(ours)
    done = ran("terrarium-mcp doctor --deep", "--db", ours, at=tmp_path)
    told = lines(done)
    assert done.returncode == 1
    assert told[-1] == "2 wrong: deep check (index), deep check (counters)"
    assert any(line.startswith("! counters ") for line in told)
    assert rows_of(ours, "SELECT count(*) FROM nick_counts") == [(0,)]

    mended = ran("terrarium-mcp doctor --rebuild", "--db", ours, at=tmp_path)
    assert mended.returncode == 0, mended.stdout
    assert "rebuilt" in lines(mended)
    assert any(line.startswith("index, counters 1 line in ") for line in lines(mended))
    assert ran("terrarium-mcp doctor --deep", "--db", ours, at=tmp_path).returncode == 0


def test_after_a_clock_that_was_ahead_new_lines_are_dated_right_again(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"

    async def say(at: datetime) -> None:
        async with open_store(file) as store:
            await store.messages.append([line_of("ada", "tea", at)])

    now = datetime.now(UTC)
    anyio.run(say, now + timedelta(days=1))
    assert lines(ran("terrarium-mcp doctor", "--db", file, at=tmp_path))[-1] == (
        "1 wrong: database (clock)"
    )
    done = ran("terrarium-mcp doctor --rebuild", "--db", file, at=tmp_path)
    assert done.returncode == 0, done.stdout
    told = "the last line of net/#tea is dated ahead of the clock; new lines get the current time"
    assert f"set back {told}" in lines(done)
    anyio.run(say, now)
    [(first,), (second,)] = rows_of(file, "SELECT timestamp FROM messages ORDER BY id")
    assert first > second


def test_a_folder_for_the_copy_must_exist(ours: Path, tmp_path: Path) -> None:
    done = ran("terrarium-mcp doctor --deep", "--temp", "nowhere", "--db", ours, at=tmp_path)
    assert done.returncode == 2
    assert "nowhere" in done.stderr


@pytest.mark.parametrize("command", ["terrarium-mcp doctor", "terrarium-mcp doctor --deep"])
def test_it_ends_at_once_when_its_output_is_closed(
    ours: Path, tmp_path: Path, command: str
) -> None:
    with subprocess.Popen(
        quick_words(command, "--db", ours),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        process.stdout.close()
        _, said = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in said

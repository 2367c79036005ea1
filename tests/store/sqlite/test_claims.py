"""No two processes record the same channel into one database; others share it."""

import os
import socket
import sys
from pathlib import Path

import pytest

from terrarium_mcp.store import AlreadyRecorded, StoreFailed, claimed
from terrarium_mcp.store.sqlite import claims
from terrarium_mcp.store.sqlite.claims import Claimant
from terrarium_mcp.store.sqlite.engine.file_lock import lock_beside

TEA = ("libera", "#tea")


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def claim_file(folder: Path) -> Path:
    (file,) = folder.glob("*.recorder-*")
    return file


def test_the_second_recorder_of_a_channel_is_refused_with_the_first_one_s_process(
    tmp_path: Path,
) -> None:
    database = tmp_path / "irc_logs.db"
    with claimed(database, [TEA, ("libera", "#mate")]):
        with pytest.raises(AlreadyRecorded) as refused, claimed(database, [TEA]):
            pass
        told = str(refused.value)
        assert told.startswith(f"Process {os.getpid()} on {socket.gethostname()} (")
        assert f"has been recording libera/#tea into {database} since 20" in told
        assert told.endswith(
            ". Stop it, or leave what it records out of IRC_CHANNELS here, or set DB_PATH to"
            " another database."
        )
        assert str(tmp_path) not in refused.value.public


@pytest.mark.parametrize("other", [("libera", "#coffee"), ("oftc", "#tea")])
def test_recorders_of_different_channels_share_a_database(
    other: tuple[str, str], tmp_path: Path
) -> None:
    database = tmp_path / "irc_logs.db"
    with claimed(database, [TEA]), claimed(database, [other]), claimed(database, []):
        assert len(list(tmp_path.glob("*.recorder-*"))) == 3


def test_databases_have_claims_of_their_own(tmp_path: Path) -> None:
    with claimed(tmp_path / "a.db", [TEA]), claimed(tmp_path / "b.db", [TEA]):
        assert len(list(tmp_path.glob("*.recorder-*"))) == 2


def test_a_command_line_that_is_no_utf_8_can_be_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["bridge", "--env-file", os.fsdecode(b"caf\xe9")])
    with (
        claimed(tmp_path / "a.db", [TEA]),
        pytest.raises(AlreadyRecorded) as refused,
        claimed(tmp_path / "a.db", [TEA]),
    ):
        pass
    assert b"(bridge --env-file caf)" in str(refused.value).encode()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("libera", "#Tea[1]\\~"), ("LIBERA", "#tEA{1}|^")),
        (("libera", "#T\u00c9A"), ("libera", "#t\u00e9a")),
    ],
)
def test_another_spelling_of_a_channel_is_the_same_claim(
    first: tuple[str, str], second: tuple[str, str], tmp_path: Path
) -> None:
    with (
        claimed(tmp_path / "irc_logs.db", [first]),
        pytest.raises(AlreadyRecorded, match="has been recording libera/#"),
        claimed(tmp_path / "irc_logs.db", [second]),
    ):
        pass


def test_the_way_to_the_database_makes_no_difference(tmp_path: Path) -> None:
    (tmp_path / "irc_logs.db").touch()
    (tmp_path / "link.db").symlink_to(tmp_path / "irc_logs.db")
    with (
        claimed(tmp_path / "irc_logs.db", [TEA]),
        pytest.raises(AlreadyRecorded),
        claimed(tmp_path / "link.db", [TEA]),
    ):
        pass


def test_a_claim_ends_with_its_block_and_leaves_no_file_of_its_own(tmp_path: Path) -> None:
    database = tmp_path / "irc_logs.db"
    with pytest.raises(KeyError), claimed(database, [TEA]):
        raise KeyError
    assert files(tmp_path) in ([], ["irc_logs.db.claims"])
    with claimed(database, [TEA]):
        assert Claimant.read(claim_file(tmp_path)) is not None


def test_what_a_dead_process_left_counts_for_nothing_and_is_removed(tmp_path: Path) -> None:
    database = tmp_path / "irc_logs.db"
    with claimed(database, [TEA]):
        left = claim_file(tmp_path).read_text()
    (tmp_path / "irc_logs.db.recorder-dead").write_text(left)
    with claimed(database, [TEA]):
        assert claim_file(tmp_path).name != "irc_logs.db.recorder-dead"


@pytest.mark.parametrize(
    "name", ["#../../etc/passwd", "#a/b", "#" + "x" * 400, '#"\\\n\u202e', "#[a]*"]
)
def test_any_name_can_be_claimed(name: str, tmp_path: Path) -> None:
    with claimed(tmp_path / "[irc]*.db", [("libera", name)]):
        with pytest.raises(AlreadyRecorded), claimed(tmp_path / "[irc]*.db", [("libera", name)]):
            pass
        claimant = Claimant.read(claim_file(tmp_path))
    assert claimant is not None
    assert claimant.channels == (("libera", name),)


@pytest.mark.parametrize("written", ["", "[]", "{}", "x", '{"channels": [1]}', '{"channels": []}'])
def test_a_claim_that_cannot_be_read_refuses_nobody(written: str, tmp_path: Path) -> None:
    database = tmp_path / "irc_logs.db"
    with claimed(database, [TEA]):
        claim_file(tmp_path).write_text(written)
        with claimed(database, [TEA]):
            assert len(list(tmp_path.glob("*.recorder-*"))) == 2


def test_files_have_the_mode_of_the_database(tmp_path: Path) -> None:
    database = tmp_path / "irc_logs.db"
    database.touch()
    database.chmod(0o640)
    with claimed(database, [TEA]):
        assert claim_file(tmp_path).stat().st_mode & 0o777 == 0o640


def test_without_a_folder_to_write_to_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "missing").touch()
    with (
        pytest.raises(StoreFailed, match=r"cannot be claimed beside .*: .*able to write"),
        claimed(tmp_path / "missing" / "irc_logs.db", [TEA]),
    ):
        pass


def test_claims_that_cannot_be_compared_are_told_in_whole_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "_PATIENCE", 0)
    database = tmp_path / "irc_logs.db"
    with (
        lock_beside(database, ".claims"),
        pytest.raises(StoreFailed, match=r"could not be acquired\. This account must"),
        claimed(database, [TEA]),
    ):
        pass

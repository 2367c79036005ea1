"""A keeper's lock that cannot be taken: the error names what is missing, and a way out."""

import errno
from pathlib import Path

import pytest
from filelock import FileLock

from terrarium_mcp.store import StoreFailed
from terrarium_mcp.store.sqlite.keeper import Keeper, lock_file


def told(database: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a claim says where the operating system refuses to write."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(FileLock, "acquire", refuse)
    with pytest.raises(StoreFailed) as failure:
        Keeper(database).claim()
    return str(failure.value)


def test_where_nothing_is_yet_the_folder_and_the_reason_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(tmp_path / "new.db", monkeypatch) == (
        f"The folder {tmp_path} cannot be written: Read-only file system. Name a database elsewhere"
        " with DB_PATH or --db."
    )


def test_a_lock_without_a_database_is_named_without_a_copy_of_its_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "new.db"
    lock_file(database).touch()
    line = told(database, monkeypatch)
    assert line.startswith(f"{lock_file(database)} cannot be used: Read-only file system.")
    assert "--reference" not in line


def test_a_lock_beside_a_database_gets_the_permissions_of_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "irc_logs.db"
    database.touch()
    lock_file(database).touch()
    assert f"chown --reference={database} {lock_file(database)}" in told(database, monkeypatch)

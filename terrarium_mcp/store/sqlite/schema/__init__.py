"""The schema and its history: numbered versions, forward only.

A start applies all missing versions in one transaction.

`PRAGMA application_id` marks a file as terrarium-mcp's, `PRAGMA user_version` is its version. A new
file goes through all versions too, so it cannot differ from one that was migrated.

- marks, versions, comparison: what a file is, and whether it has the schema of its version;
  obstacles: what an owner added that is in the way
- runner, step, backup: how it gets the current one; recreation: what can be rebuilt in place
- terrarium_irc, adoption: a database of the program that came before
- v1, v1_times, v2, v3: the conversions of rows, frozen like the text of their versions
- print_schema: `make schema`

How to add a version:

1. Write `vN.sql` with what changes. Where rows must change as well, write `vN.py` with a function
   `convert`, and put the line `-- ---- Rows are converted here ---` where it is to run: by default
   it runs last. It may import nothing that may change, so it copies what it needs.
2. Append `Version(N, ...)` to `VERSIONS` in versions.py, and run `make schema`.
3. Run `python -m tests.store.files.make` once, when the text is final, and commit the two stored
   files of the version, and the hashes that it appends to tests/store/files/frozen.txt. From then
   on it is frozen, released or not: every correction, and every addition, is a version of its own.
   (A file that was made before version 12 or 16 got another text lacked what that added, until 17.)
4. Write its number and its row into docs/database-format.md, under Versions, and its number into
   docs/database.md, where the copy `irc_logs.before-vN.db` is named.
5. Where it adds a table, write that into the first table of docs/database-format.md, and let
   `mark_as_of_version` in tests/store/scene.py drop it: an older file does not have it.
6. Where it adds a table that names people, let removal/purge.py remove their rows. Each table is
   among those that a purge reaches, or keeps for a reason, in
   tests/store/sqlite/removal/test_purge_tables.py.
"""

from terrarium_mcp.store.sqlite.schema.marks import (
    APPLICATION_ID,
    NamesTaken,
    NotAdopted,
    NotOurs,
    Obstructed,
    WrongFile,
    WrongSchema,
    check_adopted,
    check_magic,
    check_names,
    checked_version,
    marked_version,
    usable_version,
)
from terrarium_mcp.store.sqlite.schema.runner import (
    BUSY,
    MigrationBlocked,
    migrate,
    repair,
    version_of,
)
from terrarium_mcp.store.sqlite.schema.versions import CURRENT

__all__ = [
    "APPLICATION_ID",
    "BUSY",
    "CURRENT",
    "MigrationBlocked",
    "NamesTaken",
    "NotAdopted",
    "NotOurs",
    "Obstructed",
    "WrongFile",
    "WrongSchema",
    "check_adopted",
    "check_magic",
    "check_names",
    "checked_version",
    "marked_version",
    "migrate",
    "repair",
    "usable_version",
    "version_of",
]

"""The rooms that are mutated, and the tests that are to notice: move a file, edit this table."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Room:
    """Source files, and the tests that hold them as arguments of pytest; relative to the root.

    Each entry of `sources` and `leaving_out` is a file or a folder (with everything below it).
    """

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    leaving_out: tuple[str, ...] = ()

    def files(self, root: Path) -> list[str]:
        """The Python files to mutate, sorted."""
        return sorted(_below(root, self.sources) - _below(root, self.leaving_out))


def _below(root: Path, entries: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for entry in entries:
        path = root / entry
        if not path.exists():
            message = f"{entry} is named in {Path(__file__).name} and is not there"
            raise FileNotFoundError(message)
        files = path.rglob("*.py") if path.is_dir() else [path]
        found |= {str(file.relative_to(root)) for file in files}
    return found


ROOMS = (
    Room(
        "chat",
        sources=("terrarium_mcp/chat",),
        leaving_out=("terrarium_mcp/chat/cursors.py",),
        tests=("tests/chat",),
    ),
    Room(
        "policy",
        sources=(
            "terrarium_mcp/policy.py",
            "terrarium_mcp/settings",
            "terrarium_mcp/chat/cursors.py",
        ),
        tests=(
            "tests/test_policy.py",
            "tests/settings",
            "tests/test_docs.py",
            "tests/chat/test_cursors.py",
            "tests/tools/test_view.py",
        ),
    ),
    Room(
        "index",
        sources=(
            "terrarium_mcp/store/sqlite/index",
            "terrarium_mcp/store/sqlite/engine/fts_merge.py",
        ),
        tests=(
            "tests/store/sqlite/index",
            "tests/store/sqlite/imports",
            "tests/store/sqlite/ingest",
            "tests/store/sqlite/index/test_external_rows.py",
            "tests/store/sqlite/topics/test_links.py",
            "tests/store/sqlite/topics/test_order.py",
            "tests/store/sqlite/topics/test_people.py",
            "tests/store/sqlite/topics/test_stats.py",
            "tests/test_sqlite.py",
        ),
    ),
    Room(
        "search",
        sources=("terrarium_mcp/store/search", "terrarium_mcp/store/sqlite/search"),
        tests=(
            "tests/store/sqlite/search",
            "tests/store/sqlite/index/test_vocabulary.py",
            "tests/cli/test_explaining.py",
        ),
    ),
    Room(
        "network",
        sources=("terrarium_mcp/irc_bridge/network",),
        # Real servers take a minute, and show what a fake one cannot.
        tests=(
            "tests/irc_bridge/network",
            "tests/irc_bridge/record",
            "tests/test_pydle.py",
            "--ignore=tests/irc_bridge/network/test_real_servers.py",
        ),
    ),
)

"""Imports point down, and each outside library lives in one place."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "terrarium_mcp"

BASE = {
    "backoff",
    "bell",
    "bounded_body",
    "bounded_dict",
    "chat",
    "durable",
    "errors",
    "http_clients",
    "offload",
    "policy",
    "settings",
    "wording",
    "zstd",
}
MAY_IMPORT = {
    "chat": set[str](),  # pure: no I/O, no settings
    "bell": set[str](),  # pure anyio, for any part with tasks
    "bounded_body": set[str](),
    "bounded_dict": set[str](),
    "durable": set[str](),
    "offload": set[str](),  # pure anyio too
    "sdk": set[str](),
    "zstd": set[str](),
    "wording": {"chat"},  # pure
    "errors": {"chat", "wording"},
    "http_clients": {"chat", "errors", "wording"},
    "backoff": {"chat", "errors", "wording"},
    "settings": {"chat", "errors", "wording"},
    "policy": {"chat", "errors", "wording"},
    "store": BASE,
    "request": BASE | {"store"},  # no MCP SDK: the command line shares it with the tools
    "websearch": BASE,
    "logformats": BASE | {"store"},
    "tools": BASE | {"store", "request", "websearch"},
    "server": BASE | {"store", "request", "websearch", "tools", "sdk"},
    "serving": BASE | {"store", "server", "sdk"},
    "irc_bridge": BASE | {"store"},
    "demo": BASE
    | {"store", "request", "websearch", "logformats", "tools", "server", "serving", "irc_bridge",
       "sdk"},
    "cli": BASE
    | {"store", "request", "websearch", "logformats", "tools", "server", "serving", "irc_bridge",
       "sdk", "demo"},
    "__main__": {"cli"},
    "__init__": set[str](),
}  # fmt: skip
"""What each part may import besides itself; all may read the version in `terrarium_mcp`."""

PACKAGES = {
    "store/sqlite": (
        "engine", "schema", "opening", "trusted_time", "index", "keeper", "claims",
        "older_keeper", "own_files", "path_watch", "ingest", "topics", "search", "archive",
        "removal", "imports", "health", "backup", "service", "store",
    ),
    "irc_bridge": (
        "network", "model", "talk_log", "record", "toolbox", "answer", "dialogue",
        "ask", "reporter", "bridge", "bridges",
    ),
}  # fmt: skip
"""What a part is made of, in the order in which it is built: none imports a later one."""

ONLY_IN = {
    "backports": "zstd.py",
    "aiosqlite": "store/sqlite/engine/database.py",
    "pydle": "irc_bridge/network/pydle_client.py",
    "openai": "irc_bridge/model/endpoint.py",
    "mcp.client": "irc_bridge/toolbox/",
    "mcp.Client": "irc_bridge/toolbox/connection.py",
    "mcp.ClientSession": "irc_bridge/toolbox/connection.py",
}


def modules() -> list[str]:
    return sorted(file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py"))


@cache
def tree_of(module: str) -> ast.Module:
    """A module of the package, parsed once for all tests."""
    return ast.parse((PACKAGE / module).read_text("utf-8"))


def imported(source: str | ast.Module) -> Iterator[str]:
    """Every name that a module imports, wherever in it: `from a import b` is `a.b`."""
    for node in ast.walk(ast.parse(source) if isinstance(source, str) else source):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=0):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.ImportFrom(module=module, level=level):
                yield f"{'.' * level}{module or ''}"


def within(name: str, library: str) -> bool:
    return name == library or name.startswith(library + ".")


def wrong_arrows(module: str, source: str | ast.Module) -> list[str]:
    """What a module imports and must not, each in a sentence."""
    part = part_of(module)
    if part not in MAY_IMPORT:
        return [f"{module} is in no layer: draw it into MAY_IMPORT"]
    wrong = []
    for name in imported(source):
        if name.startswith("."):
            wrong.append(f"{module} must import by the full name, not {name}")
        elif within(name, "terrarium_mcp"):
            other = [*name.split("."), ""][1]
            if other not in MAY_IMPORT[part] | {part, "", "__version__"}:
                wrong.append(f"{part} must not import {other} ({module})")
        wrong += [
            f"{library} belongs to {place}, not to {module}"
            for library, place in ONLY_IN.items()
            if within(name, library) and not module.startswith(place)
        ]
    return wrong


def part_of(module: str) -> str:
    """The part of the picture that a module belongs to."""
    return module.split("/", maxsplit=1)[0].removesuffix(".py")


def test_the_picture_shows_every_part_and_no_other() -> None:
    assert {part_of(module) for module in modules()} == set(MAY_IMPORT)


def test_the_table_of_the_architecture_has_every_part_above_what_it_imports() -> None:
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", page, re.MULTILINE)
    assert sorted(rows) == sorted(MAY_IMPORT.keys() - {"__main__", "__init__"})
    wrong = [
        f"{part} may import {other}, whose row must be below it in docs/architecture.md"
        for number, part in enumerate(rows)
        for other in sorted(MAY_IMPORT[part] & {*rows[:number]})
    ]
    assert not wrong, "\n".join(wrong)


def wrong_order(part: str, module: str, source: str | ast.Module) -> list[str]:
    """What a package of a part imports of a later one, each in a sentence."""
    prefix = f"terrarium_mcp.{part.replace('/', '.')}."
    package = module.removeprefix(f"{part}/").split("/")[0].removesuffix(".py")
    later = PACKAGES[part][PACKAGES[part].index(package) + 1 :]
    return [
        f"{package} comes before {other}, and must not import it ({module})"
        for name in imported(source)
        if name.startswith(prefix) and (other := name.removeprefix(prefix).split(".")[0]) in later
    ]


@pytest.mark.parametrize("part", PACKAGES)
def test_no_package_imports_a_later_one(part: str) -> None:
    files = [module for module in modules() if module.startswith(f"{part}/")]
    files.remove(f"{part}/__init__.py")
    packages = {
        module.removeprefix(f"{part}/").split("/")[0].removesuffix(".py") for module in files
    }
    assert packages == set(PACKAGES[part])
    assert not [wrong for one in files for wrong in wrong_order(part, one, tree_of(one))]


def test_a_package_that_imports_a_later_one_is_named() -> None:
    module = "store/sqlite/engine/database.py"
    source = "from terrarium_mcp.store.sqlite.index.indexer import Indexer"
    told = f"engine comes before index, and must not import it ({module})"
    assert wrong_order("store/sqlite", module, source) == [told]


Arrow = tuple[str, str]
"""The importing module and the imported one, each by its name below `terrarium_mcp`."""


def arrows() -> Iterator[Arrow]:
    names = {
        file.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): file
        for file in modules()
    }
    for module, file in names.items():
        for name in imported(tree_of(file)):
            parts = name.split(".")
            ends = range(len(parts), 1, -1) if parts[0] == "terrarium_mcp" else ()
            found = (".".join(parts[1:end]) for end in ends)
            if other := next((one for one in found if one in names), ""):
                yield module, other


def cycles(imports: Iterable[Arrow]) -> list[str]:
    """Of each package one cycle of its modules and packages, if there is any."""
    packages: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, other in imports:
        one, two = module.split("."), other.split(".")
        common = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False))
        )
        if common < min(len(one), len(two)):  # what a package itself offers is not a part of it
            packages[".".join(one[:common])][one[common]].add(two[common])
    found = []
    for package, graph in packages.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            found.append(f"{package}: {' <- '.join(error.args[1])}")
    return found


def test_no_two_packages_import_each_other() -> None:
    every = set(arrows())
    assert len(every) > 1_000
    assert not cycles(every)


def test_a_cycle_of_packages_is_named() -> None:
    through = [("logformats.databases.contents", "logformats.formats")]
    back = [("logformats.formats", "logformats.databases.ergo")]
    assert cycles([*through, ("logformats.formats", "chat.records")]) == []
    [told] = cycles(through + back)
    assert told.startswith("logformats: ")
    assert {"databases", "formats"} < set(told.replace(":", "").split())


@pytest.mark.parametrize("module", ["store/errors.py", "store/backlog.py"])
def test_what_the_store_offers_knows_no_engine(module: str) -> None:
    names = imported(tree_of(module))
    assert not [name for name in names if within(name, "terrarium_mcp.store.sqlite")]


def test_records_search_and_recognition_know_no_engine() -> None:
    pure = ("store/records/", "store/search/", "store/recognition/")
    files = [module for module in modules() if module.startswith(pure)]
    assert len(files) > 15
    for module in files:
        names = imported(tree_of(module))
        assert not [name for name in names if within(name, "terrarium_mcp.store.sqlite")], module


def test_imports_point_down() -> None:
    wrong = [told for module in modules() for told in wrong_arrows(module, tree_of(module))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("module", "source", "told"),
    [
        (
            "chat/records.py",
            "from terrarium_mcp.store.sqlite.topics.messages import Messages",
            "chat must not import store (chat/records.py)",
        ),
        (
            "errors.py",
            "def late():\n    import terrarium_mcp.settings",
            "errors must not import settings (errors.py)",
        ),
        (
            "irc_bridge/answer/loop.py",
            "from terrarium_mcp import server",
            "irc_bridge must not import server (irc_bridge/answer/loop.py)",
        ),
        (
            "store/sqlite/engine/rooms.py",
            "from .database import Database",
            "store/sqlite/engine/rooms.py must import by the full name, not .database",
        ),
        (
            "store/sqlite/topics/x.py",
            "import aiosqlite.core",
            "aiosqlite belongs to store/sqlite/engine/database.py, not to store/sqlite/topics/x.py",
        ),
        (
            "irc_bridge/answer/loop.py",
            "from mcp.client.stdio import stdio_client",
            "mcp.client belongs to irc_bridge/toolbox/, not to irc_bridge/answer/loop.py",
        ),
        (
            "tools/search.py",
            "from mcp import Client",
            "mcp.Client belongs to irc_bridge/toolbox/connection.py, not to tools/search.py",
        ),
        ("helpers.py", "", "helpers.py is in no layer: draw it into MAY_IMPORT"),
    ],
)
def test_a_wrong_arrow_is_named(module: str, source: str, told: str) -> None:
    assert wrong_arrows(module, source) == [told]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "store/sqlite/engine/database.py",
            "import aiosqlite\nfrom terrarium_mcp.chat.records import NewMessage",
        ),
        ("irc_bridge/network/pydle_client.py", "from pydle.features import rfc1459"),
        ("cli/version.py", "from terrarium_mcp import __version__"),
        ("irc_bridge/toolbox/connection.py", "from mcp import Client"),
    ],
)
def test_a_right_arrow_is_accepted(module: str, source: str) -> None:
    assert wrong_arrows(module, source) == []

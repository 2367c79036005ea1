"""The house keeps its plan: few loose modules, one meaning a word, SQL in one package."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from terrarium_mcp import store
from tests.test_layers import PACKAGE, imported, modules, tree_of

MOST_LOOSE = 5
"""Modules beside the packages, at the top of a package that has packages of its own."""

SQL_PACKAGES = ("store/sqlite/", "logformats/databases/")
"""Where SQL may be written; the second only reads databases of other programs."""

GATES = {
    "irc_bridge/toolbox/connection.py: _ready",
    "serving/pipes.py: _writable",
    "store/sqlite/opening.py: _done",
}
"""Events that are renewed because they are a state, open or shut, and not a call to look again."""

MOST_UNLISTED = 10
ONE_FILE_EACH = ("cli", "starting", "tools", "topics", "text")
"""Packages of more modules than that need no list where these are a command, tool, topic or format
each, of that name."""

_SQL = re.compile(
    r"\bSELECT\s.+\sFROM\b|\bINSERT\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\w+\s+SET\b|\bDELETE\s+FROM\b"
    r"|\bCREATE\s+(TEMP\s+)?(TABLE|VIEW|INDEX|TRIGGER|VIRTUAL)\b|\bPRAGMA\s+\w+|\bfts5\b"
    r"|\b(WHERE|AND)\s+\w+(\.\w+)?\s*(=|<|>|IN\b|MATCH\b)",
    re.DOTALL,
)

_TYPE_NAME = re.compile(r"_?[A-Z]\w*[a-z]\w*")


Parsed = dict[str, ast.Module]


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    """Every module of the package, read once."""
    return {module: tree_of(module) for module in modules()}


def texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every string of a module that is not a docstring."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node


@pytest.mark.parametrize("package", ["store", "irc_bridge"])
def test_a_package_of_packages_has_few_loose_modules(package: str) -> None:
    loose = [path.name for path in (PACKAGE / package).glob("*.py") if path.name != "__init__.py"]
    assert len(loose) <= MOST_LOOSE, loose


def aliases(tree: ast.Module) -> Iterator[str]:
    """The types that a module names without a class: aliases, type variables, annotations."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in [node.target] if isinstance(node, ast.AnnAssign) else targets:
            if isinstance(target, ast.Name) and _TYPE_NAME.fullmatch(target.id):
                yield target.id


def test_no_two_types_share_a_name(parsed: Parsed) -> None:
    places = defaultdict(list)
    for module, tree in parsed.items():
        classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        for name in (*classes, *aliases(tree)):
            places[name.lstrip("_")].append(module)
    assert not {name: where for name, where in places.items() if len(where) > 1}


@pytest.mark.parametrize(
    "source", ["Talk = Sequence[str]", "_Talk: TypeAlias = list[int]", "Talk = TypeVar('Talk')"]
)
def test_an_alias_is_recognised(source: str) -> None:
    assert [name.lstrip("_") for name in aliases(ast.parse(source))] == ["Talk"]


def test_a_constant_is_no_alias() -> None:
    assert not list(aliases(ast.parse("COUNTED = 1_000; talk = []; T = TypeVar('T')")))


def test_no_method_has_a_name_that_cannot_be_searched_for(parsed: Parsed) -> None:
    found = [
        f"{module}: {node.name}"
        for module, tree in parsed.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.name == "of"
    ]
    assert not found


def renewed_events(tree: ast.Module) -> Iterator[str]:
    """The attributes to which a class assigns an event in more than one place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            names = Counter(_attributes_set_to_events(node))
            yield from (name for name, times in names.items() if times > 1)


def _attributes_set_to_events(node: ast.ClassDef) -> Iterator[str]:
    for assignment in ast.walk(node):
        if isinstance(assignment, ast.Assign):
            [target, *_], value = assignment.targets, assignment.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=True))
            for name, given in pairs:
                if isinstance(name, ast.Attribute) and ast.unparse(given) == "anyio.Event()":
                    yield name.attr


def test_an_event_that_is_thrown_away_and_made_again_is_a_bell(parsed: Parsed) -> None:
    renewed = {
        f"{module}: {name}"
        for module, tree in parsed.items()
        if module != "bell.py"
        for name in renewed_events(tree)
    }
    assert renewed == GATES


def past_the_door(tree: ast.Module) -> list[str]:
    """What a module imports from inside the store, or names in a text: for `import_module`, say."""
    statements = [name for name in imported(tree) if name.count(".") > 2]
    named = [str(text.value) for text in texts(tree)]
    return [name for name in statements + named if name.startswith("terrarium_mcp.store.")]


def test_the_store_is_entered_by_its_door(parsed: Parsed) -> None:
    deeper = {
        module: found
        for module, tree in parsed.items()
        if not module.startswith("store/") and (found := past_the_door(tree))
    }
    assert not deeper


@pytest.mark.parametrize(
    "source",
    [
        "from terrarium_mcp.store.sqlite.store import Store",
        'import_module("terrarium_mcp.store.sqlite")',
        'LATER = ("json", "terrarium_mcp.store.sqlite.search.climb")',
    ],
)
def test_a_way_past_the_door_is_seen(source: str) -> None:
    assert len(past_the_door(ast.parse(source))) == 1


def test_the_door_itself_is_no_way_past_it() -> None:
    assert not past_the_door(ast.parse("from terrarium_mcp.store import Store"))


def test_every_error_of_the_store_is_at_its_door(parsed: Parsed) -> None:
    errors, found = {"TerrariumError", "HostFailure"}, set[str]()
    classes = [
        node
        for module, tree in parsed.items()
        if module.startswith("store/")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    for _ in classes:  # an error may be derived from one that is found after it
        found = {node.name for node in classes if errors & {ast.unparse(b) for b in node.bases}}
        if found <= errors:
            break
        errors |= found
    assert len(found) > 15
    assert found <= set(store.__all__)


def sql_in(tree: ast.Module) -> list[str]:
    """The strings of a module that hold SQL."""
    return [node.value for node in texts(tree) if _SQL.search(str(node.value))]  # type: ignore[misc]


def packages() -> Iterator[tuple[Path, str]]:
    """The folder and the docstring of each package but the whole, which the architecture lists."""
    for init in PACKAGE.glob("*/**/__init__.py"):
        yield init.parent, ast.get_docstring(ast.parse(init.read_text("utf-8"))) or ""


def contents(package: Path) -> set[str]:
    """The names of the modules in a package, and those of its packages, such as `index/`."""
    folders = {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    return folders | {path.stem for path in package.glob("*.py")} - {"__init__"}


def test_a_package_that_lists_its_modules_lists_all_of_them_and_no_other() -> None:
    listed = 0
    for package, text in packages():
        names = contents(package)
        bullets = " ".join(re.findall(r"^- (.+(?:\n  .+)*)$", text, re.MULTILINE))
        if not bullets:
            few = len(names) <= MOST_UNLISTED or package.name in ONE_FILE_EACH
            assert few, f"{package}: list its modules in its __init__.py"
            continue
        listed += 1
        words = set(re.findall(r"\w+(?:/(?=\W))?", bullets))
        missing = sorted(names - words)
        assert not missing, f"{package}/__init__.py: a bullet for {', '.join(missing)}"
        assert {word for word in words if "_" in word} <= names | {"terrarium_mcp"}, package
        assert set(re.findall(r"(\w+)\.py\b", bullets)) <= names, package
    assert listed > 15


def test_notes_are_marked_in_one_place(parsed: Parsed) -> None:
    by_hand = {
        module
        for module, tree in parsed.items()
        for text in texts(tree)
        if str(text.value).startswith("note:")
    }
    assert by_hand == {"wording.py"}


def test_sql_is_written_in_the_package_of_sqlite_alone(parsed: Parsed) -> None:
    strangers = {
        module: found
        for module, tree in parsed.items()
        if not module.startswith(SQL_PACKAGES) and (found := sql_in(tree))
    }
    assert not strangers
    importing = [
        module
        for module, tree in parsed.items()
        if not module.startswith(SQL_PACKAGES)
        and any(re.match(r"(aio)?sqlite3?\b", name) for name in imported(tree))
    ]
    assert not importing


@pytest.mark.parametrize(
    "source",
    [
        'ROWS = "SELECT id FROM messages"',
        'f"DELETE FROM {table}"',
        'x = "m.kind = 1 AND room = :room"',
        'TABLE = "CREATE VIRTUAL TABLE t USING fts5 (a)"',
    ],
)
def test_sql_is_recognised(source: str) -> None:
    assert sql_in(ast.parse(f"def f():\n    return {source.split(' = ', 1)[-1]}"))


def test_words_about_sql_are_not_sql() -> None:
    assert not sql_in(ast.parse('"""SELECT a FROM b"""\nx = "select a channel from the list"'))

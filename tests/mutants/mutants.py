"""The mutants of a source file: mutmut's operators on every line of it, and ours on its SQL."""

import difflib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_assignment

from tests.mutants.sql import is_sql, sql_mutations

LOGGERS = {
    "log",
    "logger",
    "_log",
}  # PIT leaves out calls of loggers, too: pitest.org, avoidCallsTo

ENCODINGS = {"ascii", "cp1252", "latin-1", "utf-8", "utf-8-sig"}


@dataclass(frozen=True)
class Mutant:
    """One change of one file. `lines` is its whole statement: Python counts some of it as run."""

    path: str
    function: str  # "Class.method", or "" for the level of the module
    line: int  # from 1
    lines: range
    before: str  # the changed lines of the file, as they were and as they are
    after: str
    source: str  # the whole file

    @property
    def place(self) -> str:
        """Where it is, as an editor takes it."""
        return f"{self.path}:{self.line}"

    @property
    def diff(self) -> str:
        """The changed lines, those that go and those that come."""
        gone = [f"- {line}" for line in self.before.splitlines()]
        come = [f"+ {line}" for line in self.after.splitlines()]
        return "\n".join([*gone, *come])


def draw(root: Path, files: Sequence[str], count: int, seed: str) -> list[Mutant]:
    """Up to `count` different mutants of the files, the same ones for the same seed."""
    parsed = [_File(root, file) for file in files]
    changes = [(file, change) for file in parsed for change in file.changes]
    random.Random(seed).shuffle(changes)  # noqa: S311  # chance that repeats itself
    drawn: dict[tuple[str, str], Mutant] = {}
    for file, change in changes:
        if len(drawn) == count:
            break
        if mutant := file.mutant(change):
            drawn[mutant.path, mutant.source] = mutant
    return sorted(drawn.values(), key=lambda one: (one.path, one.line, one.after))


def all_of(root: Path, files: Sequence[str]) -> Iterator[Mutant]:
    """Every mutant of the files: many thousands, each with the text of its whole file."""
    for file in files:
        parsed = _File(root, file)
        for change in parsed.changes:
            if mutant := parsed.mutant(change):
                yield mutant


@dataclass(frozen=True)
class _Change:
    original: cst.CSTNode
    mutated: cst.CSTNode
    function: str
    line: int
    lines: range


class _File:
    """A parsed source file and the changes that can be made to it."""

    def __init__(self, root: Path, path: str) -> None:
        self.path = path
        self.text = (root / path).read_text("utf-8")
        wrapper = MetadataWrapper(cst.parse_module(self.text))
        self._module = wrapper.module
        visitor = _Visitor(wrapper)
        wrapper.module.visit(visitor)
        self.changes = visitor.changes

    def mutant(self, change: _Change) -> Mutant | None:
        """The file with this change, or None where that is no program or the same one."""
        tree = self._module.deep_replace(change.original, change.mutated)
        source = tree.code if isinstance(tree, cst.Module) else self.text
        if source == self.text or not _compiles(source):
            return None
        before, after = _changed(self.text, source)
        return Mutant(self.path, change.function, change.line, change.lines, before, after, source)


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _changed(old: str, new: str) -> tuple[str, str]:
    olds, news = old.splitlines(), new.splitlines()
    steps = difflib.SequenceMatcher(None, olds, news, autojunk=False).get_opcodes()
    steps = [step for step in steps if step[0] != "equal"]
    first, last = steps[0], steps[-1]
    return "\n".join(olds[first[1] : last[2]]), "\n".join(news[first[3] : last[4]])


class _Visitor(cst.CSTVisitor):
    """Collects the changes of a module, from its first line to its last."""

    def __init__(self, wrapper: MetadataWrapper) -> None:
        super().__init__()
        self.changes: list[_Change] = []
        self._positions = wrapper.resolve(PositionProvider)
        self._names: list[str] = []
        self._places = [(1, range(1, 2))]

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _is_left_out(node):
            return False
        self._places.append(self._place(node))
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self._names.append(node.name.value)
        for mutated in _mutations(node):
            self.changes.append(_Change(node, mutated, ".".join(self._names), *self._places[-1]))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if _is_left_out(original_node):
            return
        self._places.pop()
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self._names.pop()

    def _place(self, node: cst.CSTNode) -> tuple[int, range]:
        """The first line of a node, and the lines of its statement down to its colon."""
        where = self._positions.get(node)
        if not isinstance(where, CodeRange):  # not every node has one: then its parent's
            return self._places[-1]
        first, last = where.start.line, where.end.line
        inside = _first_inside(node)
        body = self._positions.get(inside) if inside else None
        if isinstance(body, CodeRange):
            last = max(first, body.start.line - 1)
        if isinstance(node, cst.BaseCompoundStatement | cst.SimpleStatementLine):
            return first, range(first, last + 1)
        _, statement = self._places[-1]
        return first, range(min(statement.start, first), max(statement.stop, last + 1))


def _first_inside(node: cst.CSTNode) -> cst.CSTNode | None:
    """What comes after the colon of a compound statement."""
    match node:
        case cst.Match(cases=[first, *_]):
            return first
        case cst.BaseCompoundStatement(body=cst.IndentedBlock(body=[first, *_])):
            return first
    return None


def _is_left_out(node: cst.CSTNode) -> bool:
    """Annotations, decorators, docstrings, what is logged, and calls that only crash."""
    match node:
        case cst.Annotation() | cst.Decorator() | cst.Import() | cst.ImportFrom() | cst.TypeAlias():
            return True
        case cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString()):
            return True
        case cst.Call(func=cst.Name(value="len" | "isinstance" | "cast" | "TypeVar" | "NewType")):
            return True
        case cst.Call(func=cst.Attribute(value=cst.Name(value=name))):
            return name in LOGGERS
        case cst.If(test=cst.Name(value="TYPE_CHECKING")):
            return True
    return False


def _mutations(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    text = _text(node)
    if text is not None and is_sql(text):
        yield from _with_text(node, sql_mutations(text))
        return
    for kind, operator in mutation_operators:
        if isinstance(node, kind) and not (operator is operator_assignment and _is_alias(node)):
            yield from (mutated for mutated in operator(node) if not _is_same(node, mutated))


def _is_alias(node: cst.CSTNode) -> bool:
    """A name like GroupBits is a type's, which is read in annotations and checked by mypy."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return name[0].isupper() and not name.isupper()
    return False


def _is_same(node: cst.CSTNode, mutated: cst.CSTNode) -> bool:
    """The name of an encoding means the same in capitals."""
    old, new = _text(node), _text(mutated)
    if old is None or new is None or old.lower() != new.lower():
        return False
    return old.strip("'\"").lower() in ENCODINGS


def _text(node: cst.CSTNode) -> str | None:
    match node:
        case cst.SimpleString(value=str(value)) | cst.FormattedStringText(value=str(value)):
            return value
    return None


def _with_text(node: cst.CSTNode, texts: Iterable[str]) -> Iterator[cst.CSTNode]:
    for text in texts:
        yield node.with_changes(value=text)

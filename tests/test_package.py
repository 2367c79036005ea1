"""The package is what its pyproject.toml says, and what it needs is pinned."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

import terrarium_mcp
from tests import release

ROOT = Path(__file__).parents[1]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT: dict[str, Any] = PYPROJECT["project"]
NOT_IMPORTED = {"tzdata"}  # zoneinfo reads it as data
NAMESPACES = {"backports"}  # a package for each of its modules
STANDARD_LATER = {"compression"}  # part of Python 3.14


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements: list[str]) -> set[str]:
    """The packages that a list of requirements names, ourselves aside."""
    found = (re.match(r"[\w.-]+", one) for one in requirements)
    return {normal(one.group()) for one in found if one} - {"terrarium-mcp"}


DIRECT = named(PROJECT["dependencies"])
DEMO, DEV = (named(PROJECT["optional-dependencies"][extra]) for extra in ("demo", "dev"))
BUILD = named(PYPROJECT["build-system"]["requires"])


def imported() -> set[str]:
    """The distributions whose modules the package imports."""
    owners = packages_distributions()
    modules: set[str] = set()
    for path in (ROOT / "terrarium_mcp").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Import(names=names):
                    modules |= {name.name for name in names}
                case ast.ImportFrom(module=str(module), names=names) if module in NAMESPACES:
                    modules |= {f"{module}-{name.name}" for name in names}
                case ast.ImportFrom(module=str(module), level=0):
                    space, _, name = module.partition(".")
                    modules.add(f"{space}-{name}" if space in NAMESPACES else module)
    tops = {module.partition(".")[0] for module in modules} - sys.stdlib_module_names
    tops -= STANDARD_LATER
    return {normal(owner) for top in tops for owner in owners.get(top, [top])} - {"terrarium-mcp"}


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    assert imported() == (DIRECT | DEMO) - NOT_IMPORTED


def test_contributing_tells_what_each_dependency_is_for() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    _, _, rest = page.partition("| package | used for |\n")
    rows = [row.strip("|").split("|") for row in rest.split("\n\n")[0].splitlines()[1:]]
    assert {normal(name.strip()) for name, purpose in rows if purpose.strip()} == DIRECT
    after = rest.split("\n\n")[1]
    mentioned = {normal(word) for word in re.findall(r"[\w-]+", after)}
    assert not (DEMO | DEV) - mentioned


@pytest.mark.parametrize(
    ("file", "needed"), [("demo.txt", DIRECT | DEMO | BUILD), ("dev.txt", DIRECT | DEMO | DEV)]
)
def test_everything_is_pinned_with_hashes_and_nothing_else_is_said(
    file: str, needed: set[str]
) -> None:
    pins = pinned(file)
    assert not needed - pins.keys()
    text = (ROOT / "requirements" / file).read_text("utf-8")
    assert text.count("==") == len(pins)
    assert not re.search(r"^\s*-(?!-hash=sha256:)|://| @ ", text, re.MULTILINE)
    for pin in re.split(r"\n(?=\w)", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE)):
        assert "--hash=sha256:" in pin


def test_the_demo_runs_on_what_was_tested() -> None:
    assert pinned("demo.txt").items() <= pinned("dev.txt").items()


def test_the_version_is_in_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## [{terrarium_mcp.__version__}] - " in changelog


def test_the_wheel_of_the_sdist_runs_where_no_checkout_is(tmp_path: Path) -> None:
    wheel = release.built(tmp_path)
    names = release.files(wheel)
    assert "terrarium_mcp/py.typed" in names
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"terrarium_mcp"}
    assert set(kept_files()) - {"terrarium_mcp/store/sqlite/schema/schema.sql"} <= names
    release.check(release.installed(wheel, tmp_path, borrowing=True), tmp_path)


def kept_files() -> list[str]:
    """Every file of the package that is kept: modules, SQL, word lists, weights."""
    files = (ROOT / "terrarium_mcp").rglob("*")
    kept = [path for path in files if path.is_file() and "__pycache__" not in path.parts]
    return [str(path.relative_to(ROOT)) for path in kept]


def pinned(file: str) -> dict[str, str]:
    """The packages of a requirements file, and their versions."""
    text = (ROOT / "requirements" / file).read_text("utf-8")
    found = re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE)
    return {normal(name): version for name, version in found}

"""Reads `.env`: python-dotenv does, once nothing is left that it would lose without an error."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from terrarium_mcp.settings.errors import BadSetting

if TYPE_CHECKING:
    from dotenv.parser import Binding, Original

_HALF_COMMENTED = re.compile(
    r"^\s*(?:export\s+)?IRC_CHANNELS\s*=(?!\s*['\"])[^'\"\n]*[^\S\n]#\S", re.MULTILINE
)
"""A list of channels of which python-dotenv would treat a part, or all, as a comment."""


class DotenvFile(NamedTuple):
    """What a file says: its values by name, None for a name without one.

    `set_twice` has the lines of each name that it has several times with different values; the
    last one counts. `unset` has the names whose value refers to a variable that is not set, as
    `${PASSWORD}`, with that variable: nothing takes its place.
    """

    values: Mapping[str, str | None]
    set_twice: Mapping[str, Sequence[int]]
    unset: Mapping[str, str]


def read_dotenv(file: Path) -> DotenvFile:
    """The values in a file, and which names it has twice.

    Raises:
        BadSetting: it cannot be read, or a part of it would be lost.
    """
    try:
        text = file.read_text("utf-8-sig")  # some editors add a BOM
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadSetting(
            f"{file} is not UTF-8 from line {line} on. Fix it, or use another with --env-file."
        ) from None
    except OSError as error:
        raise BadSetting(
            f"{file} cannot be read: {error}. Fix it, or use another with --env-file."
        ) from None
    if _HALF_COMMENTED.search(text):
        raise BadSetting(
            f"IRC_CHANNELS in {file}: a # after a space starts a comment there, so channels"
            " would be lost. Leave the # out, or put the value in quotes."
        )
    bindings = _bindings(text, file)
    return DotenvFile(_values(text), _set_twice(bindings), _unset(bindings))


def dotenv_in(text: str, file: Path) -> dict[str, str | None]:
    """The values in the text of a file, by name; None for a name without a value.

    Raises:
        BadSetting: a line cannot be read. python-dotenv would skip it, and those within a quote
            that it opens.
    """
    _bindings(text, file)
    return _values(text)


def _values(text: str) -> dict[str, str | None]:
    from dotenv import dotenv_values  # noqa: PLC0415 -- many processes have no such file

    return dotenv_values(stream=StringIO(text))


def _bindings(text: str, file: Path) -> "list[Binding]":
    """The bindings of a text of which every line can be read."""
    from dotenv.parser import parse_stream  # noqa: PLC0415 -- many processes have no such file

    bindings = list(parse_stream(StringIO(text)))
    for binding in bindings:
        if binding.error:
            raise BadSetting(
                f"Line {_first_line(binding.original)} of {file} cannot be read. Write NAME=value,"
                " with both quotes if there are any; a comment begins with #."
            )
    return bindings


def _set_twice(bindings: "Iterable[Binding]") -> dict[str, Sequence[int]]:
    lines: dict[str, list[int]] = defaultdict(list)
    values: dict[str, set[str | None]] = defaultdict(set)
    for binding in bindings:
        if binding.key:
            lines[binding.key.upper()].append(_first_line(binding.original))
            values[binding.key.upper()].add(binding.value)
    return {name: lines[name] for name, found in values.items() if len(found) > 1}


def _unset(bindings: "Iterable[Binding]") -> dict[str, str]:
    """The names that refer to a variable which neither the environment nor an earlier line sets."""
    from dotenv.variables import Variable, parse_variables  # noqa: PLC0415 -- as above

    known, found = set(os.environ), dict[str, str]()
    for name, value in ((binding.key, binding.value) for binding in bindings if binding.key):
        found.pop(name, None)
        for part in parse_variables(value or ""):
            if isinstance(part, Variable) and part.default is None and part.name not in known:
                found[name] = part.name
        (known.discard if value is None else known.add)(name)
    return found


def _first_line(original: "Original") -> int:
    """The line on which a binding is written: python-dotenv counts blank ones before it to it."""
    written = original.string
    return original.line + written[: len(written) - len(written.lstrip())].count("\n")

"""The text of a settings file: written with comments, or changed where it has to be. Pure."""

import re
from collections.abc import Mapping
from io import StringIO
from typing import NamedTuple

from dotenv.parser import parse_stream

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import (
    Settings,
    is_address_setting,
    presentable,
    secret_names,
    setting_names,
)

HEADER = """\
# Settings of terrarium-mcp, written by terrarium-mcp init.
# terrarium-mcp doctor shows all settings, with their defaults.
"""

_PLAIN = re.compile(r"[\w./:@,+-]+")
"""A value that needs no quotes."""

_AROUND_A_VALUE = " \t'\""


def merged(old: str, values: Mapping[str, str]) -> str:
    """The text of `old` with these settings; an empty value comments its line out.

    Everything else stays as it is. A line that was commented out so is used again. Settings that
    `old` lacks are appended, with their meaning.

    Raises:
        TerrariumError: a value cannot be written to such a file.
    """
    text, added = old or HEADER, ""
    line_break = "\r\n" if "\r\n" in text else "\n"
    for name, value in values.items():
        line = f"{name}={_quoted(name, value)}" if value else ""
        entries = _entries(text)
        if any(entry.name == name for entry in entries):
            text = "".join(
                _rewritten(entry.text, line) if entry.name == name else entry.text
                for entry in entries
            )
        elif line and (commented := re.compile(rf"^#{name}=[^\r\n]*", re.MULTILINE)).search(text):
            text = commented.sub(line.replace("\\", r"\\"), text, count=1)  # which we left out
        elif line:
            added += line_break.join(["", f"# {_meanings()[name]}", line, ""])
    return text + ("" if text.endswith("\n") else line_break) + added if added else text


def secrets_hidden(text: str) -> str:
    """The text for a screen: of passwords and keys only that they are there."""
    return "".join(_hidden(entry.text) for entry in _entries(text))


class _EnvEntry(NamedTuple):
    """A setting in a file, over several lines if its value has some, or a comment.

    `name` is in capitals; that of a comment is empty. Blank lines may precede the entry in `text`.
    """

    name: str
    text: str


def _entries(text: str) -> list[_EnvEntry]:
    bindings = parse_stream(StringIO(text))
    return [_EnvEntry((one.key or "").upper(), one.original.string) for one in bindings]


def _rewritten(written: str, line: str) -> str:
    """A setting as `line`, or commented out if that is empty."""
    setting = written.strip()
    new = line or re.sub("^", "#", setting, flags=re.MULTILINE)
    return written.replace(setting, new)


def _hidden(entry: str) -> str:
    """An entry without secrets; one may be commented out as well."""
    partly = "|".join(["IRC_CHANNELS", *filter(is_address_setting, setting_names())])
    flags = re.IGNORECASE | re.DOTALL  # a value may have several lines
    written = entry.rstrip()
    text = re.sub(rf"^(.*?\b({partly})[ \t]*=)(.+)$", _presentable_line, written, flags=flags)
    names = "|".join(secret_names())
    text = re.sub(rf"^(.*?\b(?:{names})[ \t]*=).+$", r"\1 (not shown)", text, flags=flags)
    return text + entry[len(written) :]


def _presentable_line(line: re.Match[str]) -> str:
    """A line `NAME=value` without secrets; an address also without the quotes around it."""
    setting, name, value = line[1], line[2].upper(), line[3]
    bare = value.strip(_AROUND_A_VALUE) if is_address_setting(name) else value
    return f"{setting}{presentable(name, bare)}"


def _meanings() -> dict[str, str]:
    return {str(one.alias): str(one.description) for one in Settings.model_fields.values()}


def _quoted(name: str, value: str) -> str:
    """A value as python-dotenv reads it back."""
    if any(char in value for char in "\r\n\0") or "${" in value:
        raise TerrariumError(
            f"{name} has a line break or ${{, which a settings file cannot hold."
            " Set it in the environment instead."
        )
    if _PLAIN.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"

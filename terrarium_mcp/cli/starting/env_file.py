"""The text of a settings file: written with comments, or changed where it has to be. Pure."""

import re
from collections.abc import Mapping

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
    for name, value in values.items():
        line = f"{name}={_quoted(name, value)}" if value else ""
        present = re.compile(rf"^[ \t]*(?:export[ \t]+)?{name}[ \t]*=.*$", re.MULTILINE)
        if present.search(text):
            new = line.replace("\\", r"\\") if line else r"#\g<0>"
            text = present.sub(new, text)
        elif line and (commented := re.compile(rf"^#{name}=.*$", re.MULTILINE)).search(text):
            text = commented.sub(line.replace("\\", r"\\"), text, count=1)  # which we left out
        elif line:
            added += f"\n# {_meanings()[name]}\n{line}\n"
    return text + ("" if text.endswith("\n") else "\n") + added if added else text


def secrets_hidden(text: str) -> str:
    """The text for a screen: of passwords and keys only that they are there."""
    partly = "|".join(["IRC_CHANNELS", *filter(is_address_setting, setting_names())])
    text = re.sub(rf"^(.*\b({partly})[ \t]*=)(.+)$", _presentable_line, text, flags=re.MULTILINE)
    names = "|".join(secret_names())
    return re.sub(rf"^(.*\b(?:{names})[ \t]*=).+$", r"\1 (not shown)", text, flags=re.MULTILINE)


def _presentable_line(line: re.Match[str]) -> str:
    """A line `NAME=value` without secrets; an address also without the quotes around it."""
    setting, name, value = line.groups()
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

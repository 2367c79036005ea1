"""A file that a command edits: its text, and the difference for the person who decides."""

from difflib import unified_diff
from pathlib import Path

import click

from terrarium_mcp.errors import TerrariumError

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def text_of(file: Path, hint: str) -> str:
    """The text of a file, with its own line breaks; "" if there is none.

    Raises:
        TerrariumError: it cannot be read, with `hint` as the way out.
    """
    try:
        return file.read_bytes().decode("utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise TerrariumError(f"{file} cannot be read: {error}. {hint}") from error


def show_difference(file: Path, old: str, new: str) -> None:
    """Print how `file` would change."""
    click.echo(f"{file}:" if old else f"{file} (a new file):")
    for line in [*unified_diff(old.splitlines(), new.splitlines(), n=2, lineterm="")][2:]:
        click.secho(f"  {line}", fg=_COLOURS.get(line[:1]))

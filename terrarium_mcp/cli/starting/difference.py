"""The difference that a command is about to make to a file, for the person who decides."""

from difflib import unified_diff
from pathlib import Path

import click

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def show_difference(file: Path, old: str, new: str) -> None:
    """Print how `file` would change."""
    click.echo(f"{file}:" if old else f"{file} (a new file):")
    for line in [*unified_diff(old.splitlines(), new.splitlines(), n=2, lineterm="")][2:]:
        click.secho(f"  {line}", fg=_COLOURS.get(line[:1]))

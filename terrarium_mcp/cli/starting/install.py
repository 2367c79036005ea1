"""`terrarium-mcp install`: the entry of our server in the file of an MCP host."""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from terrarium_mcp.cli.console import asking
from terrarium_mcp.cli.starting.edited_files import show_difference, text_of
from terrarium_mcp.cli.starting.hosts import Host, Machine
from terrarium_mcp.cli.starting.json_entry import with_entry
from terrarium_mcp.cli.starting.jsonc import BrokenJson
from terrarium_mcp.cli.starting.program import absolute_words
from terrarium_mcp.cli.starting.replacing import PRIVATE, replace_file
from terrarium_mcp.errors import TerrariumError


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """What is to be written where."""

    host: Host
    file: Path | None
    """Another file than the host's usual one."""
    name: str
    arguments: Sequence[str]
    """After `serve`; every path in them is absolute."""
    ask: bool


def this_machine() -> Machine:
    """The machine that we run on."""
    return Machine(
        platform=sys.platform, home=Path.home(), folder=Path.cwd(), environ=dict(os.environ)
    )


def print_entry(installation: Installation) -> None:
    """Print the entry, and on stderr where it goes; change nothing."""
    host = installation.host
    entry = {host.section: {installation.name: _entry(installation)}}
    click.echo(json.dumps(entry, indent=2, ensure_ascii=False))
    click.echo(f"This goes into {_file(installation)}. {host.afterwards}", err=True)


def write_entry(installation: Installation) -> None:
    """Show the difference, and write it if it is agreed to; the old file is kept beside.

    Raises:
        TerrariumError: the file is broken, or cannot be read or written.
    """
    file = _file(installation)
    old = text_of(file, "It was not changed; see the entry with --print.")
    try:
        new = with_entry(old, installation.host.section, installation.name, _entry(installation))
    except BrokenJson as error:
        raise TerrariumError(
            f"{file}, {error}. It was not changed. Correct it there, or see the entry with --print."
        ) from error
    if new == old:
        click.echo(f"{file} has this entry already.")
        return
    show_difference(file, old, new)
    if installation.ask and not _agreed():
        click.echo(f"Left {file} as it was.")
        return
    mode = file.stat().st_mode & 0o777 if file.exists() else PRIVATE
    copy = _keep_copy(file)
    replace_file(file, new, mode=mode)
    click.echo(f"Wrote {file}." + (f" The old one is {copy}." if copy else ""))
    click.echo(installation.host.afterwards)


def _file(installation: Installation) -> Path:
    return installation.file or installation.host.file(this_machine())


def _entry(installation: Installation) -> dict[str, object]:
    return installation.host.entry([*absolute_words(), "serve", *installation.arguments])


def _agreed() -> bool:
    with asking("Add --write to write it, or --print to see the entry alone."):
        return click.confirm("Write it?")


def _keep_copy(file: Path) -> Path | None:
    """Copy the file to a name beside it that is free; None if there is none to copy."""
    if not file.exists():
        return None
    number = 1
    while (copy := file.with_name(f"{file.name}.before-{number}")).exists():
        number += 1
    try:
        shutil.copy2(file, copy)
    except OSError as error:
        raise TerrariumError(
            f"{copy} cannot be written: {error.strerror}. {file} was not changed."
        ) from error
    return copy

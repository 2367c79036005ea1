"""The flags that all commands share, and the settings that result."""

import logging
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import click

from terrarium_mcp.settings import LoadedSettings, Settings, read_settings

CommandFunction = Callable[..., Any]

log = logging.getLogger(__name__)


def settings_options(command: CommandFunction) -> CommandFunction:
    """Add --db, --config and --env-file to a command."""
    for option in (
        click.option(
            "--env-file", type=_FILE, help="Read settings from this file instead of .env."
        ),
        click.option(
            "--config",
            type=_FILE,
            help="Read settings from this TOML file instead of terrarium.toml.",
        ),
        click.option("--db", type=_FILE, help="The database (DB_PATH)."),
    ):
        command = option(command)
    return command


def adopt_option(command: CommandFunction) -> CommandFunction:
    """Add --adopt to a command that would otherwise leave terrarium-irc's database alone."""
    return click.option(
        "--adopt",
        is_flag=True,
        help="Adopt a terrarium-irc database first, as serve does; a copy is kept beside it.",
    )(command)


def http_options(command: CommandFunction) -> CommandFunction:
    """Add --host and --port to a command."""
    for option in (
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=8765,
            show_default=True,
            help="Port to listen on; 0: any free one.",
        ),
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="Address to listen on."
        ),
    ):
        command = option(command)
    return command


def refuse_options(names: Collection[str], why: str) -> None:
    """Refuse options that this command would leave undone without a word.

    Args:
        names: the parameters that the options fill.
        why: what is said after the first option that was given.

    Raises:
        click.UsageError: one was given.
    """
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        source = context.get_parameter_source(name)
        if name in names and source is not click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"{option.opts[0]} {why}")


def settings_of(db: Path | None, config: Path | None, env_file: Path | None) -> Settings:
    """The settings; a flag overrides every other source. Warns of names that look like slips.

    Raises:
        BadSetting: a setting cannot be used.
    """
    loaded = loaded_settings(db, config, env_file)
    warn_of_slips(loaded)
    return loaded.settings


def loaded_settings(db: Path | None, config: Path | None, env_file: Path | None) -> LoadedSettings:
    """The settings and the source of each, as `settings_of` reads them, without a warning."""
    flags = {}
    if db:  # relative to the current directory; some shells leave the ~ of --db=~/x.db to us
        flags["DB_PATH"] = db if str(db).startswith("~") else Path.cwd() / db
    return read_settings(flags, config=config, env_file=env_file)


def warn_of_slips(loaded: LoadedSettings) -> None:
    """Log the names that resemble a setting, and are none."""
    for slip in loaded.slips():
        log.warning("%s", slip)


_FILE = click.Path(path_type=Path, readable=False)

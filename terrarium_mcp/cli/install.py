"""`terrarium-mcp install`: make an MCP host start our server."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import loaded_settings, settings_options, warn_of_slips
from terrarium_mcp.cli.starting.hosts import HOSTS
from terrarium_mcp.cli.starting.path_checks import is_visible_file, may_be_folder

_DATABASE = "DB_PATH"
"""The setting that the entry has itself, wherever it is set."""


def _named(_: click.Context, __: click.Parameter, name: str) -> str:
    """Refuse a name that no person could choose in a host."""
    if not name.strip():
        raise click.BadParameter("it is empty. Name the entry, such as terrarium.")
    return name


@click.command(short_help="Enter the server into the file of an MCP host.")
@click.argument("host", type=click.Choice(list(HOSTS)), metavar="HOST")
@click.option(
    "--name",
    default="terrarium",
    show_default=True,
    callback=_named,
    help="Name of the entry.",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The host's file, if it is not in its usual place.",
)
@click.option("--print", "only_print", is_flag=True, help="Print the entry; write nothing.")
@click.option("--write", is_flag=True, help="Write without asking.")
@settings_options
def install(
    *,
    host: str,
    name: str,
    file: Path | None,
    only_print: bool,
    write: bool,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Show the entry for an MCP host's file, and write it after a yes.

    HOST is claude-desktop, claude-code, vscode or cursor. Everything else in the file stays as it
    is, and a copy of it is kept. Claude Code's file is that of the current folder.
    """
    loaded = loaded_settings(db, config, env_file)
    warn_of_slips(loaded)

    from terrarium_mcp.cli.starting.install import Installation, print_entry, write_entry

    files = {"--config": config or Path("terrarium.toml"), "--env-file": env_file or Path(".env")}
    flags = [
        word
        for flag, path in files.items()
        # The server starts in another folder, and would not find it there.
        if is_visible_file(path)
        for word in (flag, str(Path.cwd() / path))
    ]
    installation = Installation(
        host=HOSTS[host],
        file=Path.cwd() / file if file else None,
        name=name,
        arguments=["--db", str(Path.cwd() / loaded.settings.db_path), *flags],
        ask=not write,
    )
    (print_entry if only_print else write_entry)(installation)
    if exported := [name for name in loaded.only_exported if name != _DATABASE]:
        click.echo(
            f"Not in the entry, and thus unknown to the server: {', '.join(exported)}, set in the"
            f" environment. Write what it needs into {env_file or '.env'}, and repeat the command.",
            err=True,
        )
    if not may_be_folder(folder := Path.cwd() / loaded.settings.db_path.parent):
        instead = "Run terrarium-mcp up first, or name the database with --db."
        way_out = "Correct --db, or make the folder." if db else instead
        click.echo(
            f"There is no folder {folder} yet, so the host cannot start the server. {way_out}",
            err=True,
        )

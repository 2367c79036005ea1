"""`terrarium-mcp purge`: remove everything that somebody said."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import adopt_option, settings_of, settings_options


@click.command()
@click.option("--nick", required=True, help="Whose lines; upper and lower case are the same.")
@click.option("--network", default="", help="On this network only; default: on all.")
@click.option("--thorough", is_flag=True, help="Leave no byte in the file; it must be ours alone.")
@click.option("--copies", is_flag=True, help="Also in copies, and in terrarium-irc's own tables.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@adopt_option
@settings_options
def purge(
    *,
    nick: str,
    network: str,
    thorough: bool,
    copies: bool,
    yes: bool,
    adopt: bool,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Remove the lines of a nick from the database and the backlog, and tell what stays.

    Works while a bridge or a server runs; only --thorough needs them stopped.
    """
    settings = settings_of(db, config, env_file)

    import anyio

    from terrarium_mcp.cli.starting.purge import Wish, look, remove

    path = Path.cwd() / settings.db_path
    wish = Wish(path, settings, nick, network, thorough, copies, adopt)
    anyio.run(look, wish)
    if not yes:
        click.confirm("Remove all of it, for ever?", abort=True, err=True)
    anyio.run(remove, wish)

"""`terrarium-mcp purge`: remove everything a person said."""

from pathlib import Path

import click

from terrarium_mcp.cli.console import asking
from terrarium_mcp.cli.options import adopt_option, settings_of, settings_options
from terrarium_mcp.cli.process import run_command


@click.command(short_help="Remove what a nick said, and list what remains elsewhere.")
@click.option("--nick", required=True, help="Nick to purge (case-insensitive).")
@click.option("--network", default="", help="Purge on this network only; default: all.")
@click.option(
    "--thorough",
    is_flag=True,
    help="Rewrite the file so nothing remains; needs exclusive access.",
)
@click.option("--copies", is_flag=True, help="Also clean copies and terrarium-irc's own tables.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
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
    """Remove a nick's messages from the database and the backlog, and list what remains elsewhere.

    Works while a bridge or a server runs; only --thorough needs them stopped. With --adopt, the
    database is adopted before the confirmation is asked for, and stays adopted if it is refused.
    """
    settings = settings_of(db, config, env_file)

    from terrarium_mcp.cli.starting.purge import PurgeOptions, preview, remove
    from terrarium_mcp.store import PurgeTarget

    target = PurgeTarget(nick, network)
    options = PurgeOptions(Path.cwd() / settings.db_path, settings, target, thorough, copies, adopt)
    run_command(preview, options)
    if not yes and not _agreed():
        raise click.Abort
    run_command(remove, options)


def _agreed() -> bool:
    with asking("Add --yes to remove it without a question."):
        return click.confirm("Remove all of this permanently?", err=True)

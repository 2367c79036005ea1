"""`terrarium-mcp backup`: one file with the database and the backlog, made while others record."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import adopt_option, settings_of, settings_options
from terrarium_mcp.cli.process import tidying_up


def _named(_: click.Context, __: click.Parameter, path: str) -> Path:
    """Refuse an empty name, as of a variable that is not set: it would be the current folder."""
    if not path:
        raise click.BadParameter("it is empty. Name a file or a folder.")
    return Path(path)


@click.command(short_help="Copy the database and the backlog into a new, checked file.")
@click.argument("path", type=click.Path(), callback=_named)
@click.option("--zstd", "compress", is_flag=True, help="Compress it with zstd.")
@adopt_option
@settings_options
def backup(
    *,
    path: Path,
    compress: bool,
    adopt: bool,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Back up the database and the backlog into the new file PATH, and check the copy.

    Works while a bridge or a server runs. If PATH is a folder, or has no ending such as .tar, it is
    made if it is missing, and the file in it is named by the time. A file that exists is never
    replaced.
    """
    settings = settings_of(db, config, env_file)

    from terrarium_mcp.cli.starting.backup import back_up

    with tidying_up():
        back_up(settings, Path.cwd() / path, compress=compress, adopt=adopt)

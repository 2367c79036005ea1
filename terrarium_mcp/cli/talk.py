"""`terrarium-mcp talk`: where the time of the last questions went, from the talk log."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import settings_of, settings_options


@click.command(short_help="Show the timings of the last questions to the bot.")
@click.option(
    "--last",
    type=click.IntRange(min=1),
    is_flag=False,
    flag_value=1,
    default=1,
    metavar="[N]",
    help="How many of the last questions to show, the newest at the end (default: 1).",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="Read this talk log, such as a rotated one, instead of TERRARIUM_TALK_LOG.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the lines as they are in the log.")
@settings_options
def talk(
    *,
    last: int,
    file: Path | None,
    as_json: bool,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Show the timings of the last questions to the bot: part by part, with tools and tokens."""
    settings = settings_of(db, config, env_file)

    from terrarium_mcp.cli.starting.talk import show_last

    show_last(settings, file, last, as_json=as_json)

"""`terrarium-mcp init`: ask what is needed, check it, and write it to a settings file."""

from pathlib import Path

import click

from terrarium_mcp.cli.console import asking

_INSTEAD = (
    "Give the answers as options, and --yes for the others:"
    " terrarium-mcp init --server irc.example.org --channels tea,mate --contact 'ada on this"
    " network' --model-url none --yes. terrarium-mcp init --help lists all of them."
)


@click.command(short_help="Ask for the settings, check them, and write .env.")
@click.option("--server", help="IRC server: host, host:port or ircs://host:port.")
@click.option("--channels", help="Channels to record: tea,mate.")
@click.option("--contact", help="Who runs the bot, for the people of the network.")
@click.option(
    "--tls/--no-tls", default=None, help="Whether to use TLS; default: yes, except on port 6667."
)
@click.option(
    "--tls-cafile",
    type=click.Path(path_type=Path),
    help="PEM file of a private server's certificate authority.",
)
@click.option("--model-url", help="OpenAI-compatible endpoint; none: answer without a model.")
@click.option("--model", help="Model to use; default: the endpoint's first.")
@click.option(
    "--model-key", envvar="AGENT_API_KEY", help="API key; better in the variable AGENT_API_KEY."
)
@click.option("--old-logs", help="Database of terrarium-irc to take over; none: start a new one.")
@click.option("--old-zone", help="Time zone in which terrarium-irc ran.")
@click.option(
    "--env-file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=".env",
    show_default=True,
    help="The file to write.",
)
@click.option(
    "--yes",
    is_flag=True,
    help="Ask nothing: use defaults, and write even what could not be checked.",
)
def init(
    *,
    server: str | None,
    channels: str | None,
    contact: str | None,
    tls: bool | None,
    tls_cafile: Path | None,
    model_url: str | None,
    model: str | None,
    model_key: str | None,
    old_logs: str | None,
    old_zone: str | None,
    env_file: Path,
    yes: bool,
) -> None:
    """Ask for a server, channels, a contact, a model and an old terrarium-irc database; write .env.

    Each answer is checked. Whatever is given as an option is not asked for. An existing file is
    changed only after a look at the difference.
    """
    from terrarium_mcp.cli.starting.init import set_up
    from terrarium_mcp.cli.starting.init_dialogue import Dialogue

    given = {
        "IRC_SERVER": server,
        "IRC_USE_SSL": None if tls is None else "on" if tls else "off",
        "TERRARIUM_TLS_CAFILE": str(Path.cwd() / tls_cafile) if tls_cafile else None,
        "IRC_CHANNELS": channels,
        "TERRARIUM_CONTACT": contact,
        "AGENT_API_URL": model_url,
        "AGENT_API_KEY": model_key,
        "AGENT_MODEL": model,
        "DB_PATH": old_logs,
        "TERRARIUM_SOURCE_TIMEZONE": old_zone,
    }
    options = {name: value for name, value in given.items() if value is not None}
    with asking(_INSTEAD):
        set_up(Dialogue(options, yes=yes), Path.cwd() / env_file)

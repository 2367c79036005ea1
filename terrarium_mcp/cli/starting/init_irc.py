"""The IRC side of `terrarium-mcp init`: a server that can be reached, channels, a contact."""

from collections.abc import Sequence

import anyio
import click

from terrarium_mcp.cli.starting.init_checks import check_irc_server
from terrarium_mcp.cli.starting.init_dialogue import Dialogue, Values
from terrarium_mcp.irc_bridge.network.errors import TlsFailed, UntrustedCertificate
from terrarium_mcp.settings import ConfiguredChannel, Settings, is_loopback

SERVER = "irc.libera.chat"


def irc_settings(dialogue: Dialogue) -> Values:
    """Ask for all that the bridge needs of the network, and connect to it."""
    settings, more = _server(dialogue)
    server = {
        "IRC_SERVER": settings.irc_server,
        "IRC_PORT": str(settings.irc_port or ""),
        "IRC_USE_SSL": {True: "on", False: "off", None: ""}[settings.irc_use_ssl],
        **more,
    }
    channels = _channels(dialogue, server, settings.irc_channels)
    question = "Contact for the network's people, such as your nick there"
    is_public = not is_loopback(settings.irc_server)
    contact = dialogue.answer("TERRARIUM_CONTACT", question, needed=is_public)
    return {**server, "IRC_CHANNELS": channels, "TERRARIUM_CONTACT": contact}


def _server(dialogue: Dialogue) -> tuple[Settings, Values]:
    """The server, and the file of its certificate authority if it needs one."""
    while True:
        question = "IRC server (host, host:port or ircs://host:port/channel)"
        server = dialogue.answer("IRC_SERVER", question, SERVER, needed=True)
        is_usual = server == dialogue.usual.get("IRC_SERVER")
        values = {
            "IRC_SERVER": server,
            "IRC_USE_SSL": dialogue.option("IRC_USE_SSL", or_usual=is_usual),
            "TERRARIUM_TLS_CAFILE": dialogue.option("TERRARIUM_TLS_CAFILE", or_usual=is_usual),
        }
        if settings := _reached(dialogue, values):
            return settings, {"TERRARIUM_TLS_CAFILE": values["TERRARIUM_TLS_CAFILE"]}


def _reached(dialogue: Dialogue, values: dict[str, str]) -> Settings | None:
    """The settings of a server that answers, or is kept anyhow; its TLS may change `values`."""
    settings = dialogue.accepted(values)
    if not settings:
        return None
    try:
        click.echo(f"  connecting to {settings.irc_server}:{settings.server_port} ...")
        anyio.run(check_irc_server, settings)
    except UntrustedCertificate as error:
        dialogue.objects(error)
        file = dialogue.answer(
            "TERRARIUM_TLS_CAFILE", "PEM file with the certificate to trust (empty: none)"
        )
        path = dialogue.path(file) if file else None
        if path and str(path) != values["TERRARIUM_TLS_CAFILE"]:
            values["TERRARIUM_TLS_CAFILE"] = str(path)
            return _reached(dialogue, values)
    except TlsFailed as error:
        dialogue.objects(error)
        if dialogue.accepts("Connect without TLS, so that anyone in between can read the traffic?"):
            values["IRC_USE_SSL"] = "off"
            return _reached(dialogue, values)
    except OSError as error:
        dialogue.objects(error)
    else:
        how = "with TLS" if settings.uses_tls else "without TLS"
        click.echo(f"  {settings.irc_server} answers, {how}")
        return settings
    return settings if dialogue.agrees("Keep this server nevertheless?") else None


def _channels(dialogue: Dialogue, server: Values, named: Sequence[ConfiguredChannel]) -> str:
    """The channels to record; those that the server's address named are the default."""
    usual = ",".join(f"{channel.name} {channel.key}".strip() for channel in named)
    while True:
        question = "Channels to record, with their people's consent (tea,mate)"
        typed = dialogue.answer("IRC_CHANNELS", question, usual, needed=True)
        if dialogue.accepted({**server, "IRC_CHANNELS": typed}):
            return typed

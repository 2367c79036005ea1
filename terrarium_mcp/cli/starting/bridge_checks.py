"""Settings with which a bridge cannot work: found before its start, and by the doctor."""

from pathlib import Path

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.starting.path_checks import is_visible
from terrarium_mcp.irc_bridge.network.server_config import server_config
from terrarium_mcp.irc_bridge.network.transport import tls_context
from terrarium_mcp.irc_bridge.talk_log.writer import why_unwritable
from terrarium_mcp.server import chosen_tools, published_tools
from terrarium_mcp.settings import BadSetting, Settings, check_mounted_channels
from terrarium_mcp.store import belongs_to


def check_tools(settings: Settings) -> None:
    """Refuse settings that would keep the MCP server from starting or offering the bot's tools.

    Raises:
        BadSetting: TERRARIUM_TOOLS or TERRARIUM_BRIDGE_TOOLS names a tool that is not published.
    """
    known = [tool.function.__name__ for tool in published_tools(settings)]
    chosen_tools(settings.bridge_tools, known, "TERRARIUM_BRIDGE_TOOLS")


def check_settings(settings: Settings) -> None:
    """Refuse settings with which no connection could succeed, before anything is opened.

    Raises:
        BadSetting: no server, channel or contact is set, a login or a certificate is unusable, an
            MCP server is mounted in a channel that no network has, or the talk log cannot be
            written, or would be into the history.
    """
    check_mounted_channels(settings.mcp_servers, settings.named_channels)
    check_talk_log(settings)
    for network in settings.networks:
        try:
            check_network(network)
        except BadSetting as error:
            name = f"{network.network_name}: " if len(settings.networks) > 1 else ""
            raise BadSetting(f"{name}{error}") from error


def check_network(network: Settings) -> None:
    """Refuse the settings of one network with which no connection to it could succeed.

    Raises:
        BadSetting: as `check_settings`.
    """
    config = server_config(network)
    if config.tls_cafile or config.tls_certfile:
        try:
            tls_context(config)
        except ConnectionError as error:
            raise BadSetting(str(error)) from error


def check_talk_log(settings: Settings) -> None:
    """Refuse a talk log that cannot be written, or would be written into the history.

    Raises:
        BadSetting: TERRARIUM_TALK_LOG names a file of the history, or one that cannot be written.
    """
    if settings.talk_log is None:
        return
    database = Path.cwd() / settings.db_path
    if belongs_to(settings.talk_log, database):
        raise BadSetting(
            f"TERRARIUM_TALK_LOG names {settings.talk_log}, which belongs to the history in"
            f" {settings.db_path}. Name another file."
        )
    path = Path.cwd() / settings.talk_log
    if path.parent in database.parents and not is_visible(path.parent):
        return  # it is made together with the history
    if why := why_unwritable(path):
        raise BadSetting(
            f"TERRARIUM_TALK_LOG names {harmless(str(path))}, which cannot be written:"
            f" {harmless(why)}. Name a file that can."
        )

"""Tries what is about to be written to the settings: the IRC server, the model, the old logs."""

import stat
from datetime import UTC, datetime
from pathlib import Path

import anyio

from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.diagnosis import silent_end
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import Connection, open_connection
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import NotAdopted, examine, require_adopted

PATIENCE = 10.0
"""Seconds for each step of a connection; the bridge itself waits longer."""

_OTHER_LOGS = (
    "Logs of other programs are brought in afterwards, with terrarium-mcp import PATH: name none"
    " here."
)


async def check_irc_server(settings: Settings) -> None:
    """Connect as the bridge will, and wait until the server speaks; without registering there.

    Raises:
        UntrustedCertificate: its certificate is not accepted.
        TlsFailed: there was no TLS handshake.
        OSError: any other reason; the text names it, and the setting to change.
    """
    config = ServerConfig(
        host=settings.irc_server,
        port=settings.server_port,
        tls=settings.uses_tls,
        tls_cafile=str(settings.tls_cafile or ""),
        nick=settings.irc_nick,
        realname="",
    )
    async with open_connection(config, Timeouts(connect=PATIENCE)) as connection:
        try:
            await _wait_for_words(connection)
        except OSError as error:
            why = str(error) or f"no reply from the server within {PATIENCE:g} s"
            raise ConnectionError(why if connection.heard else silent_end(config, why)) from error
        await connection.send("QUIT")


async def _wait_for_words(connection: Connection) -> None:
    await connection.send("CAP LS 302")  # which servers without IRCv3 answer too, with an error
    with anyio.fail_after(PATIENCE):
        while not await connection.receive():
            pass


async def listed_models(settings: Settings) -> list[str]:
    """The models of the endpoint that the settings name.

    Raises:
        ModelUnavailable: there are none; the text says why.
    """
    llm = LLM.from_settings(settings)
    try:
        return await llm.models()
    finally:
        with anyio.CancelScope(shield=True):
            await llm.aclose()


def history_problem(path: Path) -> str:
    """Why a file cannot be the database; empty if it can."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return f"there is no file {path}"
    except OSError:
        mode = 0  # the examination says why, and how its owner lets this account in
    if stat.S_ISDIR(mode):
        return f"{path} is a folder. {_OTHER_LOGS}"
    facts = examine(path, datetime.now(UTC))[0].facts
    wrong = next((one for one in facts if one.wrong and one.name in ("access", "contents")), None)
    if wrong is None:
        return ""
    return f"{wrong.text} {_OTHER_LOGS}" if wrong.name == "contents" else wrong.text


def is_of_terrarium_irc(path: Path) -> bool:
    """Whether a file is a database of terrarium-irc that was not adopted yet."""
    try:
        require_adopted(path)
    except NotAdopted:
        return True
    return False

"""An IRC server's address as people write it, such as `ircs://host:port/channel`. Pure.

`irc://` says nothing about TLS here, since many people write it for servers that have TLS.
`ircs://`, and ZNC's `host:+port`, ask for it.
"""

import ipaddress
import re
from typing import NamedTuple
from urllib.parse import unquote

from terrarium_mcp.chat.identity import as_channel

EXAMPLES = "irc.libera.chat, irc.libera.chat:6697 or ircs://irc.libera.chat:6697/tea"

_ADDRESS = re.compile(
    r"(?:(?P<scheme>ircs?)://)?"
    r"(?:\[(?P<bracketed>[0-9a-f:.]+(?:%\w+)?)\]"
    r"|(?P<name>[^\s:/@?#\[\]]+)"
    r"|(?P<bare>(?:[0-9a-f]*:){2,}[0-9a-f.]*(?:%\w+)?))"  # IPv6 without brackets, so without a port
    r"(?::(?P<plus>\+?)(?P<port>\d{1,5}))?"
    r"(?:/(?P<channels>\S*))?",
    re.IGNORECASE,
)


class ServerAddress(NamedTuple):
    """What an address says; what it leaves open is 0, None or empty."""

    host: str
    port: int = 0
    tls: bool | None = None
    channels: tuple[str, ...] = ()


def parse_server(text: str) -> ServerAddress:
    """Read an address.

    Raises:
        ValueError: it is none; the text shows how one is written.
    """
    found = _ADDRESS.fullmatch(text.strip())
    port = int(found["port"] or 0) if found else 0
    if not found or port > 65535 or (found["port"] and not port):
        raise ValueError(f"not the address of an IRC server, such as {EXAMPLES}")
    uses_tls = (found["scheme"] or "").lower() == "ircs" or bool(found["plus"])
    names = [unquote(name) for name in (found["channels"] or "").split(",") if name]
    return ServerAddress(
        host=found["bracketed"] or found["name"] or found["bare"],
        port=port,
        tls=uses_tls or None,
        channels=tuple(map(as_channel, names)),
    )


def with_port(address: str, port: str) -> str:
    """An address with this port, unless it names one; as it is if either cannot be used."""
    found = _ADDRESS.fullmatch(address.strip())
    if not found or found["port"] or not port.isdecimal() or not int(port):
        return address
    scheme = f"{found['scheme']}://" if found["scheme"] else ""
    ipv6 = found["bracketed"] or found["bare"]
    channels = "" if found["channels"] is None else f"/{found['channels']}"
    return f"{scheme}{f'[{ipv6}]' if ipv6 else found['name']}:{port}{channels}"


def network_name_of(server: str) -> str:
    """`libera` for `irc.libera.chat`; `local` for an IP address or localhost."""
    if not server:
        return ""
    try:
        ipaddress.ip_address(server.strip("[]"))
    except ValueError:
        labels = server.lower().strip(".").split(".")
    else:
        return "local"
    if len(labels) == 1:
        return "local" if labels == ["localhost"] else labels[0]
    public = {"co", "com", "net", "org", "ac"}  # second-level registries such as example.co.uk
    return labels[-3] if len(labels) > 2 and labels[-2] in public else labels[-2]

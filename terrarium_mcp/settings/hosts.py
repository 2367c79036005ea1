"""What the name of a host tells. Pure."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine and nothing else."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def names_host(url: str) -> bool:
    """Whether a URL names a host, and a port that there can be.

    `http://ada:te/a@h` has none: its password needs %2F for the slash.
    """
    try:
        parts = urlsplit(url)
        return bool(parts.hostname and parts.port != 0)
    except ValueError:
        return False


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

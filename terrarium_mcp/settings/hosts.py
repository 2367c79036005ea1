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

"""Addresses of the web in settings: how they are shown, and what of them is a secret. Pure."""

import base64
import re
from urllib.parse import unquote, urlsplit

from terrarium_mcp.settings.channels import keys_hidden

HIDDEN = "..."
"""An address of which nothing can be shown: where its password ends cannot be told."""

_PARTS = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]*://)?"
    r"(?:[^/?#]*@)?"  # user and password
    r"((?:\[[^\]@/?#]*\]|[^@/?#:\[\]]*)(?::\d*)?(?:/[^@?#]*)?)"  # host, port and path
    r"(?:[?#][^@]*)?",
    re.DOTALL,
)


def public_address(url: str) -> str:
    """`http://h/v1` of `http://ada:tea@h/v1?key=k`: no user, no password, no query.

    A password may itself have a `/`, `?`, `#` or `@` that is not encoded. Then all of the address
    is HIDDEN, and so is one with an `@` behind the host.
    """
    parts = _PARTS.fullmatch(url)
    return f"{parts[1] or ''}{parts[2]}" if parts else HIDDEN


def has_secrets(url: str) -> bool:
    """Whether an address may hold a password or a key, and so more than can be shown."""
    return public_address(url) != url


def passwords_in(url: str) -> list[str]:
    """The password of a usable address, plain and as HTTP sends it (RFC 7617); empty: none."""
    parts = urlsplit(url)
    if not (password := unquote(parts.password or "")):
        return []
    pair = f"{unquote(parts.username or '')}:{password}"
    return [password, base64.b64encode(pair.encode()).decode()]


def is_address_setting(name: str) -> bool:
    """Whether a setting, by its name, is an address of the web."""
    return name.endswith("_URL")


def presentable(name: str, value: object) -> object:
    """What a setting was set to, for a message: no key of a channel, no secret of an address."""
    if name == "IRC_CHANNELS":
        return keys_hidden(value)
    return public_address(value) if is_address_setting(name) and isinstance(value, str) else value

"""[mcp_servers.NAME]: other MCP servers, of which the bot's model may use some tools. Pure.

A mount names its server, the tools that are allowed one by one, and the channels in which they are
offered. It is in terrarium.toml only; no error and no repr repeats what may be a secret.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold, is_channel
from terrarium_mcp.settings.addresses import public_address
from terrarium_mcp.settings.errors import BadSetting
from terrarium_mcp.settings.hosts import names_host
from terrarium_mcp.wording import did_you_mean, shown

MOUNT_SEPARATOR = "__"
"""Between the name of a mount and that of its tool, as the model calls it: `notes__search`."""

_NAME = re.compile(r"[a-z0-9-]+")
_CALLABLE = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # what OpenAI's API takes for the name of a function
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a token of RFC 9110 5.6.2

_OF_COMMAND = ("args", "env")
_OF_URL = ("headers", "token")
_KEYS = ("command", *_OF_COMMAND, "url", *_OF_URL, "tools", "channels")


@dataclass(frozen=True)
class Mount:
    """One [mcp_servers.NAME] table: either a command to start, or a URL.

    Attributes:
        name: comes before the names of its tools.
        tools: the names of the tools that are allowed, as the server calls them.
        channels: where they are offered: `#tea`, or `libera/#tea`.
        command: the program and its arguments, for stdio.
        env: environment variables for it, besides the few that every program gets.
        folder: the folder in which it runs, and from which its relative paths count.
        url: the address, for Streamable HTTP.
        headers: the HTTP headers for it, among them the token.
    """

    name: str
    tools: tuple[str, ...]
    channels: tuple[str, ...]
    command: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: Path = Path()
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def is_in(self, network: str, channel: str, casemapping: str = DEFAULT_CASEMAPPING) -> bool:
        """Whether the tools are offered in a channel of a network."""
        here = {fold(name, casemapping) for name in (channel, f"{network}/{channel}")}
        return any(fold(one, casemapping) in here for one in self.channels)

    @property
    def server(self) -> str:
        """The server as `doctor` shows it: without arguments, password or query."""
        return self.command[0] if self.command else public_address(self.url)


def mounts_in(tables: object, toml: Path) -> tuple[Mount, ...]:
    """The mounts of the value of `mcp_servers` in a terrarium.toml.

    Raises:
        BadSetting: one of them cannot be used as written.
    """
    if not isinstance(tables, dict) or not all(isinstance(one, dict) for one in tables.values()):
        raise BadSetting(f"mcp_servers in {toml} must be tables: begin each [mcp_servers.NAME].")
    return tuple(_MountTable(name, table, toml).mount() for name, table in tables.items())


def check_mounted_channels(mounts: Iterable[Mount], known: Collection[tuple[str, str]]) -> None:
    """Check that every channel of a mount is one of those that are `known`, with their networks.

    Raises:
        BadSetting: the settings name no such channel.
    """
    named = sorted(
        {name for network, channel in known for name in (channel, f"{network}/{channel}")}
    )
    folded = {fold(name) for name in named}
    for mount in mounts:
        for channel in mount.channels:
            if fold(channel) not in folded:
                raise BadSetting(
                    f"[mcp_servers.{mount.name}] is for {channel}, which is not in IRC_CHANNELS."
                    f"{did_you_mean(channel, named)} Add it there, or remove it from channels."
                )


def fits_header(value: str) -> bool:
    """Whether a header of HTTP can carry a value, which is one line of ASCII."""
    return value.isascii() and value.isprintable()


class _MountTable(NamedTuple):
    """One table as written."""

    name: str
    values: Mapping[str, object]
    toml: Path

    def mount(self) -> Mount:
        """The mount that it describes."""
        self._check_name()
        for key in self.values:
            if key not in _KEYS:
                raise self._wrong(f"has no key {shown(key)}.{did_you_mean(key, _KEYS)}")
        by_command, by_url = "command" in self.values, "url" in self.values
        if by_command == by_url:
            both = "both command and" if by_command else "neither command nor"
            raise self._wrong(
                f"has {both} url. Give it one of them: command to start a server, url for one that"
                " runs."
            )
        for key in _OF_URL if by_command else _OF_COMMAND:
            if key in self.values:
                raise self._wrong(
                    f"has {key}, which goes with {'url' if by_command else 'command'} only."
                )
        return Mount(
            self.name,
            tools=self._tools(),
            channels=self._channels(),
            command=self._command() if by_command else (),
            env=self._texts("env"),
            folder=self.toml.parent.absolute(),
            url=self._url() if by_url else "",
            headers=self._headers(),
        )

    def _check_name(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise self._wrong("must be named in lower-case letters, digits and hyphens.")

    def _command(self) -> tuple[str, ...]:
        """The program and its arguments; a text is taken apart as a shell would."""
        written = self.values["command"]
        try:
            words = shlex.split(written) if isinstance(written, str) else self._list("command")
        except ValueError:
            raise self._wrong("has a command with an unclosed quote. Write it as a list.") from None
        arguments = self._list("args") if "args" in self.values else []
        if not words or any("\0" in word for word in (*words, *arguments)):
            raise self._wrong('has no usable command. Example: command = ["notes-server", "--all"]')
        return (*words, *arguments)

    def _url(self) -> str:
        url = str(self.values["url"])
        usable = re.fullmatch(r"https?://[^\s\0]+", url, re.IGNORECASE) and names_host(url)
        if not usable:
            raise self._wrong('has no usable url. Example: url = "http://127.0.0.1:9000/mcp"')
        address = urlsplit(url)
        if address.username or address.password:
            raise self._wrong("has a password in its url. Put it into token, or into headers.")
        return url

    def _headers(self) -> dict[str, str]:
        headers = self._texts("headers")
        if "token" in self.values:
            if any(name.lower() == "authorization" for name in headers):
                raise self._wrong("has a token and an Authorization header. Remove one of them.")
            if not isinstance(token := self.values["token"], str) or not token:
                raise self._wrong('must have a text as token: token = "..."')
            headers["Authorization"] = f"Bearer {token}"
        for name, value in headers.items():
            if not (_HEADER.fullmatch(name) and fits_header(value)):
                raise self._wrong(
                    f"has a header {shown(name)} that HTTP cannot carry: names are words, values"
                    " one line of ASCII."
                )
        return headers

    def _tools(self) -> tuple[str, ...]:
        tools = self._list("tools")
        if not tools:
            raise self._wrong(
                'allows no tool. Name those that the model may use: tools = ["search", "read"]'
            )
        for tool in tools:
            if "*" in tool:
                raise self._wrong("allows tools by a wildcard. Name each of them in tools.")
            if not _CALLABLE.fullmatch(called := f"{self.name}{MOUNT_SEPARATOR}{tool}"):
                raise self._wrong(
                    f"allows {shown(tool)}, but models cannot call {shown(called, 80)}: at most 64"
                    " letters, digits, - and _. Leave it out, or shorten the name of the table."
                )
        return tuple(dict.fromkeys(tools))

    def _channels(self) -> tuple[str, ...]:
        channels = self._list("channels")
        if not channels:
            raise self._wrong(
                'is for no channel. Name those in which its tools are offered: channels = ["#tea"]'
            )
        for channel in channels:
            if not (is_channel(channel) or is_channel(channel.partition("/")[2])):
                raise self._wrong(
                    f"is for {shown(channel)}, which is not a channel. Write #tea, or libera/#tea."
                )
        return tuple(dict.fromkeys(channels))

    def _list(self, key: str) -> list[str]:
        """A list of texts; empty if the key is missing."""
        written = self.values.get(key, [])
        if not isinstance(written, list) or not all(isinstance(one, str) for one in written):
            raise self._wrong(f'must have a list of texts as {key}, such as {key} = ["one", "two"]')
        return written

    def _texts(self, key: str) -> dict[str, str]:
        """A table of texts; empty if the key is missing."""
        written = self.values.get(key, {})
        if not isinstance(written, dict) or not all(
            isinstance(one, str) and "\0" not in one for one in written.values()
        ):
            raise self._wrong(f'must have a table of texts as {key}: {key} = {{ NAME = "text" }}')
        return dict(written)

    def _wrong(self, what: str) -> BadSetting:
        return BadSetting(f"[mcp_servers.{shown(self.name)}] of {self.toml} {what}")

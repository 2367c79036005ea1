"""One IRC message: from bytes to a frozen value, and back.

RFC 1459 2.3.1 with the tags of IRCv3. Parsing is tolerant: any bytes that a server relays
give an `IrcMessage`, or raise `MalformedMessage` if no command is among them.
"""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from terrarium_mcp.chat.times.timestamps import from_iso

_UNESCAPED = {
    ":": ";",
    "s": " ",
    "r": "\r",
    "n": "\n",
}  # IRCv3 message-tags; any other character is itself
_ESCAPED = {plain: f"\\{letter}" for letter, plain in _UNESCAPED.items()} | {"\\": "\\\\"}


class MalformedMessage(ValueError):
    """These bytes are not an IRC message."""


@dataclass(frozen=True, slots=True)
class Source:
    """The sender of a line: a user, or a server (whose name is then in `nick`)."""

    nick: str
    user: str = ""
    host: str = ""

    def __str__(self) -> str:
        """The mask as sent on the wire."""
        user = f"!{self.user}" if self.user else ""
        host = f"@{self.host}" if self.host else ""
        return f"{self.nick}{user}{host}"


@dataclass(frozen=True, slots=True)
class IrcMessage:
    """A message from or to a server."""

    command: str
    """`PRIVMSG`, or a numeric such as `001`."""
    params: tuple[str, ...] = ()
    source: Source | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    """Unescaped; a tag without a value is empty."""
    replay: bool = False
    """Whether it is history: in a chathistory or playback batch."""
    replay_of: str = ""
    """The channel or nick whose history it is, or whose history ends with it (BATCH)."""

    @property
    def targets(self) -> list[str]:
        """What the first parameter lists: `JOIN #tea,#mate` (RFC 1459 4.2.1).

        Raises:
            IndexError: there is none.
        """
        return self.params[0].split(",")

    @property
    def sent_at(self) -> datetime | None:
        """When it was sent, by the server (IRCv3 server-time); None if no tag says so readably."""
        if not (tag := self.tags.get("time")):  # to raise an error for every line takes longer
            return None
        try:
            return from_iso(tag)
        except ValueError:
            return None


def parse_line(raw: bytes) -> IrcMessage:
    """Parse one line. NUL and CR are removed; bytes that are not UTF-8 are read as cp1252.

    Raises:
        MalformedMessage: it has no command, or a sender without a name.
    """
    tags, body = _split_tags(raw.rstrip(b"\r\n"))
    text = body.translate(None, b"\0\r").decode("utf-8", _CP1252_FALLBACK)
    head, colon, trailing = text.partition(" :")
    # Not str.split(), for which \x1d and \x1f, italic and underline, are white space.
    words = [word for word in head.split(" ") if word]
    source = None
    if words and words[0].startswith(":"):
        source = parse_source(words.pop(0)[1:])
        if not source.nick or source.nick[0] == ":":  # no line of ours could name the latter
            raise MalformedMessage(f"no nick in the sender of {raw[:20]!r}")
    if colon:
        words.append(trailing)
    if not words or (colon and len(words) == 1):
        raise MalformedMessage(f"no command in {raw[:20]!r}")
    command = words.pop(0)
    if not command.isascii() or not (command.isalpha() or command.isdigit()):
        raise MalformedMessage(f"no command in {raw[:20]!r}")
    return IrcMessage(command.upper(), tuple(words), source, tags)


def parse_source(mask: str) -> Source:
    """Parse `nick!user@host`, also with several `!` or `@` or with a part missing."""
    nick, bang, rest = mask.partition("!")
    if not bang:
        nick, _, host = mask.partition("@")
        return Source(nick, "", host)
    user, at, host = rest.rpartition("@")
    return Source(nick, user, host) if at else Source(nick, rest)


def ends_line(text: str) -> bool:
    """Whether a text holds what ends a line, or what no line may hold (RFC 2812, 2.3.1)."""
    return any(char in text for char in "\r\n\0")


def serialize(line: IrcMessage) -> str:
    """`line` as a client sends it: tags, command and parameters, without the line break.

    Raises:
        ValueError: a server would read it as something else.
    """
    words = [line.command, *line.params]
    if any(map(must_be_last, words[:-1])):
        raise ValueError(f"in {line.command} only the last parameter may be empty or have a space")
    if line.params and must_be_last(words[-1]):
        words[-1] = f":{words[-1]}"
    text = " ".join(words)
    if ends_line(text):
        raise ValueError(f"a line break inside {line.command}")
    return f"@{_tags(line.tags)} {text}" if line.tags else text


def _tags(tags: Mapping[str, str]) -> str:
    return ";".join(f"{key}={_escape(value)}" if value else key for key, value in tags.items())


def _escape(value: str) -> str:
    return "".join(_ESCAPED.get(char, char) for char in value.replace("\0", ""))


def must_be_last(word: str) -> bool:
    """Whether `word` needs a colon in front, and so can only be the last parameter."""
    return not word or " " in word or word.startswith(":")


def _split_tags(raw: bytes) -> tuple[dict[str, str], bytes]:
    if not raw.startswith(b"@"):
        return {}, raw
    head, _, body = raw[1:].partition(b" ")
    pairs = (item.partition("=") for item in head.decode("utf-8", "replace").split(";"))
    return {key: _unescape(value) for key, _, value in pairs if key}, body.lstrip(b" ")


def _unescape(value: str) -> str:
    if "\\" not in value:
        return value
    plain, chars = [], iter(value)
    for char in chars:
        if char == "\\":
            escaped = next(chars, "")  # a lone backslash at the end is dropped
            plain.append(_UNESCAPED.get(escaped, escaped))
        else:
            plain.append(char)
    return "".join(plain)


def _cp1252(error: UnicodeError) -> tuple[str, int]:
    """Decode the bytes that are not UTF-8 as cp1252, which old Windows clients send."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", "replace"), error.end


_CP1252_FALLBACK = "terrarium-cp1252"
codecs.register_error(_CP1252_FALLBACK, _cp1252)

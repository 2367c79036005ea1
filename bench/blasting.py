"""An IRC server for one client, which it sends lines as fast as these are read."""

import re
import socket
from collections.abc import Iterator, Sequence

PATIENCE = 120.0
"""Seconds in which the client has to do the next thing."""

SUPPORT = "CHANTYPES=# PREFIX=(ov)@+ WHOX NETWORK=Bench"


class BlastingServer:
    """The server's side of one connection."""

    def __init__(self, listener: socket.socket) -> None:
        listener.settimeout(PATIENCE)
        self._connection, _ = listener.accept()
        self._connection.settimeout(PATIENCE)
        self._lines = self._received()
        self._nick = "*"

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def let_in(self, nicks: Sequence[str]) -> None:
        """Register the client, and let it join a channel in which these are."""
        for line in self._lines:
            match line.split():
                case ["CAP", "LS", *_]:
                    self._send(":srv CAP * LS :")
                case ["NICK", nick]:
                    self._nick = nick.removeprefix(":")
                case ["USER", *_]:
                    self._send(
                        f":srv 001 {self._nick} :Welcome",
                        f":srv 005 {self._nick} {SUPPORT} :are supported",
                        f":srv 375 {self._nick} :motd",
                        f":srv 376 {self._nick} :end",
                    )
                case ["JOIN", channel, *_]:
                    self._send(
                        f":{self._nick}!user@host.example JOIN {channel}",
                        f":srv 353 {self._nick} = {channel} :{' '.join([self._nick, *nicks])}",
                        f":srv 366 {self._nick} {channel} :End",
                    )
                    break
        self._settle()

    def blast(self, lines: bytes) -> None:
        """Send all of these, and return once the client has read them."""
        self._connection.sendall(lines)
        self._settle()

    def say(self, line: str) -> None:
        """Send one line."""
        self._send(line)

    def heard(self, start: str) -> str:
        """Return the next line of the client that begins so."""
        return next(line for line in self._lines if line.startswith(start))

    def confirm(self) -> None:
        """Answer the PING by which the client asks whether its last line was taken."""
        _, _, token = self.heard("PING").partition(" ")
        self._send(f":srv PONG srv {token}")

    def _settle(self) -> None:
        """Return once the client has handled all that it was sent."""
        self._send("PING :settled")
        for line in self._lines:
            match re.split(r"[ :]+", line):
                case ["WHO", channel, *_]:
                    self._send(f":srv 315 {self._nick} {channel} :End")
                case ["PONG", *_, "settled"]:
                    return

    def _send(self, *lines: str) -> None:
        self._connection.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def _received(self) -> Iterator[str]:
        rest = b""
        while received := self._connection.recv(65_536):
            *lines, rest = (rest + received).split(b"\n")
            yield from (line.decode().strip() for line in lines)
        raise ConnectionError("The client hung up.")

"""Recognises history that a server replays behind our JOIN, without times and in no batch.

inspircd does so with chanhistory for a client without server-time. What is sent until all that came
with the JOIN has come is held back, and compared with what was heard in the channel last: a replay
goes on to the newest of it.
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

import anyio

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.chat.irctext import action, is_ctcp
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store import Store, StoreFailed

REMEMBERED = 500
"""Lines of a channel that are remembered: servers replay 50 or so."""

FEWEST = 2
"""Lines that make a replay. People do say "hi" again, and a bot greets us in the same words."""

RECALLED_WITHIN = 2.0
"""Seconds. A history that takes longer to open must not keep the recorder from the network."""

_MOST_CHANNELS = 1_000

_MOST_HELD = 2_000
"""Lines of a channel that are held back: more than any replay, should our PING get no answer."""


class JoinReplays:
    """The lines behind our JOINs of one network's channels.

    `take` gets each line that was held back: with True if it was said before, while we were away.
    Lines that were heard before are dropped.
    """

    def __init__(self, take: Callable[[IrcMessage, bool], None]) -> None:
        self._take = take
        self._heard = BoundedDict[str, deque[int]](_MOST_CHANNELS)
        """What tells lines apart, so that no text is kept of people who opted out."""
        self._held: dict[str, list[IrcMessage]] = {}

    async def recall(self, store: Store, network: str, is_recorded: Callable[[str], bool]) -> None:
        """Know what was heard in the recorded channels before this start: what is stored of it."""
        with anyio.move_on_after(RECALLED_WITHIN), suppress(StoreFailed):
            for room in await store.rooms.all():
                if room.network == network and is_recorded(room.channel):
                    for line in (await store.messages.newest([room], REMEMBERED)).messages:
                        if line.kind in (MessageType.PRIVMSG, MessageType.ACTION):
                            self._remember(room.channel, line.nick, line.text)

    def _remember(self, channel: str, nick: str, text: str) -> None:
        """Note a line that was heard in a channel; of an action, without its frame."""
        heard = self._heard.get(fold(channel))
        if heard is None:
            heard = self._heard[fold(channel)] = deque(maxlen=REMEMBERED)
        heard.append(hash((nick, text)))

    def hear(self, line: IrcMessage) -> None:
        """Note a line of the network, if it is speech that a server would replay without a time."""
        if line.command == "PRIVMSG" and "time" not in line.tags and (said := _said(line)):
            self._remember(line.params[0], *said)

    def begin(self, channel: str) -> None:
        """We joined a channel: what it brings is held back if it may repeat what was heard."""
        if len(self._heard.get(fold(channel), ())) >= FEWEST:
            self._held.setdefault(fold(channel), [])

    def hold(self, line: IrcMessage) -> bool:
        """Hold a line back, if it is said to a channel that we are just joining."""
        if not self._held or line.command not in ("PRIVMSG", "NOTICE") or not line.params:
            return False
        held = self._held.get(fold(line.params[0]))
        if held is None:
            return False
        if len(held) == _MOST_HELD:
            self.arrived(line.params[0])
            return False
        held.append(line)
        return True

    def arrived(self, channel: str) -> None:
        """All that came with our JOIN of a channel has come."""
        lines = self._held.pop(fold(channel), [])
        end = repeated(tuple(self._heard.get(fold(channel), ())), list(map(_key, lines)))
        for line in lines[end:]:
            self._take(line, end > 0)

    def lose(self) -> None:
        """The connection is lost: nothing more comes."""
        for channel in list(self._held):
            self.arrived(channel)


def repeated(heard: Sequence[int], lines: Sequence[int | None]) -> int:
    """How many of the first `lines` are a replay of what was `heard`; 0 if they are none.

    A replay holds the newest of what was heard, FEWEST at least, in that order and perhaps with
    others between them. What follows the last of them is new.
    """
    left = len(heard)
    for line in reversed(lines):
        if left and line == heard[left - 1]:
            left -= 1
    newest = heard[left:]
    if len(newest) < FEWEST:
        return 0
    found = 0
    for number, line in enumerate(lines, 1):
        found += line == newest[found]
        if found == len(newest):
            return number
    return 0


def _said(line: IrcMessage) -> tuple[str, str] | None:
    """Who says what in a line; None if it is nothing that anybody says."""
    if line.source is None or len(line.params) < 2:
        return None
    text = line.params[-1]
    if is_ctcp(text):
        does = action(text)
        return None if does is None else (line.source.nick, does)
    return line.source.nick, text


def _key(line: IrcMessage) -> int | None:
    said = _said(line) if line.command == "PRIVMSG" else None
    return hash(said) if said else None

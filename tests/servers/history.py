"""A server's history of one channel, and its answers to CHATHISTORY (IRCv3 draft/chathistory)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from terrarium_mcp.chat.times.timestamps import from_iso, to_iso

CAPS = (
    "batch server-time message-tags draft/chathistory draft/event-playback echo-message"
    " labeled-response standard-replies"
)


class Kept(NamedTuple):
    """A line that the server keeps."""

    at: datetime
    msgid: str
    line: str

    @property
    def tags(self) -> str:
        """Its tags as sent, without the batch."""
        return f"time={to_iso(self.at)}" + (f";msgid={self.msgid}" if self.msgid else "")


class ChannelHistory:
    """What was said in #tea, and in which pages the server sends it.

    `most` lines in a page; `by` are the ways to name a point; `keeps` lines at most, the newest.
    """

    def __init__(
        self, *, most: int = 50, msgids: bool = True, by: str = "msgid,timestamp", keeps: int = 9999
    ) -> None:
        self.most = most
        self.by = by.split(",")
        self.requests: list[str] = []
        self.isupport = f"CHANTYPES=# PREFIX=(ov)@+ CHATHISTORY={most} MSGREFTYPES={by}"
        self._kept: list[Kept] = []
        self._msgids = msgids
        self._keeps = keeps

    def say(
        self,
        text: str,
        nick: str = "ada",
        at: datetime | None = None,
        command: str = "PRIVMSG #tea",
    ) -> str:
        """Keep a line; returns it as it is sent live."""
        moment = at or datetime.now(UTC)
        msgid = f"m{len(self._kept)}" if self._msgids else ""
        kept = Kept(moment, msgid, f":{nick}!u@h {command} :{text}")
        self._kept.append(kept)
        return f"@{kept.tags} {kept.line}"

    def answer(self, line: str) -> Sequence[str] | None:
        """The answer of the server: a `fake_ircd` asks for it."""
        words = line.split(" ")
        tag = f"@{words.pop(0)[1:]} " if line.startswith("@") else ""
        if words[0] != "CHATHISTORY":
            return None
        self.requests.append(" ".join(words))
        way, _, point = words[3].partition("=")
        if way not in self.by:
            return [f"{tag}:srv FAIL CHATHISTORY INVALID_MSGREFTYPE AFTER #tea :Not so"]
        known = self._kept[-self._keeps :]
        if way == "msgid":
            places = [place for place, kept in enumerate(known) if kept.msgid == point]
            if not places:
                return [f"{tag}:srv FAIL CHATHISTORY MESSAGE_ERROR AFTER #tea :Unknown message"]
            page = known[places[0] + 1 :]
        else:
            page = [kept for kept in known if kept.at > from_iso(point)]
        page = page[: min(self.most, int(words[4]))]
        batch = f"b{len(self.requests)}"
        return [
            f"{tag}:srv BATCH +{batch} chathistory #tea",
            *(f"@batch={batch};{kept.tags} {kept.line}" for kept in page),
            f":srv BATCH -{batch}",
        ]


def ago(seconds: float) -> datetime:
    """A moment in the past, in whole milliseconds."""
    moment = datetime.now(UTC) - timedelta(seconds=seconds)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)

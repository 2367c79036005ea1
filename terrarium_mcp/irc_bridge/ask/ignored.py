"""Whom the bot never answers: servers, services, bouncers' own users, and whom the settings name.

Of what is ignored by default nothing can be switched off, so each mask means services alone, and no
person who happens to have such a nick. Services with a nick of their own kind are told by it: a
network that has services reserves it. `Global`, and the `Q`, `L` and `X` of single networks, are
nicks that people have elsewhere, so these count only with the host of services.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.chat.masks import Mask

_SERVICES = (
    *("NickServ", "ChanServ", "MemoServ", "OperServ", "HostServ", "BotServ", "SaslServ"),
    *("AuthServ", "GameServ", "GroupServ", "HelpServ", "InfoServ", "RootServ", "StatServ"),
    # anope and atheme: `Global!services@services.example`
    *("Global!service*@*", "Global!*@services.*"),
    # QuakeNet (Q, L, S) and Undernet (X); `*.users.quakenet.org` are people
    *("Q!*@cserve.quakenet.org", "L!*@lightweight.quakenet.org", "S!*@*services.quakenet.org"),
    "X!*@undernet.org",
)
_BOUNCERS = ("*!*@znc.in",)
"""ZNC's modules, such as `*status!znc@znc.in`."""

ALWAYS = tuple(map(Mask, (*_SERVICES, *_BOUNCERS)))
"""Who is ignored whatever the settings say."""


@dataclass(frozen=True, slots=True)
class IgnoreList:
    """Everybody who is never answered: by default, and by these masks of the settings."""

    masks: Sequence[Mask] = ()

    def covers(self, source: Source, casemapping: str) -> bool:
        """Whether a line from `source` is not answered, whatever it says."""
        if source.nick.startswith("*"):  # no user can have it: a bouncer speaks
            return True
        if not (source.user or source.host):  # a server
            return True
        # A mask of three parts, also where the network leaves one out.
        mask = f"{source.nick}!{source.user}@{source.host}"
        return any(one.matches(mask, casemapping) for one in (*ALWAYS, *self.masks))

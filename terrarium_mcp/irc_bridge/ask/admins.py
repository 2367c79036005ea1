"""Who operates the bot, from TERRARIUM_ADMINS. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, Identity, fold
from terrarium_mcp.chat.masks import Mask, is_mask


@dataclass(frozen=True, slots=True)
class Admins:
    """The people of TERRARIUM_ADMINS: services accounts, and masks such as `*!*@staff.example`.

    The settings accept no mask that a nick alone could match.
    """

    named: Sequence[str] = ()

    def include(self, who: Identity, casemapping: str = DEFAULT_CASEMAPPING) -> bool:
        """Whether this person, as their own line shows them, operates the bot."""
        return any(matches(one, who, casemapping) for one in self.named)


def matches(named: str, who: Identity, casemapping: str = DEFAULT_CASEMAPPING) -> bool:
    """Whether a name in the settings means this person: a mask their mask, a word their account."""
    if is_mask(named):
        full = f"{who.nick}!{who.user}@{who.host}"
        return bool(who.host) and Mask(named).matches(full, casemapping)
    return bool(who.account) and fold(who.account, casemapping) == fold(named, casemapping)

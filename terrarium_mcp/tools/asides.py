"""What an answer says of asides: how many it leaves out or counts, and how to ask for them."""

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.request import Request
from terrarium_mcp.store import COUNTED
from terrarium_mcp.wording import note, quantity


def left_out_note(request: Request, query: Query, asides: int, *, is_bounded: bool) -> list[str]:
    """How many asides the query would select too, and how to ask for them; nothing if none.

    `is_bounded`: whether they were counted up to one more than `COUNTED`.
    """
    if not asides:
        return []
    lines = f"{COUNTED:,}+ lines" if is_bounded and asides > COUNTED else quantity(asides, "line")
    kinds = "commands to a bot (is:command)" if query.people else _kinds(request)
    return [f"left out: {lines}, {kinds}"]


def counted_note(request: Request, asides: int) -> list[str]:
    """How many of the lines counted are asides, of which nobody is the speaker."""
    if not asides:
        return []
    lines, they = ("1 line", "it counts") if asides == 1 else (f"{asides:,} lines", "they count")
    return [note(f"{lines} of these: {_kinds(request)}; {they} for no person")]


def _kinds(request: Request) -> str:
    """What asides are. Commands may be to any bot: imported logs are full of those to others."""
    nicks = dict.fromkeys(network.irc_nick for network in request.settings.networks)
    own = ", ".join(f"from:{nick}" for nick in nicks)
    return f"commands to a bot (is:command) or words of the recording bot ({own})"

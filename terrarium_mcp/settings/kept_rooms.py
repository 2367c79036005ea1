"""Which rooms TERRARIUM_RETENTION_BY_CHANNEL may mean. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.settings.declarations import Settings
from terrarium_mcp.wording import did_you_mean


def rooms_without_lines(settings: Settings, recorded: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A sentence for each entry that is of no room: a slip keeps the lines of another for ever.

    Args:
        settings: those with the entries; none is missed where they and `recorded` name no room.
        recorded: the rooms with lines, as network and channel. They may have been left long ago.
    """
    rooms = [*settings.named_channels, *recorded]
    places = sorted({f"{network}/{channel}" for network, channel in rooms})
    known = {fold(name) for name in places} | {fold(channel) for _, channel in rooms}
    for one in settings.retention_by_channel if rooms else ():
        if fold(one.room) not in known:
            yield (
                f"{one.room} of TERRARIUM_RETENTION_BY_CHANNEL is neither in IRC_CHANNELS nor"
                " recorded, so it limits nothing."
                f"{_nearest(one.room, places) or ' Correct or remove it.'}"
            )


def _nearest(room: str, places: Sequence[str]) -> str:
    """The same channel of another network, or what is spelt nearly so."""
    channel = fold(room).partition("/")[2]
    same = [one for one in places if fold(one).partition("/")[2] == channel]
    return f" Did you mean {same[0]}?" if channel and same else did_you_mean(room, places)

"""How the bot behaves in a channel: what it does there, who may ask, as whom it answers. Pure.

For a network these are settings; a `[channel."#tea"]` table overrides them for one channel.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.settings.personas import Persona
from terrarium_mcp.wording import did_you_mean

Role = Literal["both", "record", "answer"]
"""What the bot does in a channel: record and answer, or only one of the two."""

Askers = Literal["anyone", "voiced", "account"]
"""Who may ask the model: anyone, holders of a rank, or people who are logged in to services."""


class ChannelWays(NamedTuple):
    """How the bot behaves in one channel, or in private. An empty `persona` is the usual one."""

    role: Role = "both"
    askers: Askers = "anyone"
    persona: str = ""

    @property
    def is_recorded(self) -> bool:
        """Whether what is said there is recorded."""
        return self.role != "answer"

    @property
    def is_answered(self) -> bool:
        """Whether questions and commands are answered there."""
        return self.role != "record"


@dataclass(frozen=True)
class ChannelTable:
    """A `[channel."libera/#tea"]` table; without a `network` it holds on each that has the channel.

    What is None is as for the whole network. `source` is the file that has the table.
    """

    network: str
    channel: str
    role: Role | None = None
    askers: Askers | None = None
    persona: Persona | None = None
    source: str = field(default="", compare=False)

    @property
    def title(self) -> str:
        """The table's head: `[channel."libera/#tea"]`."""
        name = f"{self.network}/{self.channel}" if self.network else self.channel
        return f'[channel."{name}"]'

    def values(self) -> Mapping[str, str]:
        """What it sets, by key."""
        found = {"role": self.role, "askers": self.askers, "persona": self.persona}
        return {key: str(value) for key, value in found.items() if value is not None}

    def over(self, ways: ChannelWays) -> ChannelWays:
        """The ways of the network, with what this table overrides."""
        return ChannelWays(
            self.role or ways.role,
            self.askers or ways.askers,
            self.persona.text if self.persona else ways.persona,
        )


def table_for(
    tables: tuple[ChannelTable, ...], network: str, channel: str, casemapping: str
) -> ChannelTable | None:
    """The table of a channel; one that names the network precedes one that does not."""
    by_channel = _by_channel(tables, casemapping)
    folded = fold(channel, casemapping)
    return by_channel.get((network.lower(), folded)) or by_channel.get(("", folded))


def unknown_channels(
    tables: Sequence[ChannelTable], networks: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """A sentence for each table whose channel the bot does not join.

    Args:
        tables: those of the settings.
        networks: the channels to join, by network.
    """
    for one in tables:
        where = f"{one.title} in {one.source}"
        named = [name for name in networks if one.network.lower() in ("", name.lower())]
        joined = [channel for name in named for channel in networks[name]]
        if not named:
            hint = did_you_mean(one.network, list(networks))
            yield f"{where}: no network is called {one.network}.{hint}"
        elif fold(one.channel) not in map(fold, joined):
            hint = did_you_mean(one.channel, joined) or " Add it there."
            yield f"{where}: {one.channel} is not in IRC_CHANNELS.{hint}"


@lru_cache(maxsize=16)  # folded once, asked for every line of a channel
def _by_channel(
    tables: tuple[ChannelTable, ...], casemapping: str
) -> Mapping[tuple[str, str], ChannelTable]:
    return {(one.network.lower(), fold(one.channel, casemapping)): one for one in tables}

"""What the options of an import say. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, tzinfo

from terrarium_mcp.chat.identity import as_channel, fold, is_channel
from terrarium_mcp.logformats.twelve_hours import WrittenClock


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command's options say; an empty one leaves the decision to the files.

    `day` is that of the first line. `clock` tells the half of the day in which a log of 12 hours
    begins if no line does, or that its hours are 24 whatever its lines tell.
    `renamed` maps channels as files spell them (folded) to channels as they are.
    """

    format: str = ""
    network: str = ""
    channel: str = ""
    day: date | None = None
    zone: tzinfo | None = None
    clock: WrittenClock | None = None
    encoding: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def moves_nothing(self) -> bool:
        """Whether networks and channels keep their names.

        For an export that is all there is to choose: it says its times and its format itself.
        """
        return not (self.network or self.channel or self.renamed)

    def target(self, named: str) -> str:
        """Where what an export or a database says of a room goes; a person is made no channel."""
        chosen = as_channel(self.channel) if self.channel and is_channel(named) else named
        return self.renamed.get(fold(chosen), chosen)

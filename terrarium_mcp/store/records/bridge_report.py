"""What a bridge reports of itself, so that another process can tell whether it records."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from pydantic import TypeAdapter

from terrarium_mcp.chat.irctext import encodable
from terrarium_mcp.wording import compact_json


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeReport:
    """The state of one network's bridge at a moment. All times are UTC."""

    network: str
    """The network's name in the settings."""
    version: str
    """The version of terrarium-mcp."""
    connected: bool
    """Whether the bridge is registered on the network."""
    since: datetime
    """Since when it has been connected, or has not."""
    started: datetime | None = None
    """When the bridge was started; None in a report of an earlier version."""
    trouble: str = ""
    """Why it is not connected; "" while it is."""
    wanted: int = 0
    """How many channels the settings name."""
    missing: tuple[str, ...] = ()
    """Those of them that the bridge is not in, as the settings spell them."""
    newest_line: datetime | None = None
    """When the newest line arrived; None before the first since the start."""
    unwritable_since: datetime | None = None
    """Since when nothing could be written; None if writing works."""
    write_trouble: str = ""
    """Why nothing could be written."""
    waiting: int = 0
    """Lines in memory that are not on disk yet."""
    lost: int = 0
    """Lines that were not recorded since the start, as too many were waiting."""
    model: str = ""
    """The model in use; "" before the endpoint's first has been asked for."""
    model_trouble: str = ""
    """What is wrong with the model's endpoint; "" if nothing is known to be."""
    questions: int = 0
    """Questions for the model, in work and waiting."""
    stopped: bool = False
    """Whether this is the bridge's last report: it was told to stop."""

    @property
    def joined(self) -> int:
        """How many of the wanted channels the bridge is in."""
        return self.wanted - len(self.missing)

    def last(self) -> "BridgeReport":
        """The report of a bridge that stops now."""
        return replace(self, stopped=True)

    def to_json(self) -> str:
        """The report as a JSON object, with `?` for each lone surrogate in the words of others."""
        fields = _adapter().dump_python(self, mode="json")
        return encodable(compact_json(fields))

    @classmethod
    def from_json(cls, text: str) -> "BridgeReport":
        """The report in a JSON object.

        Raises:
            ValueError: it is none, or of a version with other fields.
        """
        return _adapter().validate_json(text)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A report as it was stored: by which process (`pid@host`), and when."""

    process: str
    at: datetime
    report: BridgeReport


@cache
def _adapter() -> TypeAdapter[BridgeReport]:
    """The JSON form; most processes never need it, and it takes a moment to build."""
    return TypeAdapter(BridgeReport)

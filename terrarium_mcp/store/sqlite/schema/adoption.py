"""Adoption: how the database of another program was read when terrarium-mcp took it over."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from terrarium_mcp.errors import HostFailure

ADOPTION = "SELECT source, zone, adopted_at, adopted_by FROM adoption"

# No two zones that differ at all agree on every Monday of forty years.
_MONDAY, _WEEKS = datetime(2000, 1, 3, tzinfo=UTC), 2_080


class WrongZone(HostFailure):
    """TERRARIUM_SOURCE_TIMEZONE names another zone than the one the database was read in."""


class Adoption(NamedTuple):
    """Which program made the database, and how it was read; "" for what is not known."""

    source: str
    zone: str
    at: str
    program: str

    def __str__(self) -> str:
        """For people."""
        zone = f"local times read as {self.zone}" if self.zone else "zone not known"
        how = f" on {self.at} UTC by terrarium-mcp {self.program}" if self.at else ""
        return f"from {self.source}{how}, {zone}"

    def complaint(self, zone: str) -> str:
        """What is wrong with `zone` as TERRARIUM_SOURCE_TIMEZONE; "" if nothing is.

        An unset zone, or a database whose zone is not known, contradicts nothing.
        """
        if not zone or not self.zone or _is_same_clock(zone, self.zone):
            return ""
        return (
            f"TERRARIUM_SOURCE_TIMEZONE is {zone}, but the database was adopted with local times"
            f" read as {self.zone}. If that was right, remove the setting. If it was wrong, stop"
            " every terrarium-mcp, put the copy from before the adoption (*.before-v1.*) in the"
            " database's place and start again. Keep the database itself: lines recorded since are"
            " only there. docs/database.md has the commands."
        )


def adoption_in(rows: Sequence[Sequence[str | None]]) -> Adoption | None:
    """The adoption that the rows of ADOPTION tell; None if terrarium-mcp made the database."""
    return Adoption(*(value or "" for value in rows[0])) if rows else None


def _is_same_clock(one: str, other: str) -> bool:
    """Whether two names are of the same zone, such as UTC and Etc/UTC: always the same offset."""
    if one == other:
        return True
    try:
        zones = ZoneInfo(one), ZoneInfo(other)
    except (ValueError, ZoneInfoNotFoundError):  # recorded by a machine that knows more zones
        return False
    return all(
        at.astimezone(zones[0]).utcoffset() == at.astimezone(zones[1]).utcoffset()
        for at in (_MONDAY + timedelta(weeks=n) for n in range(_WEEKS))
    )

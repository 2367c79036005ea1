"""What the options of an import say about the logs, as values."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from terrarium_mcp.chat.identity import as_channel, fold, is_channel
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.databases.database_formats import DATABASE_FORMATS
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.twelve_hours import WrittenClock
from terrarium_mcp.settings.values import known_zone
from terrarium_mcp.wording import did_you_mean

FORMAT_NAMES = sorted([one.name for one in TEXT_FORMATS] + [one.name for one in DATABASE_FORMATS])


class BadChoice(TerrariumError):
    """An option of the command has a value that means nothing."""


def choices_of(
    form: str,
    network: str,
    channel: str,
    day: datetime | None,
    timezone: str,
    clock: str | None,
    encoding: str,
    renamed: Sequence[str],
) -> Choices:
    """What the options say.

    Raises:
        BadChoice: a format, zone, encoding or a pair of channels is not one.
    """
    if form and form not in FORMAT_NAMES:
        hint = did_you_mean(form, FORMAT_NAMES) or f" Known: {', '.join(FORMAT_NAMES)}."
        raise BadChoice(f"--format {form}: not a known format.{hint}")
    return Choices(
        format=form,
        network=network,
        channel=as_channel(channel) if channel else "",
        day=day.date() if day else None,
        zone=_zone(timezone),
        clock=WrittenClock(clock) if clock else None,
        encoding=_encoding(encoding),
        renamed=dict(map(_pair, renamed)),
    )


def _zone(name: str) -> ZoneInfo | None:
    try:
        return known_zone(name) if name else None
    except ValueError as error:
        raise BadChoice(f"--timezone {name}: {error}") from None


def _encoding(name: str) -> str:
    try:
        "a".encode(name or "utf-8")
    except (LookupError, UnicodeError):
        raise BadChoice(f"--encoding {name}: not an encoding such as cp1251.") from None
    return name


def _pair(written: str) -> tuple[str, str]:
    old, equals, new = written.partition("=")
    if not (equals and old and is_channel(new)):
        raise BadChoice(f"--map {written}: must be OLD=NEW, such as '#we_ird=#we/ird'.")
    return fold(old), new

"""Parameter types that forgive what models send, once for all tools.

`null`, `""` and `"null"` mean absent, numbers may come as strings, and a number out of range is
clamped with a note. The schema stays plain: no `anyOf`, no nulls, ranges in the description.
"""

import re
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError, PydanticUseDefault

from terrarium_mcp.chat.durations import length_named
from terrarium_mcp.chat.identity import MOST_OF_NAMES
from terrarium_mcp.chat.irctext import encodable
from terrarium_mcp.chat.relays import nick_meant
from terrarium_mcp.wording import note

_ABSENT = (None, "", "null")


def _is_absent(value: Any) -> bool:
    return (value.strip() if isinstance(value, str) else value) in _ABSENT


def _default_if_absent(value: Any) -> Any:
    if _is_absent(value):
        raise PydanticUseDefault
    return value


def _whole(value: Any) -> Any:
    """A float that is a whole number as that: pydantic takes none beyond 64 bits, as 1e19."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _forgiven(value: Any) -> Any:
    """A number or a flag as pydantic takes it."""
    return _whole(_default_if_absent(value))


def _as_choice(value: Any) -> Any:
    """One of a few words, in any case and with any space around it."""
    value = _default_if_absent(value)
    return value.strip().lower() if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    """Text that SQLite and UTF-8 can hold: no lone surrogates, no NUL."""
    if _is_absent(value):
        return ""
    value = _whole(value)  # an id that passed through a language with floats only
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return encodable(value).replace("\0", " ").strip()
    return value


class Clamped(int):
    """A number that was clamped to its range; `note` says so."""

    note: str


class Usual(int):
    """The default of a number, where it matters whether the caller gave one."""


def if_given(number: int) -> int | None:
    """The number, unless it is the usual one that stands in for none."""
    return None if isinstance(number, Usual) else number


def clamped_to(least: int, most: int) -> AfterValidator:
    """Clamp a number to the range, and remember if that changed it."""

    def clamp(value: int) -> int:
        if least <= value <= most:
            return value
        clamped = Clamped(min(max(value, least), most))
        clamped.note = f"{_short(value)} is not within {least} to {most}: {int(clamped)} was used"
        return clamped

    return AfterValidator(clamp)


def clamping_notes(**numbers: int) -> list[str]:
    """A note to the caller for each of the numbers that was clamped."""
    return [
        note(f"{name}={number.note}")
        for name, number in numbers.items()
        if isinstance(number, Clamped)
    ]


def _short(value: int) -> str:
    if abs(value) < 10**12:
        return str(value)
    return "over 10^12" if value > 0 else "below -10^12"


_HOUR = timedelta(hours=1)
_UP_TO_NOW = re.compile(r"(?:(?:the )?(?:last|past) )?(?P<length>.*?)(?: ago)?", re.IGNORECASE)
"""How other arguments take a time that ends now: `2 hours ago`, `the last 7 days`."""

_FROM = re.compile(r"(?:^|(?<=,))\s*from:", re.IGNORECASE)


def _hours_alone(value: object) -> object:
    """`2h` and `the last 7 days` as a number of hours, rounded up."""
    match = _UP_TO_NOW.fullmatch(value.strip()) if isinstance(value, str) else None
    length = length_named(match["length"]) if match else None
    return value if length is None else -(-length // _HOUR)


def _nick_alone(typed: str) -> str:
    """The nick that is meant, also by `from:ada`, as a query has it."""
    if len(typed) > MOST_OF_NAMES:
        raise PydanticCustomError("too_long", f"A nick has {MOST_OF_NAMES:,} characters at most")
    return nick_meant(_FROM.sub("", typed))


def without_choices(schema: dict[str, Any]) -> None:
    """Publish a choice that may be empty as a plain string, whose description names the choices.

    Gemini refuses every tool of a list in which one has an empty string as a choice (HTTP 400).
    """
    del schema["enum"]


Forgiving = BeforeValidator(_forgiven)
ForgivingChoice = BeforeValidator(_as_choice)
Text = Annotated[str, BeforeValidator(_as_text)]
Nick = Annotated[Text, AfterValidator(_nick_alone)]
Channel = Annotated[Text, Field(description="one channel: #chan or libera/#chan")]
Hours = Annotated[
    int,
    Forgiving,
    BeforeValidator(_hours_alone),
    clamped_to(0, 876_000),
    Field(description="only the last N hours; 0: all time"),
]
Form = Annotated[
    Literal["text", "json"],
    ForgivingChoice,
    Field(description="json adds structured content"),
]

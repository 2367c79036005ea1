"""Parameter types that forgive what models do, once for all tools.

`null`, `""` and `"null"` read as absent, numbers may come as strings, and numbers beyond a range
are clamped with a note. The schema stays plain: no `anyOf`, no nulls, ranges in the description.
"""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticUseDefault

_ABSENT = (None, "", "null")


def _or_default(value: Any) -> Any:
    if value in _ABSENT:
        raise PydanticUseDefault
    return value


def _as_text(value: Any) -> Any:
    """Text that SQLite and UTF-8 can hold: no lone surrogates, no NUL."""
    if value in _ABSENT:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", " ").strip()
    return value


class Clamped(int):
    """A number that was brought into its range; `note` says so."""

    note: str


def within(least: int, most: int) -> AfterValidator:
    """Bring a number into the range, remembering that it was not."""

    def clamp(value: int) -> int:
        if least <= value <= most:
            return value
        clamped = Clamped(min(max(value, least), most))
        clamped.note = f"{_short(value)} is not within {least} to {most}: {int(clamped)} was used"
        return clamped

    return AfterValidator(clamp)


def notes(**numbers: int) -> list[str]:
    """What to tell the caller about numbers that were clamped."""
    return [
        f"note: {name}={number.note}"
        for name, number in numbers.items()
        if isinstance(number, Clamped)
    ]


def _short(value: int) -> str:
    return str(value) if abs(value) < 10**12 else "that number"


Forgiving = BeforeValidator(_or_default)
Text = Annotated[str, BeforeValidator(_as_text)]
Channel = Annotated[Text, Field(description="one channel, such as #chan or libera/#chan")]
Hours = Annotated[
    int, Forgiving, within(0, 876_000), Field(description="only the last N hours; 0: all time")
]
Form = Annotated[
    str,
    BeforeValidator(lambda value: "text" if value in _ABSENT else str(value).lower()),
    Field(pattern="^(text|json)$", description="text, or json for structured content too"),
]

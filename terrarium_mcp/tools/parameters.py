"""Parameter types that forgive what models do, once for all tools.

`null`, `""` and `"null"` read as absent, numbers may come as strings, and numbers beyond a range
are clamped with a note. The schema stays plain: no `anyOf`, no nulls, ranges in the description.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticUseDefault

_ABSENT = (None, "", "null")


def _absent(value: Any) -> bool:
    return (value.strip() if isinstance(value, str) else value) in _ABSENT


def _or_default(value: Any) -> Any:
    if _absent(value):
        raise PydanticUseDefault
    return value


def _as_word(value: Any) -> Any:
    """A word out of a few, in any case and with any space around it."""
    value = _or_default(value)
    return value.strip().lower() if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    """Text that SQLite and UTF-8 can hold: no lone surrogates, no NUL."""
    if _absent(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # an id that went through a language whose numbers are all floats
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
Word = BeforeValidator(_as_word)
Text = Annotated[str, BeforeValidator(_as_text)]
Channel = Annotated[Text, Field(description="one channel, such as #chan or libera/#chan")]
Hours = Annotated[
    int, Forgiving, within(0, 876_000), Field(description="only the last N hours; 0: all time")
]
Form = Annotated[
    Literal["text", "json"],
    Word,
    Field(description="text, or json for structured content too"),
]

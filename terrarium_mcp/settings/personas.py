"""Personas: who the bot is, in the words of a file that is read when the settings are."""

from dataclasses import dataclass, field
from pathlib import Path

MOST_PERSONA = 2_000
"""Characters of a persona: 500 estimated tokens of English, of the 700 for role and rules."""

_MOST_BYTES = 4 * MOST_PERSONA + 3
"""Of a persona in UTF-8, with a byte order mark."""


@dataclass(frozen=True)
class Persona:
    """The text of a persona, and the file that it was read from."""

    file: Path
    text: str = field(repr=False)

    def __str__(self) -> str:
        """As `doctor` shows it."""
        return str(self.file)


def persona_of(value: object) -> object:
    """The persona in the file that a setting names; what is neither path nor text: as it is.

    Raises:
        ValueError: as `read_persona`.
    """
    return read_persona(Path(value)) if isinstance(value, str | Path) else value


def read_persona(file: Path) -> Persona:
    """The persona in a file.

    Raises:
        ValueError: it is missing, unreadable, empty, too long, or not UTF-8.
    """
    try:
        if not file.is_file():  # a pipe is none either: nobody may ever write to it
            raise ValueError(f"there is no file {file}. Name one that exists")
        with file.open("rb") as opened:
            read = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}. Make it readable") from None
    try:
        text = "" if len(read) > _MOST_BYTES else read.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not UTF-8. Save it as UTF-8") from None
    if len(read) > _MOST_BYTES or len(text) > MOST_PERSONA:
        raise ValueError(f"{file} has more than {MOST_PERSONA:,} characters. Shorten it")
    if not text:
        raise ValueError(f"{file} is empty. Write into it who the bot is, and its manner")
    return Persona(file, text)

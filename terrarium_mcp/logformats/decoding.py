"""Bytes of a log become text, line by line: one client's bytes are not another's. Pure."""

from enum import StrEnum


class Encoding(StrEnum):
    """In which encoding a line was read."""

    UTF_8 = "utf-8"
    CP1252 = "cp1252"
    LATIN_1 = "latin-1"


def decoded(raw: bytes) -> tuple[str, Encoding]:
    """The text of a line, and how it was read: UTF-8, else cp1252, else latin-1, which never fails.

    A line cut within its last character is still UTF-8: what is left of the character is dropped.
    """
    try:
        return raw.decode(), Encoding.UTF_8
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and error.start:
            return raw[: error.start].decode(), Encoding.UTF_8
    for encoding in (Encoding.CP1252, Encoding.LATIN_1):
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:  # cp1252 leaves five bytes undefined
            continue
    raise AssertionError("latin-1 decodes every byte")

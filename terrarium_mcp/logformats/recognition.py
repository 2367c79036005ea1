"""The format of a text log, or why it has none that is known. Pure."""

import codecs
import re
import tarfile
from collections.abc import Iterable, Iterator, Sequence

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.decoding import decoded, texts_of
from terrarium_mcp.logformats.detection import ENOUGH, Fit, best_fit
from terrarium_mcp.logformats.entries import LogLine
from terrarium_mcp.logformats.files import LogFile
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.log_origin import origin_in
from terrarium_mcp.logformats.unpacking import BEGINNINGS
from terrarium_mcp.wording import shown

_UTF_16 = tuple(decoded(mark)[0] for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
"""What a byte order mark of UTF-16 looks like when it is read as all other lines are."""

_PACKED = (b"PK\x03\x04", *BEGINNINGS)
"""How a zip begins, or a compressed file."""

_OTHERWISE_PACKED = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "RAR"}
"""How archives begin that are not looked into."""

_ZIP_HEADER = 30
"""Bytes before the name of the first file of a zip (APPNOTE.TXT 4.3.7). Read as lines, which a time
or a checksum may break there, it loses some of them."""

_OF_AN_OFFICE = (b"[Content_Types].xml", b"mimetype")
"""What a zip holds first if it is a document of Office Open XML, or of OpenDocument."""

_STAMP = 10
"""Bytes at the beginning of a line of UTF-16 that are of its stamp."""

_TIMED = re.compile(
    r"[\W_]{0,4}(?:(?:[^\W\d]{1,12}|\d{1,8})[\W_T]{1,3}){0,6}?"
    r"(?:(?<![.:@/\w])|(?<=\dT))(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?"
    r"(?: ?[AaPp][Mm]\b|Z)?(?!\w|[.:@/]\w)"
)
"""A line that begins with a time, perhaps behind a day. In `10.0.0.1:6667:secret` there is none."""

_UNCERTAIN_DAY = re.compile(
    r"\[?\d\d?(?:([/-])\d\d?(?:\1\d{2,4})?|\.(?:\d\d?\.\d\d|(?:1[3-9]|[2-9]\d)\.\d{4})),? "
)
"""Two numbers, of which one is the month. Between dots that is the second one, if a year of four
digits follows."""

_MARKED = (
    (re.compile(r"\{|\[\s*(?:\{|\Z)"), "JSON"),
    (re.compile(r"<(?:[?!]|/?[a-z][\w-]*(?:\s[^>]*=|>$))", re.IGNORECASE), "XML or HTML"),
)


class NoLog(TerrariumError):
    """A file is no log in any format that is known, or not in the one that was named."""


class UnknownFormat(NoLog):
    """A file is a text, but no format reads it."""


def fitting(
    file: LogFile, head: Sequence[bytes], choices: Choices, more: Iterable[str] = ()
) -> Fit:
    """How its format reads a text log, told from its path and its first lines.

    `more` are the lines behind these, as in `best_fit`.

    Raises:
        NoLog: it is no log in a known format.
    """
    lines = texts_of(head)
    if packed := _packed_as(head):
        raise NoLog(f"{file.path}: {packed}")
    if lines and lines[0].startswith(_UTF_16):
        raise NoLog(
            f"{file.path}: encoded as UTF-16. Convert it first: iconv -f UTF-16 -t UTF-8 FILE"
        )
    written = [line for line in head if line]  # half of a line break of UTF-16 looks blank
    if sum(map(_is_utf_16, written)) > ENOUGH * len(written):
        raise NoLog(
            f"{file.path}: encoded as UTF-16. Convert it first: iconv -f UTF-16LE -t UTF-8 FILE,"
            " or -f UTF-16BE"
        )
    zeros = sum(0 in line for line in written)
    if zeros and zeros >= ENOUGH * len(written):
        raise NoLog(f"{file.path}: not a text file.")
    formats = [one for one in TEXT_FORMATS if choices.format in ("", one.name)]
    if not formats:
        raise NoLog(f"{file.path}: not a database of the format {choices.format}")
    fit = best_fit(file.name, lines, formats, more)
    if fit.is_enough:
        return fit
    if fit.is_timed and fit.read >= ENOUGH:
        raise UnknownFormat(
            f"{file.path}: no line of talk in it can be read, although it has lines of"
            f" {fit.format.program}. The first unreadable one: {shown(fit.unread or lines[0])}"
        )
    quoted = shown_form([line for line in lines if fit.format.read(line) is None] or lines)
    if choices.format:
        raise NoLog(f"{file.path}: not a log of {fit.format.program}. {quoted}")
    if any(origin_in(file.name, one.paths).is_window for one in TEXT_FORMATS):
        quoted += (
            ". By its name it may be a window in which a client talks to its user;"
            " none of that is imported"
        )
    raise UnknownFormat(f"{file.path}: not a log of a known format. {quoted}")


def _is_utf_16(raw: bytes) -> bool:
    """Whether a line is perhaps UTF-16, but for a zero byte before it: its stamp is of ASCII."""
    return raw[1:_STAMP:2].count(0) == len(raw[1:_STAMP:2]) > 0 and 0 not in raw[:_STAMP:2]


def shown_form(lines: Sequence[str]) -> str:
    """What shows the format of a file, for people who report it, from lines that cannot be read.

    A folder of logs may also hold its program's settings, and passwords in them: of these nothing
    is shown. What shows the form of a log is a line that begins with a time.
    """
    first = next((line.lstrip() for line in lines if line.strip()), "")
    if kind := next((kind for form, kind in _MARKED if form.match(first)), ""):
        return f"It is {kind}, in an unknown form"
    timed = next((line for line in lines if _TIMED.match(line)), "")
    if not timed:
        return "None of its first lines begins with a time"
    told = f"It has lines such as: {shown(timed)}"
    if _UNCERTAIN_DAY.match(timed):
        return f"It is unclear which number of its dates is the month; write 2026-10-24. {told}"
    return told


def _packed_as(head: Sequence[bytes]) -> str:
    """Why a file that begins so is no text, if it holds others or is compressed; else empty."""
    beginning = head[0] if head else b""
    if beginning.startswith(_PACKED) and _is_of_an_office(b"\n".join(head[:_ZIP_HEADER])):
        return "a document of an office program, not a text file."
    if beginning.startswith(_PACKED) or _begins_tar(beginning):
        return "a packed file within a packed file, or under a name that hides it. Unpack it first."
    for magic, name in _OTHERWISE_PACKED.items():
        if beginning.startswith(magic):
            return f"a {name} archive, which cannot be read here. Unpack it first."
    return ""


def _is_of_an_office(beginning: bytes) -> bool:
    """Whether a zip is a document of an office program, by the name of its first file."""
    return any(name in beginning[: _ZIP_HEADER + len(name)] for name in _OF_AN_OFFICE)


def _begins_tar(beginning: bytes) -> bool:
    """Whether the first block is a header of tar: its checksum tells that, in all its dialects."""
    try:
        tarfile.TarInfo.frombuf(beginning[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def lines_read(lines: Iterable[bytes], form: TextFormat, encoding: str) -> Iterator[LogLine]:
    """What those lines say that a format reads."""
    return filter(None, (form.read(decoded(raw, encoding)[0]) for raw in lines))

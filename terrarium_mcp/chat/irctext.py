"""What stands inside a line of IRC: formatting codes, CTCP frames, off-record marks."""

import re
from collections.abc import Sequence

# mIRC formatting: bold, italic, underline, strike, monospace, reverse, reset, colours and digits.
_FORMATTING = re.compile(
    r"\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04(?:[0-9A-Fa-f]{6}(?:,[0-9A-Fa-f]{6})?)?|[\x02\x0f\x11\x16\x1d\x1e\x1f]"
)
# C0 and C1 controls, line and paragraph separators, bidi marks and overrides, deprecated format
# controls (U+206A to U+206F), interlinear and tag characters, lone surrogates. ZWJ (U+200D) and
# ZWNJ (U+200C) stay: emoji and scripts need them.
_FORGING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_OFF_RECORD = re.compile(r"\s*\[(?:off|nolog)\]", re.IGNORECASE)
_SECRET_COMMAND = re.compile(
    r"\s*/?(?:(?:msg|query|quote|raw|privmsg|notice)\s+)*"
    r"(?:(?:nickserv|chanserv|authserv)(?:@\S+)?|ns|cs|[qx]@\S+)\s+:?"
    r"(?:auth|ghost|id|identify|login|recover|regain|register|release|set\s+password)\s+\S"
    r"|\s*/(?:(?:quote|raw)\s+)?(?:identify|login|oper|pass)\s+\S",
    re.IGNORECASE,
)
REMOVED_KEY = "*"


def plain(text: str) -> str:
    """`text` without formatting codes: the words that people read, and that the index holds."""
    return text if text.isprintable() else _FORMATTING.sub("", text)  # codes are not printable


def harmless(text: str) -> str:
    """`text` on one line, without anything that could forge another line or turn the reading order.

    Line breaks and tabs become a space, every other control character vanishes.
    """
    text = re.sub(r"[\r\n\t\u2028\u2029\x85]+", " ", plain(text))
    return _FORGING.sub("", text)


def action(text: str) -> str | None:
    """What somebody does, if `text` is a CTCP ACTION (the closing frame may be missing)."""
    verb, _, rest = text.removeprefix("\x01").removesuffix("\x01").partition(" ")
    return rest if is_ctcp(text) and verb.upper() == "ACTION" else None


def is_ctcp(text: str) -> bool:
    """Whether `text` stands in a CTCP frame: a word to the client, not to its reader."""
    return text.startswith("\x01")


def is_off_record(text: str) -> bool:
    """Whether the speaker asked that this is never written: `[off]` or `[nolog]` in front."""
    said = action(text)
    return _OFF_RECORD.match(plain(text if said is None else said)) is not None


def is_secret(text: str) -> bool:
    """Whether `text` looks like a services password that went to the wrong window.

    For example `/msg NickServ identify hunter2`, or the same without the slash.
    """
    return _SECRET_COMMAND.match(plain(text)) is not None


def without_keys(modes: Sequence[str], prefix_modes: str = "ohvaq") -> str:
    """The arguments of a MODE line with the channel key (`+k`, `-k`) replaced by `*`.

    Where a network's own modes leave open which argument is the key, none is told.

    Args:
        modes: the mode string and its arguments (RFC 2812 3.2.3).
        prefix_modes: letters that rank a member, each of which takes an argument.
    """
    if not modes:
        return ""
    letters, arguments = modes[0], list(modes[1:])
    takers = _with_argument(letters, prefix_modes)
    if len(takers) == len(arguments):
        told = [
            REMOVED_KEY if letter == "k" else argument
            for letter, argument in zip(takers, arguments, strict=True)
        ]
    else:
        told = [REMOVED_KEY] * len(arguments) if "k" in letters else arguments
    return " ".join([letters, *told])


def _with_argument(letters: str, prefix_modes: str) -> list[str]:
    """The letters of a mode string that take an argument each, in order."""
    takers, adding = [], True
    for letter in letters:
        if letter in "+-":
            adding = letter == "+"
        elif letter in "kbeI" + prefix_modes or (letter in "lfjL" and adding):
            takers.append(letter)
    return takers

"""The words we add to the full-text index: room, speaker and type of a message, links, asides.

Each begins with a character that no message can contain (`RESERVED_PREFIX`), so no user can type
one. The functions that name words leave it out; `reserved` puts it in front.
"""

from functools import lru_cache

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.terms import RESERVED_PREFIX

LINK_WORD = "tlink"
"""The word of messages with a link in them."""

NO_WORD = "tnothing"
"""A word that is in no message."""

SPOKEN_WORD = "tsaid"
"""The word of all speech. PRIVMSG, which most speech is, has no other word for its type."""

ASIDE_WORD = "taside"
"""The word of all asides: what the bot said, and commands to it."""

COMMAND_WORD = "tcommand"
"""The word of commands to the bot."""


def reserved(word: str) -> str:
    """One of these words as the index stores it."""
    return f"{RESERVED_PREFIX}{word}"


def room_word(room: int) -> str:
    """The word of the speech in a room."""
    return f"r{room}"


def events_word(room: int) -> str:
    """The word of the events of a room."""
    return f"e{room}"


def type_words(kind: MessageType) -> list[str]:
    """The words of a message's type."""
    if kind not in SPEECH:
        return [type_word(kind)]
    return [SPOKEN_WORD] if kind is MessageType.PRIVMSG else [SPOKEN_WORD, type_word(kind)]


def type_word(kind: MessageType) -> str:
    """The most specific word of a message type: for PRIVMSG, that of all speech."""
    return SPOKEN_WORD if kind is MessageType.PRIVMSG else f"t{kind.lower()}"


@lru_cache(maxsize=10_000)  # few people say most of the lines
def nick_word(nick: str) -> str:
    """The word of a nick, folded more than any network folds."""
    folded = fold(nick.casefold()).encode("utf-8", "surrogatepass").hex()
    return f"n{folded}" if nick.isascii() else f"u{folded}"


def nick_words(nick: str) -> tuple[str, str]:
    """The words of all spellings of a nick under any CASEMAPPING: ASCII ones, and the others.

    They find too much rather than too little: callers compare the rows under the network's own
    mapping. (Even "k" has a spelling outside of ASCII: the Kelvin sign.)
    """
    folded = nick_word(nick)[1:]
    return f"n{folded}", f"u{folded}"

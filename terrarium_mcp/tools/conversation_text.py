"""Describes a conversation: its size, what lies between and beyond, how certain its links are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.question import asks_something
from terrarium_mcp.chat.records import SPEECH
from terrarium_mcp.store import Conversation
from terrarium_mcp.wording import and_more, quantity

if TYPE_CHECKING:  # a type only: the package is loaded when a conversation is read
    from terrarium_mcp.chat.disentanglement import ReplyLink

_MOST_LISTED = 5
"""Shown lines that the note on certainty names."""

_MOST_LEFT_OUT = 10
"""Lines that the note on lines left out names."""


def conversation_notes(conversation: Conversation) -> list[str]:
    """What the reader should know besides the lines."""
    if conversation.message.kind not in SPEECH:
        return ["an event belongs to no conversation: scope=channel shows the lines around it"]
    if conversation.looked_at == 1:
        return ["no other line is recorded around it"]
    outside = [*_bounds(conversation), *_left_out(conversation)]
    if len(conversation.messages) > 1:
        certainty = [*_certainty(conversation), *_unanswered(conversation)]
        return [_size(conversation), *certainty, *outside]
    if outside:
        return outside
    others = quantity(conversation.looked_at - 1, "line")
    return [f"none of the {others} around it seems to belong to it: scope=channel shows them"]


def ways_on(conversation: Conversation) -> str:
    """How to read what it may have beyond the lines that were examined; "" if nothing."""
    earlier, later = conversation.may_begin_before, conversation.may_go_on_after
    ways = [("may begin earlier", earlier), ("may go on", later)]
    call = "get_message_context({}, scope=conversation)"
    return " | ".join(f"{what}: {call.format(line)}" for what, line in ways if line is not None)


def sizes_json(conversation: Conversation) -> dict[str, object]:
    """The numbers of lines in the notes, the ids of those left out that they name, and ways on."""
    return {
        "between": conversation.between,
        "looked_at": conversation.looked_at,
        "beyond": conversation.beyond,
        "doubtful": [str(number) for number in conversation.left_out[:_MOST_LEFT_OUT]],
        "may_begin_before": str(conversation.may_begin_before or ""),
        "may_go_on_after": str(conversation.may_go_on_after or ""),
    }


def links_json(conversation: Conversation) -> dict[int, dict[str, object]]:
    """Which line answers which, for a program, by the id of the line.

    `answers` is "" where a conversation starts.
    """
    return {
        link.line: {
            "id": str(link.line),
            "answers": "" if link.answers is None else str(link.answers),
            "probability": round(link.probability, 2),
        }
        for link in conversation.links
    }


def _size(conversation: Conversation) -> str:
    """`24 lines by 3 people, of 200 examined; 41 lines of other talk lie between them`."""
    people = _people(conversation)
    authors = "one person" if people == 1 else f"{people} people"
    lie = "lies" if conversation.between == 1 else "lie"
    others = f"{quantity(conversation.between, 'line')} of other talk {lie} between them"
    return (
        f"{quantity(len(conversation.messages), 'line')} by {authors},"
        f" of {conversation.looked_at} examined;"
        f" {others if conversation.between else 'nothing else lies between them'}"
    )


def _people(conversation: Conversation) -> int:
    casemapping = conversation.message.room.casemapping
    return len({fold(message.nick, casemapping) for message in conversation.messages})


def _unanswered(conversation: Conversation) -> list[str]:
    """Where to look for an answer, if one person asks and all of the conversation is theirs."""
    if conversation.beyond or _people(conversation) > 1:
        return []
    if not any(asks_something(plain(message.text)) for message in conversation.messages):
        return []
    return ["no answer by another person was found: scope=channel shows what came next"]


def _bounds(conversation: Conversation) -> list[str]:
    """How many lines of it `before` and `after` cut off."""
    if not conversation.beyond:
        return []
    return [f"{quantity(conversation.beyond, 'more line')} of it beyond before and after"]


def _left_out(conversation: Conversation) -> list[str]:
    """Which lines may belong to it, but are not shown."""
    if not conversation.left_out:
        return []
    named = and_more([str(number) for number in conversation.left_out], _MOST_LEFT_OUT)
    return [f"left out as doubtful and far: {named} (scope=channel shows them)"]


def _certainty(conversation: Conversation) -> list[str]:
    """How many of the links are right: their probabilities are calibrated, so their mean says."""
    links = [link for link in conversation.links if link.answers is not None or link.outside]
    guesses = [link for link in links if not link.tagged]
    if not guesses:
        return ["which line answers which is known from reply tags"]
    right = round(10 * sum(link.probability for link in guesses) / len(guesses))
    tagged = len(links) - len(guesses)
    basis = (
        f"{quantity(tagged, 'answer')} known from reply tags, the others guessed"
        if tagged
        else "which line answers which is guessed"
    )
    share = "almost all" if right >= 10 else f"about {right} in 10"
    return [f"{basis}: {share} such guesses are right{_doubts(guesses)}"]


def _doubts(guesses: Sequence["ReplyLink"]) -> str:
    """The ids of the lines that most probably belong elsewhere."""
    doubtful = sorted(
        (link for link in guesses if link.is_doubtful), key=lambda link: link.probability
    )
    if not doubtful:
        return ""
    return f"; doubtful: {and_more([str(link.line) for link in doubtful], _MOST_LISTED)}"

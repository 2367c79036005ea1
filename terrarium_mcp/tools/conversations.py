"""How a conversation is told of: how many lines, what lies between them, and how sure it is."""

from collections.abc import Sequence

from terrarium_mcp.chat.conversations import ReplyLink
from terrarium_mcp.chat.records import SPEECH, Message
from terrarium_mcp.store.conversations import Conversation
from terrarium_mcp.tools.answer import counted

DOUBTFUL = 0.5
"""Such guesses are right half the time."""

_MOST_NAMED = 5


def sentences(found: Conversation) -> list[str]:
    """What the reader should know besides the lines."""
    if found.message.kind not in SPEECH:
        return ["nobody said this, so it is in no conversation: scope=channel shows what was said"]
    if found.looked_at == 1:
        return ["no other line is recorded around it"]
    if len(found.messages) == 1:
        others = counted(found.looked_at - 1, "line")
        return [f"none of the {others} around it seems to belong to it: scope=channel shows them"]
    return [_size(found), *_how_sure(found)]


def links_json(found: Conversation, shown: Sequence[Message]) -> list[dict[str, object]]:
    """Which line answers which, for a program; `answers` is "" where a conversation starts."""
    ids = {message.id for message in shown}
    return [
        {
            "id": str(link.line),
            "answers": "" if link.answers is None else str(link.answers),
            "probability": round(link.probability, 2),
        }
        for link in found.links
        if link.line in ids
    ]


def _size(found: Conversation) -> str:
    """`24 lines of 3 people, out of the 200 around it; 41 others lie between them`."""
    people = len({message.nick.lower() for message in found.messages})
    who = "one person" if people == 1 else f"{people} people"
    lie = "lies" if found.between == 1 else "lie"
    others = f"{counted(found.between, 'line')} of other talk {lie} between them"
    return (
        f"{counted(len(found.messages), 'line')} by {who}, of {found.looked_at} looked at;"
        f" {others if found.between else 'nothing else lies between them'}"
    )


def _how_sure(found: Conversation) -> list[str]:
    """In plain words, from the probabilities of the links: they are right as often as they say."""
    tied = [link for link in found.links if link.answers is not None or link.outside]
    guesses = [link for link in tied if not link.tagged]
    if not guesses:
        return ["who answers whom is known from reply tags"]
    right = round(10 * sum(link.probability for link in guesses) / len(guesses))
    tags = len(tied) - len(guesses)
    known = (
        f"{counted(tags, 'answer')} known from reply tags, the others guessed"
        if tags
        else ("who answers whom is guessed")
    )
    how_many = "almost all" if right >= 10 else f"about {right} in 10"
    return [f"{known}: {how_many} such guesses are right{_doubts(guesses)}"]


def _doubts(guesses: Sequence[ReplyLink]) -> str:
    """The ids of the lines that belong elsewhere most probably."""
    doubtful = sorted(
        (link for link in guesses if link.probability < DOUBTFUL), key=lambda link: link.probability
    )
    if not doubtful:
        return ""
    named = ", ".join(str(link.line) for link in doubtful[:_MOST_NAMED])
    more = f" and {len(doubtful) - _MOST_NAMED} more" if len(doubtful) > _MOST_NAMED else ""
    return f"; doubtful: {named}{more}"

"""Dialogues for the store's tests: turns and summaries that read aloud."""

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.store import (
    DialoguePlace,
    DialogueSummary,
    DialogueTurn,
    Store,
    StoredDialogue,
    TurnState,
)
from tests.store.scene import NOON

TEA = DialoguePlace("net", "#tea")
IN_PRIVATE = DialoguePlace("net", person="account countess")
ADA = Identity("net", "ada", "~ada", "host.example", "countess")
BO = Identity("net", "bo", "~bo", "host.example")


def turn(number: int = 1, **changes: Any) -> DialogueTurn:
    """A turn of ada's that is done, `number` minutes after noon."""
    asked = DialogueTurn(
        number,
        window=1,
        asked_at=NOON + timedelta(minutes=number),
        asker=ADA,
        question=f"question {number}",
        answer=f"answer {number}",
        state=TurnState.DONE,
    )
    return replace(asked, **changes)


def summary(
    first: int, last: int, *, minute: int = 0, omitted: Collection[int] = ()
) -> DialogueSummary:
    """What these turns said, made an hour and some minutes after noon."""
    made_at = NOON + timedelta(hours=1, minutes=minute)
    text = f"what {first} to {last} said"
    return DialogueSummary(text, first, last, made_at, frozenset(omitted))


async def put(store: Store, *turns: DialogueTurn, place: DialoguePlace = TEA) -> None:
    """Store turns, of which nothing was removed."""
    for one in turns:
        assert await store.dialogues.put_turn(place, one)


def numbers(dialogue: StoredDialogue) -> list[int]:
    """The numbers of its turns."""
    return [one.number for one in dialogue.turns]


async def talk(store: Store, place: DialoguePlace = TEA) -> list[int]:
    """The numbers of the turns that are part of the talk."""
    return numbers(await store.dialogues.load(place))

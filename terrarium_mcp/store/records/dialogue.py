"""The values of dialogues: what the bot was asked, what it looked up, and its answers."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from terrarium_mcp.chat.identity import Identity


@dataclass(frozen=True, slots=True)
class DialoguePlace:
    """Where a dialogue is held: in a channel, or in a private chat.

    `channel` is its bare name, "" of a private chat; `person` is then who it is with and
    what else tells it apart from all other dialogues, in any form that stays the same.
    """

    network: str
    channel: str = ""
    person: str = ""


class TurnState(StrEnum):
    """How far a turn of a dialogue has come."""

    OPEN = "open"  # it is being answered, or its process died meanwhile
    DONE = "done"  # its answer was said
    STOPPED = "stopped"  # it was taken back, or nothing could be said
    CUT = "cut"  # its process died before the answer was said


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One tool call of a turn; `result` is a short form of what the tool answered.

    Calls of one `round` were made side by side, in the order of the steps.
    """

    round: int
    tool: str
    arguments: str
    result: str


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """A question, what was looked up for it, and its answer: indivisible.

    `number` counts the turns of a dialogue from 1. Turns of an earlier `window` than the dialogue's
    are kept, and no longer part of the talk. `asked_at` is by this machine's clock: what was
    removed later than that is not stored. `message_id` is the question's line, 0 if it is not
    recorded. `sources` are the ids of all messages that its model was shown, and of those that any
    earlier turn of the window rests on, which it was shown as a turn or in a summary: with any of
    them the turn is removed as well, since its answer may repeat it.
    """

    number: int
    window: int
    asked_at: datetime
    asker: Identity
    question: str
    message_id: int = 0
    steps: tuple[ToolStep, ...] = ()
    answer: str = ""
    state: TurnState = TurnState.OPEN
    sources: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class DialogueSummary:
    """What turns `first` to `last` of a dialogue said, in a model's words.

    It rests on every turn from `first` to `last`, but for the numbers in `omitted`: those of turns
    that the model was not shown, neither now nor for the summary before this one. With any turn
    that it rests on the summary is removed as well. `rests_on` are the ids of all messages with
    which one of these turns is removed: those of the last turn, as each rests on what the ones
    before it rest on.
    """

    text: str
    first: int
    last: int
    made_at: datetime
    omitted: frozenset[int] = field(default_factory=frozenset)
    rests_on: frozenset[int] = field(default_factory=frozenset)

    @property
    def turns(self) -> frozenset[int]:
        """The numbers of the turns that it rests on."""
        return frozenset(range(self.first, self.last + 1)) - self.omitted


@dataclass(frozen=True, slots=True)
class StoredDialogue:
    """A dialogue as far as it is part of the talk: its window, summary, and the turns after it.

    `turns` are those of the window that are done and that the summary does not rest on, oldest
    first. `newest` is the highest number that any turn has had, whatever its state, also if it was
    removed; 0 if there was none.
    """

    window: int = 1
    newest: int = 0
    summary: DialogueSummary | None = None
    turns: tuple[DialogueTurn, ...] = ()

    @property
    def length(self) -> int:
        """How many turns are part of the talk, those of its summary among them."""
        return len(self.turns) + (len(self.summary.turns) if self.summary else 0)

    @property
    def rests_on(self) -> frozenset[int]:
        """The ids of all messages that its summary and turns rest on, the questions' lines too."""
        told = self.summary.rests_on if self.summary else frozenset[int]()
        questions = (turn.message_id for turn in self.turns if turn.message_id)
        return told.union(*(turn.sources for turn in self.turns), questions)

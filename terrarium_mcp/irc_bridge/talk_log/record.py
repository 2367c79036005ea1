"""One line of the talk log: a question in figures, as a value and as JSON. Pure."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field, TypeAdapter

from terrarium_mcp.chat.irctext import encodable
from terrarium_mcp.irc_bridge.model.chat_types import Amount, TokenUsage

PRIVATE_CHAT = "private"
"""In place of the channel of a question that was asked in private: a nick is never logged."""

_Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Outcome(StrEnum):
    """What became of a question."""

    ANSWERED = "answered"
    """The model's own words were said."""
    BEST_LINES = "best lines"
    """The model gave no answer: search hits were said."""
    REFUSED = "refused"
    """No model was asked: the question is empty, or no guardian is present."""
    STOPPED = "stopped"
    """It was taken back, or its asker left, while it was in work."""
    CUT = "cut"
    """The connection ended, the network refused it, or too many lines waited, before all of the
    answer was said."""
    FAILED = "failed"
    """An error, which the operator's log has under the same id."""


@dataclass(frozen=True, slots=True)
class TimedPart:
    """A part of the time that a question took, in milliseconds: from when (`at`) and how long.

    `parts` are what it consists of; these may overlap, such as calls made side by side. `outcome`
    is that of a call: `ok`, or what was wrong.
    """

    name: str
    at: _Milliseconds
    ms: _Milliseconds
    outcome: str = ""
    parts: tuple["TimedPart", ...] = ()


@dataclass(frozen=True, slots=True)
class TalkRecord:
    """A question without its text: no nick, no argument and no result is in it.

    Attributes:
        time: when the question was heard.
        id: six hexadecimal digits; an error names them in the channel and in the operator's log.
        network: by its name in the settings.
        channel: `#tea`, or PRIVATE_CHAT.
        model: its name; empty if none is known yet.
        outcome: what became of it.
        ms: milliseconds from when the question was heard until its answer had left.
        parts: what these consist of, one after the other, the first first.
        rounds: how many times the model called tools.
        tokens: of all requests to the model.
        lines: how many lines of the answer left.
        bytes: their length in UTF-8.
    """

    time: AwareDatetime
    id: str
    network: str
    channel: str
    model: str
    outcome: Outcome
    ms: _Milliseconds
    parts: tuple[TimedPart, ...]
    rounds: Amount
    tokens: TokenUsage
    lines: Amount
    bytes: Amount


_RECORD = TypeAdapter(TalkRecord)


def to_json(record: TalkRecord) -> str:
    """The record as one line of JSON, without the line break and without lone surrogates."""
    fields = _RECORD.dump_python(record, mode="json", exclude_defaults=True)
    return encodable(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))


def record_from_json(line: str | bytes) -> TalkRecord:
    """The record in a line of the talk log. What a later version adds to it is ignored.

    Raises:
        ValueError: it is none.
    """
    return _RECORD.validate_json(line)

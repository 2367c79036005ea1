"""How many questions a person and a channel may ask. Pure: time is passed in."""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum

from terrarium_mcp.irc_bridge.ask.commands import PersonKey

CHANNEL_PERIOD = 900.0
"""Seconds in which a channel has its number of questions."""


class Refusal(Enum):
    """Why a command is not served; the value is what its asker is told."""

    ONE_WAITS = "one of your questions is waiting already. Ask the next when it is answered."
    TOO_QUICK = "that was quick. Ask again in a little while."
    QUESTIONS_FULL = "Too many questions are waiting here. Ask again in a while."
    COMMANDS_FULL = "Too many commands are waiting here. Try again in a while."
    CHANNEL_SPENT = "This channel has asked a lot within a few minutes. Ask again in a while."
    PAUSED = "that is faster than a person could ask. I will not answer you for a few minutes."
    NO_LONGER = "I did not take what you asked a while ago. Ask again."
    NOT_VOICED = "here only people with voice, or a higher rank, may ask me. Other commands work."
    NOT_LOGGED_IN = "only people who are logged in to services may ask me. Other commands work."
    NOT_OPERATOR = "only the channel's operators can do that."
    NO_CHANNEL = "say that in the channel that it is about."
    NOTHING_TO_STOP = "no question of yours is waiting or in work here."

    @property
    def is_of_the_moment(self) -> bool:
        """Whether it may soon be no longer true, and then helps nobody."""
        return self in (Refusal.NOT_OPERATOR, Refusal.NO_CHANNEL, Refusal.NOTHING_TO_STOP)

    @property
    def stands_alone(self) -> bool:
        """Whether those whom it concerns are told it, whatever most others are told."""
        return self in (Refusal.PAUSED, Refusal.NO_LONGER)


@dataclass(slots=True)
class QuestionLimits:
    """Counts questions: of a person `burst` in a row, then one `every` that many seconds.

    A channel may ask `per_channel` in any quarter of an hour.

    It holds people only until their whole burst is free again, so at most as many as were served in
    `burst * every` seconds.
    """

    burst: int
    every: float
    per_channel: int
    # The moment at which each person's whole burst is free again: the generic cell rate algorithm
    # (ITU-T I.371), which is a token bucket in one number.
    _free_at: dict[PersonKey, float] = field(default_factory=dict)
    _asked_at: dict[str, deque[float]] = field(default_factory=dict)

    def refusal(self, person: PersonKey, channel: str, now: float) -> Refusal | None:
        """Why a question is one too many; None if it is not. `channel` is "" for a private chat."""
        if self._free_at.get(person, now) - now > (self.burst - 1) * self.every:
            return Refusal.TOO_QUICK
        if channel and len(self._recent(channel, now)) >= self.per_channel:
            return Refusal.CHANNEL_SPENT
        return None

    def count(self, person: PersonKey, channel: str, now: float) -> None:
        """Count a question that will be served."""
        self._free_at = {who: free for who, free in self._free_at.items() if free > now}
        self._free_at[person] = self._free_at.get(person, now) + self.every
        if channel:
            self._recent(channel, now).append(now)

    def _recent(self, channel: str, now: float) -> deque[float]:
        """The moments of a channel's questions in the period that ends now."""
        asked = self._asked_at.setdefault(channel, deque())
        while asked and asked[0] <= now - CHANNEL_PERIOD:
            asked.popleft()
        return asked

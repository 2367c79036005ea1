"""Questions in plain language, of five to ten words, as a person would ask for a line."""

import random

from bench.questions import Line, plain_words
from terrarium_mcp.chat.times.timestamps import from_text

MENTIONED = 3
"""Words of a line that its question may hold. Who remembers fewer does not ask for that line."""

_TELLING = 4
"""Letters of a word that somebody may remember."""

_FORMS = (
    "what did {nick} say about {one} and {other}?",
    "who spoke of {one} and {other} in {month}?",
    "when did somebody mention {one} {other} {third}?",
    "does anyone know about {one} {other}?",
    "where can I find {one} {other}",
    "why is the {one} {other} so {third}?",
    "how do I get {one} {other} to work with {third}?",
)


def remembered(line: Line) -> list[str]:
    """The words of a line by which somebody may ask for it."""
    return [word for word in plain_words(line.text) if len(word) >= _TELLING]


def question_about(line: Line, rng: random.Random) -> str:
    """A question that the line may answer: some of its words in a person's wording."""
    one, other, third = rng.sample(remembered(line), MENTIONED)
    return rng.choice(_FORMS).format(
        one=one, other=other, third=third, nick=line.nick, month=f"{from_text(line.said_at):%B}"
    )

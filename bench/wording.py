"""Questions in plain language, of five to ten words, as a person would ask for a line."""

import random

from bench.questions import Line, plain_words
from terrarium_mcp.chat.when import from_text

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


def question_about(line: Line, rng: random.Random) -> str:
    """A question that the line may answer: some of its words in a person's wording."""
    words = plain_words(line.text)
    telling = [word for word in words if len(word) >= _TELLING]
    one, other, third = rng.sample(telling if len(telling) > 2 else words, 3)
    return rng.choice(_FORMS).format(
        one=one, other=other, third=third, nick=line.nick, month=f"{from_text(line.said_at):%B}"
    )

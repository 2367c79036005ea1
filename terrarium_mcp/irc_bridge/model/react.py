"""What a model writes after prompts of the ReAct kind: Thought, Action, Observation, Final Answer.

Some write these labels in bold, or in another case. Each pattern takes time in proportion to the
text (test_answers.py): a label is found only where a line begins.
"""

import re
from typing import NamedTuple


class Action(NamedTuple):
    """The tool that a text asks for, and its input, which should be a JSON object."""

    tool: str
    input: str


def _label(words: str) -> str:
    return rf"\*{{0,2}}(?:{words})\*{{0,2}}:\*{{0,2}}"


_THOUGHT = re.compile(rf"\s*{_label('Thought')}", re.IGNORECASE)
_CALL_BEGINS = re.compile(rf"\n{_label('Action')}[^\n]*\n{_label('Action Input')}", re.IGNORECASE)
_FINAL_ANSWER = re.compile(rf"\n{_label('Final Answer')}[ \t]*", re.IGNORECASE)
_ACTION = re.compile(
    rf"(?:{_label('Thought')}.*?\n)?"
    rf"{_label('Action')}[ \t]*[`*]{{0,2}}([\w.-]+)[`*]{{0,2}}[ \t]*\n"
    rf"{_label('Action Input')}(.*?)"
    # What the model makes up behind it goes: it gets the real result.
    rf"(?:\n{_label('Observation|Thought|Final Answer')}.*)?",
    re.DOTALL | re.IGNORECASE,
)


def action(text: str) -> Action | None:
    """The call that a text consists of; None of any other text."""
    found = _ACTION.fullmatch(text)
    return Action(found[1], found[2]) if found else None


def without_thought(text: str) -> str:
    """The answer of a text that begins with a thought, its last one; any other text as it is.

    Behind a call an answer is made up: the text is a call, and stays whole.
    """
    answers = list(_FINAL_ANSWER.finditer(text)) if _THOUGHT.match(text) else []
    if not answers or _CALL_BEGINS.search(text, 0, answers[-1].start()):
        return text
    label, answer = answers[-1][0], text[answers[-1].end() :]
    # The label and the answer may be in bold together.
    return answer.replace("**", "", 1) if label.count("**") == 1 else answer

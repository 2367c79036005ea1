"""Marks a question for the model, with who asks it. Pure."""

import re
from html import escape

from terrarium_mcp.chat.irctext import harmless

_QUESTION_TAG = re.compile(r"<(?=/?question\b)", re.IGNORECASE)


def question_tag(asker: str, text: str, *, at: str = "") -> str:
    """The question in its tag; its text can neither close the tag nor open another.

    `at` is when it was asked, for a question of the past.
    """
    when = f' at="{at}"' if at else ""
    asked = _QUESTION_TAG.sub("< ", harmless(text))
    return f'<question from="{escape(harmless(asker))}"{when}>{asked}</question>'

"""Removes from a model's words what was never meant for the channel: reasoning and echoes."""

import re

_REASONING_TAG = re.compile(
    r"<(/?)(?:think|thinking|thought|thin|reasoning)\b[^<>]*>", re.IGNORECASE
)


def without_reasoning(text: str) -> str:
    """`text` without what stands in reasoning tags.

    After a tag that is never closed everything is reasoning; before a closing tag that was never
    opened everything was (chat templates often write the opening tag into the prompt).
    """
    kept: list[str] = []
    at, inside = 0, False
    for tag in _REASONING_TAG.finditer(text):
        closing = bool(tag[1])
        if not closing and not inside:
            kept.append(text[at : tag.start()])
        elif closing and not inside:
            kept.clear()
        at, inside = tag.end(), not closing
    return "".join(kept) if inside else "".join([*kept, text[at:]])


def echo(nick: str, asker: str, mark: str) -> re.Pattern[str]:
    """Matches what a model copies in front of its answer from the log lines that it was shown.

    Those are its own transcript prefix (`[14:23] <Terra> `, with or without id and brackets), its
    nick, and the `asker: [LLM] ` that our replies begin with. A quoted line of somebody else
    keeps its nick.
    """
    bot = re.escape(nick)
    addressed = "|".join(re.escape(name) for name in (nick, asker) if name)
    time = r"\[?\d{1,2}:\d{2}(?::\d{2})?\]?"
    forms = [rf"(?:\d+\s+)?(?:{time}\s+)?<{bot}>", rf"(?:{addressed}):(?!\S)"]
    if mark:
        forms.append(re.escape(mark))
    return re.compile(rf"(?:\s*(?:{'|'.join(forms)})\s*)+", re.IGNORECASE)

"""Removes reasoning and echoed prefixes from a model's answer."""

import re

_REASONING_TAG = re.compile(
    r"<(/?)(?:think|thinking|thought|thin|reasoning)\b[^<>]*>", re.IGNORECASE
)


def without_reasoning(text: str) -> str:
    """`text` without the content of reasoning tags.

    After an unclosed tag everything is reasoning. Before a closing tag without an opening one
    everything was: chat templates often put the opening tag into the prompt.
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


def echo_pattern(nick: str, asker: str, mark: str) -> re.Pattern[str]:
    """Matches the prefixes that a model copies from its log lines to the start of its answer.

    They are the bot's transcript prefix (`[14:23] <Terra> `, with or without id and brackets),
    its nick, and the `asker: [LLM] ` that its replies begin with. A quoted line of another
    person keeps its nick.
    """
    bot = re.escape(nick)
    addressed = "|".join(re.escape(name) for name in (nick, asker) if name)
    time = r"\[?\d{1,2}:\d{2}(?::\d{2})?\]?"
    forms = [rf"(?:\d+\s+)?(?:{time}\s+)?<{bot}>", rf"(?:{addressed}):(?!\S)"]
    if mark:
        forms.append(re.escape(mark))
    return re.compile(rf"(?:\s*(?:{'|'.join(forms)})\s*)+", re.IGNORECASE)

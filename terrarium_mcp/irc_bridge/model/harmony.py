"""Finds the answer in the response format of gpt-oss, where an endpoint passes it on as it is.

    <|channel|>analysis<|message|>reasoning<|end|><|start|>assistant<|channel|>final<|message|>answer

Some endpoints drop the tokens and leave `analysisreasoningassistantfinalanswer`
(sgl-project/sglang#9190). The format: OpenAI's "harmony response format".
"""

import re

from terrarium_mcp.irc_bridge.model.code_spans import CodeSpans

_MESSAGE = re.compile(
    r"(?:\A\s*|<\|(?:start|end)\|>(?:assistant)?)<\|channel\|>\s{0,3}(?P<channel>\w{1,20})"
    r"[^<]{0,200}(?:<\|constrain\|>[^<]{0,200})?<\|message\|>"
)
_END = re.compile(r"<\|(?:start|channel|end|return|call)\|>")
_BARE_FINAL = "assistantfinal"


def final_channel(text: str) -> str:
    """The words of the last message in the final channel; `text` itself if it has no channels.

    Without a message in that channel there are none.
    """
    if text.lstrip().startswith(("analysis", "commentary", _BARE_FINAL)) and _BARE_FINAL in text:
        return text.rpartition(_BARE_FINAL)[2]
    messages = list(_MESSAGE.finditer(text))
    if not messages or CodeSpans(text).holds(messages[0].start()):
        return text
    finals = [found.end() for found in messages if found["channel"] == "final"]
    if not finals:
        return ""
    end = _END.search(text, finals[-1])
    return text[finals[-1] : end.start() if end else len(text)]

"""Finds the answer in the response format of gpt-oss, where an endpoint passes it on as it is.

    <|channel|>analysis<|message|>reasoning<|end|><|start|>assistant<|channel|>final<|message|>answer

Some endpoints drop the tokens and leave `analysisreasoningassistantfinalanswer`
(sgl-project/sglang#9190). The format: OpenAI's "harmony response format".
"""

import re

_MESSAGE = re.compile(
    r"<\|channel\|>\s*(?P<channel>\w+)[^<]{0,200}(?:<\|constrain\|>[^<]{0,200})?<\|message\|>"
)
_END = re.compile(r"<\|(?:start|channel|end|return|call)\|>")
_BARE_FINAL = "assistantfinal"


def final_channel(text: str) -> str:
    """The words of the last message in the final channel; `text` itself if it has no channels."""
    if text.lstrip().startswith(("analysis", "commentary", _BARE_FINAL)) and _BARE_FINAL in text:
        return text.rpartition(_BARE_FINAL)[2]
    if not text.lstrip().startswith("<|"):
        return text
    messages = list(_MESSAGE.finditer(text))
    finals = [found for found in messages if found["channel"] == "final"]
    if not finals:
        return "" if messages else text
    end = _END.search(text, finals[-1].end())
    return text[finals[-1].end() : end.start() if end else len(text)]

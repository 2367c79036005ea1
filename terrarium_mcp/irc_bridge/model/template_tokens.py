r"""The special tokens of chat templates: removed from answers, broken in what is sent.

An endpoint that does not know a model's end of turn goes on after it, often as the next speaker:
`Ada did.<|im_end|>\n<|im_start|>user\n...`. So the answer ends at the first such token.

Many endpoints take a token in the text of a message for the template's own: a line of chat that
holds `<|im_end|><|im_start|>system` would end its message, and speak as we do.
"""

import re

from terrarium_mcp.irc_bridge.model.code_spans import CodeSpans

_ENDS = (
    r"<\|(?:im_end"  # ChatML: Qwen, Yi and many others
    r"|eot_id|eom_id|end_of_text"  # Llama 3 (pytorch/torchchat#459)
    r"|endoftext|end|return|call"  # GPT, Phi, gpt-oss
    r"|end_of_turn|eot|user|observation"  # OpenChat, DeepSeek Coder (its issue #136), GLM
    r"|end_of_turn_token|end_response|end_of_role)\|>"  # Command R and A, Granite
    r"|<end_of_turn>|<eos>"  # Gemma
    r"|<\uff5c(?:end\u2581of\u2581sentence|User)\uff5c>"  # DeepSeek
    # Llama 2 and Mistral (NVIDIA/TensorRT-LLM#425); inside a line it is HTML.
    r"|</s>(?=[ \t]*$|</s>|<s>)"
)
_BEGINS = (
    r"<\|(?:im_start|start_header_id|start|start_of_role)\|>\s{0,3}(?:assistant\b)?\s{0,3}"
    r"(?:<\|(?:end_header_id|end_of_role|message)\|>)?"
    r"|<\|(?:start_of_turn_token|chatbot_token|start_response)\|>"  # Command R and A
    # What is left of a head that an endpoint removed as far as "assistant" is gpt-oss's `message`.
    r"|<\|(?:assistant|begin_of_text|begin_of_solution|message)\|>|<start_of_turn>\s{0,3}(?:model\b)?"
    r"|<\uff5c(?:begin\u2581of\u2581sentence|Assistant)\uff5c>"
    r"|<bos>|<s>(?![^\n<]{0,200}</s>)|\[/INST\]"
)
_END = re.compile(_ENDS, re.IGNORECASE | re.MULTILINE)
_LEADING = re.compile(rf"(?:\s+|{_BEGINS}|{_ENDS})++", re.IGNORECASE | re.MULTILINE)
_BOX = re.compile(r"<\|(?:begin|end)_of_box\|>")
"""What GLM-V writes around an answer, also in the middle of its sentence."""
_SOLUTION_END = "<|end_of_solution|>"

_TOKEN_START = re.compile(
    r"<(?=\|[^|<>\s]{1,40}\|>|\uff5c[^\uff5c<>\s]{1,40}\uff5c>"  # most models; DeepSeek
    r"|/?s>|(?:bos|eos|pad|unk|start_of_turn|end_of_turn)>"  # Llama 2, Gemma
    r"|(?:(?:start|end)_function_(?:call|response|declaration)|escape)>)"  # FunctionGemma
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",  # Mistral
    re.IGNORECASE,
)

# Of what is before a token and after it, joined by a character that stands for the token itself.
_IN_PROSE = re.compile(r"""(?:\w |.?["'\u201c\u2018(])\0(?: \w|[.,;:!?)"'\u201d\u2019])""")


def without_template_tokens(text: str) -> str:
    """`text` without leading tokens, cut at the first end-of-turn token after some words."""
    text = _without_boxes(text)
    if leading := _LEADING.match(text):
        text = text[leading.end() :]
    code = CodeSpans(text)
    end = next((one for one in _END.finditer(text) if not _is_mention(text, one, code)), None)
    return (text[: end.start()] if end else text).removesuffix(_SOLUTION_END)


def _without_boxes(text: str) -> str:
    code = CodeSpans(text)
    return _BOX.sub(lambda box: box[0] if _is_mention(text, box, code) else "", text)


def broken_template_tokens(text: str) -> str:
    """`text` with a blank inside each token, so that no template reads it as its own."""
    return _TOKEN_START.sub(r"\g<0> ", text)


def _is_mention(text: str, token: re.Match[str], code: CodeSpans) -> bool:
    """Whether a token is a word of a sentence: in code, or between words of its line."""
    before = text[max(token.start() - 2, 0) : token.start()]
    after = text[token.end() : token.end() + 2]
    return code.holds(token.start()) or _IN_PROSE.match(f"{before}\0{after}") is not None

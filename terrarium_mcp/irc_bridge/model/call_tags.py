r"""Finds the tags in which chat templates put tool calls, and what is between them. Pure.

An endpoint without a parser for its model passes them on as they are. A new one is a line here, and
a reader in `text_tool_calls.py` if what it holds is written as nothing else is.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from terrarium_mcp.irc_bridge.model.code_spans import CodeSpans

_TOKENS = (
    ("[TOOL_CALLS]", ""),  # Mistral
    ("<|python_tag|>", ""),  # Llama 3.1
    ("<|python_start|>", "<|python_end|>"),  # Llama 4
    ("<|tool_call|>", "<|/tool_call|>"),  # Phi 4, Granite 3
    ("<|tool_call>", "<tool_call|>"),  # Gemma 4
    ("<start_function_call>", "<end_function_call>"),  # FunctionGemma
    ("<|tool_call_start|>", "<|tool_call_end|>"),  # LFM2, MiniCPM
    ("<|tool_call_begin|>", "<|tool_call_end|>"),  # Kimi K2, inside the next
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    # DeepSeek V3, one inside the other; results, which it makes up
    ("<\uff5ctool\u2581call\u2581begin\uff5c>", "<\uff5ctool\u2581call\u2581end\uff5c>"),
    ("<\uff5ctool\u2581calls\u2581begin\uff5c>", "<\uff5ctool\u2581calls\u2581end\uff5c>"),
    ("<\uff5ctool\u2581outputs\u2581begin\uff5c>", "<\uff5ctool\u2581outputs\u2581end\uff5c>"),
    ("<\uff5cDSML\uff5cfunction_calls>", "</\uff5cDSML\uff5cfunction_calls>"),  # DeepSeek V3.2
    ("<\uff5ctool_calls_begin\uff5c>", "<\uff5ctool_calls_end\uff5c>"),  # Step 3
    ("<|START_ACTION|>", "<|END_ACTION|>"),  # Command A
    ("<|action_start|>", "<|action_end|>"),  # InternLM, with the next behind it
    ("<|plugin|>", ""),
    ("<|tools_prefix|>", "<|tools_suffix|>"),  # Apertus
)
"""Special tokens: nobody writes them but a template, or who speaks about one."""

# `tool_call` of Hermes, Qwen and GLM; `tool_calls` of Jamba, Hunyuan and MiniMax M1;
# `function_call` of Granite 20B; `function_calls` of Claude and OLMo 3; `minimax:tool_call`,
# `seed:tool_call`, `longcat_tool_call`; `tools` of Qwen2.5-Coder; `tool_code` of Gemini; `TOOLCALL`
# of Nemotron. `tool_response` is Qwen's tag of a result, which models make up.
_ELEMENT = r"(?:\w{1,20}[:_])?(?:tool|function)_calls?|tools|tool_code|tool_response|TOOLCALL"


def _any_of(tags: Iterator[str]) -> str:
    return "|".join(re.escape(tag) for tag in tags if tag)


_TOKEN = _any_of(opening for opening, _ in _TOKENS)
_OPENING = rf"{_TOKEN}|<(?:{_ELEMENT})>|functools(?=\[)"  # the last: Phi 4 mini
_CLOSING = rf"{_any_of(closing for _, closing in _TOKENS)}|</(?:{_ELEMENT})>"
_TAGS = re.compile(rf"(?:(?:{_OPENING}|{_CLOSING})\s*)++")
_TAG = re.compile(rf"{_OPENING}|{_CLOSING}")
_LAST_TAG = re.compile(rf"(?:{_CLOSING})\Z")
_CALL = re.compile(
    rf"(?P<token>{_TOKEN})|{_OPENING}"
    r"|<(?:\uff5cDSML\uff5c)?(?:function=|invoke name=)"  # calls of Qwen3-Coder and Claude
    r"|\[called [\w.-]{1,64} \{"  # our own mention of a call, which models imitate
)
_SPEAKS_OF_IT = re.compile(r"(?:<[^<>\n]{1,40}>|\[\w+\])(?: [a-z]+|[:,]) \w")
_ORDINARY = "<tools>", "functools"
"""What XML and Python have too: if it holds no call, it is the answer."""

_LINE_OR_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?\u2026]) {0,3}\Z", re.MULTILINE)
_QUOTING = ('"', "'", "(", "\u201c", "\u2018", "\u00ab")


def begins_with_call(text: str) -> bool:
    """Whether a text begins as a call in the tags of a template does."""
    return _CALL.match(text) is not None


def speaks_to_template(text: str) -> bool:
    """Whether a text begins with a tag for a template to read, rather than for a person.

    `[TOOL_CALLS] is how it begins` and `<tools>` in XML are for people.
    """
    is_for_people = text.startswith(_ORDINARY) or _SPEAKS_OF_IT.match(text)
    return begins_with_call(text) and not is_for_people


def place_of_call(text: str) -> int | None:
    """Where in a text a call in tags may begin; None if it may nowhere.

    Not in code: it may be the example that was asked for. A special token begins one anywhere but
    in quotes, any other tag where a line or a sentence begins, or where its own line ends.
    """
    code = CodeSpans(text)
    places = (found.start() for found in _CALL.finditer(text) if _may_begin(text, found))
    return next((place for place in places if not code.holds(place)), None)


def _may_begin(text: str, tag: re.Match[str]) -> bool:
    before = text[max(tag.start() - 4, 0) : tag.start()]
    if tag["token"]:
        return not before.endswith(_QUOTING)
    return text.startswith("\n", tag.end()) or bool(_LINE_OR_SENTENCE_BEGINS.search(before))


def without_last_tag(text: str) -> str:
    """A text without the closing tag at its end, whose opening one some models leave out."""
    closing = _LAST_TAG.search(text)
    return text[: closing.start()].rstrip() if closing else text


def bodies_between_tags(text: str) -> Iterator[list[str]]:
    """What is between the tags of a text, in the two ways to read it.

    First as if a tag alone, which no other one follows, were a word of a call's arguments; then as
    if each tag separated two calls.
    """
    runs = [(found.start(), found.end(), found[0]) for found in _TAGS.finditer(text)]
    outer = [
        (start, end)
        for start, end, tags in runs
        if start == 0 or end == len(text) or _TAG.sub("", tags, 1).strip()
    ]
    for borders in (outer, [(start, end) for start, end, _ in runs]):
        edges = [(0, 0), *borders, (len(text), len(text))]
        bodies = [text[end:start].strip() for (_, end), (start, _) in pairwise(edges)]
        yield [body for body in bodies if body]

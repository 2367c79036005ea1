r"""Removes reasoning from a model's answer, in every form in which endpoints let it through.

| form | written by | seen in |
|---|---|---|
| `<think>`, `<thinking>`, `<thought>` | DeepSeek R1, Qwen, GLM, Kimi, MiniMax | open-webui's list |
| `<thin>` | cut-off tags, removed by terrarium-irc | |
| `<reason>`, `<reasoning>` | Grok, fine-tuned models | open-webui's list |
| `<reflection>`, `<scratchpad>` | Reflection | lbds137/tzurot's table of formats |
| `<scratch_pad>` | Hermes | its prompt for calls |
| `<analysis>`, `<antthinking>` | prompts for Claude | openclaw's and tzurot's lists |
| `<seed:think>` | Seed-OSS | vllm-project/vllm#24263 |
| `<mm:think>` | MiniMax M3 | NousResearch/hermes-agent#45698 |
| `[THINK]` | Magistral | RooCodeInc/Roo-Code#8522 |
| `◁think▷` | Kimi-VL | sgl-project/sglang#7432 |
| `<\|begin_of_thought\|>` | Sky-T1, OpenThoughts | open-webui's list |
| `<\|channel>thought` ... `<channel\|>` | Gemma 4 | NousResearch/hermes-agent#67632 |
| `<\|START_THINKING\|>` | Command A | Cohere's description of its chat template |
| `<\|think\|>`, `<\|thinking\|>` | fine-tuned models | |
| `Thinking...` ... `...done thinking.` | any model | what `ollama run` prints |
| `Thought: ...`, then a line `Final Answer: ...` | any model | `react.py` |
| harmony | gpt-oss | `harmony.py` |
"""

import re
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import NamedTuple

from terrarium_mcp.irc_bridge.model.code_spans import CodeSpans
from terrarium_mcp.irc_bridge.model.harmony import answer_or_calls
from terrarium_mcp.irc_bridge.model.react import without_thought
from terrarium_mcp.irc_bridge.model.template_tokens import without_template_tokens

_NAMES = (
    r"think|thinking|thoughts?|thin|reason|reasoning|reflection|scratch_?pad|analysis"
    r"|ant_?thinking|(?:seed|mm):think"
)
_TAG = re.compile(
    r"<(?=[/|a-z]|\s{1,3}[/a-z])"  # or a text full of "<" takes 30 ms
    rf"(?:\s{{0,3}}(?P<closed>/?)\s{{0,3}}(?:{_NAMES})(?:\s[^<>]{{0,200}}?)?(?P<empty>/?)\s{{0,3}}>"
    r"|\|(?P<closed_think>/?)think(?:ing)?\|>"
    r"|\|(?:START|(?P<end_thinking>END))_THINKING\|>"
    r"|\|(?:begin|(?P<end>end))_of_thought\|>"
    r"|\|channel>\s{0,3}(?:thought|analysis)\b|(?P<closed_channel>channel\|>))"
    r"|\[(?P<closed_bracket>/?)(?-i:THINK)\]"
    r"|◁(?P<closed_triangle>/?)think▷",
    re.IGNORECASE,
)
_CLOSING = (
    *("closed", "closed_think", "end_thinking", "end"),
    *("closed_channel", "closed_bracket", "closed_triangle"),
)
"""The groups of `_TAG` of which a closing tag fills one."""

_ANSWER = re.compile(r"\s*<(answer|output|response)>", re.IGNORECASE)
"""What models write around an answer that they were trained to give behind their reasoning."""

_PRINTED = "Thinking...", "...done thinking."
"""What `ollama run` prints before reasoning and behind it; some proxies pass that on."""

_MOST_TAGS = 1000
"""A text with more of them is a model that repeats itself, without an answer."""

_MOST_WORDS_BETWEEN = 3
"""Words between two tags that are mentioned together: `<think> and then </think>`."""

_AFTER_MENTION = re.compile(r"""[.,;:!?)"'\u201d\u2019](?!\w)| +(?=\S)""")
_AFTER_CLOSING_MENTION = re.compile(
    r"""[.,;:!?)"'\u201d\u2019](?!\w)| +(?:tags?|tokens?|markers?|elements?)\b""", re.IGNORECASE
)


def without_reasoning(text: str) -> str:
    """The part of a model's `text` that is for its reader: no reasoning, no template tokens.

    After an unclosed tag everything is reasoning. Before a closing tag without an opening one
    everything was: chat templates often put the opening tag into the prompt. A tag that the answer
    only mentions stays: in code, or inside a sentence without a reasoning that it would begin.
    """
    text = _without_tagged(answer_or_calls(_without_printed(text)))
    return _unwrapped(without_template_tokens(without_thought(text)))


def _unwrapped(text: str) -> str:
    """What is in the element that an answer consists of; any other answer as it is.

    Its closing tag is missing where the endpoint cut the answer.
    """
    if not (opening := _ANSWER.match(text)):
        return text
    answer, closing, behind = text[opening.end() :].partition(f"</{opening[1]}>")
    is_mention = behind.strip() or not (closing or answer.startswith("\n"))
    return text if is_mention else answer


def _without_printed(text: str) -> str:
    before, after = _PRINTED
    _, end, answer = text.partition(after)
    return answer if end and text.lstrip().startswith(before) else text


class _Tag(NamedTuple):
    """A reasoning tag: where it is, and whether code holds it. An empty one is `<think/>`."""

    start: int
    end: int
    is_closing: bool
    is_empty: bool
    is_code: bool


def _without_tagged(text: str) -> str:
    tags = list(islice(_tags(text), _MOST_TAGS + 1))
    if len(tags) > _MOST_TAGS:
        return ""
    kept: list[str] = []
    at, inside = 0, False
    for tag in _meant(text, tags):
        if not inside and not tag.is_closing:
            kept.append(text[at : tag.start])
        elif tag.is_closing and not inside:
            kept.clear()
        elif tag.is_empty:
            continue
        at, inside = tag.end, not (tag.is_closing or tag.is_empty)
    return "".join(kept) if inside else "".join([*kept, text[at:]])


def _tags(text: str) -> Iterator[_Tag]:
    code = CodeSpans(text)
    for found in _TAG.finditer(text):
        is_closing = any(found[group] for group in _CLOSING)
        is_code = code.holds(found.start())
        yield _Tag(found.start(), found.end(), is_closing, bool(found["empty"]), is_code)


def _meant(text: str, tags: list[_Tag]) -> Iterator[_Tag]:
    """The tags without those that are only mentioned."""
    inside, mentioned = False, None
    for tag, following in zip_longest(tags, tags[1:]):
        if inside:  # whatever it says there
            is_mention = False
        elif tag.is_closing:
            is_mention = _is_closing_mention(text, tag, mentioned)
        else:
            is_mention = _is_opening_mention(text, tag, following)
        if is_mention:
            mentioned = tag
            continue
        inside = not (tag.is_closing or tag.is_empty)
        yield tag


def _is_opening_mention(text: str, tag: _Tag, following: _Tag | None) -> bool:
    """Whether an opening tag is a word of its sentence rather than the beginning of reasoning."""
    if tag.is_code:
        return True
    before = text[max(tag.start - 2, 0) : tag.start]
    if not (
        re.fullmatch(r"\w |.?[\"'\u201c\u2018(]", before) and _AFTER_MENTION.match(text, tag.end)
    ):
        return False
    return (
        following is None or not following.is_closing or _is_closing_mention(text, following, tag)
    )


def _is_closing_mention(text: str, tag: _Tag, mentioned: _Tag | None) -> bool:
    """Whether a closing tag is a word of its sentence; `mentioned` is the mention before it."""
    if tag.is_code:
        # In code without its opening tag it ends a reasoning in which the code began.
        alone = text[tag.start - 1 : tag.start] == text[tag.end : tag.end + 1] == "`"
        return alone or (mentioned is not None and mentioned.is_code)
    if _AFTER_CLOSING_MENTION.match(text, tag.end):
        return True
    between = text[mentioned.end : tag.start] if mentioned else "\n"
    words = between.split(maxsplit=_MOST_WORDS_BETWEEN)  # it may be all of a long text
    return "\n" not in between and len(words) <= _MOST_WORDS_BETWEEN

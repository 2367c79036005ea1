"""What endpoints refuse in a request, how they word it, and how the request is changed then. Pure.

Adaptations leave the talk as it is and change only the JSON that is sent.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from terrarium_mcp.irc_bridge.model.chat_completion import REASONING_FIELDS
from terrarium_mcp.irc_bridge.model.endpoint_errors import (
    says_bad_call,
    says_bad_message,
    says_bad_tools,
    says_missing_reasoning,
    says_no_tools,
    says_takes_no_tools,
)
from terrarium_mcp.settings import MOUNT_SEPARATOR

RequestBody = dict[str, Any]
"""A chat-completion request, as JSON."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """One thing that endpoints refuse.

    `refused` and `instead` complete the operator's sentence "The endpoint refuses ..., so ...".
    `recognises` decides by status and error text whether a refusal may mean this; `apply` returns
    the request without it, equal to its argument if it contains nothing of the kind. Those that
    refuse the same are equal.
    """

    refused: str
    instead: str
    recognises: Callable[[int, str], bool] = field(repr=False, compare=False)
    apply: Callable[[RequestBody], RequestBody] = field(repr=False, compare=False)


def adapted(body: RequestBody, adaptations: Collection[Adaptation]) -> RequestBody:
    """`body` with each of `adaptations` applied; messages are merged last, whatever made them."""
    order = {adaptation: place for place, adaptation in enumerate(ADAPTATIONS)}
    for adaptation in sorted(adaptations, key=lambda one: order.get(one, len(order)), reverse=True):
        body = adaptation.apply(body)
    return body


def next_adaptation(
    status: int, text: str, body: RequestBody, tried: Collection[Adaptation]
) -> Adaptation | None:
    """What to try after `body`, sent with the adaptations `tried`, was refused; None: nothing."""
    sent = adapted(body, tried)
    for adaptation in (*ADAPTATIONS[:-1], *_without_mounts(status, text, sent), TOOLS):
        if adaptation in tried or not adaptation.recognises(status, text):
            continue
        if adapted(body, [*tried, adaptation]) != sent:
            return adaptation
    return None


def blamed(tried: Mapping[Adaptation, str]) -> dict[Adaptation, str]:
    """Those of `tried` that an endpoint needs which answered at last, with its words for each.

    If it takes no tools, it has nothing against those of a mounted server.
    """
    if TOOLS not in tried:
        return dict(tried)
    return {adaptation: words for adaptation, words in tried.items() if adaptation in ADAPTATIONS}


def _without_mounts(status: int, text: str, sent: RequestBody) -> list[Adaptation]:
    """Leaving out mounted servers, whose schemas nobody has checked: those named, else all.

    None if the endpoint takes no tools at all, or names another one.
    """
    tools = [one.get("function", {}).get("name", "") for one in sent.get("tools", ())]
    numbers = [int(number) for number in _NUMBERED_TOOL.findall(text)]
    named = {tools[number] for number in numbers if number < len(tools)}
    named |= {name for name in tools if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)}
    if says_takes_no_tools(text) or says_bad_message(status, text):
        return []
    if not (named or says_bad_tools(status, text)):
        return []
    mounts = {_mount_of(name) for name in named or tools} - {""}
    return [_without_tools_of(mounts)] if mounts else []


def _mount_of(tool: str) -> str:
    """The mounted server of a tool; "" for our own."""
    mount, separator, _ = tool.partition(MOUNT_SEPARATOR)
    return mount if separator else ""


def _without_tools_of(mounts: Collection[str]) -> Adaptation:
    servers = "server" if len(mounts) == 1 else "servers"

    def apply(body: RequestBody) -> RequestBody:
        tools = body.get("tools", [])
        left = [one for one in tools if _mount_of(one["function"]["name"]) not in mounts]
        return {**body, "tools": left} if left else _without("tools")(body)

    return Adaptation(
        f"the tools of the MCP {servers} {', '.join(sorted(mounts))}",
        "they are not offered. Check the schemas of these tools",
        lambda _status, _text: True,
        apply,
    )


def _says(pattern: str) -> Callable[[int, str], bool]:
    """Recognises a refusal by its text alone: the status is often that of a proxy."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda _status, text: compiled.search(text) is not None


def _says_no_tool_messages(status: int, text: str) -> bool:
    return _NO_TOOL_ROLE(status, text) or says_bad_call(status, text)


def _without(name: str) -> Callable[[RequestBody], RequestBody]:
    return lambda body: {key: value for key, value in body.items() if key != name}


def _with_other_limit(body: RequestBody) -> RequestBody:
    if "max_tokens" not in body:
        return body
    return {**_without("max_tokens")(body), "max_completion_tokens": body["max_tokens"]}


def _without_system_message(body: RequestBody) -> RequestBody:
    """The system messages' words at the beginning of the first user message."""
    messages = body["messages"]
    rules = [one["content"] for one in messages if one["role"] == "system"]
    if not rules:
        return body
    others = [one for one in messages if one["role"] != "system"]
    at = next((n for n, one in enumerate(others) if one["role"] == "user"), None)
    if at is None:
        others, at = [{"role": "user", "content": ""}, *others], 0
    words = "\n\n".join([*rules, others[at]["content"]])
    others[at] = {**others[at], "content": words}
    return {**body, "messages": others}


def _with_alternating_roles(body: RequestBody) -> RequestBody:
    """One message where the same role speaks twice in a row; a user speaks first."""
    merged: list[dict[str, Any]] = []
    for message in body["messages"]:
        role = message["role"]
        if not merged or merged[-1]["role"] == "system":
            if role == "assistant":
                merged.append({"role": "user", "content": "(earlier)"})
        elif role == merged[-1]["role"] != "tool":
            merged[-1] = _joined(merged[-1], message)
            continue
        merged.append(message)
    return {**body, "messages": merged}


def _joined(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return {**first, **second, "content": f"{first['content']}\n\n{second['content']}"}


def _with_tool_messages_as_words(body: RequestBody) -> RequestBody:
    """Calls, which the content mentions anyway, and results as the words of assistant and user."""
    return {**body, "messages": [_as_words(message) for message in body["messages"]]}


def _as_words(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        content = f"[{message['name']} answered]\n{message['content']}"
        return {"role": "user", "content": content}
    return {"role": message["role"], "content": message["content"]}


def _with_unreasoned_calls_as_words(body: RequestBody) -> RequestBody:
    """Calls to which no reasoning or signature belongs, and their results, as words.

    Those of earlier questions have none any more.
    """
    messages, is_unreasoned = [], False
    for message in body["messages"]:
        if message["role"] != "tool":
            is_unreasoned = "tool_calls" in message and not _has_reasoning(message)
        messages.append(_as_words(message) if is_unreasoned else message)
    return {**body, "messages": messages}


def _has_reasoning(message: dict[str, Any]) -> bool:
    """Whether reasoning or a signature came with the calls; of several the first may have it."""
    return any(name in message for name in REASONING_FIELDS) or any(
        "extra_content" in call for call in message["tool_calls"]
    )


def _without_reasoning(body: RequestBody) -> RequestBody:
    return {**body, "messages": [_unreasoned(message) for message in body["messages"]]}


def _unreasoned(message: dict[str, Any]) -> dict[str, Any]:
    message = {key: value for key, value in message.items() if key not in REASONING_FIELDS}
    if calls := message.get("tool_calls"):
        message["tool_calls"] = [_without("extra_content")(call) for call in calls]
    return message


def _without_tools(body: RequestBody) -> RequestBody:
    return _with_tool_messages_as_words(_without("tools")(body))


def _without_result_names(body: RequestBody) -> RequestBody:
    return {**body, "messages": [_without("name")(message) for message in body["messages"]]}


def _with_short_ids(body: RequestBody) -> RequestBody:
    """Nine letters and digits for each id of a call."""
    return {**body, "messages": [_with_short_id(message) for message in body["messages"]]}


def _with_short_id(message: dict[str, Any]) -> dict[str, Any]:
    match message:
        case {"tool_call_id": str(given)}:
            return {**message, "tool_call_id": _short_id(given)}
        case {"tool_calls": [*calls]}:
            return {**message, "tool_calls": [{**one, "id": _short_id(one["id"])} for one in calls]}
    return message


def _short_id(given: str) -> str:
    if re.fullmatch("[a-zA-Z0-9]{9}", given):
        return given
    return hashlib.blake2s(given.encode(errors="replace")).hexdigest()[:9]


_NUMBERED_TOOL = re.compile(r"\btools(?:\.|\[)(\d{1,3})\b")
"""A tool by its place, at Anthropic and FastAPI: `tools.10.custom.input_schema`."""

_UNSUPPORTED = (
    r"(unsupported|(not|n't) (support|allow|accept|permit)\w*|(not|n't) be used|only the default"
    r"|unknown|unrecogni[sz]ed|unexpected|deprecated)"
)

TEMPERATURE = Adaptation(
    "a temperature",
    "it gets none",
    # OpenAI: "Unsupported value: 'temperature' does not support 0.8 with this model."
    _says(rf"\btemperature\b.*{_UNSUPPORTED}|{_UNSUPPORTED}.*\btemperature\b"),
    _without("temperature"),
)

MAX_TOKENS = Adaptation(
    "max_tokens",
    "it gets max_completion_tokens",
    # OpenAI: "Unsupported parameter: 'max_tokens' ... Use 'max_completion_tokens' instead."
    _says(r"\bmax_completion_tokens\b"),
    _with_other_limit,
)

_REASONING = rf"\b({'|'.join(REASONING_FIELDS)}|extra_content)\b"

REASONING = Adaptation(
    "the reasoning of earlier calls",
    "it is not sent back",
    # Groq: "property 'reasoning_content' is unsupported", "reasoning is not supported with this
    # model". FastAPI: "body.messages.2.reasoning_content: Extra inputs are not permitted".
    _says(rf"{_REASONING}.*{_UNSUPPORTED}|{_UNSUPPORTED}.*{_REASONING}"),
    _without_reasoning,
)

CALL_IDS = Adaptation(
    "the ids of tool calls",
    "it gets shorter ones",
    # Mistral's chat template: "Tool call IDs should be alphanumeric strings with length 9!"
    _says(r"tool call ids?\b.*\b(9|nine|length)|tool_call_?id.*\b(pattern|string too long)"),
    _with_short_ids,
)

RESULT_NAMES = Adaptation(
    "the names of tools beside their results",
    "they are left out",
    # FastAPI: "body.messages.3.tool.name: Extra inputs are not permitted". Groq: "property 'name'
    # is unsupported". xAI: "Only messages of role 'user' can have a name." JSON Schema: "Additional
    # properties are not allowed ('name' was unexpected)". Google: 'Unknown name "name" at ...'.
    _says(
        r"\bmessages(\.|\.?\[)\d{1,3}\]?(\.tool)?\.name\b|\bproperty ['\"]name['\"] is "
        r"(unsupported|not supported)|'name' was unexpected|\bunknown name \W?name\b"
        r"|\brole ['\"]?user['\"]? can have a name"
    ),
    _without_result_names,
)

TOOLS = Adaptation(
    "tools",
    "a search is put before each question instead. vLLM needs --enable-auto-tool-choice and"
    " --tool-call-parser, llama.cpp --jinja",
    says_no_tools,
    _without_tools,
)

_MUST_ALTERNATE = (
    r"roles must alternate|must alternate between|(must|should) (start|begin) with a user"
)

ALTERNATION = Adaptation(
    "two messages of one role in a row",
    "they are sent as one",
    # The chat templates of Mistral and Gemma, at any endpoint that uses them.
    _says(_MUST_ALTERNATE),
    _with_alternating_roles,
)

SYSTEM_MESSAGE = Adaptation(
    "a system message",
    "its rules are put before the question",
    # Gemma 2: "System role not supported". Mistral: "Only user and assistant roles are supported!"
    # OpenAI's o1-mini: "'messages[0].role' does not support 'system' with this model."
    # Gemini, of Gemma 3: "Developer instruction is not enabled for models/gemma-3-27b-it".
    _says(
        r"system (role|message|prompt)s?\b.{0,20}\bnot (be )?(support|allow|accept)"
        r"|roles? are supported|(unknown|unexpected|invalid|unsupported) role:? ['\"]?system"
        r"|\brole['\"]? does(n't| not) (support|allow|accept) ['\"]?system"
        r"|(system|developer) instructions? (is|are) not (enabled|supported)"
        r"|invalid value: ['\"]system\b"
        rf"|{_MUST_ALTERNATE}"
    ),
    _without_system_message,
)

# OpenAI, of a call that a proxy dropped: "messages with role 'tool' must be a response to ...", of
# the role: "Invalid value: 'tool'. Supported values are: ...". Mistral, of a result that a proxy
# dropped: "Expected last role User or Tool (or ...) for serving but got assistant".
_NO_TOOL_ROLE = _says(
    r"role ['\"]?tool\b|tool role|roles? are supported|tool messages? (must|responding)"
    r"|invalid value: ['\"]tool\b|expected last role user or tool"
    rf"|{_MUST_ALTERNATE}"
)

UNREASONED_CALLS = Adaptation(
    "earlier calls without their reasoning",
    "these are sent as words",
    says_missing_reasoning,
    _with_unreasoned_calls_as_words,
)

TOOL_MESSAGES = Adaptation(
    "earlier calls of tools, or their results",
    "both are sent as words",
    _says_no_tool_messages,
    _with_tool_messages_as_words,
)

ADAPTATIONS = (
    TEMPERATURE,
    MAX_TOKENS,
    REASONING,
    CALL_IDS,
    RESULT_NAMES,
    ALTERNATION,
    SYSTEM_MESSAGE,
    UNREASONED_CALLS,
    TOOL_MESSAGES,
    TOOLS,
)
"""All but those for mounted servers: what a refusal most likely means comes first, TOOLS last."""

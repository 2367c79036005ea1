"""Reads error responses of model endpoints, in the many forms they come in."""

import json
import re
from typing import Any

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.irc_bridge.model.breaker import PAUSE, granted
from terrarium_mcp.irc_bridge.model.endpoint_json import parsed_json

MAX_QUOTED = 200  # characters of an endpoint's error text that a message quotes
MAX_WORDS = 4_000  # characters of it that are looked at
MAX_PARSED = 200_000  # characters of a body that are parsed: a longer one is taken for plain text

# OpenAI, Azure, vLLM, llama.cpp, LM Studio, Ollama, Anthropic, Mistral, Gemini, Vertex AI, xAI,
# Copilot, DashScope, Zhipu, Moonshot, Volcengine, Qianfan, TGI, Together, DeepInfra, Poolside,
# SGLang, TensorRT-LLM, TabbyAPI, KoboldCpp, MLX, MLC-LLM, mistral.rs.
# vLLM's 'max_tokens must be at least 1, got -186' is what is left after the prompt. Bedrock's 'Too
# many tokens, please wait before trying again.' is a limit per minute, which proxies pass on.
# Cohere's 'too many tokens: max tokens must be less than or equal to 4096' is of the answer.
_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size|limit)|maximum (context|prompt length)"
    r"|too many tokens(?!,? please wait|: max tokens)|reduce the length|range of input length"
    r"|(prompt|input|request|message)s?( tokens)? ((is|are) )?too (long|large)"
    r"|\b(prompt|input)( length| token count)?( (of )?\d{1,9}| \([^)]{0,40}\))? exceeds\b"
    r"|longer than the maximum model length|larger than the model input length limit"
    r"|input tokens exceed the configured limit|exceed max message tokens"
    r"|token count is \d{1,9} but model only supports|prompt sequence length is greater than"
    r"|`inputs` (tokens \+|must have less)|exceeded model token limit"
    r"|\b(max_num_tokens|max_seq_len)\b|max_tokens must be at least 1, got -"
    r"|when context the overflows|truncate prompt with n_keep",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient[_ ](quota|balance|credits?|funds)|exceeded your current quota|billing",
    re.IGNORECASE,
)
# Gemini answers 400 to a wrong key: 'API key not valid. Please pass a valid API key.'
_BAD_KEY = re.compile(
    r"\b(invalid|incorrect|missing|expired) api[ _-]?key"
    r"|\bapi[ _-]?key (is |has )?(not valid|invalid|incorrect|missing|expired|not found)",
    re.IGNORECASE,
)
_NO_SUCH_MODEL = re.compile(
    r"\bmodel\b.{0,80}\b(decommissioned|no longer (available|supported)|(not|n't) exist|not found)",
    re.IGNORECASE,
)
_OTHER_LIMIT = re.compile(r"\bmax[_ ](completion_)?tokens\b", re.IGNORECASE)
# vLLM: '"auto" tool choice requires --enable-auto-tool-choice'. llama.cpp: 'tools param requires
# --jinja flag'. Ollama: 'does not support tools'. OpenRouter, with 404: 'No endpoints found that
# support tool use.' Gemini: 'Function calling is not enabled for models/gemma-3-27b-it'. LiteLLM:
# "ollama does not support parameters: ['tools'], for model=llama2".
# Unambiguous, so matched for any status.
_NO_TOOLS = re.compile(
    r"tool choice requires|enable-auto-tool-choice|tools param requires"
    r"|no endpoints? found that supports? .{0,30}\btools?\b|(function|tool) calling is not enabled"
    r"|(not|n't) (support|allow|accept)\w* (parameters: \[')?(tools?|functions?)\b"
    r"|tools?\b.{0,30}\b(unsupported|not (be )?(supported|allowed|permitted|accepted))",
    re.IGNORECASE,
)
_CHECK_CREDIT = "Check the credit of the account behind AGENT_API_KEY."
_NAMES_TOOLS = re.compile(r"\btools?\b|\btool[_ ]choice\b", re.IGNORECASE)
_PLACE = r"\bmessages(\.|\.?\[)\d{1,3}\b\]?"  # of a message: 'body.messages.3', 'messages.[3]'
# Of a call or a result in the request, or of what came with it. FastAPI names the place of a
# result: 'body.messages.3.tool.content: ...'. Ollama: 'invalid tool call arguments'.
# DeepSeek: 'The `reasoning_content` in the thinking mode must be passed back to the API.' Gemini:
# 'Function call is missing a thought_signature in functionCall parts. This is required for tools
# to work correctly'.
_NAMES_REASONING = re.compile(r"\breasoning_content\b|\bthought_signature\b", re.IGNORECASE)
_NAMES_CALLS = re.compile(
    rf"\b(tool|function)[ _-]calls?\b(?![ _-]parser)|{_NAMES_REASONING.pattern}"
    rf"|{_PLACE}\.tool\b",
    re.IGNORECASE,
)
# Of a message in the request, or of roles. Groq: "'messages.3' : property 'name' is unsupported".
# OpenAI: "Invalid value: 'tool'. Supported values are: 'assistant', 'system', ..." Mistral:
# 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant'.
_NAMES_A_MESSAGE = re.compile(
    rf"{_PLACE}|\b(last|unexpected|unknown|invalid) role\b|\brole:? ['\"]?(user|assistant|tool)\b"
    r"|\binvalid value: ['\"]tool\b",
    re.IGNORECASE,
)
# Groq: 'tool call validation failed: parameters for tool search did not match schema', 'Failed to
# call a function. Please adjust your prompt.', 'Parsing failed. The model generated output that
# could not be parsed.' llama.cpp, with a 500: 'Failed to parse input at pos 12: </tool_call>'
# (llama.cpp#24644), later 'The model produced output that does not match the expected peg-native
# format' (#27025). Ollama, 500: 'error parsing tool call: raw=...' (ollama#17638). vLLM, with
# gpt-oss: 'unexpected tokens remaining in message header' (vllm#23567).
_UNUSABLE_CALL = re.compile(
    r"tool call validation failed|failed to (call a function|parse tool call|parse input at pos)"
    r"|model generated output that could not be parsed|error parsing tool call"
    r"|output that does not match the expected \S{1,40} format"
    r"|unexpected tokens remaining in message header",
    re.IGNORECASE,
)


def error_text(body: str) -> str:
    """The error text in a response body, on one line, without characters that cannot be seen.

    Understands OpenAI's `{"error": {"message"}}`, FastAPI's `{"detail"}` and plain text. The
    `input` of a 422, which echoes our request, is dropped: it is not the reason. Of a long text
    the first MAX_WORDS characters are returned.
    """
    body = body[:MAX_PARSED]
    try:
        words = _words(parsed_json(body))
    except (ValueError, RecursionError):
        words = "an HTML page" if body.lstrip().startswith("<") else body
    return " ".join(harmless(words[:MAX_PARSED]).split())[:MAX_WORDS] or "nothing"


def shortened(text: str) -> str:
    """`text`, cut to MAX_QUOTED characters."""
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def says_too_long(status: int, text: str) -> bool:
    """Whether the request exceeded the model's context; terrarium-agent answers 500 then.

    A 429 never says so: whatever its words, it asks for a pause. Nor does the complaint about a
    call, which quotes what the model wrote.
    """
    if status == 429 or says_unusable_call(text):
        return False
    return status == 413 or _TOO_LONG.search(text) is not None


def says_takes_no_tools(text: str) -> bool:
    """Whether the endpoint says that it takes no tools at all."""
    return _NO_TOOLS.search(text) is not None and _NAMES_A_MESSAGE.search(text) is None


def says_bad_tools(status: int, text: str) -> bool:
    """Whether something about the tools was refused, which may be a single one of them.

    A complaint about calls or a message refuses no tool, although it may name one, or say "tools".
    """
    return (
        status in {400, 422}
        and _NAMES_TOOLS.search(text) is not None
        and not says_bad_message(status, text)
    )


def says_bad_message(status: int, text: str) -> bool:
    """Whether a message of the talk was refused, of whatever role, or what belongs to it."""
    return says_bad_call(status, text) or _NAMES_A_MESSAGE.search(text) is not None


def says_bad_call(status: int, text: str) -> bool:
    """Whether earlier calls in the request were refused, or lack what should come with them."""
    if status not in {400, 422} or says_takes_no_tools(text):
        return False
    return _NAMES_CALLS.search(text) is not None


def says_missing_reasoning(status: int, text: str) -> bool:
    """Whether earlier calls in the request lack the reasoning or the signature that they had."""
    return says_bad_call(status, text) and _NAMES_REASONING.search(text) is not None


def says_unusable_call(text: str) -> bool:
    """Whether the model wrote a call that its endpoint cannot use; it may write another.

    Such a text quotes the model, which may name anything: nothing else is to be read in it.
    """
    return _UNUSABLE_CALL.search(text) is not None


def says_no_tools(status: int, text: str) -> bool:
    """Whether the endpoint may have refused because the request offered tools."""
    return says_bad_tools(status, text) or says_takes_no_tools(text)


def says_no_credit(text: str) -> bool:
    """Whether the account has no credit left: OpenAI answers 429 then, as to too many requests."""
    return _NO_CREDIT.search(text) is not None


def hint_for(status: int, text: str, pause: float | None = None) -> str:
    """What the operator can do about an error with `status` and `text`; some have status 200.

    `pause` are the seconds after which the endpoint wants to be asked again, if it said so.
    """
    match status:
        case 401 | 403:
            return "Check AGENT_API_KEY."
        case 402:
            return _CHECK_CREDIT
        case 200 | 400 | 422 if _BAD_KEY.search(text):
            return "Check AGENT_API_KEY."
        case 200 | 400 | 422 if _NO_SUCH_MODEL.search(text):
            return "Check AGENT_MODEL."
        case 200 | 400 | 422 if _OTHER_LIMIT.search(text):
            return "Check AGENT_MAX_TOKENS."
        case 404:
            return "Check AGENT_API_URL and AGENT_MODEL."
        case 301 | 302 | 303 | 307 | 308:
            return "It redirects: set AGENT_API_URL to where the endpoint itself is."
        case 200 | 429 if says_no_credit(text):
            return _CHECK_CREDIT
        case _ if granted(pause) > PAUSE:
            return f"It asked for a pause: try again in {granted(pause):.0f} s."
        case _:
            return "Try again in a minute."


def _words(body: Any) -> str:
    """The text of an error object, from any of its usual places."""
    match body:
        case str():
            return body
        case {"error": inner} | {"detail": inner} | {"message": inner}:
            return _words(inner)
        case {"loc": [*place], "msg": str(what)}:
            return f"{'.'.join(map(str, place))}: {what}"
        case [*several]:
            return "; ".join(map(_words, several))
        case _:
            return json.dumps(body, ensure_ascii=False)

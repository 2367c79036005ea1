"""Reads why an endpoint gave no answer, in the many forms in which endpoints say it."""

import json
import re
from typing import Any

LONGEST = 200  # characters of a foreign error text that a line of ours quotes

# OpenAI and vLLM, llama.cpp, Ollama, Anthropic's and Mistral's compatible endpoints.
_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|too many tokens"
    r"|(prompt|input|request|message) (is|are) too (long|large)|reduce the length",
    re.IGNORECASE,
)
# vLLM: '"auto" tool choice requires --enable-auto-tool-choice'. llama.cpp: 'tools param requires
# --jinja flag'. Ollama: 'does not support tools'. Certain enough to be believed of any status.
_NO_TOOLS = re.compile(
    r"tool choice requires|enable-auto-tool-choice|tools param requires"
    r"|(not|n't) (support|allow|accept)\w* (tools?|functions?)\b"
    r"|tools?\b.{0,30}\b(unsupported|not (be )?(supported|allowed|permitted|accepted))",
    re.IGNORECASE,
)
_NAMES_TOOLS = re.compile(r"\btools?\b|\btool[_ ]choice\b", re.IGNORECASE)


def complaint(body: str) -> str:
    """What `body` says went wrong, on one line.

    Knows OpenAI's `{"error": {"message"}}`, FastAPI's `{"detail"}` and plain text; what a 422
    echoes of our own request (`input`) is left out, so that it is not mistaken for the reason.
    """
    try:
        words = _words(json.loads(body))
    except (ValueError, RecursionError):
        words = "an HTML page" if body.lstrip().startswith("<") else body
    return " ".join(words.split()) or "nothing"


def shortened(text: str) -> str:
    """`text`, cut to what one line may quote of it."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def says_too_long(status: int, text: str) -> bool:
    """Whether the talk did not fit the model; terrarium-agent says it with status 500."""
    return status == 413 or _TOO_LONG.search(text) is not None


def says_no_tools(status: int, text: str) -> bool:
    """Whether the endpoint refused because the request offered tools."""
    names_them = status in {400, 422} and _NAMES_TOOLS.search(text) is not None
    return names_them or _NO_TOOLS.search(text) is not None


def way_out(status: int) -> str:
    """What a person can do about an answer with `status`."""
    match status:
        case 401 | 403:
            return "Check AGENT_API_KEY."
        case 404:
            return "Check AGENT_API_URL and AGENT_MODEL."
        case 200:
            return "Check that AGENT_API_URL is an OpenAI-compatible endpoint."
        case _:
            return "Try again in a minute."


def reason(error: BaseException) -> str:
    """Why a connection failed: the innermost cause, in words."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    while isinstance(error, BaseExceptionGroup):  # one for each address of a name
        error = error.exceptions[0]
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    return shortened(str(error)) or type(error).__name__


def _words(body: Any) -> str:
    """The text of an error in any of its usual places."""
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

"""Joins a streamed completion into a whole one: some proxies stream although nobody asked. Pure."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any

from terrarium_mcp.irc_bridge.model.content_parts import words_of
from terrarium_mcp.irc_bridge.model.endpoint_json import parsed_json

_END = b"[DONE]"
"""The data of the last event."""

_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""How a stream begins: with one of its fields, or a comment (WHATWG HTML 9.2.6)."""

_TEXTS = ("content", "reasoning_content", "reasoning", "refusal")


class ErrorEvent(ValueError):
    """An event of a stream is an error; the text is that event, as JSON."""


def completion_of_events(body: bytes) -> dict[str, Any] | None:
    """The completion whose pieces are the server-sent events of `body`; None if it has none.

    Of several choices only the first is read; one that holds a whole message is the answer. A
    stream that names neither a finish reason nor its end was cut off: its completion has no
    choices, for half an answer may say the opposite.

    Raises:
        ErrorEvent: the endpoint failed on the way, whatever the stream says after that.
    """
    body = body.removeprefix(BOM_UTF8)
    if not body.lstrip().startswith(_FIELDS):
        return None
    message: dict[str, Any] = {}
    calls: list[dict[str, Any]] = []
    whole: list[dict[str, Any]] = []
    finish, usage = None, None
    for piece in _events(body):
        if is_error(piece):
            raise ErrorEvent(json.dumps(piece, ensure_ascii=False))
        usage = piece.get("usage") or usage
        match _first_choice(piece):
            case {"delta": dict(delta)} as choice:
                finish = choice.get("finish_reason") or finish
                _add_texts(message, delta)
                _add_calls(calls, delta.get("tool_calls"))
                _add_calls(calls, [{"function": delta.get("function_call")}])  # before tools
            case {"message": dict()} as choice:
                whole = [choice]
    if calls:
        message["tool_calls"] = calls
    is_whole = finish or (message and _ends(body))
    choices = [{"message": message, "finish_reason": finish}] if is_whole else []
    return {"choices": whole or choices, "usage": usage}


def _first_choice(piece: dict[str, Any]) -> Any:
    """Of the choices in an event the first, which others may precede; None if it is not there."""
    choices = piece.get("choices")
    given = [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
    return next((one for one in given if not one.get("index")), None)


def _events(body: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of the events; what is none, such as `[DONE]`, is left out."""
    for line in body.splitlines():
        if line.startswith(b"data:"):
            try:
                piece = parsed_json(line.removeprefix(b"data:"))
            except ValueError:
                continue
            if isinstance(piece, dict):
                yield piece


def is_error(answer: dict[str, Any]) -> bool:
    """Whether an answer or event is an error: as OpenAI has it, or as older versions of vLLM."""
    return bool(answer.get("error")) or answer.get("object") == "error"


def _ends(body: bytes) -> bool:
    return any(line.startswith(b"data:") and line[5:].strip() == _END for line in body.splitlines())


def _add_texts(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for name in _TEXTS:
        if isinstance(piece := delta.get(name), str | list):
            message[name] = message.get(name, "") + words_of(piece)


def _add_calls(calls: list[dict[str, Any]], pieces: Any) -> None:
    """Add pieces of calls, each to the latest call with its index, or to a new one."""
    for piece in pieces if isinstance(pieces, list) else ():
        match piece:
            case {"function": dict(function)}:
                call = _call_of(piece, function.get("name"), calls)
                call["id"] = piece.get("id") or call["id"]
                call["extra_content"] = piece.get("extra_content") or call.get("extra_content")
                call["function"]["name"] = function.get("name") or call["function"]["name"]
                call["function"]["arguments"] += _text(function.get("arguments"))


def _text(arguments: Any) -> str:
    """Arguments as text: some endpoints send them parsed, in one piece."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""


def _call_of(piece: dict[str, Any], name: Any, calls: list[dict[str, Any]]) -> dict[str, Any]:
    """The call that a piece belongs to: the latest one with its index, or a new one.

    Some endpoints give all calls one index, or none. Then another id begins another call; without
    ids another name does, or the same one again behind whole arguments.
    """
    begun = [call for call in calls if call["index"] == piece.get("index")]
    if begun and not _begins_another(piece, name, begun[-1]):
        return begun[-1]
    new = {"index": piece.get("index"), "id": None, "function": {"name": "", "arguments": ""}}
    calls.append(new)
    return new


def _begins_another(piece: dict[str, Any], name: Any, call: dict[str, Any]) -> bool:
    if (piece_id := piece.get("id")) and call["id"]:
        return bool(piece_id != call["id"])
    begun = call["function"]
    if not (name and begun["name"]):
        return False
    return name != begun["name"] or _is_whole(begun["arguments"])


def _is_whole(arguments: str) -> bool:
    try:
        parsed_json(arguments)
    except ValueError:
        return False
    return True

"""A stand-in for OpenAI's chat completions.

Of its errors, as reported with their bodies:
- newer models refuse max_tokens (github.com/devnullvoid/dms-ai-assistant/issues/12) and any
  temperature but 1 (github.com/gabrii/Cursor-Azure-GPT-5/issues/33);
- a result must follow its call (github.com/miurla/morphic/issues/136);
- names are letters, digits, _ and - (github.com/brekkylab/ailoy/pull/109);
- context_length_exceeded (github.com/chathub-dev/chathub/issues/126).
Not looked up, but from its documentation as remembered: 401, 404, 429 with insufficient_quota,
content_filter and `refusal`.
"""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.servers.endpoints.http import Answer, HttpRequest
from tests.servers.endpoints.stand_in import (
    Said,
    StandIn,
    openai_completion,
    openai_message,
    sent_json,
)

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass
class OpenAI(StandIn):
    """OpenAI; `reasons` is one of its reasoning models."""

    name: ClassVar[str] = "OpenAI"
    model: ClassVar[str] = "gpt-4.1"
    reasons: bool = False

    def refusal(self, body: dict[str, Any]) -> Answer | None:
        """What its schema or the model refuses."""
        for place, message in enumerate(body["messages"]):
            for number, call in enumerate(message.get("tool_calls", ())):
                if not _NAME.fullmatch(call["function"]["name"]):
                    at = f"messages[{place}].tool_calls[{number}].function.name"
                    return self._invalid(
                        f"Invalid '{at}': string does not match pattern. Expected a string that"
                        " matches the pattern '^[a-zA-Z0-9_-]+$'.",
                        at,
                        "invalid_value",
                    )
        if not self.reasons:
            return None
        if "max_tokens" in body:
            return self._invalid(
                "Unsupported parameter: 'max_tokens' is not supported with this model."
                " Use 'max_completion_tokens' instead.",
                "max_tokens",
                "unsupported_parameter",
            )
        if body.get("temperature", 1) != 1:
            return self._invalid(
                f"Unsupported value: 'temperature' does not support {body['temperature']} with"
                " this model. Only the default (1) value is supported.",
                "temperature",
                "unsupported_value",
            )
        return None

    def completion(self, said: Said) -> Answer:
        """With `refusal`, which is null unless the model declines."""
        message = {"refusal": None, "annotations": [], **openai_message(said)}
        return openai_completion(self.model, message, said.finish)

    def error(self, status: int, message: str) -> Answer:
        """An object with message, type, param and code."""
        return self._error(status, message, "server_error" if status >= 500 else "requests", None)

    def context_error(self) -> Answer:
        """A 400 with a code of its own."""
        return self._invalid(
            "This model's maximum context length is 4097 tokens. However, your messages resulted"
            " in 4294 tokens. Please reduce the length of the messages.",
            "messages",
            "context_length_exceeded",
        )

    def unknown_model(self, model: str) -> Answer:
        """A 404."""
        message = f"The model `{model}` does not exist or you do not have access to it."
        return self._error(404, message, "invalid_request_error", "model_not_found")

    def unauthorized(self) -> Answer:
        """It quotes the beginning and the end of the key."""
        message = "Incorrect API key provided: sk-12**34. You can find your API key at https://..."
        return self._error(401, message, "invalid_request_error", "invalid_api_key")

    def out_of_credit(self) -> Answer:
        """A 429 that no pause changes."""
        message = "You exceeded your current quota, please check your plan and billing details."
        return self._error(429, message, "insufficient_quota", "insufficient_quota")

    def health(self) -> Answer:
        """It has no such page."""
        return self.unknown_page(HttpRequest("GET", "/health"))

    def unknown_page(self, request: HttpRequest) -> Answer:
        """A 404 in its usual form."""
        message = f"Invalid URL ({request.method} {request.path})"
        return self._error(404, message, "invalid_request_error", None)

    def _invalid(self, message: str, param: str, code: str) -> Answer:
        error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
        return sent_json({"error": error}, 400)

    def _error(self, status: int, message: str, kind: str, code: str | None) -> Answer:
        error = {"message": message, "type": kind, "param": None, "code": code}
        return sent_json({"error": error}, status)

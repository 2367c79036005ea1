"""A stand-in for vLLM's OpenAI-compatible server.

Of its errors, as reported with their bodies:
- tools without --enable-auto-tool-choice (github.com/FoundationAgents/OpenManus/issues/331);
- a request beyond the context (github.com/FoundationAgents/OpenManus/issues/840), and
  "max_tokens must be at least 1, got -186" (github.com/vllm-project/vllm/issues/4667);
- templates: "System role not supported" (github.com/vllm-project/vllm/pull/2964), "Conversation
  roles must alternate" (github.com/weaviate/Verba/issues/150).
/health has an empty body: docs.vllm.ai, vllm.entrypoints.serve.instrumentator.health. Not looked
up: the words for an unknown model and a wrong key.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from tests.servers.endpoints.http import Answer
from tests.servers.endpoints.stand_in import (
    Said,
    StandIn,
    openai_completion,
    openai_message,
    sent_json,
)


@dataclass
class Vllm(StandIn):
    """vLLM; `has_parser` if it was started with a parser for tool calls."""

    name: ClassVar[str] = "vLLM"
    model: ClassVar[str] = "Qwen/Qwen3-32B"
    has_parser: bool = True

    def refusal(self, body: dict[str, Any]) -> Answer | None:
        """Tools, unless it has a parser for their calls."""
        if "tools" in body and not self.has_parser:
            return self.error(
                400,
                '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'
                " to be set",
            )
        return None

    def completion(self, said: Said) -> Answer:
        """OpenAI's form, with an empty list where there are no calls."""
        message = {"reasoning_content": None, "tool_calls": [], **openai_message(said)}
        return openai_completion(self.model, message, said.finish)

    def error(self, status: int, message: str) -> Answer:
        """The error is the whole object, not a part of it."""
        kind = "InternalServerError" if status >= 500 else "BadRequestError"
        return self._error(status, message, kind)

    def context_error(self) -> Answer:
        """A 400 like OpenAI's, with the request's own numbers."""
        return self.error(
            400,
            "This model's maximum context length is 4096 tokens. However, you requested 4515"
            " tokens (4003 in the messages, 512 in the completion). Please reduce the length of"
            " the messages or completion.",
        )

    def unknown_model(self, model: str) -> Answer:
        """A 404."""
        return self._error(404, f"The model `{model}` does not exist.", "NotFoundError")

    def unauthorized(self) -> Answer:
        """A single word."""
        return sent_json({"error": "Unauthorized"}, 401)

    def health(self) -> Answer:
        """No body at all."""
        return Answer()

    def _error(self, status: int, message: str, kind: str) -> Answer:
        error = {"object": "error", "message": message, "type": kind, "param": None, "code": status}
        return sent_json(error, status)

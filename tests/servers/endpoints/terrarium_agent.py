"""A stand-in for terrarium-agent, measured at its code: a proxy in front of vLLM.

Null and parts as content are a 422; `tool_calls` of the history are dropped; every error of vLLM
is a 500; usage is always zero; /health has status 200 also when it is degraded. It also cuts a
long history without a word, which tests/servers/agent.py does.
"""

import json
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


@dataclass
class TerrariumAgent(StandIn):
    """terrarium-agent; `has_parser` and `degraded` tell of the vLLM behind it."""

    name: ClassVar[str] = "terrarium-agent"
    model: ClassVar[str] = "glm-air-4.5"
    has_parser: bool = True
    degraded: bool = False

    def refusal(self, body: dict[str, Any]) -> Answer | None:
        """Tools, if vLLM refuses them."""
        if "tools" in body and not self.has_parser:
            return self.upstream_error(
                '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'
                " to be set"
            )
        return None

    def completion(self, said: Said) -> Answer:
        """OpenAI's form, with zeros for usage."""
        return openai_completion(self.model, openai_message(said), said.finish, 0, 0)

    def error(self, status: int, message: str) -> Answer:
        """An object with message, type and code."""
        error = {"message": message, "type": "http_error", "code": status}
        return sent_json({"error": error}, status)

    def upstream_error(self, message: str) -> Answer:
        """A 500, whatever vLLM's status was."""
        upstream = json.dumps({"object": "error", "message": message, "code": 400})
        return self.error(500, f"Failed to generate response: vLLM API error (400): {upstream}")

    def context_error(self) -> Answer:
        """A 500 with the words of vLLM."""
        return self.upstream_error("This model's maximum context length is 8192 tokens.")

    def template_error(self, message: str) -> Answer:
        """A 500 with the words of vLLM."""
        return self.upstream_error(message)

    def unknown_model(self, _: str) -> Answer | None:
        """Nothing: it sends its own model's name to vLLM."""
        return None

    def health(self) -> Answer:
        """Status 200 also when degraded."""
        status = "degraded" if self.degraded else "healthy"
        return sent_json({"status": status, "queue_length": 0})

    def unknown_page(self, _: HttpRequest) -> Answer:
        """FastAPI's."""
        return sent_json({"detail": "Not Found"}, 404)

"""A stand-in for Ollama's /v1.

Of its errors, as reported with their bodies:
- a model without tools: 400, "... does not support tools" (github.com/ollama/ollama/issues/6027);
- null content without calls: 400, "invalid message content type: <nil>" (openai/openai.go);
- a model that was not pulled: 404 (github.com/FlowiseAI/Flowise/issues/2335);
- too many at once: 503, "server busy, please try again.  maximum pending requests exceeded"
  (github.com/valentinfrlch/ha-llmvision/issues/648).
Its forms are those of openai/openai.go: arguments are a string, each call has an index, the id may
be empty, content beside calls is "", reasoning is in `reasoning`. It has no /health. Not looked up:
that an over-long prompt is cut without a word, and the error of a model with a fixed context.
"""

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
class Ollama(StandIn):
    """Ollama; `takes_tools` if the model's template does."""

    name: ClassVar[str] = "Ollama"
    model: ClassVar[str] = "llama3.2:3b"
    takes_tools: bool = True

    def refusal(self, body: dict[str, Any]) -> Answer | None:
        """Tools that the model's template has no place for."""
        if "tools" in body and not self.takes_tools:
            return self.error(
                400, f"registry.ollama.ai/library/{self.model} does not support tools"
            )
        return None

    def completion(self, said: Said) -> Answer:
        """OpenAI's form, with "" for no content, and an index at each call but not always an id."""
        message = openai_message(said)
        message["content"] = said.text or ""
        for place, call in enumerate(message.get("tool_calls", ())):
            call |= {"index": place, "id": ""}
        return openai_completion(self.model, message, said.finish)

    def error(self, status: int, message: str) -> Answer:
        """An object with message, type, param and code."""
        kinds = {400: "invalid_request_error", 404: "not_found_error"}
        error = {"message": message, "type": kinds.get(status, "api_error")}
        return sent_json({"error": {**error, "param": None, "code": None}}, status)

    def context_error(self) -> Answer:
        """A model with a fixed context."""
        return self.error(400, "input length exceeds the context length")

    def unknown_model(self, model: str) -> Answer:
        """With the way out."""
        return self.error(404, f"model '{model}' not found, try pulling it first")

    def health(self) -> Answer:
        """It has no such page."""
        return self.unknown_page(HttpRequest("GET", "/health"))

    def unknown_page(self, _: HttpRequest) -> Answer:
        """Plain text."""
        return Answer(404, b"404 page not found", "text/plain")

"""A stand-in for llama.cpp's `llama-server`.

Of its errors, as reported with their bodies:
- tools without --jinja: a 500, "tools param requires --jinja flag" (llama.cpp, common/chat.cpp);
- exceed_context_size_error (github.com/ggml-org/llama.cpp/pull/15780; status 400 since #16486);
- a template that raises: a 500 that quotes the template
  (github.com/ggml-org/llama.cpp/issues/19851, github.com/janhq/jan/issues/6254);
- /health: `{"status": "ok"}`, and 503 "Loading model" (llama.cpp, tools/server/README.md).
It serves the one model it was started with, whatever the request names. Not looked up: the words
for a wrong key.
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
class LlamaCpp(StandIn):
    """llama-server; `jinja` if it was started with --jinja, `loading` while it loads the model."""

    name: ClassVar[str] = "llama.cpp"
    model: ClassVar[str] = "qwen3-8b-q4_k_m.gguf"
    jinja: bool = True
    loading: bool = False

    def refusal(self, body: dict[str, Any]) -> Answer | None:
        """Everything while it loads; tools without --jinja."""
        if self.loading:
            return self.loading_error()
        if "tools" in body and not self.jinja:
            return self.error(500, "tools param requires --jinja flag")
        return None

    def completion(self, said: Said) -> Answer:
        """OpenAI's form; content is null beside calls, their ids are 32 characters."""
        message = openai_message(said)
        for call in message.get("tool_calls", ()):
            call["id"] = call["id"].ljust(32, "x")
        return openai_completion(self.model, message, said.finish)

    def error(self, status: int, message: str) -> Answer:
        """An object with code, message and type."""
        kind = "server_error" if status >= 500 else "invalid_request_error"
        return self._error(status, message, kind)

    def context_error(self) -> Answer:
        """A 400 with both numbers."""
        message = "the request exceeds the available context size, try increasing it"
        error = {"code": 400, "message": message, "type": "exceed_context_size_error"}
        return sent_json({"error": {**error, "n_prompt_tokens": 5407, "n_ctx": 4096}}, 400)

    def loading_error(self) -> Answer:
        """A 503."""
        return self._error(503, "Loading model", "unavailable_error")

    def template_error(self, message: str) -> Answer:
        """A 500 with the place in the template."""
        return self.error(
            500,
            "\n------------\nWhile executing CallExpression at line 19, column 32 in source:\n"
            f"...{{{{ raise_exception('{message[:20]}...\n   ^\nError: Jinja Exception: {message}",
        )

    def unknown_model(self, _: str) -> Answer | None:
        """Nothing: it does not look at the name."""
        return None

    def unauthorized(self) -> Answer:
        """Its own type of error."""
        return self._error(401, "Invalid API Key", "authentication_error")

    def health(self) -> Answer:
        """503 while it loads."""
        return self.loading_error() if self.loading else sent_json({"status": "ok"})

    def _error(self, status: int, message: str, kind: str) -> Answer:
        return sent_json({"error": {"code": status, "message": message, "type": kind}}, status)

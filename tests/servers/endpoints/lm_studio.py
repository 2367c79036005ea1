"""A stand-in for LM Studio's server.

Of its behaviour, as reported:
- an unknown page is a 200 with an error in it, also /health
  (github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618, /1323, /2085);
- a prompt beyond the context: 400, the error a mere string
  (github.com/Gitlawb/openclaude/issues/353, lmstudio-bug-tracker/issues/237);
- templates that raise: "Only user, assistant and tool roles are supported, got system"
  (lmstudio-bug-tracker/issues/2219), "roles must alternate" (/2218);
- a malformed call stays in the content as text (lmstudio.ai/docs/advanced/tool-use).
Not looked up: the words for an unknown model.
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
class LmStudio(StandIn):
    """LM Studio; `knows_format` if it can read the model's calls."""

    name: ClassVar[str] = "LM Studio"
    model: ClassVar[str] = "qwen2.5-7b-instruct"
    knows_format: bool = True

    def refusal(self, _: dict[str, Any]) -> Answer | None:
        """It refuses nothing of what we send."""
        return None

    def completion(self, said: Said) -> Answer:
        """Calls that it cannot read are left as the model wrote them."""
        message, finish = openai_message(said), said.finish
        if said.calls and not self.knows_format:
            written = [f'{{"name": "{name}", "arguments": {args}}}' for name, args in said.calls]
            tagged = "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in written)
            message, finish = {"role": "assistant", "content": tagged}, "stop"
        return openai_completion(self.model, message, finish)

    def error(self, status: int, message: str) -> Answer:
        """The error is a string."""
        return sent_json({"error": message}, status)

    def context_error(self) -> Answer:
        """Its own way to say it."""
        return self.error(
            400,
            "The number of tokens to keep from the initial prompt is greater than the context"
            " length (n_keep: 5055>= n_ctx: 4096). Try to load the model with a larger context"
            " length, or provide a shorter input.",
        )

    def template_error(self, message: str) -> Answer:
        """The template's exception in its own words about roles."""
        if message.startswith("System"):
            message = "Only user, assistant and tool roles are supported, got system."
        return self.error(400, f"Error rendering prompt with jinja template: {message}")

    def unknown_model(self, model: str) -> Answer:
        """An object, for once."""
        message = f"Invalid model identifier {model!r}. Please specify a valid downloaded model."
        return sent_json({"error": {"message": message, "code": "model_not_found"}}, 404)

    def health(self) -> Answer:
        """It knows no such page."""
        return self.unknown_page(HttpRequest("GET", "/health"))

    def unknown_page(self, request: HttpRequest) -> Answer:
        """Status 200 anyway."""
        return self.error(200, f"Unexpected endpoint or method. ({request.method} {request.path})")

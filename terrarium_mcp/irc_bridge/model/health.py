"""What an endpoint reports of its own health."""

from dataclasses import dataclass
from typing import Any

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.irc_bridge.model.endpoint_errors import shortened

_WELL = {"ok", "healthy", "up", "ready", "running", "pass", "alive", "available"}


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the endpoint can answer, and its own words about it."""

    ok: bool
    text: str
    kind: str = ""
    """The `kind` of the failure, if the endpoint did not report on itself."""


def reported_health(body: Any) -> Health | None:
    """The health in the JSON of /health; None if the endpoint knows no such page.

    A status of 200 alone does not count: terrarium-agent sends one with `degraded`, and LM Studio
    one with an error for every page that it does not know. vLLM reports with an empty body.
    """
    match body:
        case {"status": str(status)}:
            return Health(ok=status.lower() in _WELL, text=shortened(harmless(status)))
        case {"error": _}:
            return None
    return Health(ok=True, text="ok")

"""Remembers for an hour how an endpoint wants to be asked."""

from collections.abc import Callable, Collection

from terrarium_mcp.irc_bridge.model.adaptations import Adaptation

REMEMBERED = 3600.0
"""Seconds until the full request is tried again: an endpoint may get another model or flag."""

EndpointModel = tuple[str, str]
"""The address of an endpoint, and a model there."""


class LearnedAdaptations:
    """What the endpoint models need, each adaptation for REMEMBERED seconds by `clock`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until: dict[tuple[EndpointModel, Adaptation], float] = {}

    def learn(self, endpoint_model: EndpointModel, adaptations: Collection[Adaptation]) -> None:
        """Note that `endpoint_model` answered once these were applied."""
        until = self._clock() + REMEMBERED
        self._until |= {(endpoint_model, adaptation): until for adaptation in adaptations}

    def known(self, endpoint_model: EndpointModel) -> list[Adaptation]:
        """The adaptations that `endpoint_model` needs, as far as is known now."""
        now = self._clock()
        return [
            adaptation
            for (learned_of, adaptation), until in self._until.items()
            if learned_of == endpoint_model and until > now
        ]

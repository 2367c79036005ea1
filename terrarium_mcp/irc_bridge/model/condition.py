"""What is wrong with the model's endpoint, in the operator's log: once, until it changes."""

import logging

log = logging.getLogger(__name__)


class EndpointCondition:
    """Remembers the last trouble, so that a hundred failed questions are one warning."""

    def __init__(self) -> None:
        self._kind = ""

    def troubled(self, kind: str, sentence: str) -> None:
        """Log a trouble, unless it is still of the `kind` that was logged last."""
        if kind != self._kind:
            self._kind = kind
            log.warning("%s Until then, questions are answered with search results.", sentence)

    def limited(self, sentence: str) -> None:
        """Log that the endpoint answers, though not to everything; once."""
        if self._kind != sentence:
            self._kind = sentence
            log.warning("%s", sentence)

    def well(self) -> None:
        """Log that the endpoint answers again, if it did not."""
        if self._kind:
            self._kind = ""
            log.info("the model answers again")

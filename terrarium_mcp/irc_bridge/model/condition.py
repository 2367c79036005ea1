"""What is wrong with the model's endpoint, in the operator's log: once, until it changes."""

import logging

log = logging.getLogger(__name__)


class EndpointCondition:
    """Remembers the last trouble, so that a hundred failed questions are one warning.

    `trouble` is what is wrong, for the operator; "" if nothing is known to be.
    """

    def __init__(self) -> None:
        self.trouble = ""
        self._kind = ""

    def troubled(self, kind: str, sentence: str) -> None:
        """Log a trouble, unless it is still of the `kind` that was logged last."""
        self.trouble = sentence
        if kind != self._kind:
            self._kind = kind
            log.warning("%s Until then, questions are answered with search results.", sentence)

    def limited(self, sentence: str) -> None:
        """Log that the endpoint answers, though not to everything; once."""
        self.trouble = ""
        if self._kind != sentence:
            self._kind = sentence
            log.warning("%s", sentence)

    def well(self) -> None:
        """Log that the endpoint answers again, if it did not."""
        self.trouble = ""
        if self._kind:
            self._kind = ""
            log.info("the model answers again")

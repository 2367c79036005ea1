"""What is wrong with the model's endpoint, in the operator's log: once, until it changes."""

import logging
import secrets

log = logging.getLogger(__name__)


class EndpointCondition:
    """Remembers the last trouble, so that a hundred failed questions are one warning.

    `trouble` is what is wrong, for the operator; "" if nothing is known to be.
    """

    def __init__(self) -> None:
        self.trouble = ""
        self.error_id = ""
        """Where the log has the last trouble."""
        self._kind = ""
        self._remarks = set[str]()

    def troubled(self, kind: str, sentence: str) -> str:
        """Log a trouble, unless it is still of the `kind` that was logged last.

        Returns the error id under which the log has it.
        """
        self.trouble = sentence
        if kind != self._kind:
            self._kind, self.error_id = kind, secrets.token_hex(3)
            log.warning(
                "error %s: %s Until then, questions are answered with search results.",
                self.error_id,
                sentence,
            )
        return self.error_id

    def remark(self, kind: str, sentence: str) -> None:
        """Log what the endpoint cannot do although it answers; once for each `kind`."""
        if kind not in self._remarks:
            self._remarks.add(kind)
            log.warning("%s", sentence)

    def well(self) -> None:
        """Log that the endpoint answers again, if it did not."""
        self.trouble = ""
        if self._kind:
            self._kind = ""
            log.info("the model answers again")

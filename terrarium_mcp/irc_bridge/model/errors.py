"""What goes wrong between the bridge and a model endpoint."""

import re

from terrarium_mcp.errors import TerrariumError

_WITH_DIGIT = re.compile(r"[\w.-]*\d[\w.-]*")


class ModelUnavailable(TerrariumError):
    """The endpoint gave no answer: unreachable, too slow, failing, or paused by the breaker.

    The text is for the operator: it names the address, the cause and the setting. `public` is for
    the asker, and names none of them.
    """

    def __init__(
        self,
        text: str,
        *,
        public: str = "The model gave no answer.",
        status: int = 0,
        pause: float | None = None,
    ) -> None:
        super().__init__(text)
        self._public = public
        self.status = status
        """The HTTP status, where there was an answer."""
        self.pause = pause
        """Seconds after which the endpoint wants to be asked again, if it said so."""
        self.kind = f"{public} {status} {_WITH_DIGIT.sub('', text)}"
        """Equal for failures that an operator would call the same: of the same status and words,
        whatever ids, times and counts are among them."""
        self.error_id = ""
        """Where the log has this trouble; empty until it is logged."""

    @property
    def public(self) -> str:
        """What the asker is told: that there is no answer, and where the log says why."""
        if not self.error_id:
            return self._public
        return f"{self._public.removesuffix('.')} (error {self.error_id} in the log)."


class NoModel(ModelUnavailable):
    """There is to be none."""

    def __init__(self) -> None:
        super().__init__(
            "No model is set: AGENT_API_URL=none.", public="No language model answers here."
        )


class TalkTooLong(TerrariumError):
    """The talk exceeds the model's context: retry with less of it."""


class RejectedRequest(Exception):
    """The endpoint answered, but with an error, or with what is no completion.

    `words` are the endpoint's own, on one line, without our key; `status` is the HTTP status;
    `pause` are the seconds after which it wants to be asked again, if it said so. `is_foreign`: no
    endpoint for models answers so, neither with an error nor with a completion that broke off.
    """

    def __init__(
        self, status: int, words: str, pause: float | None = None, *, is_foreign: bool = False
    ) -> None:
        super().__init__(f"status {status}: {words}")
        self.is_foreign = is_foreign
        self.status = status
        self.words = words
        self.pause = pause


class ConnectionFailed(Exception):
    """There was no whole answer; the text is the cause.

    `never_sent`: the request did not reach the endpoint, so the model cannot have started on it.
    """

    def __init__(self, cause: str, *, never_sent: bool) -> None:
        super().__init__(cause)
        self.never_sent = never_sent

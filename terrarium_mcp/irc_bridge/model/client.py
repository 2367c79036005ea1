"""Requests the model's next message from an OpenAI-compatible endpoint, as that one wants it.

This is the door of the package: what the rest of the bridge asks and catches is here.
"""

import dataclasses
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio
from tenacity.wait import wait_base

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.irc_bridge.model.adaptations import (
    TOOLS,
    Adaptation,
    RequestBody,
    adapted,
    blamed,
    next_adaptation,
)
from terrarium_mcp.irc_bridge.model.breaker import Breaker
from terrarium_mcp.irc_bridge.model.chat_completion import NotACompletion, read_message
from terrarium_mcp.irc_bridge.model.chat_request import request_messages, request_tool
from terrarium_mcp.irc_bridge.model.chat_types import (
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.condition import EndpointCondition
from terrarium_mcp.irc_bridge.model.endpoint import Endpoint
from terrarium_mcp.irc_bridge.model.endpoint_errors import (
    hint_for,
    says_too_long,
    says_unusable_call,
    shortened,
)
from terrarium_mcp.irc_bridge.model.errors import (
    ConnectionFailed,
    ModelUnavailable,
    NoModel,
    RejectedRequest,
    TalkTooLong,
)
from terrarium_mcp.irc_bridge.model.health import Health
from terrarium_mcp.irc_bridge.model.learned import EndpointModel, LearnedAdaptations
from terrarium_mcp.irc_bridge.model.model_queue import ModelQueue
from terrarium_mcp.irc_bridge.model.retries import BACKOFF, Sleep
from terrarium_mcp.irc_bridge.model.token_usage import completed_usage
from terrarium_mcp.offload import offload
from terrarium_mcp.settings import Settings

__all__ = ["LLM", "ModelUnavailable", "TalkTooLong"]

HEALTH_SECONDS = 5.0

LONGEST_ID = 64
"""Characters of a call's id that are kept: it is sent back twice, and the budget does not weigh it.
Those that endpoints give have up to 41."""

SHORT_COMPLETION = 4_000
"""Bytes of an endpoint's answer, of at most 4 MB, that is read at once: that takes 0.1 ms of CPU,
or 5 if it is made to take long. In a thread it would wait for its turn a millisecond and more."""

_NO_ENDPOINT = "Check that AGENT_API_URL is an OpenAI-compatible endpoint."


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which model of which endpoint to use, and how.

    Args:
        base_url: the address of the endpoint.
        api_key: its key; empty if it wants none.
        model: the name of the model; empty: the endpoint's first.
        temperature: the sampling temperature.
        max_tokens: the longest answer, in tokens.
        timeout: seconds to wait for an answer.
        is_set: whether there is to be a model; otherwise nothing is ever sent.
    """

    base_url: str = field(repr=False)
    api_key: str = field(repr=False)
    model: str
    temperature: float
    max_tokens: int
    timeout: float
    is_set: bool = True

    @classmethod
    def from_settings(cls, settings: Settings) -> "ModelChoice":
        """The choice of these settings."""
        return cls(
            base_url=settings.agent_api_url,
            api_key=settings.agent_api_key,
            model=settings.agent_model,
            temperature=settings.agent_temperature,
            max_tokens=settings.agent_max_tokens,
            timeout=settings.agent_timeout,
            is_set=settings.has_model,
        )


class LLM:
    """The model behind an OpenAI-compatible endpoint.

    What the endpoint refuses is left out of its requests for an hour (model/adaptations.py).
    Whoever asks it for a message first waits in its `queue`.
    """

    def __init__(
        self,
        choice: ModelChoice,
        *,
        wait: wait_base = BACKOFF,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self._wait = wait
        self._clock = clock
        self._sleep = sleep
        self.condition = EndpointCondition()
        self.queue = ModelQueue()
        self._learned = LearnedAdaptations(clock)
        self._retired: list[Endpoint] = []
        self._use(choice)

    @classmethod
    def from_settings(cls, settings: Settings, *, wait: wait_base = BACKOFF) -> "LLM":
        """The model that the settings name."""
        return cls(ModelChoice.from_settings(settings), wait=wait)

    def change_settings(self, settings: Settings) -> bool:
        """Use the model that these settings name; returns whether anything about it changes.

        Requests in work end as they began.
        """
        choice = ModelChoice.from_settings(settings)
        if choice == self._choice:
            return False
        self._retired.append(self._endpoint)
        self._use(choice)
        return True

    def _use(self, choice: ModelChoice) -> None:
        """Begin with this endpoint and model."""
        self._choice = choice
        self._model = choice.model
        self._breaker = Breaker()
        self._endpoint = Endpoint(
            choice.base_url,
            choice.api_key,
            timeout=choice.timeout,
            wait=self._wait,
            sleep=self._sleep,
        )

    async def next_message(
        self,
        talk: Sequence[TalkMessage],
        tools: Sequence[ToolSchema],
        *,
        max_tokens: int | None = None,
    ) -> ModelMessage:
        """The model's next message, within the timeout, retries included.

        The endpoint is well again once a message has words; where the last one of a question has
        none, the caller reports that (`note_no_answer`).

        Raises:
            ModelUnavailable: there is no answer; the message names the cause and the way out.
            TalkTooLong: the talk exceeds the model's context.
        """
        self._require_model()
        self._check_breaker()
        try:
            said = await self._message_in_time(talk, tools, max_tokens or self._choice.max_tokens)
        except ModelUnavailable as error:
            self._note_failure(error)
            raise
        except TalkTooLong as error:
            self._breaker = Breaker()
            self.condition.remark("too long", f"{str(error).rstrip('.')}. Half of it is tried.")
            raise
        if said.has_words:
            self._breaker = Breaker()
            self.condition.well()
        return said

    def note_no_answer(self, said: ModelMessage) -> ModelUnavailable:
        """Note that a question ended with `said`, of which nothing can be shown, as a failure.

        Returns:
            The failure, which has the id under which the log has it.
        """
        error = ModelUnavailable(
            f"The model at {self._where} gave no answer: {_instead_of_words(said)}."
        )
        self._note_failure(error)
        return error

    async def models(self) -> list[str]:
        """The names of the models that the endpoint lists.

        Raises:
            ModelUnavailable: it lists none, or cannot be reached.
        """
        self._require_model()
        try:
            return await self._endpoint.models()
        except RejectedRequest as error:
            if error.status != 200:
                raise self._refused(error) from error
            raise ModelUnavailable(
                f"The endpoint at {self._where} names no model. "
                "Set AGENT_MODEL, or check AGENT_API_URL."
            ) from error
        except ConnectionFailed as error:
            raise self._unreachable(error) from error

    async def health(self) -> Health:
        """The endpoint's health by its own report; a status of 200 alone does not count."""
        try:
            with anyio.fail_after(HEALTH_SECONDS):
                return await self._endpoint.health()
        except TimeoutError:
            return Health(ok=False, text=f"no answer within {HEALTH_SECONDS:g} s")
        except RejectedRequest as rejected:
            error = self._refused(rejected)
        except ConnectionFailed as failed:
            error = self._unreachable(failed)
        return Health(ok=False, text=str(error), kind=error.kind)

    @property
    def is_set(self) -> bool:
        """Whether there is to be a model; otherwise nothing is ever sent."""
        return self._choice.is_set

    @property
    def is_paused(self) -> bool:
        """Whether the endpoint gets no requests for a while, as it failed or asked for that."""
        return self._breaker.seconds_open(self._clock()) > 0

    @property
    def takes_tools(self) -> bool:
        """Whether to offer tools: false for an hour after the endpoint has refused them."""
        return TOOLS not in self._learned.known((self._endpoint.root, self._model))

    @property
    def may_cut_history(self) -> bool:
        """Whether the endpoint may be terrarium-agent, which cuts a long talk without a word.

        True until an answer reports its token counts: terrarium-agent's never do.
        """
        return not self._endpoint.counts_tokens

    @property
    def model(self) -> str:
        """The model in use; empty until the endpoint's first has been asked for."""
        return self._model

    async def aclose(self) -> None:
        """Close the connections."""
        for endpoint in (*self._retired, self._endpoint):
            await endpoint.aclose()

    @property
    def _where(self) -> str:
        return self._endpoint.address

    def _require_model(self) -> None:
        if not self.is_set:
            raise NoModel

    def _note_failure(self, error: ModelUnavailable) -> None:
        self._breaker = self._breaker.failed(self._clock(), error.pause)
        error.error_id = self.condition.troubled(error.kind, str(error))

    def _check_breaker(self) -> None:
        if seconds := self._breaker.seconds_open(self._clock()):
            failed = f"failed {self._breaker.failures} times in a row"
            error = ModelUnavailable(
                f"The model at {self._where}"
                f" {failed if self._breaker.is_tripped else 'asked for a pause'}. "
                f"It gets no requests for {seconds:.0f} s more; ask again then.",
                public="The model is not answering at the moment.",
            )
            error.error_id = self.condition.error_id
            raise error

    async def _message_in_time(
        self, talk: Sequence[TalkMessage], tools: Sequence[ToolSchema], limit: int
    ) -> ModelMessage:
        seconds = self._choice.timeout
        try:
            with anyio.fail_after(seconds):
                return await self._message_for(talk, tools, limit)
        except TimeoutError:
            raise ModelUnavailable(
                f"The model at {self._where} did not answer within {seconds:g} s. "
                "Ask again later, or raise AGENT_TIMEOUT.",
                public="The model did not answer in time.",
            ) from None
        except RejectedRequest as error:
            if says_too_long(error.status, error.words):
                raise TalkTooLong(
                    f"The talk is too long for the model: {shortened(error.words)}"
                ) from error
            raise self._refused(error) from error
        except ConnectionFailed as error:
            raise self._unreachable(error) from error

    async def _message_for(
        self, talk: Sequence[TalkMessage], tools: Sequence[ToolSchema], limit: int
    ) -> ModelMessage:
        """One message; if the request is refused for something that can be changed, changed so.

        Where the model wrote a call that its endpoint cannot use, it is asked once more.
        """
        endpoint, model = self._endpoint, await self._model_name()
        body: RequestBody = {
            "model": model,
            "messages": request_messages(talk),
            "temperature": self._choice.temperature,
            "max_tokens": limit,
        }
        if tools:
            body["tools"] = [request_tool(tool) for tool in tools]
        offered = {tool.name for tool in tools}
        endpoint_model = endpoint.root, model
        known = self._learned.known(endpoint_model)
        tried: dict[Adaptation, str] = {}
        asked_again = False
        while True:
            sent = adapted(body, [*known, *tried])
            try:
                said = await _completion(endpoint, sent, offered)
            except RejectedRequest as rejected:
                status, words = rejected.status, rejected.words
                if says_unusable_call(words):
                    if asked_again:
                        raise
                    asked_again = True
                    continue
                more = next_adaptation(status, words, body, [*known, *tried])
                if more is None or says_too_long(status, words):
                    if status == 404:
                        self._model = self._choice.model  # the first may be another one by now
                    raise
                tried[more] = words
            else:
                self._learned.learn(endpoint_model, blamed(tried))
                self._report(endpoint_model, blamed(tried))
                endpoint.counts_tokens = said.usage.prompt > 0
                return dataclasses.replace(said, usage=completed_usage(sent, said))

    def _report(self, endpoint_model: EndpointModel, tried: Mapping[Adaptation, str]) -> None:
        """Log what was refused, in the endpoint's words; once for each endpoint and model."""
        for adaptation, words in tried.items():
            self.condition.remark(
                f"{endpoint_model} {adaptation.refused}",
                f"The endpoint at {self._where} refuses {adaptation.refused}"
                f" ({shortened(words)}), so {adaptation.instead}.",
            )

    async def _model_name(self) -> str:
        """The model of the settings, or else the endpoint's first, requested once."""
        if not self._model:
            self._model = (await self.models())[0]
        return self._model

    def _refused(self, error: RejectedRequest) -> ModelUnavailable:
        advice = hint_for(error.status, error.words, error.pause)
        hint = _NO_ENDPOINT if error.is_foreign else advice
        return ModelUnavailable(
            f"The model at {self._where} gave no answer (status {error.status}: "
            f"{shortened(error.words)}). {hint}",
            status=error.status,
            pause=error.pause,
        )

    def _unreachable(self, error: ConnectionFailed) -> ModelUnavailable:
        return ModelUnavailable(
            f"The model at {self._where} is not answering ({error}). "
            "Check AGENT_API_URL, or try again in a minute.",
            public="The model is not answering.",
        )


def _instead_of_words(said: ModelMessage) -> str:
    if said.calls:
        return "it kept calling tools"
    if said.only_reasoned:
        return (
            "it only reasoned, the second time too. Raise AGENT_MAX_TOKENS (terrarium-agent has"
            " room for 3,500), or use a model that reasons less"
        )
    if said.has_words:
        return "nothing of what it said can be shown"
    finish = shortened(harmless(said.finish))
    return f"it said nothing (finish reason: {finish})" if finish else "it said nothing"


async def _completion(
    endpoint: Endpoint, body: RequestBody, offered: Collection[str]
) -> ModelMessage:
    """The message in the endpoint's answer to one request; `offered` are the names of the tools.

    Raises:
        RejectedRequest: it answers with an error, or with what is no completion.
        ConnectionFailed: there is no whole answer.
    """
    answer = await endpoint.complete(body)
    read = partial(read_message, answer, offered)
    try:
        said = read() if len(answer) <= SHORT_COMPLETION else await offload(read)
    except NotACompletion as error:
        words = endpoint.words(str(error))
        raise RejectedRequest(200, words, is_foreign=error.is_foreign) from error
    behind = _with_ids(said.calls_behind)
    return dataclasses.replace(said, calls=_with_ids(said.calls), calls_behind=behind)


def _with_ids(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Calls with a generated id for each that lacks one, or has that of another call.

    An id longer than LONGEST_ID is replaced too. Nine letters and digits are an id that Mistral's
    templates accept too.
    """
    ids = [call.id for call in calls]
    return tuple(
        call
        if 0 < len(call.id) <= LONGEST_ID and call.id not in ids[:at]
        else dataclasses.replace(call, id=secrets.token_hex(5)[:9])
        for at, call in enumerate(calls)
    )

"""Sixty-six misbehaviours of six kinds of endpoint, each with the outcome that is fixed for it.

What can be recovered from ends in the model's own answer, all else in the best lines of the log
below one sentence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.irc_bridge.house import NOBODY
from tests.patience import PATIENCE
from tests.servers.endpoints import faults
from tests.servers.endpoints.http import Answer
from tests.servers.endpoints.llama_cpp import LlamaCpp
from tests.servers.endpoints.lm_studio import LmStudio
from tests.servers.endpoints.ollama import Ollama
from tests.servers.endpoints.openai import OpenAI
from tests.servers.endpoints.stand_in import Said, Scripted, StandIn, called, sent_json
from tests.servers.endpoints.terrarium_agent import TerrariumAgent
from tests.servers.endpoints.vllm import Vllm

OWN = "bo fixed it on Tuesday."
"""The model's own answer."""

NO_ANSWER = "The model gave no answer"
NOT_ANSWERING = "The model is not answering"
TOO_LATE = "The model did not answer in time"
TOO_LONG = "The talk is too long for the model"

DECLINED = "I'm sorry, I can't help with that."

VLLM_TOO_LONG = "The decoder prompt (length 5012) is longer than the maximum model length of 4096."

ENGINE_CANNOT_READ = "The model produced output that does not match the expected peg-native format"

HALF_AN_ANSWER = {
    "choices": [
        {"message": {"role": "assistant", "content": "bo did not"}, "finish_reason": "stop"}
    ],
    "error": {"code": 502, "message": "Upstream idle timeout"},
}

LOOKS = called("search_irc_history", query="garden gate")


@dataclass(frozen=True)
class Misbehaviour:
    """What an endpoint does to a question, and what comes of it.

    `outcome` is the beginning of the reply, `requests` how many the endpoint is sent for it;
    `script` are its answers to those that it does not refuse by itself.
    """

    name: str
    endpoint: Callable[[], StandIn]
    script: Callable[[Any], Sequence[Scripted]]
    outcome: str
    requests: int
    timeout: float = PATIENCE
    address: Callable[[str], str] = str
    model: str = ""

    @property
    def by_model(self) -> bool:
        """Whether the answer is the model's own."""
        return self.outcome in (OWN, DECLINED)


def answers(*script: Scripted) -> Callable[[Any], Sequence[Scripted]]:
    """These, whatever the endpoint."""
    return lambda _endpoint: script


def raw_call(**function: Any) -> Said:
    """A call with any function at all."""
    return Said("", more={"tool_calls": [{"id": "c1", "type": "function", **function}]})


TERRARIUM_AGENT = [
    Misbehaviour(
        "its vLLM refuses tools with a 500",
        lambda: TerrariumAgent(has_parser=False),
        answers(OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "a 500 says that the context is too small",
        TerrariumAgent,
        lambda e: [e.context_error(), OWN],
        OWN,
        2,
    ),
    Misbehaviour(
        "the context is too small also for half of it",
        TerrariumAgent,
        lambda e: [e.context_error(), e.context_error()],
        TOO_LONG,
        2,
    ),
    Misbehaviour("a 500", TerrariumAgent, lambda e: [e.error(500, "boom")], NO_ANSWER, 1),
    Misbehaviour(
        "no answer in time", TerrariumAgent, lambda e: [faults.hanging(e)], TOO_LATE, 1, 0.5
    ),
    Misbehaviour(
        "the model's template takes no system message",
        lambda: TerrariumAgent(template_refuses=("system",)),
        answers(OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "the model's template takes results only as words of a user",
        lambda: TerrariumAgent(template_refuses=("tool",)),
        answers(LOOKS, OWN),
        OWN,
        4,
    ),
    Misbehaviour(
        "the connection ends in the middle of the answer",
        TerrariumAgent,
        lambda e: [faults.cut_off(e.completion(Said(OWN)))],
        NOT_ANSWERING,
        1,
    ),
    Misbehaviour(
        "it starts again: 502, then 503",
        TerrariumAgent,
        lambda e: [e.error(502, "bad gateway"), e.error(503, "starting"), OWN],
        OWN,
        3,
    ),
    Misbehaviour(
        "a 422 for something unknown",
        TerrariumAgent,
        answers(sent_json({"detail": [{"loc": ["body", "seed"], "msg": "Field required"}]}, 422)),
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "the prompt is longer than the model's length",
        TerrariumAgent,
        answers(sent_json({"detail": VLLM_TOO_LONG}, 500), OWN),
        OWN,
        2,
    ),
]

VLLM = [
    Misbehaviour(
        "it was started without a tool parser",
        lambda: Vllm(has_parser=False),
        answers(OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "the request exceeds the context", Vllm, lambda e: [e.context_error(), OWN], OWN, 2
    ),
    Misbehaviour(
        "the prompt leaves less than nothing for the answer",
        Vllm,
        lambda e: [e.error(400, "max_tokens must be at least 1, got -186."), OWN],
        OWN,
        2,
    ),
    Misbehaviour(
        "a template as strict as Gemma's and Mistral's together",
        lambda: Vllm(template_refuses=("system", "tool", "repetition", "ids")),
        answers(LOOKS, OWN),
        OWN,
        4,
    ),
    Misbehaviour("a model that it has not", Vllm, answers(), NO_ANSWER, 1, model="glm-45"),
    Misbehaviour(
        "only reasoning, then an answer",
        Vllm,
        answers(Said(None, finish="length", more={"reasoning_content": "Hm."}), OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "only reasoning, twice",
        Vllm,
        answers(*[Said(None, finish="length", more={"reasoning_content": "Hm."})] * 2),
        NO_ANSWER,
        2,
    ),
    Misbehaviour(
        "a call with broken JSON",
        Vllm,
        answers(Said(None, (("search_irc_history", '{"query": "gar'),), "tool_calls"), OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "its parser leaves the call in the text",
        Vllm,
        answers('<tool_call>{"name": "get_current_users", "arguments": {}}</tool_call>', OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "its engine died",
        Vllm,
        lambda e: [e.error(500, "EngineCore encountered an issue. See stack trace (above).")],
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "it cannot read the header of a call",
        Vllm,
        lambda e: [e.error(400, "unexpected tokens remaining in message header: Some()"), OWN],
        OWN,
        2,
    ),
]

LLAMA_CPP = [
    Misbehaviour(
        "it was started without --jinja",
        lambda: LlamaCpp(jinja=False),
        answers(OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "it is loading the model, then done",
        LlamaCpp,
        lambda e: [e.loading_error(), e.loading_error(), OWN],
        OWN,
        3,
    ),
    Misbehaviour(
        "it is loading the model for long", lambda: LlamaCpp(loading=True), answers(), NO_ANSWER, 3
    ),
    Misbehaviour(
        "the request exceeds the context", LlamaCpp, lambda e: [e.context_error(), OWN], OWN, 2
    ),
    Misbehaviour(
        "its template raises: roles must alternate",
        lambda: LlamaCpp(template_refuses=("repetition",), jinja=False),
        answers(OWN),
        OWN,
        2,
    ),
    Misbehaviour("it crashes", LlamaCpp, answers(faults.closed()), NOT_ANSWERING, 1),
    Misbehaviour("the connection is reset", LlamaCpp, answers(faults.reset()), NOT_ANSWERING, 1),
    Misbehaviour("an endless answer", LlamaCpp, answers(faults.endless()), NOT_ANSWERING, 1),
    Misbehaviour("nobody listens", LlamaCpp, answers(), NOT_ANSWERING, 0, address=lambda _: NOBODY),
    Misbehaviour("200 kB of text", LlamaCpp, answers(f"{OWN}\n" + "and so on " * 20_000), OWN, 1),
    Misbehaviour(
        "its parser cannot read a call",
        LlamaCpp,
        lambda e: [e.error(500, "Failed to parse input at pos 12: </tool_call>"), OWN],
        OWN,
        2,
    ),
]

OLLAMA = [
    Misbehaviour(
        "a model without tools",
        lambda: Ollama(takes_tools=False),
        answers(OWN),
        OWN,
        2,
    ),
    Misbehaviour("a model that was not pulled", Ollama, answers(), NO_ANSWER, 1, model="glm-4"),
    Misbehaviour(
        "two calls without ids",
        Ollama,
        answers(Said("", (("get_current_users", "{}"), ("get_stats", "{}")), "tool_calls"), OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "it is busy, then not",
        Ollama,
        lambda e: [
            e.error(503, "server busy, please try again.  maximum pending requests exceeded"),
            OWN,
        ],
        OWN,
        2,
    ),
    Misbehaviour(
        "the arguments are an object",
        Ollama,
        answers(raw_call(function={"name": "get_current_users", "arguments": {}}), OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "the arguments are empty",
        Ollama,
        answers(raw_call(function={"name": "get_current_users", "arguments": ""}), OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "a call without a name",
        Ollama,
        answers(raw_call(function={"name": None, "arguments": "{}"}), OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "an error with status 200",
        Ollama,
        answers(sent_json({"error": {"message": "llama runner process has terminated"}})),
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "the lines of its own API",
        Ollama,
        answers(Answer(body=b'{"message": {"content": "bo"}}\n{"done": true}\n')),
        NO_ANSWER,
        1,
    ),
    Misbehaviour("an answer without a word", Ollama, answers(""), NO_ANSWER, 1),
    Misbehaviour(
        "its parser cannot read a call",
        Ollama,
        lambda e: [e.error(500, "error parsing tool call: raw='{', err=unexpected end"), OWN],
        OWN,
        2,
    ),
]

LM_STUDIO = [
    Misbehaviour(
        "it cannot read the model's calls",
        lambda: LmStudio(knows_format=False),
        answers(LOOKS, OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "the request exceeds the context", LmStudio, lambda e: [e.context_error(), OWN], OWN, 2
    ),
    Misbehaviour(
        "the model's template takes no system message",
        lambda: LmStudio(template_refuses=("system",)),
        answers(OWN),
        OWN,
        2,
    ),
    Misbehaviour(
        "the model's template takes only ids of nine characters",
        lambda: LmStudio(template_refuses=("ids",)),
        answers(LOOKS, OWN),
        OWN,
        3,
    ),
    Misbehaviour(
        "a page that it does not know, with status 200",
        LmStudio,
        lambda e: [e.error(200, "Unexpected endpoint or method. (POST /chat/completions)")],
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "no model is loaded",
        LmStudio,
        lambda e: [e.error(400, "No models loaded. Please load a model in the developer page.")],
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "a stream that nobody asked for", LmStudio, answers(faults.streamed(Said(OWN))), OWN, 1
    ),
    Misbehaviour(
        "a wrong content-length",
        LmStudio,
        lambda e: [faults.miscounted(e.completion(Said(OWN)))],
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "a body that is not compressed as it says",
        LmStudio,
        lambda e: [faults.garbled_gzip(e.completion(Said(OWN)))],
        NOT_ANSWERING,
        1,
    ),
    Misbehaviour(
        "no TLS although the address says so",
        LmStudio,
        answers(),
        NOT_ANSWERING,
        0,
        address=lambda url: url.replace("http:", "https:"),
    ),
    Misbehaviour(
        "its engine cannot read any call",
        LmStudio,
        lambda e: [e.error(500, ENGINE_CANNOT_READ)] * 2,
        NO_ANSWER,
        2,
    ),
]

OPENAI = [
    Misbehaviour(
        "a reasoning model: no max_tokens, no temperature",
        lambda: OpenAI(reasons=True),
        answers(LOOKS, OWN),
        OWN,
        4,
    ),
    Misbehaviour("a wrong key", lambda: OpenAI(key="sk-1"), answers(), NO_ANSWER, 0),
    Misbehaviour(
        "a country that it does not serve",
        OpenAI,
        lambda e: [e.error(403, "Country, region, or territory not supported")],
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "too many requests, and a short pause",
        OpenAI,
        lambda e: [faults.retry_after("0", e.error(429, "Rate limit reached")), OWN],
        OWN,
        2,
    ),
    Misbehaviour(
        "too many requests, and a long pause",
        OpenAI,
        lambda e: [faults.retry_after("3600", e.error(429, "Rate limit reached"))],
        NO_ANSWER,
        1,
    ),
    Misbehaviour("no credit", OpenAI, lambda e: [e.out_of_credit()], NO_ANSWER, 1),
    Misbehaviour(
        "the answer was filtered",
        OpenAI,
        answers(Said(None, finish="content_filter")),
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "the model declines", OpenAI, answers(Said(None, more={"refusal": DECLINED})), DECLINED, 1
    ),
    Misbehaviour(
        "HTML from a gateway, three times",
        OpenAI,
        answers(*[faults.html(502)] * 3),
        NO_ANSWER,
        3,
    ),
    Misbehaviour(
        "a redirect to another host",
        OpenAI,
        answers(faults.redirect("http://127.0.0.1:9/v1/chat/completions")),
        NO_ANSWER,
        1,
    ),
    Misbehaviour(
        "half an answer, and beside it the error of a proxy",
        OpenAI,
        answers(sent_json(HALF_AN_ANSWER)),
        NO_ANSWER,
        1,
    ),
]

MISBEHAVIOURS = [*TERRARIUM_AGENT, *VLLM, *LLAMA_CPP, *OLLAMA, *LM_STUDIO, *OPENAI]

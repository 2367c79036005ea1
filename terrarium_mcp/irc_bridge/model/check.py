"""Finds out at the start what an operator would else learn from the first question that fails."""

import logging
from contextlib import suppress

from terrarium_mcp.errors import surviving
from terrarium_mcp.irc_bridge.model.chat_types import ChatMessage, ToolSchema
from terrarium_mcp.irc_bridge.model.client import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.wording import and_more, did_you_mean

CHECK = "Reply with one word: ready"
CHECK_TOKENS = 16
"""The longest reply. Less than 16 is refused by some endpoints."""

_CHECK_TOOL = ToolSchema("ready", "Does nothing.", {"type": "object", "properties": {}})

_MOST_LISTED = 10

log = logging.getLogger(__name__)


async def check_endpoint(llm: LLM) -> None:
    """Log whether the endpoint is reachable and well, knows the model, and accepts key and tools.

    It is asked for one word and offered a tool; from then on `llm` knows whether to offer any.
    """
    with surviving("the check of the model's endpoint", log):
        await _check(llm)


async def _check(llm: LLM) -> None:
    if not llm.is_set:
        log.info("no model is set: questions are answered with search results")
        return
    health = await llm.health()
    if not health.ok:
        sentence = health.text if health.kind else f"model endpoint unhealthy ({health.text})."
        llm.condition.troubled(health.kind or "unhealthy", sentence)
        return
    await _warn_of_unlisted_model(llm)
    with suppress(ModelUnavailable):  # the condition has logged it
        with suppress(TalkTooLong):  # a very small context, but it answers
            talk = [ChatMessage("user", CHECK)]
            said = await llm.next_message(talk, [_CHECK_TOOL], max_tokens=CHECK_TOKENS)
            if not (said.has_words or said.calls or said.only_reasoned):
                raise llm.note_no_answer(said)
            llm.condition.well()
        log.info("the model %s answers", llm.model)


async def _warn_of_unlisted_model(llm: LLM) -> None:
    """Warn only, since an endpoint may know a model that it does not list."""
    with suppress(ModelUnavailable):  # not every endpoint has a list
        listed = await llm.models()
        if llm.model and llm.model not in listed:
            near = did_you_mean(llm.model, listed)
            log.warning(
                "AGENT_MODEL=%s is not among the models that the endpoint lists.%s It lists: %s.",
                llm.model,
                near,
                and_more(listed, _MOST_LISTED),
            )

"""The model of `terrarium-mcp init`: an endpoint that lists its models, and one of them."""

import anyio
import click

from terrarium_mcp.cli.starting.init_checks import listed_models
from terrarium_mcp.cli.starting.init_dialogue import NONE, Dialogue, Values
from terrarium_mcp.irc_bridge.model.client import ModelUnavailable
from terrarium_mcp.settings import NO_MODEL, Settings, settings_from
from terrarium_mcp.wording import and_more

_MOST_SHOWN = 8


def model_settings(dialogue: Dialogue) -> Values:
    """Ask for the endpoint, and for one of its models; NO_MODEL if there is to be none."""
    while True:
        question = "Model endpoint, OpenAI-compatible (none: answer with search results)"
        url = dialogue.answer("AGENT_API_URL", question, Settings().agent_api_url)
        if url.lower() in NONE:
            return {"AGENT_API_URL": NO_MODEL, "AGENT_API_KEY": "", "AGENT_MODEL": ""}
        is_usual = url == dialogue.usual.get("AGENT_API_URL")
        key = dialogue.option("AGENT_API_KEY", or_usual=is_usual)
        values = {"AGENT_API_URL": url, "AGENT_API_KEY": key}
        if dialogue.accepted(values) and (names := _models(dialogue, values)) is not None:
            return {**values, "AGENT_MODEL": _one_of(dialogue, names)}


def _models(dialogue: Dialogue, values: dict[str, str]) -> list[str] | None:
    """The endpoint's models; empty if it is kept without an answer, None if it is not kept."""
    try:
        names = anyio.run(listed_models, settings_from(values, "your answer"))
    except ModelUnavailable as error:
        dialogue.objects(error)
        is_refused = error.status in (401, 403)
        if is_refused and (key := dialogue.secret("API key (empty: another endpoint)")):
            values["AGENT_API_KEY"] = key
            return _models(dialogue, values)
        return [] if dialogue.agrees("Keep this endpoint nevertheless?") else None
    click.echo(f"  it has {and_more(names, _MOST_SHOWN)}")
    return names


def _one_of(dialogue: Dialogue, names: list[str]) -> str:
    while True:
        model = dialogue.answer("AGENT_MODEL", "Model", names[0] if names else "")
        if not names or model in names:
            return model
        dialogue.objects(f"{model} is not among them")
        if dialogue.agrees("Use it nevertheless?"):
            return model

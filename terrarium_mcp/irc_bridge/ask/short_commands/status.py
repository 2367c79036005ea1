"""`!ping` and `!status`: whether the bot is awake, remembers, and has a model that answers."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from terrarium_mcp.chat.times.timestamps import lasting
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import BridgeReport
from terrarium_mcp.wording import quantity

_ADDRESS = r"\w[\w+.-]*://(?:\[[^\s\]]*\])?[^\s)\]}>,;\"']*|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"
"""A URL, or an IPv4 address with or without its port."""


async def ping(context: CommandContext) -> list[str]:
    """!ping: whether the bot and its history are reachable."""
    away = context.toolbox.trouble  # which may name an address, and is in the log
    return ["pong, but the history is unavailable at the moment" if away else "pong"]


async def status(context: CommandContext) -> list[str]:
    """!status: how long the bot is up, what is recorded, and whether the model answers.

    An operator of the bot also reads which model that is, what is wrong, and what is not on disk.
    """
    report, now = context.report(), datetime.now(UTC)
    facts = [
        _up(report, now),
        await _recorded(context),
        _model(report, context.settings),
        _questions(report),
    ]
    everybody = " ".join(fact for fact in facts if fact)
    if not context.is_admin:
        return [everybody]
    return [everybody, _for_admins(report, now, context), *_last_request(context)]


def _up(report: BridgeReport, now: datetime) -> str:
    up, connected = (
        _since(moment, now) for moment in (report.started or report.since, report.since)
    )
    return f"Up for {up}, connected for {connected}."


async def _recorded(context: CommandContext) -> str:
    """What the record covers here. That it cannot be read is part of the status."""
    if not context.ways.is_recorded:
        return "Nothing that is said here is recorded."
    arguments = {"limit": 1, "format": "json"}
    try:
        found = await context.toolbox.call("get_recent_irc_messages", arguments, context.view)
    except TerrariumError as error:
        return error.public
    if found.failed:
        return found.text
    where = context.command.channel or "The channels that we share"
    return f"{where}: {found.facts.get('covered', 'unknown')}"


def _model(report: BridgeReport, settings: Settings) -> str:
    if not settings.has_model:
        return "No language model answers questions."
    return "The model is not answering." if report.model_trouble else "No trouble with the model."


def _questions(report: BridgeReport) -> str:
    """How many questions the bot has to answer; nothing if there are none."""
    number = quantity(report.questions, "question")
    return f"{number} in work or waiting." if report.questions else ""


def _for_admins(report: BridgeReport, now: datetime, context: CommandContext) -> str:
    model = (report.model or "not known yet") if context.settings.has_model else "none"
    trouble = without_addresses(report.model_trouble, context.settings.agent_api_url)
    waiting = f"{quantity(report.waiting, 'line')} not on disk yet"
    since = report.unwritable_since
    failing = f" (nothing can be written for {_since(since, now)})" if since else ""
    lost = f", {report.lost:,} lost" if report.lost else ""
    parts = [f"Model: {model}.", trouble, f"Recording: {waiting}{failing}{lost}."]
    return " ".join(part for part in parts if part)


def _last_request(context: CommandContext) -> list[str]:
    """What the last question here was sent with: each part, its share, and why it was in."""
    breakdown = context.dialogue.breakdown
    return [f"Last request here: {breakdown[0]}", *breakdown[1:]] if breakdown else []


def without_addresses(trouble: str, url: str) -> str:
    """The trouble with the endpoint at `url`, without any address, as a channel may read it."""
    host = re.escape(urlsplit(url).hostname or "")
    patterns = [_ADDRESS, rf"(?<![\w.-]){host}(?::\d+)?"] if host else [_ADDRESS]
    return re.sub("|".join(patterns), "its address", trouble, flags=re.IGNORECASE)


def _since(moment: datetime, now: datetime) -> str:
    return lasting(max(timedelta(), now - moment))

"""The examination of a deployment: its settings, its database, and with patience all of it."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click
from anyio import to_thread

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from terrarium_mcp.store.database import explained
from terrarium_mcp.store.health import examine
from terrarium_mcp.store.health.deep_check import UNHURRIED, check_deeply
from terrarium_mcp.store.health.findings import Fact, Section
from terrarium_mcp.store.migrations import repair

UNREADABLE = "database (contents)"


async def examination(
    settings: Settings,
    sources: Mapping[str, str],
    deep: bool,
    rebuild: bool,
    temp: Path | None,
) -> bool:
    """Print what there is to see; whether all is well in the end."""
    path = Path.cwd() / settings.db_path
    if rebuild:
        await _recreate_missing(path)
    state = examine(path, datetime.now(UTC), settings.source_timezone)
    sections = [set_so(settings, sources), *state]
    for section in sections:
        _show(section)
    if deep and UNREADABLE not in _wrong(sections):
        sections.append(await _deeply(path, settings, temp, rebuild=rebuild))
    wrong = _wrong(sections)
    click.echo(f"{len(wrong)} wrong: {', '.join(wrong)}" if wrong else "all is well")
    return not wrong


async def _recreate_missing(path: Path) -> None:
    """Recreate missing derived tables; the examination reports it if that was not possible."""
    with suppress(TerrariumError, OSError), explained(path):
        for one in await to_thread.run_sync(repair, path):
            click.echo(f"{one}: created again, to be filled from the messages", err=True)


def set_so(settings: Settings, sources: Mapping[str, str]) -> Section:
    """Every setting, its value and where that was found; of a secret only whether it is set."""
    return Section(
        "settings",
        [
            Fact(name, f"{_value(settings, field)} ({sources.get(name, 'default')})")
            for field, info in type(settings).model_fields.items()
            if (name := str(info.alias))
        ],
    )


def _value(settings: Settings, field: str) -> str:
    value = getattr(settings, field)
    if type(settings).model_fields[field].json_schema_extra:  # it is a secret
        return "set" if value else "not set"
    if isinstance(value, tuple):
        value = ", ".join(map(str, value))
    return "not set" if value in ("", None) else harmless(str(value))


async def _deeply(path: Path, settings: Settings, temp: Path | None, *, rebuild: bool) -> Section:
    try:
        deep = await check_deeply(path, settings, Progress(), temp)
        section = Section("deep check", deep.facts)
        _show(section)
        if not rebuild or not deep.wrong:
            return section
        return await _rebuilt(path, settings, deep.wrong)
    except TerrariumError as why:
        section = Section("deep check", [Fact("not done", str(why), wrong=True)])
        _show(section)
        return section


async def _rebuilt(path: Path, settings: Settings, names: Sequence[str]) -> Section:
    """Make again what was wrong; a new check is up to whoever asked."""
    began = time.monotonic()
    async with open_store(path, settings) as store:
        await store.opening.wait(UNHURRIED)
        say = Progress()
        lines = await store.rebuild(names, lambda part: say(f"making again, {part:.0%}"))
    seconds = time.monotonic() - began
    rate = f"{lines:,} lines in {seconds:.1f} s, {lines / max(seconds, 0.001):,.0f} a second"
    section = Section("made again", [Fact(", ".join(names), rate)])
    _show(section)
    return section


def _wrong(sections: Sequence[Section]) -> list[str]:
    return [
        f"{section.title} ({fact.name})"
        for section in sections
        for fact in section.facts
        if fact.wrong
    ]


def _show(section: Section) -> None:
    click.echo(section.title)
    width = max(len(fact.name) for fact in section.facts)
    for fact in section.facts:
        click.echo(f"{'!' if fact.wrong else ' '} {fact.name:{width}}  {fact.text}")
    click.echo()


class Progress:
    """Tells whoever waits what is being done, on stderr, and nothing twice."""

    def __init__(self) -> None:
        self._told = ""

    def __call__(self, doing: str) -> None:
        """Say it."""
        if doing != self._told:
            self._told = doing
            click.echo(doing, err=True)

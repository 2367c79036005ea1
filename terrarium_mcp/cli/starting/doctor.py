"""The examination of a deployment: its settings, its database, and on request all of its data."""

import os
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.starting.liveness import facts_of, is_current, troubles
from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.cli.starting.program import shell_words
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.usual_places import usual_logs
from terrarium_mcp.settings import (
    BadSetting,
    Mount,
    NetworkTable,
    Settings,
    check_mounted_channels,
    is_address_setting,
    public_address,
)
from terrarium_mcp.store import (
    Fact,
    Heartbeat,
    NotMigrated,
    NotOurs,
    Section,
    check_deeply,
    examine,
    read_heartbeats,
    repair_schema,
)
from terrarium_mcp.wording import and_more, quantity

UNREADABLE = "database (contents)"

TO_FOLLOW = "to follow"
"""The name of what a deep check tells where it has to wait for a migration."""

_MOST_ROOMS = 5


async def examination(
    settings: Settings,
    sources: Mapping[str, str],
    tables: Sequence[NetworkTable],
    deep: bool,
    rebuild: bool,
    temp: Path | None,
) -> bool:
    """Print the findings; returns whether all is well in the end."""
    path = Path.cwd() / settings.db_path
    repaired = await _repair(path, settings) if rebuild else []
    repaired += await _set_clock_back(path, settings) if rebuild else []
    state = examine(path, datetime.now(UTC), settings)
    sections = [
        _settings_section(settings, sources),
        *_network_sections(settings, tables),
        *_channel_sections(settings),
        *_mount_sections(settings),
        *refusals(settings),
        *repaired,
        *state,
        *_importable(Path.home()),
    ]
    for section in sections:
        _show(section)
    if deep and UNREADABLE not in _wrong(sections):
        sections.append(await _examine_deeply(path, settings, temp, rebuild=rebuild))
    if rebuild:  # which opened the file, unless nothing was to be done
        state = examine(path, datetime.now(UTC), settings)
    return _print_verdict(sections, _unmigrated(sections) or _unfilled(state))


def _unmigrated(sections: Sequence[Section]) -> str:
    """What it means that the deep check is to follow; "" if it is not."""
    if not any(fact.name == TO_FOLLOW for section in sections for fact in section.facts):
        return ""
    return "nothing is wrong that can be seen so far: the next start migrates the file"


def _unfilled(sections: Sequence[Section]) -> str:
    """What it means that indexes are not complete; "" if all are."""
    names = [fact.name for section in sections for fact in section.facts if fact.unfilled]
    if not names:
        return ""
    return (
        "nothing is wrong, but what needs one of these indexes waits until it is filled:"
        f" {', '.join(names)}. The keeper fills them, or the next process that opens the file"
    )


def live_examination(settings: Settings, now: datetime) -> bool:
    """Print what each network's bridge last reported; returns whether all of them are well.

    Bridges of networks that the settings do not name count only while they may be expected to run.
    """
    found: Mapping[str, Heartbeat] = {}
    try:
        heartbeats = read_heartbeats(Path.cwd() / settings.db_path)
        found = {one.report.network: one for one in heartbeats}
        sections = _bridges(settings, found, now)
    except TerrariumError as error:
        sections = [Section("database", [Fact("bridges", str(error), wrong=True)])]
    for section in sections:
        _show(section)
    shown = {section.title for section in sections}
    in_trouble = [
        f"{_title(name)} ({trouble})"
        for name, heartbeat in sorted(found.items())
        if _title(name) in shown
        for trouble in troubles(heartbeat, now)
    ]
    look = f"nothing is wrong yet, but look at: {', '.join(in_trouble)}" if in_trouble else ""
    return _print_verdict(sections, look)


def _bridges(settings: Settings, found: Mapping[str, Heartbeat], now: datetime) -> list[Section]:
    meant = {one.network_name for one in settings.networks if one.irc_server}
    start = f"none is running. Start one: {shell_words('bridge')}"
    never = Fact("process", start, wrong=True)
    sections = [
        Section(_title(name), facts_of(found[name], now) if name in found else [never])
        for name in sorted(found.keys() | meant)
        if name in meant or is_current(found[name], now)
    ]
    return sections or [Section("bridge", [never])]


def _title(network: str) -> str:
    return f"bridge of {harmless(network)}"


def _print_verdict(sections: Sequence[Section], passing: str) -> bool:
    """Print the last line; returns whether nothing is wrong.

    `passing` says what may pass by itself, or keeps nothing from being recorded; "" for nothing.
    """
    wrong = _wrong(sections)
    well = passing or "all is well"
    click.echo(f"{len(wrong)} wrong: {', '.join(wrong)}" if wrong else well)
    return not wrong


async def _repair(path: Path, settings: Settings) -> list[Section]:
    """Recreate what the schema lacks, and fill it; a section if there was anything to do."""
    facts = list[Fact]()
    try:
        repair = await repair_schema(path)
        facts += [Fact("recreated", str(difference)) for difference in repair.wrong]
        if repair.emptied:
            facts.append(Fact("emptied", ", ".join(repair.emptied)))
        if repair.emptied and repair.is_current:
            await _fill(path, settings)
            facts.append(Fact("filled", "all of these, from the messages"))
        elif repair.emptied:
            facts.append(Fact("to be filled", "by the next start, which migrates the file first"))
    except NotOurs:
        pass  # the examination reports it
    except (TerrariumError, OSError) as error:
        facts.append(Fact("not done", str(error), wrong=True))
    return [Section("schema", facts)] if facts else []


async def _set_clock_back(path: Path, settings: Settings) -> list[Section]:
    """Date the next lines by the clock again, where those before them are ahead of it."""
    now = datetime.now(UTC)
    if not any(one.name == "clock" for one in examine(path, now)[0].facts):
        return []
    async with opened_history(path, settings) as store:
        rooms = await store.messages.set_clock_back(now)
    names = harmless(and_more(rooms, _MOST_ROOMS))
    done = f"the last line of {names} is dated ahead of the clock; new lines get the current time"
    return [Section("clock", [Fact("set back", done)])] if rooms else []


async def _fill(path: Path, settings: Settings) -> None:
    """Open the history, which indexes what is missing."""
    async with opened_history(path, settings):  # which reports its progress
        pass


def _settings_section(settings: Settings, sources: Mapping[str, str]) -> Section:
    """Every setting with its value and source; of a secret only whether it is set."""
    return Section(
        "settings",
        [
            Fact(name, f"{_value(settings, field)} ({sources.get(name, 'default')})")
            for field, info in type(settings).model_fields.items()
            if (name := str(info.alias))
        ],
    )


def refusals(settings: Settings) -> list[Section]:
    """Why a server, or a bridge if a network has an IRC server, would refuse to start."""
    from terrarium_mcp.cli.starting.bridge_checks import (
        check_network,
        check_talk_log,
        check_tools,
    )

    checks = [("tools", partial(check_tools, settings)), ("log", partial(check_talk_log, settings))]
    if any(one.irc_server for one in settings.networks):
        checks += [(one.network_name, partial(check_network, one)) for one in settings.networks]
    facts = []
    for name, check in checks:
        try:
            check()
        except BadSetting as error:
            facts.append(Fact(harmless(name), str(error), wrong=True))
    return [Section("refused at the start", facts)] if facts else []


def _importable(home: Path) -> list[Section]:
    """The logs of other programs in the usual places of an account, with what imports them."""
    facts = [Fact(logs.program, logs.import_command) for logs in usual_logs(home)]
    return [Section("logs in this account", facts)] if facts else []


def _network_sections(settings: Settings, tables: Sequence[NetworkTable]) -> list[Section]:
    """What each [[network]] table sets or its IRC_SERVER implies; all else is as outside them."""
    return [
        Section(
            f"network {network.network_name}",
            [
                Fact(name, f"{_value(network, field)} ({table.source})")
                for field, info in type(network).model_fields.items()
                if (name := str(info.alias)) in table.values
                or field in network.model_fields_set - settings.model_fields_set
            ],
        )
        for network, table in zip(settings.networks, tables, strict=False)
    ]


def _channel_sections(settings: Settings) -> list[Section]:
    """What each [channel] table sets; all else is as for its network."""
    return [
        Section(
            harmless(table.title),
            [
                Fact(key, f"{harmless(value)} ({table.source})")
                for key, value in table.values().items()
            ],
        )
        for table in settings.channel_tables
        if table.values()
    ]


def _mount_sections(settings: Settings) -> list[Section]:
    """Each mounted MCP server; of variables and headers only the names."""
    return [
        Section(f"MCP server {mount.name}", _facts_of(mount, settings))
        for mount in settings.mcp_servers
    ]


def _facts_of(mount: Mount, settings: Settings) -> list[Fact]:
    facts = [
        Fact("command" if mount.command else "url", harmless(mount.server)),
        Fact("env" if mount.command else "headers", _names(mount.env or mount.headers)),
        Fact("tools", _names(mount.tools)),
        Fact("channels", _names(mount.channels)),
    ]
    if mount.command and not _has_program(mount):
        missing = f"There is no program {harmless(mount.server)} that this account may start."
        way_out = "Install it, or write its whole path into command."
        facts.append(Fact("not started", f"{missing} {way_out}", wrong=True))
    try:
        check_mounted_channels([mount], settings.named_channels)
    except BadSetting as error:
        facts.append(Fact("not mounted", str(error), wrong=True))
    return facts


def _has_program(mount: Mount) -> bool:
    """Whether there is a program where the environment and the folder of a mount lead to."""
    program = mount.command[0]
    place = mount.folder / program if os.sep in program else program
    return shutil.which(place, path=mount.env.get("PATH")) is not None


def _names(names: Iterable[str]) -> str:
    return harmless(", ".join(names)) or "none"


def _value(settings: Settings, field: str) -> str:
    value = getattr(settings, field)
    if type(settings).model_fields[field].json_schema_extra:  # a secret
        return "set" if value else "not set"
    if isinstance(value, bool):  # as it is written in a file
        return "on" if value else "off"
    if isinstance(value, tuple):
        value = ", ".join(map(str, value))
    elif is_address_setting(str(type(settings).model_fields[field].alias)):
        value = public_address(value)
    return "not set" if value in ("", None) else harmless(str(value))


async def _examine_deeply(
    path: Path, settings: Settings, temp: Path | None, *, rebuild: bool
) -> Section:
    """Check all data, and on request rebuild what differs; returns the last section it prints."""
    try:
        with Progress() as progress:
            deep = await check_deeply(path, settings, progress, temp)
        section = Section("deep check", deep.facts)
        _show(section)
        if not rebuild or not deep.wrong:
            return section
        return await _rebuild(path, settings, deep.wrong)
    except TerrariumError as error:
        # What the schema lacked is there again. The rest is for the next start, and no fault.
        is_to_follow = rebuild and isinstance(error, NotMigrated)
        name = TO_FOLLOW if is_to_follow else "not done"
        section = Section("deep check", [Fact(name, str(error), wrong=not is_to_follow)])
        _show(section)
        return section


async def _rebuild(path: Path, settings: Settings, names: Sequence[str]) -> Section:
    """Rebuild the structures named, and print how fast it was. They are not checked again."""
    began = time.monotonic()
    async with opened_history(path, settings) as store:
        with Progress() as progress:
            lines = await store.rebuild(names, lambda part: progress(f"rebuilding, {part:.0%}"))
    seconds = time.monotonic() - began
    rate = (
        f"{quantity(lines, 'line')} in {seconds:.1f} s, {lines / max(seconds, 0.001):,.0f} a second"
    )
    section = Section("rebuilt", [Fact(", ".join(names), rate)])
    _show(section)
    return section


def _wrong(sections: Sequence[Section]) -> list[str]:
    """What is wrong, each once: several channels may have the same trouble with the retention."""
    return [
        *dict.fromkeys(
            f"{section.title} ({fact.name})"
            for section in sections
            for fact in section.facts
            if fact.wrong
        )
    ]


def _show(section: Section) -> None:
    click.echo(section.title)
    width = max(len(fact.name) for fact in section.facts)
    for fact in section.facts:
        line = f"{'!' if fact.wrong else ' '} {fact.name:{width}}  {fact.text}"
        click.secho(line, fg="red" if fact.wrong else None)
    click.echo()

"""A purge: shows what is stored of a person, removes it, and lists what remains elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.cli.starting.path_checks import is_missing
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import (
    BacklogMentions,
    LegacyCleanup,
    PersonTraces,
    PurgeTarget,
    Store,
    check_unused,
    require_adopted,
    scrub,
    unfinished_copies,
)
from terrarium_mcp.wording import and_more, did_you_mean, quantity, shown

ASKED_BY = "terrarium-mcp purge"

_REPORT_EVERY = 5_000
"""Messages between two progress reports."""

_MOST_NETWORKS = 20


class NothingToPurge(TerrariumError):
    """The nick or network is not recorded."""


@dataclass(frozen=True, slots=True)
class PurgeOptions:
    """The options of one `terrarium-mcp purge`."""

    path: Path
    settings: Settings
    target: PurgeTarget
    thorough: bool
    copies: bool
    adopt: bool


async def preview(options: PurgeOptions) -> None:
    """Print what is stored of the person.

    Raises:
        NothingToPurge: nothing is.
        NotAdopted: the database is terrarium-irc's.
        FileInUse: --thorough, and another process has the database open.
        NotEnoughDisk: --thorough, and the disk is too full.
    """
    target = options.target
    if is_missing(options.path):
        raise NothingToPurge(f"There is no database {options.path}. Name one with DB_PATH or --db.")
    if options.thorough:
        if not options.adopt:
            require_adopted(options.path)
        await check_unused(options.path)
    async with opened_history(options.path, options.settings, adopt=options.adopt) as store:
        await _check_network(store, target.network)
        traces = await store.removal.traces(target)
        anything = traces.total or traces.backlog.written or traces.backlog.quoting
        if not anything and not await _may_be_unfinished(store, options):
            raise NothingToPurge(await _nothing_recorded(store, target))
    where = f" on {target.network}" if target.network else ""
    click.echo(f"Recorded of {shown(target.nick)}{where}:")
    _print([*_counts(traces), *_changed_files(traces.backlog)] or ["nothing left in the tables"])


async def remove(options: PurgeOptions) -> None:
    """Remove the person, and print what was removed and what cannot be reached.

    Raises:
        StoreFailed, BacklogFailed, FileInUse, NotEnoughDisk: the audit records how much was
            removed; the same command continues from there.
    """
    async with opened_history(options.path, options.settings, adopt=options.adopt) as store:
        legacy, left = LegacyCleanup(), list[str]()
        if options.copies:
            legacy = await store.removal.terrarium_irc.purge(options.target)
        with Progress() as progress:
            result = await store.removal.purge(
                options.target,
                asked_by=ASKED_BY,
                at=datetime.now(UTC),
                on_progress=RemovalProgress(progress),
            )
        if not options.copies:
            left = await store.removal.terrarium_irc.names()
    turns = f" and {quantity(result.turns, 'turn')} of dialogues" if result.turns else ""
    click.echo(f"removed {quantity(result.messages, 'message')}{turns}")
    cleaned = (
        f"{one.file}: {quantity(one.messages, 'message')}, {one.rows} rows"
        for one in legacy.cleaned
    )
    _print([*cleaned, *_changed_files(result.backlog)])
    if options.thorough:
        click.echo("rewriting the file ...", err=True)
        await scrub(options.path)
        click.echo(f"rewrote {options.path.name}: no byte of those messages is left in it")
    click.echo("Not reached:")
    _print(_unreached(options, result.backlog, [*left, *legacy.unreached]))


async def _check_network(store: Store, network: str) -> None:
    known = sorted({room.network for room in await store.rooms.all()})
    if network and network not in known:
        ways = f" Known networks: {harmless(and_more(known, _MOST_NETWORKS))}."
        raise NothingToPurge(f"No network {shown(network)}.{did_you_mean(network, known) or ways}")


async def _may_be_unfinished(store: Store, options: PurgeOptions) -> bool:
    """Whether an earlier purge may have left something outside the tables."""
    if options.copies and await store.removal.terrarium_irc.names():
        return True
    return options.thorough and await store.removal.was_purged(options.target)


async def _nothing_recorded(store: Store, target: PurgeTarget) -> str:
    rooms = await store.rooms.all()
    networks = [target.network] if target.network else sorted({room.network for room in rooms})
    near = [
        name
        for network in networks
        for name in (await store.people.lookup(target.nick, network, rooms)).near
    ]
    hint = f" Did you mean {harmless(', '.join(dict.fromkeys(near)))}?" if near else ""
    return f"Nothing of {shown(target.nick)} is recorded.{hint}"


def _counts(traces: PersonTraces) -> list[str]:
    rooms = sorted({*traces.lines, *traces.events})
    counts = [
        f"{harmless(room) or 'in no channel'}: {quantity(traces.lines[room], 'line')},"
        f" {quantity(traces.events[room], 'event')}"
        for room in rooms
    ]
    others = {
        "private messages": traces.private,
        "turns of the bot's dialogues, asked by them or resting on their lines": traces.turns,
        "lists of who is in a channel": traces.member_lists,
        "records that ended since they kicked the bot": traces.kicks,
    }
    return counts + [f"{what}: {count:,}" for what, count in others.items() if count]


def _changed_files(backlog: BacklogMentions) -> list[str]:
    return [
        *(f"enhancements/{name}: the whole file" for name in backlog.written),
        *(f"enhancements/{name}: lines quoted in it" for name in backlog.quoting),
    ]


def _unreached(options: PurgeOptions, backlog: BacklogMentions, files: Sequence[str]) -> list[str]:
    scrubbing = "words in free pages and in the index: run the same command with --thorough"
    return [
        *(f"enhancements/{name}: names them; check it by hand" for name in backlog.naming),
        *(f"enhancements/{name}: this account may not read it" for name in backlog.unread),
        *(_unreached_file(options, name) for name in files),
        *(
            f"{one.name}: a copy that a check or a migration left; delete it, unless it is running"
            for one in unfinished_copies(options.path)
        ),
        *([] if options.thorough else [scrubbing]),
        "backups and exports, and what others quoted or said of them",
        "logs, and what a bouncer keeps: neither brings back what they said until now",
    ]


def _unreached_file(options: PurgeOptions, name: str) -> str:
    if options.copies:
        return f"{name}: a copy from an earlier version; delete it when you no longer need it"
    is_database = name == options.path.name
    what = "terrarium-irc's tables in it" if is_database else "a copy of the database"
    return f"{name}: {what}; run the same command with --copies"


class RemovalProgress:
    """Shows how many messages are gone, every few thousand."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._reported = 0

    def __call__(self, gone: int) -> None:
        """Report it, if it is time."""
        if gone >= self._reported + _REPORT_EVERY:
            self._reported = gone
            self._progress(f"{quantity(gone, 'message')} removed so far")


def _print(rows: Sequence[str]) -> None:
    for row in rows:
        click.echo(f"  {row}")

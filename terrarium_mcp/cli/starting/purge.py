"""A purge: what there is of somebody, its removal, and what that cannot reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import TerrariumError, did_you_mean, shown
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.audit import Why
from terrarium_mcp.store.database import explained
from terrarium_mcp.store.migrations import check_adopted
from terrarium_mcp.store.place import check_permissions
from terrarium_mcp.store.removal.deletion import Report
from terrarium_mcp.store.removal.former import Former
from terrarium_mcp.store.removal.purging import Traces, Who
from terrarium_mcp.store.removal.quotes import Files
from terrarium_mcp.store.removal.thorough import check_alone, scrub

ASKED_BY = "terrarium-mcp purge"


class NobodyThere(TerrariumError):
    """A nick or network that is not recorded."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Whom to remove, and from where."""

    path: Path
    settings: Settings
    nick: str
    network: str
    thorough: bool
    copies: bool
    adopt: bool

    @property
    def who(self) -> Who:
        """The person."""
        return Who(self.nick, self.network)


async def look(wish: Wish) -> None:
    """Show what there is of the person.

    Raises:
        NobodyThere: there is nothing of them.
        NotAdopted: the database is terrarium-irc's.
        NotAlone: --thorough, and somebody has the file open.
    """
    if not wish.path.is_file():
        raise NobodyThere(f"There is no database {wish.path}. Name one with DB_PATH or --db.")
    check_permissions(wish.path)
    if not wish.adopt:
        with explained(wish.path):
            check_adopted(wish.path)
    if wish.thorough:
        await check_alone(wish.path)
    async with open_store(wish.path, wish.settings, adopt=wish.adopt) as store:
        await store.opening.wait()
        await _check_network(store, wish.network)
        traces, files = await store.removal.traces(wish.who), await store.removal.files(wish.who)
        if not (traces.total or files.theirs or files.quoting) and not await _is_unfinished(
            store, wish
        ):
            raise NobodyThere(await _nobody(store, wish))
    where = f" on {wish.network}" if wish.network else ""
    click.echo(f"Of {shown(wish.nick)}{where} there is:")
    _show([*_counted(traces), *_filed(files)] or ["nothing more in the tables"])


async def remove(wish: Wish) -> None:
    """Remove what there is of the person, and tell what was done and what cannot be reached.

    Raises:
        StoreFailed, BacklogFailed, NotAlone, NoRoom: how far it came stands in the audit; the same
            command goes on from there.
    """
    async with open_store(wish.path, wish.settings, adopt=wish.adopt) as store:
        await store.opening.wait()
        former = await store.removal.purge_former(wish.who) if wish.copies else Former()
        gone, files = await store.removal.purge(
            wish.who, asked_by=ASKED_BY, at=datetime.now(UTC), report=_telling()
        )
        left = [] if wish.copies else await store.removal.former_files()
    click.echo(f"{_messages(gone)} removed")
    _show(
        [
            *(f"{one.file}: {_messages(one.messages)}, {one.rows} rows" for one in former.cleaned),
            *_filed(files),
        ]
    )
    if wish.thorough:
        click.echo("writing the file anew ...", err=True)
        await scrub(wish.path)
        click.echo(f"{wish.path.name} was written anew: no byte of it is left there")
    click.echo("Not reached:")
    _show(_unreached(wish, files, [*left, *former.unreached]))


async def _check_network(store: Store, network: str) -> None:
    known = sorted({room.network for room in await store.rooms.all()})
    if network and network not in known:
        near = did_you_mean(network, known) or f" Known networks: {harmless(', '.join(known))}."
        raise NobodyThere(f"No network {shown(network)}.{near}")


async def _is_unfinished(store: Store, wish: Wish) -> bool:
    """Whether something may be left where the tables do not tell: after an earlier purge."""
    if wish.copies and await store.removal.former_files():
        return True
    return wish.thorough and any(
        one.why is Why.PURGE and Who(one.nick).folded == wish.who.folded
        for one in await store.removal.history()
    )


async def _nobody(store: Store, wish: Wish) -> str:
    rooms = await store.rooms.all()
    networks = [wish.network] if wish.network else sorted({room.network for room in rooms})
    near = [
        name
        for network in networks
        for name in (await store.people.lookup(wish.nick, network, rooms)).near
    ]
    hint = f" Did you mean {harmless(', '.join(dict.fromkeys(near)))}?" if near else ""
    return f"Nothing of {shown(wish.nick)} is recorded.{hint}"


def _counted(traces: Traces) -> list[str]:
    rooms = sorted({*traces.lines, *traces.events})
    told = [
        f"{harmless(room) or 'in no channel'}: {traces.lines[room]:,} lines,"
        f" {traces.events[room]:,} events"
        for room in rooms
    ]
    return told + ([f"private messages: {traces.private:,}"] if traces.private else [])


def _filed(files: Files) -> list[str]:
    return [
        *(f"enhancements/{name}: the whole file" for name in files.theirs),
        *(f"enhancements/{name}: lines quoted in it" for name in files.quoting),
    ]


def _unreached(wish: Wish, files: Files, former: Sequence[str]) -> list[str]:
    again = "the same command with"
    return [
        *(f"enhancements/{name}: it names them; read it" for name in files.naming),
        *(_former(wish, name) for name in former),
        *([] if wish.thorough else [f"words in free pages and index: {again} --thorough"]),
        "backups and exports, what others quoted or said of them, and what a bouncer plays back",
    ]


def _former(wish: Wish, name: str) -> str:
    if wish.copies:
        return f"{name}: a copy in an earlier form of ours; delete it once you need it no more"
    what = "terrarium-irc's tables in it" if name == wish.path.name else "a copy of the database"
    return f"{name}: {what}; the same command with --copies"


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count:,} messages"


def _telling() -> Report:
    """Progress for whoever waits, every few thousand messages."""
    told = 0

    def report(gone: int) -> None:
        nonlocal told
        if gone >= told + 5_000:
            told = gone
            click.echo(f"{_messages(gone)} removed so far", err=True)

    return report


def _show(rows: Sequence[str]) -> None:
    for row in rows:
        click.echo(f"  {row}")

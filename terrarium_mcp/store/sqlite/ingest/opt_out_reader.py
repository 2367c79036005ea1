"""Who opted out, as the transaction sees it that writes messages."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain

from terrarium_mcp.chat.followed_nicks import FollowedNicks
from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.opt_outs import NO_OPT_OUTS, OptOuts, author
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.ingest.opt_out_rows import (
    add_identity,
    add_past_identity,
    stored_opt_outs,
)


class OptOutReader:
    """Who opted out, as of a transaction. They are read again once anything may have changed.

    The writing connection's `data_version` changes with every commit of another connection, thus of
    another process; `changed()` stands for those of our own.
    """

    def __init__(self) -> None:
        self._version: int | None = None
        self._known = NO_OPT_OUTS
        self._carried = NO_OPT_OUTS
        self._members: dict[tuple[str, str], Collection[Identity]] = {}

    async def current(self, writer: Writer) -> OptOuts:
        """Who opted out."""
        version = await writer.value("PRAGMA data_version")
        if version != self._version:
            self._known = self._with_members(await stored_opt_outs(writer))
            self._version = version
        if self._carried:
            await self._carry_over(writer)
        return self._known

    def changed(self) -> None:
        """Read them again next time."""
        self._version = None

    def set_members(self, network: str, channel: str, people: Collection[Identity]) -> None:
        """Note those who opted out and are in a channel. They are not stored."""
        if people != self._members.get((network, channel), ()):
            self._members[network, channel] = people
            self._known = self._with_members(self._known)

    def _with_members(self, known: OptOuts) -> OptOuts:
        """These, with the members among them: who opted in is none, though a list is of before."""
        people = chain.from_iterable(self._members.values())
        return replace(known, members=[(w.network, w.nick) for w in people if known.covers(w)])

    def carry_to_other_file(self) -> None:
        """Another file is opened, a new one or a backup: those known so far join its own."""
        self._carried = self._known
        self.changed()

    async def _carry_over(self, writer: Writer) -> None:
        missing = {
            who: decision
            for who, decision in self._carried.people.items()
            if not self._known.covers(who)
        }
        for who, decision in missing.items():
            await add_identity(writer, who, decision)
        known = {(who.network, decision) for who, decision in self._known.past}
        missing_past = [
            (who, decision)
            for who, decision in self._carried.past
            if (who.network, decision) not in known
        ]
        for who, decision in missing_past:
            await add_past_identity(writer, who, decision)
        if missing or missing_past:  # carried until a later transaction sees them: this may fail
            self._known = self._with_members(await stored_opt_outs(writer))
            self.changed()
        else:
            self._carried = NO_OPT_OUTS


async def permitted_messages(
    writer: Writer,
    opt_out_reader: OptOutReader,
    messages: Sequence[NewMessage],
    followed: FollowedNicks | None = None,
) -> Sequence[NewMessage | None]:
    """What may be written of each message.

    New identities of people who opted out are stored on the way: they stay opted out after a change
    of nick, a login, or from a new host. Those who are `followed` through a log need no host.
    """
    opt_outs = await opt_out_reader.current(writer)
    if not opt_outs:
        return messages
    kept = []
    for message in messages:
        allowed = followed.permitted(message, opt_outs) if followed else opt_outs.permitted(message)
        decision = opt_outs.decision(author(message)) if allowed is None else None
        if decision and (who := opt_outs.new_identity(message)):
            await add_identity(writer, who, decision)
            opt_out_reader.changed()
            opt_outs = opt_outs.with_identity(who, decision)
        kept.append(allowed)
    return kept

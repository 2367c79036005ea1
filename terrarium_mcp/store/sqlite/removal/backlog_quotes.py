"""Removing a person from the backlog: their files, and their lines quoted in other files."""

import logging
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from anyio import to_thread

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.quoted_lines import MessageReference, message_reference
from terrarium_mcp.store.backlog import Backlog, Enhancement, backlog_errors
from terrarium_mcp.store.private_files import replace_contents, unfinished
from terrarium_mcp.store.records.removal import BacklogMentions, PurgeTarget
from terrarium_mcp.store.sqlite.removal.purge import folded_nick, is_their_nick

log = logging.getLogger(__name__)

IsRemoved = Callable[[MessageReference], bool]
"""Whether a quoted line is to be removed."""


async def mentions_of(
    backlog: Backlog, target: PurgeTarget, ids: Collection[int]
) -> BacklogMentions:
    """The backlog files that concern a person.

    A file holds nicks only. Of an identity it can thus be shown what it quotes, the messages with
    these `ids`, but not what it wrote. Such a quote may be in a file of any network or of none.

    Raises:
        BacklogFailed: the folder cannot be read.
    """
    everything = await backlog.all()
    of_network = [idea for idea in everything if target.network in ("", idea.network)]
    by_nick = [idea for idea in of_network if is_their_nick(target, idea.author)]
    written = [] if target.identity else by_nick
    ideas = everything if target.identity else of_network
    texts = {idea.filename: await backlog.text(idea) for idea in ideas if idea not in written}
    is_theirs = _said_by(target, ids)
    left = {filename: _without(text, is_theirs) for filename, text in texts.items()}
    may_name = {idea.filename for idea in of_network}
    return BacklogMentions(
        tuple(idea.filename for idea in written),
        tuple(filename for filename, text in texts.items() if left[filename] != text),
        tuple(name for name, text in left.items() if name in may_name and names(target, text)),
        tuple(await backlog.unreadable()),
    )


async def purge_backlog(
    backlog: Backlog, target: PurgeTarget, ids: Collection[int] = ()
) -> BacklogMentions:
    """Delete the files that a person wrote, and their lines in all others; `ids`: `mentions_of`.

    Raises:
        BacklogBusy: an idea is being written all the time.
        BacklogFailed: the folder cannot be read or written.
    """
    mentions = await mentions_of(backlog, target, ids)
    with backlog_errors(backlog.folder):
        for filename in mentions.written:
            (backlog.folder / filename).unlink(missing_ok=True)
    quoting = [idea for idea in await backlog.all() if idea.filename in mentions.quoting]
    await _shorten(backlog, quoting, _said_by(target, ids))
    _warn_of(backlog, mentions.unread)
    return mentions


async def remove_quotes(backlog: Backlog, number: int) -> None:
    """Remove the message with this id from every file that quotes it."""
    await _shorten(backlog, await backlog.all(), lambda line: line.id == number)
    _warn_of(backlog, await backlog.unreadable())


def names(target: PurgeTarget, text: str) -> bool:
    """Whether a text contains the person's nick as a whole word."""
    return bool(re.search(rf"(?<!\w){re.escape(folded_nick(target))}(?!\w)", fold(text)))


def _said_by(target: PurgeTarget, ids: Collection[int]) -> IsRemoved:
    if target.identity:
        return lambda line: line.id in ids
    return lambda line: is_their_nick(target, line.nick)


def _warn_of(backlog: Backlog, unread: Iterable[str]) -> None:
    for filename in unread:
        file = backlog.folder / filename
        log.warning("%s cannot be read: what was removed may still be quoted in it", file)


async def _shorten(backlog: Backlog, ideas: Iterable[Enhancement], is_removed: IsRemoved) -> None:
    await to_thread.run_sync(_discard_unfinished, backlog)
    for idea in ideas:
        text = await backlog.text(idea)
        if (shorter := _without(text, is_removed)) != text:
            await to_thread.run_sync(_replace, backlog.folder / idea.filename, shorter)


def _discard_unfinished(backlog: Backlog) -> None:
    """Delete what killed processes left of the files that they wrote: it is no idea, but quotes."""
    with backlog_errors(backlog.folder):
        if unfinished(backlog.folder):
            with backlog.alone():  # an idea that is being written is whole then
                for file in unfinished(backlog.folder):
                    file.unlink(missing_ok=True)


def _without(text: str, is_removed: IsRemoved) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(
        line for line in lines if not ((quote := message_reference(line)) and is_removed(quote))
    )


def _replace(file: Path, text: str) -> None:
    with backlog_errors(file.parent):
        replace_contents(file, text.encode())

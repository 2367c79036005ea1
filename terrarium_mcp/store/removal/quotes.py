"""The talk quoted in backlog files, without the lines of somebody; files of theirs are deleted."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.transcript import Quoted, quoted
from terrarium_mcp.store.backlog import Backlog, Enhancement, explained
from terrarium_mcp.store.removal.purging import Who

IsGone = Callable[[Quoted], bool]


@dataclass(frozen=True, slots=True)
class Files:
    """Backlog files: theirs, those that quote their lines, and those that name them elsewhere."""

    theirs: tuple[str, ...] = ()
    quoting: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()


async def files_of(backlog: Backlog, who: Who) -> Files:
    """The backlog files that a person has something to do with.

    Raises:
        BacklogFailed: the folder cannot be read.
    """
    everything = [one for one in await backlog.all() if who.network in ("", one.network)]
    theirs = [one for one in everything if fold(one.author) == who.folded]
    others = [one for one in everything if one not in theirs]
    left = {one.filename: _without(one.text, _said_by(who)) for one in others}
    return Files(
        tuple(one.filename for one in theirs),
        tuple(one.filename for one in others if left[one.filename] != one.text),
        tuple(name for name, text in left.items() if names(who, text)),
    )


async def forget(backlog: Backlog, who: Who) -> Files:
    """Delete the files that a person had written, and their lines in all others.

    Raises:
        BacklogFailed: the folder cannot be read or written.
    """
    files = await files_of(backlog, who)
    with explained(backlog.folder):
        for name in files.theirs:
            (backlog.folder / name).unlink(missing_ok=True)
    quoting = [one for one in await backlog.all() if one.filename in files.quoting]
    await to_thread.run_sync(_shorten, backlog.folder, quoting, _said_by(who))
    return files


async def forget_line(backlog: Backlog, number: int) -> None:
    """Take one message out of every file that quotes it."""
    everything = await backlog.all()
    await to_thread.run_sync(_shorten, backlog.folder, everything, lambda line: line.id == number)


def names(who: Who, text: str) -> bool:
    """Whether a text names the person: their nick, not within a word."""
    return bool(re.search(rf"(?<!\w){re.escape(who.folded)}(?!\w)", fold(text)))


def _said_by(who: Who) -> IsGone:
    return lambda line: fold(line.nick) == who.folded


def _shorten(folder: Path, files: Iterable[Enhancement], is_gone: IsGone) -> None:
    for one in files:
        if (text := _without(one.text, is_gone)) != one.text:
            _replace(folder / one.filename, text)


def _without(text: str, is_gone: IsGone) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not ((found := quoted(line)) and is_gone(found)))


def _replace(file: Path, text: str) -> None:
    """Write a file anew, so that a crash leaves the old or the new one whole."""
    new = file.with_name(f".{file.name}.new")
    with explained(file.parent):
        new.write_text(text, "utf-8")
        new.replace(file)

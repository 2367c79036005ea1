"""The backlog: ideas for improvements, one markdown file each, in a folder beside the database."""

import json
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import anyio
from anyio import to_thread
from filelock import FileLock, Timeout

from terrarium_mcp.chat.identity import network_key
from terrarium_mcp.chat.times.timestamps import from_iso, to_iso
from terrarium_mcp.store.errors import (
    BacklogBusy,
    BacklogFailed,
    BacklogFull,
    EnhancementTooLong,
    UnknownEnhancement,
)
from terrarium_mcp.store.private_files import (
    create_private_folder,
    give_to_owner,
    mode_within,
    replace_contents,
    write_whole,
)
from terrarium_mcp.wording import did_you_mean, shown

MOST_OPEN = 10
"""The maximum number of open ideas: nobody reads a longer list."""

LONGEST_TITLE, LONGEST_SUMMARY = 200, 32_000
"""Characters of an idea: a title is one line of the list, a summary is read in a few pages."""

_PATIENCE = 5.0
"""Seconds to wait while other processes add their ideas: each takes a few milliseconds."""

_UNDATED = datetime.max.replace(tzinfo=UTC)

_FILENAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,120}\.md")
_STAMP = re.compile(r"(\d{8}-\d{6})-(.+)\.md")
_LONGEST_SLUG = 60

_BLOCK, _LONGEST_HEAD = 4_096, 65_536
"""Characters read of a file at once to find its front matter, and the most for all of it."""

_DELIMITER = re.compile(r"^-{3,}[^\S\n]*\n", re.MULTILINE)
"""A line that begins or ends front matter."""

log = logging.getLogger(__name__)


def backlog_folder(database: Path) -> Path:
    """Where the backlog of a database is."""
    return database.parent / "enhancements"


class Enhancement(NamedTuple):
    """One idea: its file name and its front matter."""

    filename: str
    title: str
    status: str
    network: str
    channel: str
    created: str
    author: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it is not closed yet."""
        return self.status.strip().lower() != "closed"

    @property
    def written_at(self) -> datetime | None:
        """When it was written; None if the front matter holds no date."""
        try:
            return from_iso(self.created)
        except ValueError:
            return None


def _open_and_oldest_first(idea: Enhancement) -> tuple[bool, datetime, str]:
    """Sorts ideas; a file name tells the second alone, and undated ideas come last."""
    return not idea.is_open, idea.written_at or _UNDATED, idea.filename


def _visible(_: Enhancement) -> bool:
    return True


class Backlog:
    """The ideas of one deployment, as files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # The file lock alone would do, but each of many ideas at once would wait in a thread.
        self._creating = anyio.Lock()
        self._unreadable = frozenset[str]()
        self._faults = frozenset[tuple[str, str]]()

    async def all(self) -> list[Enhancement]:
        """Every idea: open ones first, then by age, the oldest first.

        Reads only the head of each file. One that cannot be read is left out, and logged; one whose
        front matter is not understood counts as open, and is logged too.

        Raises:
            BacklogFailed: the folder cannot be read.
        """
        return await to_thread.run_sync(self._read_heads)

    async def unreadable(self) -> Sequence[str]:
        """The names of the files that `all` leaves out, as they cannot be read.

        Raises:
            BacklogFailed: the folder cannot be read.
        """
        await self.all()
        return sorted(self._unreadable)

    async def read(
        self, filename: str, *, may_see: Callable[[Enhancement], bool] = _visible
    ) -> str:
        """The whole text of an idea's file, if `may_see` says that the caller may.

        Raises:
            UnknownEnhancement: there is no such file, or the caller may not see it.
            BacklogFailed: the folder or the file cannot be read.
        """
        visible = [one for one in await self.all() if may_see(one)]
        for one in visible:
            if one.filename == filename.strip():
                return await self.text(one)
        is_short = len(filename) <= LONGEST_TITLE  # each comparison reads all of it
        called = [one.filename for one in visible if is_short and _is_called(one, filename)]
        if called:
            near = f" Did you mean {called[0]}?"
        else:
            near = did_you_mean(filename, [one.filename for one in visible])
        raise UnknownEnhancement(
            f"No enhancement request {shown(filename.strip()) or '(empty)'}.{near}"
            " list_enhancement_requests lists all files."
        )

    async def text(self, idea: Enhancement) -> str:
        """The whole text of an idea's file.

        Raises:
            BacklogFailed: the file cannot be read.
        """
        return await to_thread.run_sync(self._read_text, idea.filename)

    async def create(
        self,
        title: str,
        summary: str,
        *,
        about: Mapping[str, str],
        lines: Sequence[str],
        at: datetime | None = None,
        may_name: Callable[[Enhancement], bool] = _visible,
    ) -> tuple[Enhancement, bool]:
        """Write an idea to a new file, with the last lines of the channel it came from.

        Args:
            title: if an open idea has the same but for case, width and blanks, that one is
                returned.
            summary: markdown.
            about: author, network and channel for the front matter.
            lines: the talk it came from, already rendered.
            at: the time in its name and front matter, by default now.
            may_name: whether the caller may learn of an idea; others are not returned or named.

        Returns:
            The idea, and whether its file is new.

        Raises:
            EnhancementTooLong: the title or the summary is.
            BacklogFull: ten ideas are open.
            BacklogBusy: other processes add ideas all the time, or one does not end.
            BacklogFailed: the folder cannot be read or written.
        """
        _require_short("title", title, LONGEST_TITLE)
        _require_short("summary", summary, LONGEST_SUMMARY)
        head = {"title": title, "status": "open", **about}
        body, moment = _body(summary, lines), at or datetime.now(UTC)
        async with self._creating:
            return await to_thread.run_sync(self._create, head, body, moment, may_name)

    async def respell_network(self, network: str) -> None:
        """Give every idea of a network, however its name is spelt there, this spelling.

        Raises:
            BacklogBusy, BacklogFailed: as `rename_network`.
        """
        await to_thread.run_sync(self._respell_network, network)

    def _respell_network(self, network: str) -> None:
        for spelt in {one.network for one in self._read_heads()} - {network}:
            if network_key(spelt) == network_key(network):
                self._rename_network(spelt, network)

    async def rename_network(self, old: str, new: str) -> None:
        """Give every idea of a network this new name for it.

        Raises:
            BacklogBusy: other processes add ideas all the time, or one does not end.
            BacklogFailed: a file cannot be read or written.
        """
        await to_thread.run_sync(self._rename_network, old, new)

    def _rename_network(self, old: str, new: str) -> None:
        if not self._of_network(old):
            return
        with self.alone(), backlog_errors(self.folder):  # none is half written then
            for file in self._of_network(old):
                replace_contents(file, _with_network(file.read_bytes(), old, new))

    def _of_network(self, network: str) -> list[Path]:
        """The files whose front matter names this network."""
        return [self.folder / one.filename for one in self._read_heads() if one.network == network]

    def _create(
        self,
        head: Mapping[str, str],
        body: str,
        at: datetime,
        may_name: Callable[[Enhancement], bool],
    ) -> tuple[Enhancement, bool]:
        """Compare with the ideas that are open and write a new one, while no other process does."""
        with self.alone():
            still_open = [one for one in self._read_heads() if one.is_open]
            for one in still_open:
                if _same_title(one.title, head["title"]) and may_name(one):
                    return one, False
            if len(still_open) >= MOST_OPEN:
                raise self._full(next(filter(may_name, still_open), None))
            idea, _ = _parsed(self._write(head, body, at))
            return idea, True

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep the other processes with this backlog from adding to it within the block.

        The lock is beside the folder, which holds ideas alone: people look into it.

        Raises:
            BacklogBusy: other processes add ideas all the time, or one does not end.
            BacklogFailed: the folder or the lock cannot be used.
        """
        file = self.folder.with_name(f"{self.folder.name}.lock")
        with backlog_errors(self.folder):
            if not self.folder.is_dir():
                create_private_folder(self.folder)
                give_to_owner(self.folder, self.folder.parent)
            lock = FileLock(file, _PATIENCE, mode_within(self.folder))
            try:
                lock.acquire()
            except Timeout:
                raise BacklogBusy(_PATIENCE) from None
            give_to_owner(file, self.folder)
        try:
            yield
        finally:
            lock.release()

    @staticmethod
    def _full(oldest: Enhancement | None) -> BacklogFull:
        which = f", for example the oldest, {oldest.filename}" if oldest else ""
        return BacklogFull(
            f"The backlog holds {MOST_OPEN} open ideas, the maximum, and no tool closes one. The"
            f" operator of this server must do so first{which}: by `status: closed` in the front"
            " matter of its file."
        )

    def _read_heads(self) -> list[Enhancement]:
        """Every idea, in the order of `all`."""
        with backlog_errors(self.folder):
            files = list(self.folder.glob("*.md")) if self.folder.is_dir() else []
            written = [file for file in files if _FILENAME.fullmatch(file.name) and file.is_file()]
        ideas, unreadable, unclear = list[Enhancement](), dict[str, str](), dict[str, str]()
        for file in written:
            try:
                idea, fault = _parsed(file)
            except FileNotFoundError:  # deleted since
                continue
            except OSError as error:
                why = error.strerror or type(error).__name__
                unreadable[file.name] = (
                    f"cannot be read, and no list shows it: {why}. Give it to the account that"
                    f" runs this (chown --reference={self.folder})."
                )
                continue
            ideas.append(idea)
            if fault:
                unclear[file.name] = f"counts as open, and as of no channel: {fault}"
        self._note_faults(unreadable | unclear)
        self._unreadable = frozenset(unreadable)
        return sorted(ideas, key=_open_and_oldest_first)

    def _note_faults(self, faults: Mapping[str, str]) -> None:
        """Log what is wrong with each file, once as long as that lasts."""
        for name, fault in sorted(faults.items() - self._faults):
            log.warning("%s %s", self.folder / name, fault)
        self._faults = frozenset(faults.items())

    def _read_text(self, filename: str) -> str:
        with backlog_errors(self.folder):
            return (self.folder / filename).read_text("utf-8", "replace")

    def _write(self, head: Mapping[str, str], body: str, at: datetime) -> Path:
        """Write a new file, under the first free name."""
        import frontmatter  # noqa: PLC0415 -- loads YAML, which few processes need

        post = frontmatter.Post(body, None, **head, created=to_iso(at))
        base = f"{at.astimezone(UTC):%Y%m%d-%H%M%S}-{_slug(head['title']) or 'idea'}"
        text = frontmatter.dumps(post, sort_keys=False) + "\n"
        with backlog_errors(self.folder):
            file = _free(self.folder, base)
            # Half an idea would take one of the ten places.
            write_whole(file, text.encode(), mode_within(self.folder), owner=self.folder)
        return file


@contextmanager
def backlog_errors(folder: Path) -> Iterator[None]:
    """Turn an OSError about the folder into a BacklogFailed with a way out."""
    try:
        yield
    except OSError as error:
        raise BacklogFailed(
            f"The backlog in {folder} cannot be used: {error.strerror or type(error).__name__}."
            " It must be a folder that this account may read and write."
        ) from error


def _free(folder: Path, base: str) -> Path:
    """A name that no file has; whoever holds the lock of the folder is alone in giving names."""
    names = (f"{base}.md" if number == 1 else f"{base}-{number}.md" for number in count(1))
    return next(file for name in names if not os.path.lexists(file := folder / name))


def _body(summary: str, lines: Sequence[str]) -> str:
    """The markdown below the front matter; the talk is a code block, so nothing in it is markup."""
    if not lines:
        return f"{summary.strip()}\n"
    talk = "\n".join(f"    {line}" for line in lines)
    return f"{summary.strip()}\n\n## The talk it came from\n\n{talk}\n"


def _slug(title: str) -> str:
    from slugify import slugify  # noqa: PLC0415 -- seldom needed

    return slugify(title, max_length=_LONGEST_SLUG, word_boundary=True)


def _is_called(idea: Enhancement, name: str) -> bool:
    """Whether a name is that of an idea without the date before it, or its title."""
    name, dated = name.strip().removesuffix(".md"), _STAMP.fullmatch(idea.filename)
    return _same_title(name, idea.title) or bool(dated and _slug(name) == dated[2])


def _same_title(one: str, other: str) -> bool:
    """Whether two titles are equal but for case, width and blanks: `C++` is not `C#`."""
    return _compared(one) == _compared(other)


def _compared(title: str) -> str:
    return "".join(normalize("NFKC", normalize("NFKC", title).casefold()).split())


def _require_short(name: str, text: str, most: int) -> None:
    if len(text) > most:
        raise EnhancementTooLong(
            f"The {name} has {len(text):,} characters, and an enhancement request may have"
            f" {most:,}. Shorten it{_ELSEWHERE[name]}."
        )


_ELSEWHERE = {
    "title": ", and put what it says into the summary",
    "summary": ", or make two requests of it",
}


def _parsed(file: Path) -> tuple[Enhancement, str]:
    """Read the head of a file, as far as possible, and what is wrong with it.

    People edit these by hand.
    """
    head, fault = _head(_opening(file))
    stamp = _STAMP.fullmatch(file.name)
    moment, slug = stamp.groups() if stamp else ("", file.stem)
    idea = Enhancement(
        filename=file.name,
        title=head.get("title", slug.replace("-", " ")),
        status=head.get("status", "open"),
        network=head.get("network", ""),
        channel=head.get("channel", ""),
        created=head.get("created", moment.replace("-", "T")),
        author=head.get("author", ""),
    )
    return idea, fault


def _opening(file: Path) -> str:
    """The beginning of a file with its whole front matter, if it has any.

    Without the byte order mark that editors on Windows put before it: YAML would not begin there.
    """
    text = ""
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        while len(text) < _LONGEST_HEAD and (block := stream.read(_BLOCK)):
            text += block
            if not text.lstrip().startswith("---") or len(_DELIMITER.findall(text)) > 1:
                break
    return text


def _with_network(contents: bytes, old: str, new: str) -> bytes:
    """A file whose front matter names another network; nothing else of it changes."""
    line = rb"^network:[ \t]*(['\"]?)%b\1(?=[ \t]*\r?$)" % re.escape(old).encode()
    named = b"network: " + json.dumps(new, ensure_ascii=False).encode()
    return re.sub(line, lambda _: named, contents, count=1, flags=re.MULTILINE)


def _head(text: str) -> tuple[dict[str, str], str]:
    """The front matter as text, and what is wrong with it; empty if there is none."""
    import frontmatter  # noqa: PLC0415 -- loads YAML, which few processes need

    if "\0" in text[:4]:  # UTF-16, in which no front matter would be found
        return {}, "it is not encoded as UTF-8. Save it as UTF-8."
    try:
        head = frontmatter.loads(text).metadata
        return {str(name): str(value) for name, value in head.items() if value}, ""
    except Exception as error:  # noqa: BLE001 -- YAML raises many kinds of errors on hand-edited files
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        return {}, f"its front matter is not valid YAML{where}. Put quotes around its values."

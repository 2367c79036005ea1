"""The backlog: ideas for improvements, one markdown file each, in a folder beside the database."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio
import frontmatter
from anyio import to_thread
from slugify import slugify

from terrarium_mcp.chat.when import from_iso, to_iso
from terrarium_mcp.errors import TerrariumError, did_you_mean, shown

MOST_OPEN = 10
"""More than this many open ideas are a heap that nobody reads."""

_FILENAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,120}\.md")
_STAMP = re.compile(r"(\d{8}-\d{6})-(.+)\.md")
_LONGEST_SLUG = 60


class BacklogFull(TerrariumError):
    """There are as many open ideas as may be."""


class BacklogFailed(TerrariumError):
    """The folder or a file in it cannot be read or written."""


class UnknownEnhancement(TerrariumError):
    """A file that is not there, or not for this room."""


@dataclass(frozen=True, slots=True)
class Enhancement:
    """One idea: its file's name, what the front matter says, and the markdown."""

    filename: str
    title: str
    status: str
    network: str
    channel: str
    created: str
    text: str
    author: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it still waits for somebody."""
        return self.status.strip().lower() != "closed"

    @property
    def written_at(self) -> datetime | None:
        """When it was written down, where that can be told."""
        try:
            return from_iso(self.created)
        except ValueError:
            return None


def _anybody(_: Enhancement) -> bool:
    return True


class Backlog:
    """The ideas of one deployment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._creating = anyio.Lock()

    async def all(self) -> list[Enhancement]:
        """Every idea, open ones first, the oldest first among them.

        Raises:
            BacklogFailed: the folder cannot be read.
        """
        found = await to_thread.run_sync(self._read_all)
        return sorted(found, key=lambda one: (not one.is_open, one.filename))

    async def read(self, filename: str) -> Enhancement:
        """One idea by its file's name.

        Raises:
            UnknownEnhancement: no such file.
        """
        everything = await self.all()
        for one in everything:
            if one.filename == filename.strip():
                return one
        raise self.unknown(filename, [one.filename for one in everything])

    async def create(
        self,
        title: str,
        summary: str,
        *,
        about: Mapping[str, str],
        lines: Sequence[str],
        at: datetime | None = None,
        may_see: Callable[[Enhancement], bool] = _anybody,
    ) -> tuple[Enhancement, bool]:
        """Write an idea down, with the last lines of the channel it came from.

        Args:
            title: the same title (by its letters and digits) gives the file that is there.
            summary: markdown.
            about: author, network and channel for the front matter.
            lines: the talk it came out of, already rendered.
            at: the moment it counts for, by default now.
            may_see: which ideas the caller may be told of.

        Returns:
            The idea, and whether its file is new.

        Raises:
            BacklogFull: ten are open.
            BacklogFailed: the folder cannot be written.
        """
        async with self._creating:
            still_open = [one for one in await self.all() if one.is_open]
            for one in still_open:
                if _same_title(one.title, title) and may_see(one):
                    return one, False
            if len(still_open) >= MOST_OPEN:
                raise self._full(next(filter(may_see, still_open), None))
            head = {"title": title, "status": "open", **about}
            file = await to_thread.run_sync(
                self._write, head, _body(summary, lines), at or datetime.now(UTC)
            )
            return _parsed(file), True

    @staticmethod
    def unknown(filename: str, known: Sequence[str]) -> UnknownEnhancement:
        """What to raise for a file that is not there."""
        near = did_you_mean(filename, known)
        return UnknownEnhancement(
            f"No enhancement request {shown(filename)}.{near}"
            " list_enhancement_requests names them all."
        )

    def _full(self, oldest: Enhancement | None) -> BacklogFull:
        which = f", for example the oldest, {oldest.filename}" if oldest else ""
        where = self.folder / oldest.filename if oldest else f"one of the files in {self.folder}"
        return BacklogFull(
            f"The backlog holds {MOST_OPEN} open ideas, as many as it may. Somebody has to close"
            f" one first{which}: set `status: closed` in the head of {where}."
        )

    def _read_all(self) -> list[Enhancement]:
        with explained(self.folder):
            files = sorted(self.folder.glob("*.md")) if self.folder.is_dir() else []
            return [
                _parsed(file) for file in files if _FILENAME.fullmatch(file.name) and file.is_file()
            ]

    def _write(self, head: Mapping[str, str], body: str, at: datetime) -> Path:
        """Write a new file, under the first name that is free."""
        post = frontmatter.Post(body, None, **head, created=to_iso(at))
        base = f"{at.astimezone(UTC):%Y%m%d-%H%M%S}-{_slug(head['title'])}"
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            file = _free(self.folder, base)
            try:
                file.write_text(frontmatter.dumps(post, sort_keys=False) + "\n", "utf-8")
            except OSError:
                file.unlink()  # half an idea would hold a place among the ten
                raise
        return file


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Say in words that a folder cannot be used, and the way out."""
    try:
        yield
    except OSError as why:
        raise BacklogFailed(
            f"The backlog in {folder} cannot be used: {why.strerror or type(why).__name__}."
            " It must be a folder in which this account may read and write."
        ) from why


def _free(folder: Path, base: str) -> Path:
    """A new, empty file, made so that no other process can have the same."""
    number = 1
    while True:
        file = folder / (f"{base}.md" if number == 1 else f"{base}-{number}.md")
        try:
            file.touch(exist_ok=False)
        except FileExistsError:
            number += 1
            continue
        return file


def _body(summary: str, lines: Sequence[str]) -> str:
    """The markdown below the head; the talk as a block of code, in which nothing is markup."""
    talk = "\n".join(f"    {line}" for line in lines)
    return f"{summary.strip()}\n\n## The talk it came from\n\n{talk or '    (nothing)'}\n"


def _slug(title: str) -> str:
    return slugify(title, max_length=_LONGEST_SLUG, word_boundary=True) or "idea"


def _same_title(one: str, other: str) -> bool:
    """Whether two titles have the same letters and digits (without any: the same signs)."""
    return (slugify(one) or one.strip()) == (slugify(other) or other.strip())


def _parsed(file: Path) -> Enhancement:
    """Read a file; what somebody edited into nonsense is still shown, as far as it can be."""
    text = file.read_text("utf-8", "replace")
    head = _head(text)
    stamp = _STAMP.fullmatch(file.name)
    moment, slug = stamp.groups() if stamp else ("", file.stem)
    return Enhancement(
        filename=file.name,
        title=head.get("title", slug.replace("-", " ")),
        status=head.get("status", "open"),
        network=head.get("network", ""),
        channel=head.get("channel", ""),
        created=head.get("created", moment.replace("-", "T")),
        text=text,
        author=head.get("author", ""),
    )


def _head(text: str) -> dict[str, str]:
    """What the front matter says, as text; nothing where there is none, or it makes no sense."""
    try:
        head = frontmatter.loads(text).metadata
        return {str(name): str(value) for name, value in head.items() if value}
    except Exception:  # noqa: BLE001 -- YAML raises many kinds; the file is a person's, not ours
        return {}

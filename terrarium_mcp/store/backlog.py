"""The backlog: ideas for improvements, one markdown file each, in a folder beside the database."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import frontmatter
from anyio import to_thread
from slugify import slugify

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.errors import TerrariumError, did_you_mean, shown

MOST_OPEN = 10
"""More than this many open ideas are a heap that nobody reads."""

_FILENAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,120}\.md")
_STAMP = re.compile(r"(\d{8}-\d{6})-(.+)\.md")


class BacklogFull(TerrariumError):
    """There are as many open ideas as may be."""


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

    @property
    def is_open(self) -> bool:
        """Whether it still waits for somebody."""
        return self.status.lower() != "closed"


class Backlog:
    """The ideas of one deployment."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def all(self) -> list[Enhancement]:
        """Every idea, open ones first, the oldest first among them."""
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
        self, title: str, summary: str, *, about: Mapping[str, str], lines: Sequence[str]
    ) -> tuple[Enhancement, bool]:
        """Write an idea down, with the last lines of the channel it came from.

        Args:
            title: the same title (by its letters and digits) gives the file that is there.
            summary: markdown.
            about: author, network and channel for the front matter.
            lines: the talk it came out of, already rendered.

        Returns:
            The idea, and whether its file is new.

        Raises:
            BacklogFull: ten are open.
        """
        everything = await self.all()
        slug = _slug(title)
        for one in everything:
            if one.is_open and _slug(one.title) == slug and _same_room(one, about):
                return one, False
        if sum(one.is_open for one in everything) >= MOST_OPEN:
            oldest = next(one for one in everything if one.is_open)
            raise BacklogFull(
                f"The backlog holds {MOST_OPEN} open ideas, as many as it may. Somebody has to"
                f" close one first, for example the oldest, {oldest.filename}: set `status: closed`"
                f" in the head of {self._folder / oldest.filename}."
            )
        filename = await to_thread.run_sync(self._write, title, summary, dict(about), list(lines))
        return await self.read(filename), True

    @staticmethod
    def unknown(filename: str, known: Sequence[str]) -> UnknownEnhancement:
        """What to raise for a file that is not there."""
        near = did_you_mean(filename, known)
        return UnknownEnhancement(
            f"No enhancement request {shown(filename)}.{near}"
            " list_enhancement_requests names them all."
        )

    def _read_all(self) -> list[Enhancement]:
        files = sorted(self._folder.glob("*.md")) if self._folder.is_dir() else []
        return [_parsed(file) for file in files if _FILENAME.fullmatch(file.name)]

    def _write(self, title: str, summary: str, about: dict[str, str], lines: list[str]) -> str:
        now = datetime.now(UTC)
        head = {"title": title, "status": "open", **about, "created": f"{now:%Y-%m-%dT%H:%M:%SZ}"}
        talk = "\n".join(f"    {line}" for line in lines)
        body = f"{summary.strip()}\n\n## The talk it came from\n\n{talk or '    (nothing)'}\n"
        self._folder.mkdir(parents=True, exist_ok=True)
        base = f"{now:%Y%m%d-%H%M%S}-{_slug(title)}"
        for number in range(1, 1_000):
            file = self._folder / (f"{base}.md" if number == 1 else f"{base}-{number}.md")
            try:
                with file.open("x", encoding="utf-8") as out:
                    out.write(
                        frontmatter.dumps(frontmatter.Post(body, **head), sort_keys=False) + "\n"
                    )
            except FileExistsError:
                continue
            return file.name
        raise BacklogFull(f"Too many files are named {base}.md. Remove some.")


def _slug(title: str) -> str:
    return slugify(title, max_length=60, word_boundary=True) or "idea"


def _same_room(one: Enhancement, about: Mapping[str, str]) -> bool:
    return (one.network, fold(one.channel)) == (about["network"], fold(about["channel"]))


def _parsed(file: Path) -> Enhancement:
    """Read a file; what somebody edited into nonsense is still shown, as far as it can be."""
    text = file.read_text("utf-8", "replace")
    try:
        head = frontmatter.loads(text).metadata
    except Exception:  # noqa: BLE001 -- YAML raises many kinds; the file is a person's, not ours
        head = {}
    stamp = _STAMP.fullmatch(file.name)
    title = str(head.get("title") or (stamp[2].replace("-", " ") if stamp else file.stem))
    return Enhancement(
        filename=file.name,
        title=title,
        status=str(head.get("status") or "open"),
        network=str(head.get("network") or ""),
        channel=str(head.get("channel") or ""),
        created=str(head.get("created") or (stamp[1] if stamp else "")),
        text=text,
    )

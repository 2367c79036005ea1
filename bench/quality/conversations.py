"""Measures conversations on the annotated Ubuntu IRC logs with the quality harness's metrics.

    python -m bench.quality.conversations HARNESS [--split dev]

HARNESS is its folder, with `t2b_disentangle.py` (which line answers which) and
`t2a_conversation.py` (what to show around a hit). Both run unchanged on this project's scorer. Then
the context of every hit is requested from a server through MCP, whose lines must be the scorer's.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import anyio
import click
from mcp.client.client import Client

from terrarium_mcp.chat.disentanglement import Utterance, extent_of, find_links
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.policy import VIEW_KEY
from terrarium_mcp.server import build_server
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.topics.conversations import AFTER, BEFORE

WINDOWS = (400, 200)
"""Window sizes in which links are measured; half of the lines are scored."""

FIRST = 1000
"""The first annotated line of each log."""

DAY = datetime(2020, 1, 1, tzinfo=UTC)
ALL_OF_IT = {VIEW_KEY: {"max_tokens": 1_000_000}}


@dataclass(frozen=True)
class HarnessLink:
    """A link in the form of the harness."""

    id: int
    parent: int | None
    probability: float


class Model:
    """The scorer with the interface that the harness expects."""

    @classmethod
    def load(cls, _: str) -> "Model":
        """The shipped weights, whatever the file name."""
        return cls()

    def link(self, lines: Sequence[tuple[Any, ...]], _: object = None) -> list[HarnessLink]:
        """One link for each (id, seconds, nick, text, ...)."""
        links = find_links([Utterance(*line[:4]) for line in lines])
        return [HarnessLink(link.line, link.answers, link.probability) for link in links]


@dataclass
class Log:
    """An annotated log: line numbers of what was said, and `ids` from the store to line numbers."""

    annotated: Any
    talk: list[int]
    ids: dict[int, int] = field(default_factory=dict)

    @classmethod
    def from_annotated(cls, annotated: Any) -> "Log":
        """The log without joins, parts and other events."""
        return cls(annotated, [n for n, event in enumerate(annotated.system) if not event])

    @property
    def channel(self) -> str:
        """The channel of this log: each has its own."""
        return f"#{self.annotated.name}"

    def heard(self) -> Iterator[NewMessage]:
        """All lines, events included, as for an import."""
        log = self.annotated
        for n, event in enumerate(log.system):
            yield NewMessage(
                network="net",
                channel=self.channel,
                nick=log.nick[n] or "?",
                text="" if event else log.text[n],
                said_at=DAY + timedelta(minutes=log.minute[n]),
                kind=MessageType.JOIN if event else MessageType.PRIVMSG,
                origin=Origin.IMPORT,
            )

    def conversation(self, hit: int) -> set[int]:
        """The lines shown of a hit's conversation, by the scorer and its extent alone."""
        at = self.talk.index(hit)
        log, window = self.annotated, self.talk[max(0, at - BEFORE) : at + AFTER + 1]
        lines = [Utterance(n, 60 * log.minute[n], log.nick[n], log.text[n]) for n in window]
        return {link.line for link in extent_of(hit, lines, find_links(lines)).shown}


@click.command()
@click.argument("harness", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--split", default="dev", help="Part of the logs.")
def main(harness: Path, split: str) -> None:
    """Measure links and the conversations around hits, directly and through MCP."""
    sys.path.insert(0, str(harness))
    scorer = ModuleType("conversations")
    scorer.__dict__["Model"] = Model
    sys.modules["conversations"] = scorer
    data, shown, links = map(import_module, ("data", "t2a_conversation", "t2b_disentangle"))
    for lines in WINDOWS:
        figures = links.run(split, "ours.json", n_lines=lines)
        told = "  ".join(f"{name} {figure:.1f}" for name, figure in figures.items())
        click.echo(f"links in windows of {lines}: {told}")
    shown.main("ours.json", split)
    logs = [Log.from_annotated(log) for log in data.load_ircd(split)]
    with TemporaryDirectory() as folder:
        anyio.run(_through_mcp, Path(folder), logs, shown.gold_conversations)


async def _through_mcp(folder: Path, logs: Sequence[Log], gold_conversations: Any) -> None:
    settings = Settings(network="net")
    async with open_store(folder / "irc_logs.db", settings) as store:
        await _fill(store, logs)
        async with Client(build_server(store, settings)) as client:
            scores, same = [], 0
            for log in logs:
                for gold in gold_conversations(log.annotated, FIRST):
                    for hit in gold:
                        told = await _asked(client, log, hit)
                        same += told == log.conversation(hit)
                        scores.append(_f1(told - {hit}, set(gold) - {hit}))
    click.echo(f"through MCP: F1 {100 * mean(scores):.1f}, the same lines {same} of {len(scores)}")


async def _fill(store: Store, logs: Iterable[Log]) -> None:
    for log in logs:
        ids = await store.messages.append(list(log.heard()))
        log.ids = dict(zip(ids, range(len(ids)), strict=True))


async def _asked(client: Client, log: Log, hit: int) -> set[int]:
    """The lines that get_message_context shows of a hit's conversation."""
    message = next(number for number, line in log.ids.items() if line == hit)
    answer = await client.call_tool(
        "get_message_context",
        {"message_id": str(message), "scope": "conversation", "format": "json"},
        meta=ALL_OF_IT,  # type: ignore[arg-type]  # the client's type knows no keys of others
    )
    assert answer.structured_content, answer.content  # noqa: S101 -- a measurement of nothing
    return {log.ids[int(line["id"])] for line in answer.structured_content["messages"]}


def _f1(shown: set[int], gold: set[int]) -> float:
    """F1 as the harness computes it: lines before the annotated part do not count."""
    shown = {line for line in shown if line >= FIRST}
    right = len(shown & gold)
    return 2 * right / (len(shown) + len(gold))


if __name__ == "__main__":
    main()

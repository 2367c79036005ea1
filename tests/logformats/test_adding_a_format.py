"""The worked example of docs/adding-a-format.md is a format that reads its own example."""

import re
from pathlib import Path
from textwrap import dedent

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.databases.database_formats import DATABASE_FORMATS
from terrarium_mcp.logformats.detection import best_fit
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.grammar import TextFormat

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "adding-a-format.md"


def block(page: str, before: str) -> str:
    """The first block of code after some words of a page."""
    found = re.search(
        r"^( *)```\w*\n(.*?)^\1```", page.partition(before)[2], re.DOTALL | re.MULTILINE
    )
    assert found, before
    return dedent(found[2])


def worked_example(page: str) -> TextFormat:
    namespace: dict[str, TextFormat] = {}
    exec(block(page, "Its file is"), namespace)  # noqa: S102 -- our own page
    return namespace["EXAMPLE"]


def test_the_example_reads_its_log() -> None:
    page = PAGE.read_text("utf-8")
    example = worked_example(page)
    lines = block(page, "Say a program writes").splitlines()
    others = [one for one in TEXT_FORMATS if one.name != example.name]  # it may be registered
    fit = best_fit("labnet/#tea.chat", lines, [*others, example])
    assert fit.format is example
    assert (fit.origin.network, fit.origin.target) == ("labnet", "#tea")
    read = [example.read(line) for line in lines]
    events = [event for line in read if line for event in line.events]
    assert [(event.kind, event.nick, event.text) for event in events] == [
        (MessageType.PRIVMSG, "ada", "hi"),
        (MessageType.JOIN, "ada", ""),
    ]


def test_the_example_is_registered_as_the_page_says() -> None:
    page = PAGE.read_text("utf-8")
    example = worked_example(page)
    (row,) = rows_of_formats(block(page, "has a row of it"))
    assert row == (example.name, example.program)
    kinds = {kind.name: kind for kind in MessageType}
    lines = eval(f"[{block(page, '`LINES` in')}]", dict(kinds))  # noqa: S307 -- our own page
    for name, text, *what in lines:
        line = example.read(text)
        assert line, text
        assert name == example.name
        assert [[event.kind, event.nick, event.text] for event in line.events] == [what]


def rows_of_formats(page: str) -> list[tuple[str, str]]:
    """The names and programs in the rows of a table of formats."""
    return re.findall(r"^\| `([\w-]+)` \| ([^|]+?) \|", page, re.MULTILINE)


def test_the_page_names_every_format() -> None:
    rows = rows_of_formats((DOCS / "importing.md").read_text("utf-8"))
    known = [(one.name, one.program, one.by_documentation) for one in TEXT_FORMATS]
    known += [(one.name, one.program, one.by_documentation) for one in DATABASE_FORMATS]
    documented = [
        (name, f"{program}, by documentation" if is_documented else program)
        for name, program, is_documented in known
    ]
    assert sorted(rows) == sorted(documented), "docs/importing.md: a row for each format"

"""The worked example of docs/adding-a-format.md is a format that reads its own example."""

import re
from pathlib import Path

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.databases.database_formats import DATABASE_FORMATS
from terrarium_mcp.logformats.detection import best_fit
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.grammar import TextFormat

DOCS = Path(__file__).parents[2] / "docs"


def test_the_example_reads_its_log() -> None:
    page = (DOCS / "adding-a-format.md").read_text("utf-8")
    log = re.search(r"Say a program writes\n\n```\n(.*?)```", page, re.DOTALL)
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert log
    assert code
    namespace: dict[str, TextFormat] = {}
    exec(code[1], namespace)  # noqa: S102 -- our own page
    example = namespace["EXAMPLE"]
    lines = log[1].splitlines()
    fit = best_fit("labnet/#tea.chat", lines, [*TEXT_FORMATS, example])
    assert fit.format is example
    assert (fit.origin.network, fit.origin.target) == ("labnet", "#tea")
    read = [example.read(line) for line in lines]
    events = [event for line in read if line for event in line.events]
    assert [(event.kind, event.nick, event.text) for event in events] == [
        (MessageType.PRIVMSG, "ada", "hi"),
        (MessageType.JOIN, "ada", ""),
    ]


def test_the_page_names_every_format() -> None:
    page = (DOCS / "importing.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| ([^|]+?) \|", page, re.MULTILINE)
    known = [(one.name, one.program, one.by_documentation) for one in TEXT_FORMATS]
    known += [(one.name, one.program, one.by_documentation) for one in DATABASE_FORMATS]
    documented = [
        (name, f"{program}, by documentation" if is_documented else program)
        for name, program, is_documented in known
    ]
    assert sorted(rows) == sorted(documented)

"""What the documentation says is what the program does."""

import dataclasses
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import click
import pytest
from dotenv import dotenv_values
from pydantic.fields import FieldInfo

from terrarium_mcp.chat.commands import COMMANDS, QUESTIONS
from terrarium_mcp.cli import commands as program
from terrarium_mcp.cli.starting.hosts import HOSTS
from terrarium_mcp.cli.starting.init_dialogue import OPTIONS
from terrarium_mcp.irc_bridge.ask.command_traits import TRAITS
from terrarium_mcp.irc_bridge.talk_log.record import Outcome, TalkRecord, record_from_json
from terrarium_mcp.irc_bridge.talk_log.stopwatch import PartName
from terrarium_mcp.irc_bridge.talk_log.timeline import OTHER, rendered
from terrarium_mcp.policy import VIEW_KEYS, view_in
from terrarium_mcp.server import build_server
from terrarium_mcp.settings import Settings
from terrarium_mcp.settings.changes import LIVE
from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from terrarium_mcp.store.sqlite.schema import CURRENT
from tests.settings.loaded import load_settings
from tests.store.tables import TABLES
from tests.tools.scene import opened

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
EXAMPLES = [ROOT / ".env.example", ROOT / "mcp.json.example"]
GATE = """
    14:21 <alice> the gate is stuck again
    14:22 <carol> lunch?
    14:25 <bob> alice: the latch of the gate was bent, I have straightened it
    14:26 <bob> the spare latch is in the shed, on the left shelf
    14:27 <alice> thanks bob
"""


def table(page: Path, title: str) -> list[list[str]]:
    """The rows of all tables of a page whose heads are `title`, cell by cell."""
    _, *tables = page.read_text("utf-8").split(f"| {title} |\n")
    assert tables, f"{page.name} has no table {title}"
    rows = [row for one in tables for row in one.split("\n\n")[0].splitlines()[1:]]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def default(value: object) -> str:
    """A setting's default as one would write it into the environment."""
    return "" if value is None or value == () else str(value)


def settings() -> Iterator[tuple[str, str, str]]:
    for field in Settings.model_fields.values():
        yield str(field.alias), str(field.description), default(field.default)


def allowed(field: FieldInfo) -> str:
    """The range of a setting, as its table names it."""
    names = ("ge", "gt", "le", "min_length", "max_length")
    bounds = {
        name: getattr(one, name) for one in field.metadata for name in names if hasattr(one, name)
    }
    match bounds:
        case {"ge": least, "le": most}:
            return f"{least} to {most:,}"
        case {"gt": least, "le": most}:
            return f"more than {least}, at most {most:,}"
        case {"min_length": least, "max_length": most}:
            return f"{least} to {most} characters"
        case {"ge": least}:
            return f"at least {least}"
        case {"gt": least}:
            return f"more than {least}"
    return ""


def test_the_settings_tables_are_the_settings_and_their_ranges() -> None:
    rows = table(DOCS / "settings.md", "name | meaning | default | range")
    ranges = map(allowed, Settings.model_fields.values())
    declared = [(*one, bounds) for one, bounds in zip(settings(), ranges, strict=True)]
    assert [tuple(cell.strip("`") for cell in row) for row in rows] == declared


def test_the_options_of_init_are_listed_with_their_settings() -> None:
    rows = table(DOCS / "settings.md", "option | setting")
    told = {row[1].split("`")[1]: re.findall(r"`(--[\w-]+)`", row[0]) for row in rows}
    assert told == {name: option.split(" or ") for name, option in OPTIONS.items()}


def test_the_examples_of_terrarium_toml_are_understood(tmp_path: Path) -> None:
    shown = []
    for page in ("settings.md", "removal.md"):
        text = (DOCS / page).read_text("utf-8")
        (example,) = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        (file := tmp_path / page).write_text(example)
        shown.append(load_settings(config=file, environ={}))
    some, removal = shown
    assert (some.irc_server, some.max_context_messages) == ("irc.libera.chat", 30)
    kept = [("libera", "#tea"), ("libera", "#dev"), ("libera", "#mate")]
    assert [removal.days_kept(*channel) for channel in kept] == [30, 0, 365]


def test_the_example_names_every_setting_with_its_meaning_and_default() -> None:
    text = (ROOT / ".env.example").read_text("utf-8")
    told = re.findall(r"^# (.+)\n#([A-Z_]+)=(.*)$", text, re.MULTILINE)
    assert [(name, meaning, value) for meaning, name, value in told] == list(settings())
    assert not dotenv_values(ROOT / ".env.example")


def test_operating_lists_what_a_reload_changes() -> None:
    text = (ROOT / "docs" / "operating.md").read_text("utf-8")
    _, _, after = text.partition("A reload changes what it can without another connection:")
    listed, _, _ = after.partition("All others need a restart.")
    told = re.findall(r"\b[A-Z]+_[A-Z_]+\b", listed)
    assert sorted(told) == sorted(str(Settings.model_fields[field].alias) for field in LIVE)


def test_the_example_can_be_used_as_it_stands(tmp_path: Path) -> None:
    text = (ROOT / ".env.example").read_text("utf-8")
    file = tmp_path / "all.env"
    file.write_text(re.sub(r"^#(?=[A-Z_]+=)", "", text, flags=re.MULTILINE))
    used = load_settings(env_file=file, environ={})
    assert used == Settings(db_path=tmp_path / "data" / "irc_logs.db")


async def test_the_tools_table_is_what_the_server_publishes(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        tools = await build_server(store, Settings()).list_tools()
        reading = await build_server(store, Settings(write_tools="off")).list_tools()
    published = [
        (f"`{tool.name}`", ", ".join(tool.input_schema.get("properties", {}))) for tool in tools
    ]
    rows = table(DOCS / "clients.md", "tool | parameters | what it gives")
    assert [(row[0], row[1]) for row in rows] == published
    told = {row[0].strip("`") for row in rows if row[2].startswith("writes: ")}
    assert told == {tool.name for tool in tools} - {tool.name for tool in reading}


def test_the_command_table_names_what_the_bot_knows() -> None:
    rows = table(ROOT / "README.md", "command | what the bot does")
    told = re.findall(r"`!(\w+)", " ".join(row[0] for row in rows))
    assert sorted(told) == sorted(COMMANDS)


def test_the_page_on_commands_shows_each_in_its_form_with_an_example() -> None:
    text = (DOCS / "commands.md").read_text("utf-8")
    rows = [row for row in text.splitlines() if row.startswith("| `!")]
    told = [re.findall(r"!(\w+)", row.split("|")[1]) for row in rows]
    assert {name for names in told for name in names} == set(COMMANDS) - set(QUESTIONS)
    for names, row in zip(told, rows, strict=True):
        _, forms, example, prints, _ = row.split("|")
        told_by_help = [f"!{name} {TRAITS[name].arguments}".rstrip() for name in names]
        assert forms.strip() == ", ".join(f"`{form}`" for form in told_by_help)
        assert re.match(rf" `!({'|'.join(names)})\b.*` $", example), row
        assert prints.strip(), row
        if shown_by_help := TRAITS[names[0]].example:
            assert example.strip() == f"`!{names[0]} {shown_by_help}`"


def commands(text: str) -> set[str]:
    """Every command line of ours in the code of a page, without what a shell adds."""
    fences = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.partition("  #")[0] for fence in fences for line in fence.splitlines()]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`([^`]+)`", prose)
    found = (re.search(r"terrarium-mcp [-a-z].*", line) for line in [*lines, *spans])
    return {" ".join(one.group().split()) for one in found if one}


OPTIONS_OF = {
    name: [
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    ]
    for name in program.list_commands(click.Context(program))
    if (command := program.get_command(click.Context(program), name))
}
"""What `--help` of each command lists."""


@pytest.mark.parametrize("command", OPTIONS_OF)
def test_every_option_is_in_a_page_that_shows_its_command(command: str) -> None:
    """One that several commands have is explained once, in any page."""
    texts = [page.read_text("utf-8") for page in PAGES if page.name != "CHANGELOG.md"]
    shown = "".join(text for text in texts if f"terrarium-mcp {command}" in text)
    assert shown
    for option in OPTIONS_OF[command]:
        is_shared = sum(option in options for options in OPTIONS_OF.values()) > 1
        where = "".join(texts) if is_shared else shown
        assert re.search(rf"{option}(?![\w-])", where), option


def test_the_commands_of_a_page_are_found() -> None:
    page = "Do `ssh host terrarium-mcp serve`:\n```sh\n~/bin/terrarium-mcp up  # both\nls\n```\n"
    assert commands(page) == {"terrarium-mcp serve", "terrarium-mcp up"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_stands_in_a_test_that_runs_it(page: Path) -> None:
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests" / "cli").glob("test_*.py"))
    untested = {one for one in commands(page.read_text("utf-8")) if f'"{one}"' not in tests}
    assert not untested


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_file_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert not [link for link in links if not (page.parent / link).exists()]
    files = re.findall(r"`((?:terrarium_mcp/)?[a-z_/]+(?:\.py|/))`", text)
    places = (ROOT, ROOT / "terrarium_mcp")
    assert not [one for one in files if not any((place / one).exists() for place in places)]


def anchors(page: Path) -> set[str]:
    """What a link may name behind a #: the headings of a page, as GitHub spells them."""
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_anchor_of_a_link_is_a_heading(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text("utf-8"))
    files = [(page.parent / link if link else page, anchor) for link, anchor in links]
    assert not [(file, anchor) for file, anchor in files if anchor not in anchors(file)]


def test_every_page_is_linked_from_the_index() -> None:
    index = DOCS / "README.md"
    links = re.findall(r"\]\((?!https?:)([^)#]+)", index.read_text("utf-8"))
    pages = {*DOCS.glob("*.md"), *(DOCS / "why").glob("*.md")} - {index}
    assert not pages - {DOCS / link for link in links}


def test_the_architecture_names_every_room() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rooms = {path.parent.name for path in (ROOT / "terrarium_mcp").glob("*/__init__.py")}
    assert not {room for room in rooms if f"`{room}/`" not in text}


def test_the_page_on_watermarks_names_every_derived_structure() -> None:
    text = (ROOT / "docs" / "why" / "watermarks.md").read_text("utf-8")
    ((count, names),) = re.findall(r"(\d+) structures are derived \(([^)]+)\)", text)
    assert int(count) == len(DERIVED)
    assert len(names.replace("two full-text indexes", "one, another").split(",")) == len(DERIVED)


def test_the_page_on_the_database_names_every_version() -> None:
    format_page, owners_page = (
        (DOCS / name).read_text("utf-8") for name in ("database-format.md", "database.md")
    )
    rows = {int(number) for number in re.findall(r"\[v(\d+)\.sql\]\(", format_page)}
    assert rows == {*range(1, CURRENT + 1)}, "docs/database-format.md: a row for each version"
    current = re.findall(r"the current one is (\d+)\.", format_page)
    assert current == [str(CURRENT)], "docs/database-format.md: the number of the current version"
    copies = re.findall(r"\(`irc_logs\.before-v(\d+)\.db`\), then", owners_page)
    assert copies == [str(CURRENT)], "docs/database.md: the copy that an upgrade makes"


def test_the_page_on_the_format_of_the_database_names_every_table() -> None:
    page = (DOCS / "database-format.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.+?) \|", page, re.MULTILINE)
    named = [table for row in rows for table in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(TABLES), "docs/database-format.md: a row that names each table"


def test_every_test_that_a_page_names_exists() -> None:
    named = [
        (page.name, *found)
        for page in PAGES
        for found in re.findall(r"`([\w/]+\.py)::(\w+)`", page.read_text("utf-8"))
    ]
    assert len([page for page, *_ in named if page == "manners.md"]) > 15
    assert len([page for page, *_ in named if page == "lessons.md"]) == 20
    for page, file, name in named:
        source = (ROOT / "tests" / file).read_text("utf-8")
        assert re.search(rf"^(?:async )?def {name}\(", source, re.MULTILINE), (page, file, name)


def test_every_make_target_is_explained() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    assert re.findall(r"^# make ([\w-]+)", text, re.MULTILINE) == phony.split()
    pages = README + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", pages, re.MULTILINE)) <= {*phony.split()}


def test_the_examples_for_mcp_clients_start_what_there_is() -> None:
    entries = json.loads((ROOT / "mcp.json.example").read_text("utf-8"))["mcpServers"]
    assert {entry["type"] for entry in entries.values()} == {"stdio", "http", "sse"}
    for entry in entries.values():
        match entry:
            case {"type": "stdio", "command": command, "args": arguments}:
                line = " ".join([command, *arguments])
                assert "terrarium-mcp serve --db /path/to/irc_logs.db" in line
            case {"type": "http", "url": url}:
                assert url == "http://127.0.0.1:8765/mcp"
            case {"type": "sse", "url": url}:
                assert url == "http://127.0.0.1:8765/sse"


def test_the_entries_on_the_page_on_clients_start_a_server() -> None:
    page = (DOCS / "clients.md").read_text("utf-8")
    shown = re.findall(r"^```json\n(\{\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(shown) == 4
    for entry in (json.loads(one)["mcpServers"]["terrarium"] for one in shown):
        words = [entry["command"], *entry["args"]]
        at = next(at for at, word in enumerate(words) if word.endswith("terrarium-mcp"))
        assert words[at].startswith("/") or words[0] == "docker", "PATH is not ours"
        name, *arguments = words[at + 1 :]
        command = program.get_command(click.Context(program), name)
        assert command
        assert name == "serve"
        assert command.make_context(name, arguments).params["db"].is_absolute()


def test_the_page_on_clients_says_how_each_client_is_told_an_address() -> None:
    page = (DOCS / "clients.md").read_text("utf-8")
    by_program, by_address = (
        dict(re.findall(r"^\| ([A-Z][\w ]+) \| (.+) \|$", part, re.MULTILINE))
        for part in page.partition("## Connect a client")[2].split("## Over HTTP")
    )
    assert len(by_program) == len(HOSTS)
    assert by_address.keys() == by_program.keys()
    assert "is refused" in by_address.pop("Claude Desktop")  # its file has no place for one
    (added,) = re.findall(r"`(claude mcp add .+)`", by_address.pop("Claude Code"))
    assert added.endswith("--transport http terrarium http://127.0.0.1:8765/mcp")
    (entry,) = re.findall(r'`"terrarium": ({.+})`', by_address["VS Code"])
    examples = json.loads((ROOT / "mcp.json.example").read_text("utf-8"))["mcpServers"]
    assert json.loads(entry) == examples["terrarium-http"]


async def test_the_answer_on_the_page_on_clients_is_what_the_tool_says(tmp_path: Path) -> None:
    page = (DOCS / "clients.md").read_text("utf-8").partition("## What you can ask")[2]
    asked, shown = re.findall(r"^```(?:json|text)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[:2]
    async with opened(tmp_path) as house:
        await house.store.spans.begin("net", "#tea", datetime(2026, 1, 3, tzinfo=UTC), "joined")
        await house.hears(GATE)
        told = await house.learns("search_irc_history", **json.loads(asked))
    tag = re.compile(r"irc [0-9a-f]{4}")
    assert tag.sub("irc", shown) == tag.sub("irc", told.text) + "\n"


def test_the_page_on_the_view_shows_one_and_explains_every_key() -> None:
    page = (ROOT / "docs" / "view.md").read_text("utf-8")
    (example,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    view = view_in(json.loads(example)["params"]["_meta"])
    assert view.rooms == (("", "#tea"), ("", "#greenhouse"))
    assert (view.network, view.asker, view.max_tokens) == ("libera", "ada", 2000)
    assert view.as_of == datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert {*re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)} == VIEW_KEYS


def test_no_change_is_told_twice() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n- ")
    assert len({" ".join(one.split())[:90] for one in changes}) == len(changes)


def test_no_page_names_a_machine_it_was_written_on() -> None:
    requirements = (ROOT / "requirements").glob("*.txt")
    for page in [*PAGES, *EXAMPLES, *requirements, ROOT / "Makefile", ROOT / "pyproject.toml"]:
        text = page.read_text("utf-8")
        assert "file://" not in text, page
        assert str(ROOT) not in text, page


def test_tuning_explains_every_part_and_outcome() -> None:
    text = (ROOT / "docs" / "tuning.md").read_text("utf-8")
    for name in (*get_args(PartName), *Outcome, OTHER):
        assert re.search(rf"^\|.*`{name}`.*\|$", text, re.MULTILINE), name


def test_the_line_on_the_tuning_page_is_the_table_on_it() -> None:
    text = (ROOT / "docs" / "tuning.md").read_text("utf-8")
    _, line = re.findall(r"^```(json)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]
    _, shown = re.findall(r"^```(console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]
    table = rendered(record_from_json(line), ZoneInfo("UTC"))
    assert shown == f"$ terrarium-mcp talk --last\n{table}\n"
    fields = re.findall(
        r"^\| (`[^|]+) \|", text.partition("| field |")[2].partition("\n\n")[0], re.MULTILINE
    )
    named = re.findall(r"`(\w+)`", " ".join(fields))
    assert named == [field.name for field in dataclasses.fields(TalkRecord)]

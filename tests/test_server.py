"""What the server publishes, and what becomes of calls that go wrong."""

import json
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it comes without types
import pytest
from mcp import MCPError
from mcp.types import Tool

from terrarium_mcp.policy import ERROR_KEY, VIEW_KEY
from terrarium_mcp.server import INSTRUCTIONS, build_server
from terrarium_mcp.settings import BadSetting, Settings
from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.search.message_search import MessageSearch
from tests.store.scene import SETTINGS
from tests.tools.scene import ERAS, Era, House, opened

REQUIRED = object()

CONTRACT: dict[str, dict[str, object]] = {
    "search_irc_history": {
        "query": REQUIRED,
        "channel": "",
        "hours": 0,
        "limit": 20,
        "sort": "relevance",
        "context": 0,
        "cursor": "",
        "format": "text",
    },
    "get_recent_irc_messages": {
        "channel": "",
        "limit": 50,
        "hours": 0,
        "before_id": "",
        "after_id": "",
        "include_events": False,
        "format": "text",
    },
    "get_message_context": {
        "message_id": REQUIRED,
        "scope": "channel",
        "before": 8,
        "after": 8,
        "format": "text",
    },
    "get_channel_stats": {
        "channel": "",
        "nick": "",
        "query": "",
        "after": "",
        "before": "",
        "per": "",
    },
    "get_current_users": {"channel": ""},
    "lookup_nick": {"nick": REQUIRED},
    "catch_up": {"channel": "", "since": "", "nick": "", "max_tokens": 1_500},
    "search_web": {"query": REQUIRED, "max_results": 5},
    "create_enhancement_request": {"title": REQUIRED, "summary": REQUIRED},
    "list_enhancement_requests": {},
    "read_enhancement_request": {"filename": REQUIRED, "cursor": ""},
}
TYPED: dict[str, dict[str, str]] = {
    "get_channel_stats": {},
    "get_current_users": {},
    "lookup_nick": {"nick": "ada"},
    "catch_up": {"nick": "ada"},
}
"""The tools with an output schema, and what each needs."""
WRITES = {"create_enhancement_request"}
CORE = {
    "search_irc_history", "get_recent_irc_messages", "get_message_context", "get_channel_stats",
    "get_current_users", "search_web", "create_enhancement_request", "list_enhancement_requests",
    "read_enhancement_request",
}  # fmt: skip


@pytest.fixture(params=ERAS)
async def house(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    """For a client of each era."""
    era: Era = request.param
    async with opened(tmp_path, era=era) as house:
        yield house


@pytest.fixture(params=ERAS, scope="module")
async def silent_house(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> AsyncIterator[House]:
    """One for all tests that only ask, for a client of each era."""
    era: Era = request.param
    async with opened(tmp_path_factory.mktemp("silent_house"), era=era) as house:
        yield house


async def test_a_program_is_told_by_a_code_what_was_unknown_and_a_model_by_the_text(
    house: House,
) -> None:
    await house.hears("<ada> tea")
    for tool, arguments, view, code in (
        ("get_message_context", {"message_id": "99"}, {}, "unknown message"),
        ("get_message_context", {"message_id": "1"}, {"channel": "#mate"}, "unknown message"),
        ("get_recent_irc_messages", {"channel": "#mate"}, {}, "unknown channel"),
        ("get_channel_stats", {"after": "soon"}, {}, ""),
    ):
        meta: Any = {VIEW_KEY: view}
        result = await house.client.call_tool(tool, arguments, meta=meta)
        assert result.is_error
        assert (result.meta or {}).get(ERROR_KEY, "") == code, result
        assert result.structured_content is None


async def published(house: House) -> dict[str, Tool]:
    return {tool.name: tool for tool in (await house.client.list_tools()).tools}


async def names_under(folder: Path, **settings: Any) -> list[str]:
    async with opened(folder, SETTINGS.model_copy(update=settings)) as house:
        return list(await published(house))


def keys_in(schema: object) -> Iterator[str]:
    """Every keyword of a schema; the names of properties are none."""
    if isinstance(schema, list):
        for part in schema:
            yield from keys_in(part)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            parts = value.values() if key in ("properties", "$defs") else [value]
            for part in parts:
                yield from keys_in(part)


async def test_the_tools_have_the_names_parameters_and_defaults_of_the_contract(
    silent_house: House,
) -> None:
    tools = await published(silent_house)
    found = {
        name: {
            parameter: REQUIRED
            if parameter in tool.input_schema.get("required", [])
            else schema["default"]
            for parameter, schema in tool.input_schema["properties"].items()
        }
        for name, tool in tools.items()
    }
    assert found == CONTRACT


async def test_servers_whose_settings_agree_share_their_tools(silent_house: House) -> None:
    async def parameters(most: int) -> dict[str, dict[str, Any]]:
        settings = SETTINGS.model_copy(update={"search_max_results": most})
        tools = await build_server(silent_house.store, settings).list_tools()
        return {tool.name: tool.input_schema["properties"] for tool in tools}

    one, same, other = await parameters(3), await parameters(3), await parameters(4)
    assert [name for name in one if one[name] is not same[name]] == []
    assert [name for name in one if one[name] is not other[name]] == ["search_web"]
    assert [told["search_web"]["max_results"]["default"] for told in (one, other)] == [3, 4]


async def test_every_tool_has_a_title_and_every_parameter_a_description(
    silent_house: House,
) -> None:
    for tool in (await published(silent_house)).values():
        assert tool.title
        assert tool.description
        for parameter, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{parameter}"


async def test_reading_tools_say_that_they_only_read(silent_house: House) -> None:
    for tool in (await published(silent_house)).values():
        said = tool.annotations
        assert said
        assert said.read_only_hint is (tool.name not in WRITES)
        assert said.idempotent_hint is True
        assert said.destructive_hint is False


async def test_schemas_hold_nothing_that_a_small_model_stumbles_over(silent_house: House) -> None:
    for tool in (await published(silent_house)).values():
        keys = {*keys_in(tool.input_schema), *keys_in(tool.output_schema)}
        assert not keys & {"title", "anyOf", "oneOf", "minimum", "maximum", "pattern"}, tool.name
        assert "null" not in json.dumps([tool.input_schema, tool.output_schema or {}])


async def test_no_choice_is_empty(silent_house: House) -> None:
    """Gemini refuses the tools of a whole list for one."""
    choices = {
        f"{tool.name}.{parameter}": schema["enum"]
        for tool in (await published(silent_house)).values()
        for parameter, schema in tool.input_schema["properties"].items()
        if "enum" in schema
    }
    assert "search_irc_history.sort" in choices
    assert "" not in {choice for its in choices.values() for choice in its}


async def test_no_argument_is_expected_in_a_header(silent_house: House) -> None:
    for tool in (await published(silent_house)).values():
        assert "x-mcp-header" not in json.dumps(tool.input_schema), tool.name


async def test_a_tool_that_can_only_fail_says_so_and_one_that_works_does_not(
    silent_house: House, tmp_path: Path
) -> None:
    description = (await published(silent_house))["search_web"].description or ""
    assert description.endswith(". It fails here: SEARCH_API_URL is not set.")
    set_up = Settings(search_api_url="http://127.0.0.1:9/")
    async with opened(tmp_path / "set-up", set_up) as other:
        assert "fails here" not in ((await published(other))["search_web"].description or "")


async def test_the_list_of_tools_is_small(silent_house: House) -> None:
    listed = await silent_house.client.list_tools()
    size = len(listed.model_dump_json(by_alias=True, exclude_none=True).encode())
    assert size / 4 < 3_300, (
        f"{size / 4:.0f} tokens, which every model reads with every question: shorten descriptions."
        " Room for a tool more may be given here, up to 4,000 tokens for sixteen tools"
    )


async def test_a_time_of_day_is_among_the_examples_and_its_zone_is_told(house: House) -> None:
    tools = await published(house)
    for tool, argument in (("search_irc_history", "query"), ("get_channel_stats", "after")):
        assert "2026-05-01T14:00" in tools[tool].input_schema["properties"][argument]["description"]
    assert "time zone" in INSTRUCTIONS
    await house.hears("14:30 <ada> tea")
    found = await house.learns(
        "search_irc_history", query="after:2026-05-01T14:00 before:2026-05-01T15:00"
    )
    assert "<ada> tea" in found.inside
    assert "Times UTC." in found.outside


async def test_only_figures_publish_an_output_schema(silent_house: House) -> None:
    tools = await published(silent_house)
    assert {name for name, tool in tools.items() if tool.output_schema} == {*TYPED}


@pytest.mark.parametrize("name", sorted(TYPED))
async def test_figures_keep_to_the_schema_they_publish(house: House, name: str) -> None:
    await house.hears("<ada> tea at four")
    told = await house.learns(name, **TYPED[name])
    schema = (await published(house))[name].output_schema
    assert schema
    jsonschema.validate(told.facts, schema)
    assert told.facts


async def test_write_tools_can_be_switched_off(tmp_path: Path) -> None:
    names = await names_under(tmp_path, write_tools="off")
    assert set(names) == set(CONTRACT) - WRITES


async def test_a_tool_that_is_switched_off_is_unknown(tmp_path: Path) -> None:
    async with opened(tmp_path, Settings(network="net", write_tools="off")) as house:
        refused = await house.is_refused("create_enhancement_request", title="a", summary="b")
    assert refused.startswith("No tool create_enhancement_request.")


@pytest.mark.parametrize(
    "setting", ["search_web, get_channel_stats", "search_web get_channel_stats"]
)
async def test_a_list_of_tools_publishes_these(tmp_path: Path, setting: str) -> None:
    assert set(await names_under(tmp_path, tools=setting)) == {"search_web", "get_channel_stats"}


@pytest.mark.parametrize(
    ("setting", "names"),
    [
        ("all", {*CONTRACT}),
        ("core", CORE),
        ("core,catch_up", {*CORE, "catch_up"}),
        ("all lookup_nick", {*CONTRACT}),
    ],
)
async def test_all_and_core_publish_what_they_stand_for(
    tmp_path: Path, setting: str, names: set[str]
) -> None:
    assert set(await names_under(tmp_path, tools=setting)) == names


@pytest.mark.parametrize("setting", ["search_wb", "search_web,search_wb", "all,search_wb"])
async def test_an_unknown_tool_in_the_settings_stops_the_start(
    tmp_path: Path, setting: str
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        with pytest.raises(BadSetting, match=r"TERRARIUM_TOOLS.*search_wb.*search_web"):
            build_server(store, Settings(tools=setting))


@pytest.mark.parametrize("setting", ["", " , "])
async def test_a_list_of_no_tools_stops_the_start(tmp_path: Path, setting: str) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        with pytest.raises(BadSetting, match="TERRARIUM_TOOLS"):
            build_server(store, Settings(tools=setting))


async def test_an_unknown_tool_is_answered_with_the_nearest(silent_house: House) -> None:
    refused = await silent_house.is_refused("search_irc_histroy", query="tea")
    assert refused.startswith("No tool search_irc_histroy. Did you mean search_irc_history?")


async def test_an_unknown_argument_is_answered_with_the_nearest(silent_house: House) -> None:
    refused = await silent_house.is_refused("search_irc_history", query="tea", chanel="#tea")
    assert "no argument chanel. Did you mean channel?" in refused


@pytest.mark.parametrize(
    ("tool", "argument", "hint"),
    [
        ("get_message_context", "id", "Did you mean message_id?"),
        ("get_channel_stats", "since", "Did you mean after?"),
        ("catch_up", "after", "Did you mean since?"),
        ("lookup_nick", "User", "Did you mean nick?"),
        ("search_irc_history", "max_results", "Did you mean limit?"),
        ("search_irc_history", "nick", "Write it into the query, like from:ada."),
        ("search_irc_history", "from", "Write it into the query, like from:ada."),
        ("search_irc_history", "after", "Write it into the query, like after:2026-05-01."),
        ("search_irc_history", "until", "Write it into the query, like before:2026-05-01."),
        ("get_recent_irc_messages", "after", "Did you mean after_id?"),
        ("get_recent_irc_messages", "since", "Write hours=24 for the last day."),
        ("get_recent_irc_messages", "days", "Write hours=24 for the last day."),
        ("search_irc_history", "days", "Write hours=24 for the last day."),
        ("catch_up", "hours", "Write since=24h for the last day."),
        ("get_channel_stats", "Hours", "Write after=24h for the last day."),
        ("get_message_context", "hours", "Arguments: message_id, scope, before, after, format."),
        ("get_message_context", "since", "Arguments: message_id, scope, before, after, format."),
    ],
)
async def test_an_argument_of_another_name_is_answered_with_ours(
    silent_house: House, tool: str, argument: str, hint: str
) -> None:
    refused = await silent_house.is_refused(tool, **{argument: "ada"})
    assert refused.startswith(f"{tool} has no argument {argument}. {hint}")


async def test_every_unknown_argument_is_answered_at_once(silent_house: House) -> None:
    wrong = {"query": "tea", "user": "ada", "since": "2026-05-01", "max": 5}
    refused = await silent_house.is_refused("search_irc_history", **wrong)
    assert refused.startswith(
        "search_irc_history has no argument user. Write it into the query, like from:ada."
        " It has no argument since. Write it into the query, like after:2026-05-01."
        " It has no argument max. Did you mean limit? Arguments: query, channel, "
    )


async def test_of_a_flood_of_unknown_arguments_a_few_are_named(silent_house: House) -> None:
    refused = await silent_house.is_refused("catch_up", **{f"x{n}": "" for n in range(1000)})
    assert refused.count("no argument") == 8


async def test_an_argument_of_a_tool_without_any_is_refused(silent_house: House) -> None:
    refused = await silent_house.is_refused("list_enhancement_requests", status="open")
    assert refused == "list_enhancement_requests has no argument status. Arguments: none."


async def test_what_a_client_invents_for_a_tool_without_arguments_is_no_mistake(
    silent_house: House,
) -> None:
    await silent_house.learns("list_enhancement_requests", random_string="list")
    refused = await silent_house.is_refused("catch_up", random_string="list")
    assert refused.startswith("catch_up has no argument random_string.")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"limit": "many"}, "limit='many'"),
        ({"limit": 2.5}, "limit=2.5"),
        ({"sort": "upwards"}, "sort='upwards'"),
        ({"format": "xml"}, "format='xml'"),
        ({"channel": ["#tea"]}, "channel="),
    ],
)
async def test_a_wrong_value_is_named_in_a_short_error(
    silent_house: House, wrong: dict[str, Any], told: str
) -> None:
    refused = await silent_house.is_refused("search_irc_history", query="tea", **wrong)
    assert refused.startswith(f"search_irc_history: {told}")
    assert "http" not in refused
    assert len(refused) < 300


async def test_a_missing_argument_is_named(silent_house: House) -> None:
    refused = await silent_house.is_refused("search_irc_history")
    assert refused == "search_irc_history: query: Field required."


async def test_a_crash_shows_nothing_of_the_inside_and_is_logged(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def crash(*_: object) -> None:
        raise RuntimeError("the secret is 4711")

    await house.hears("<ada> tea at four")
    monkeypatch.setattr(MessageSearch, "__call__", crash)
    with caplog.at_level(logging.ERROR):
        refused = await house.is_refused("search_irc_history", query="tea")
    assert refused == "Error executing tool search_irc_history"
    assert "the secret is 4711" in caplog.text


async def test_what_was_expected_to_go_wrong_is_not_logged_as_an_error(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.hears("<ada> tea at four")
    with caplog.at_level(logging.WARNING):
        refused = await house.is_refused("search_irc_history", query="tea", channel="#taa")
    assert refused == "No channel #taa. Did you mean #tea?"
    assert not caplog.records


async def test_a_prompt_or_resource_that_is_not_there_is_refused_and_leaves_no_trace_in_the_log(
    silent_house: House, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        with pytest.raises(MCPError, match="No prompt catch_me_up: this server publishes none"):
            await silent_house.client.get_prompt("catch_me_up", {"channel": "#tea"})
        with pytest.raises(MCPError, match="Unknown resource: terrarium://channels"):
            await silent_house.client.read_resource("terrarium://channels")
    assert not caplog.records


async def test_the_server_says_what_it_is_for(silent_house: House) -> None:
    assert "never instructions" in (silent_house.client.instructions or "").replace("\n", " ")

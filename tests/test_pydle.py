"""The inner names of pydle that we rely on still exist, and do what we expect.

A test that fails here is called by the name that has moved: see
`terrarium_mcp/irc_bridge/network/pydle_client.py`.
"""

import ast
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path

import pydle
import pytest

from terrarium_mcp.chat.irc_message import Source, parse_line
from terrarium_mcp.irc_bridge.network import pydle_client
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from tests.irc_bridge.network.offline import Scene, in_tea


async def register() -> None:
    scene = Scene()
    await scene.client.register()
    assert scene.posted == [
        ("CAP", "LS", "302"),
        ("PASS", "letmein"),
        ("NICK", "Terra"),
        ("USER", "terrarium", "0", "*", "r"),
    ]


async def registration_completed() -> None:
    scene = Scene()
    await scene.client.complete_registration(parse_line(b":srv 376 Terr :End of MOTD"))
    assert (scene.client.registered, scene.client.nickname) == (True, "Terr")


async def reset_attributes() -> None:
    client = Scene().client
    assert type(client.channels) is type(client.users) is pydle_client.CaseMapped


async def sync_user() -> None:
    client = Scene().client
    await client.update_user(Source("ada", "a", "h"), account="ada_")
    await client.update_user(Source("ada", "b"))
    record = client.users["ADA"]
    assert (record["username"], record["hostname"], record["account"]) == ("b", "h", "ada_")


async def create_user() -> None:
    scene = await in_tea(":bo!b@h MODE #tea +v ada")
    assert scene.client.users["bo"]["nickname"] == "bo"
    assert scene.posted == []  # no WHOIS


async def rename_user() -> None:
    scene = await in_tea(":ada!a@h NICK Ada2")
    assert (scene.channel["users"], scene.channel["modes"]) == ({"Terra", "Ada2"}, {"o": ["Ada2"]})
    assert scene.posted == []  # no WHOIS


async def destroy_user() -> None:
    scene = await in_tea(":ada!a@h QUIT :bye", ":bo!b@h PART #tea", ":Terra KICK #tea cy :bye")
    assert set(scene.client.users) == {"terra"}
    assert (scene.channel["users"], scene.channel["modes"]) == ({"Terra"}, {"o": []})


async def create_channel() -> None:
    record = (await in_tea()).channel
    assert (record["name"], record["users"]) == ("#tea", {"Terra", "ada"})
    assert record["modes"] == {"o": ["ada"]}


async def destroy_channel() -> None:
    scene = await in_tea(":ada!a@h KICK #tea Terra :bye")
    assert not scene.client.in_channel("#tea")


async def parse_user() -> None:
    scene = await in_tea(":bo!b@x@h MODE #tea +v ada")
    assert (scene.client.users["bo"]["username"], scene.client.users["bo"]["hostname"]) == (
        "b@x",
        "h",
    )


async def parse_channel_modes() -> None:
    scene = await in_tea(":ada!a@h MODE #tea -o+v ADA Terra")
    assert scene.channel["modes"] == {"o": [], "v": ["Terra"]}


async def channel_modes_behaviour() -> None:
    scene = await in_tea(
        ":srv 005 Terra CHANMODES=b,k,l,imnt :are supported",
        ":ada!a@h MODE #tea +bkl-o * key 5 ada",
    )
    assert scene.channel["modes"] == {"o": []}


async def nickname_prefixes() -> None:
    scene = await in_tea(
        ":srv 005 Terra PREFIX=(qaohv)~&@%+ :are supported", ":srv 353 Terra = #tea :~%bo"
    )
    assert scene.channel["modes"] == {"o": ["ada"], "q": ["bo"], "h": ["bo"]}


async def capabilities() -> None:
    scene = Scene()
    await scene.hears(
        "CAP * LS :batch setname",
        "CAP * ACK :batch setname",
        "CAP * DEL :setname",
        "CAP * NEW :batch",
    )
    assert scene.client.has_capability("setname") is False
    requested = [set(words[2].split()) for words in scene.posted if words[1] == "REQ"]
    assert requested == [{"batch", "setname"}, {"batch"}]


INNER_NAMES: dict[str, Callable[[], Awaitable[None]]] = {
    "_capabilities": capabilities,
    "_channel_modes_behaviour": channel_modes_behaviour,
    "_create_channel": create_channel,
    "_create_user": create_user,
    "_destroy_channel": destroy_channel,
    "_destroy_user": destroy_user,
    "_nickname_prefixes": nickname_prefixes,
    "_parse_channel_modes": parse_channel_modes,
    "_parse_user": parse_user,
    "_register": register,
    "_registration_completed": registration_completed,
    "_rename_user": rename_user,
    "_reset_attributes": reset_attributes,
    "_sync_user": sync_user,
}
OUR_OWN = {
    *("_accept", "_accept_history", "_cap_lines", "_case_mapped", "_configured_nick", "_end"),
    *("_limit", "_login_by_sasl", "_note_offered", "_offered", "_post", "_remap", "_wants_history"),
}
"""Private names of `PydleClient` that mean nothing to pydle, and must not come to."""

OVERRIDDEN = [
    *("disconnect", "is_channel", "is_same_channel", "is_same_nick", "rawmsg", "on_data_error"),
    *("on_raw_005", "on_raw_cap", "on_raw_cap_new", "on_capability_sasl_available"),
    *("on_capability_echo_message_available",),
    *("on_capability_sasl_enabled", "on_isupport_namesx"),
    *("on_isupport_uhnames", "_create_channel", "_create_user", "_destroy_channel"),
    *("_destroy_user", "_parse_channel_modes", "_parse_user", "_rename_user", "_reset_attributes"),
]

PYDLES_OWN = [
    *("001", "353", "903", "account", "away", "cap_ack", "cap_ls", "chghost", "error", "kick"),
    *("kill", "mode", "nick", "part", "ping", "quit"),
]
"""What the session leaves to pydle's own handlers."""


def private_names() -> set[str]:
    """Every private attribute of the client that its module uses or defines."""
    tree = ast.parse(Path(pydle_client.__file__).read_text("utf-8"))
    [client] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name == "PydleClient"
    ]
    used = {node.attr for node in ast.walk(client) if isinstance(node, ast.Attribute)}
    names = used | set(vars(PydleClient))
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


@pytest.mark.parametrize("name", INNER_NAMES)
async def test_pydle_still_has(name: str) -> None:
    assert hasattr(pydle.Client("nick"), name)
    await INNER_NAMES[name]()


async def test_pydle_logs_nothing_of_a_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    await in_tea(":ada!a@h TOPIC #tea :my secret")
    assert "secret" not in caplog.text


def test_every_private_name_of_the_client_is_known_here() -> None:
    assert private_names() == set(INNER_NAMES) | OUR_OWN


@pytest.mark.parametrize("name", sorted(OUR_OWN))
def test_pydle_does_not_use_a_name_of_ours(name: str) -> None:
    assert not hasattr(pydle.Client("nick"), name)


@pytest.mark.parametrize("name", [f"on_raw_{command}" for command in PYDLES_OWN])
def test_pydle_still_handles(name: str) -> None:
    assert name in dir(pydle.Client)


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_pydle_still_calls(name: str) -> None:
    assert name in vars(PydleClient)
    assert parameters(getattr(PydleClient, name)) == parameters(getattr(pydle.Client, name))


def test_every_handler_of_the_client_is_known_here() -> None:
    asked_by_name = {
        name
        for name, value in vars(PydleClient).items()
        if value in (vars(PydleClient)["_accept"], vars(PydleClient)["_accept_history"])
    }
    handlers = {name for name in vars(PydleClient) if name.startswith("on_")}
    assert handlers - asked_by_name <= set(OVERRIDDEN)


def parameters(function: Callable[..., object]) -> list[str]:
    """The names of all parameters but `**kwargs`, which pydle ignores."""
    given = inspect.signature(function).parameters.values()
    return [one.name for one in given if one.kind is not one.VAR_KEYWORD]

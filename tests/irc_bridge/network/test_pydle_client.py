"""What the client has pydle negotiate and remember, line by line."""

import logging

import pytest

from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from tests.irc_bridge.network.offline import Scene, in_tea

CAPABILITIES = (
    "account-notify account-tag away-notify batch cap-notify chathistory chghost "
    "draft/chathistory draft/event-playback draft/message-redaction echo-message event-playback "
    "extended-join invite-notify labeled-response message-redaction message-tags "
    "multi-prefix server-time setname standard-replies userhost-in-names"
)


def requested(scene: Scene) -> list[set[str]]:
    return [set(words[2].split()) for words in scene.posted if words[:2] == ("CAP", "REQ")]


async def test_every_capability_that_a_record_lives_by_is_requested() -> None:
    scene = Scene()
    await scene.hears(f"CAP * LS :{CAPABILITIES} draft/multiline sasl=PLAIN sts=port=6697 tls")
    assert requested(scene) == [set(CAPABILITIES.split())]


@pytest.mark.parametrize(
    ("offered", "wanted", "history"),
    [
        ("batch server-time draft/chathistory draft/event-playback", True, 2),
        ("batch server-time chathistory event-playback", True, 2),
        ("batch server-time draft/chathistory draft/event-playback", False, 0),
        ("batch server-time draft/event-playback", True, 0),
        ("batch chathistory event-playback", True, 0),
        ("server-time chathistory event-playback", True, 0),
    ],
)
async def test_history_is_requested_where_it_can_be_told_from_what_is_new(
    offered: str, wanted: bool, history: int
) -> None:
    scene = Scene(wants_history=wanted)
    await scene.hears(f"CAP * LS :{offered}")
    (names,) = requested(scene)
    assert names - {"batch", "server-time"} == set(offered.split()[-history:] if history else [])


async def test_history_that_is_offered_later_is_requested_then() -> None:
    scene = Scene()
    await scene.hears("CAP * LS :batch server-time", "CAP * NEW :draft/chathistory")
    assert requested(scene)[-1] == {"draft/chathistory"}


@pytest.mark.parametrize("verb", ["LS", "ls"])
async def test_a_list_in_several_lines_is_one_list(verb: str) -> None:
    scene = Scene()
    await scene.hears(f"CAP * {verb} * :batch", f"CAP * {verb} * :chghost")
    assert scene.posted == []
    await scene.hears(f"CAP * {verb} :setname")
    assert requested(scene) == [{"batch", "chghost", "setname"}]


async def test_a_later_list_does_not_repeat_an_earlier_one() -> None:
    scene = Scene()
    await scene.hears("CAP * LS * :batch", "CAP * LS :setname", "CAP * LIST :setname")
    assert not scene.client.has_capability("batch")
    assert scene.client.has_capability("batch", "setname")


async def test_a_capability_named_like_the_sign_for_more_is_the_last_line() -> None:
    scene = Scene()
    await scene.hears("CAP * LS *")
    assert scene.posted == [("CAP", "END")]


async def test_what_is_refused_or_taken_back_is_not_enabled_and_may_come_again() -> None:
    scene = Scene()
    await scene.hears("CAP * LS :batch setname", "CAP * ACK :batch", "CAP * NAK :setname")
    assert (scene.client.has_capability("batch"), scene.client.has_capability("setname")) == (
        True,
        False,
    )
    await scene.hears("CAP * DEL :batch")
    assert not scene.client.has_capability("batch")
    await scene.hears("CAP * NEW :Batch=1 setname")
    assert requested(scene)[-1] == {"batch", "setname"}


async def test_a_sasl_acknowledgement_that_nobody_asked_for_ends_the_negotiation() -> None:
    scene = Scene()
    await scene.hears("CAP * ACK :sasl")
    assert scene.posted == [("CAP", "END")]


@pytest.mark.parametrize(
    ("capability", "token"), [("multi-prefix", "NAMESX"), ("userhost-in-names", "UHNAMES")]
)
async def test_names_are_asked_for_in_full_once(capability: str, token: str) -> None:
    line = f":srv 005 Terra {token} :are supported"
    old, new = Scene(), Scene()
    await old.hears(line)
    assert old.posted == [("PROTOCTL", token)]
    await new.hears(f"CAP * ACK :{capability}", line)
    assert ("PROTOCTL", token) not in new.posted


async def test_an_isupport_token_may_be_set_changed_and_taken_back() -> None:
    scene = Scene()
    await scene.hears(":srv 005 Terra NICKLEN=9 bot=B SAFELIST :x", ":srv 005 Terra NICKLEN=20 :x")
    assert scene.client.isupport == Isupport(nicklen=20, bot="B")
    await scene.hears(":srv 005 Terra -bot -NEVER -NICKLEN :x")
    assert scene.client.isupport == Isupport()


@pytest.mark.parametrize("token", ["CHANMODES=b", "CHANMODES", "LINELEN=many"])
async def test_an_unusable_token_is_named_in_the_log_once(
    token: str, caplog: pytest.LogCaptureFixture
) -> None:
    scene = Scene()
    for _ in range(50):
        await scene.hears(f":srv 005 Terra {token} TARGMAX=JOIN:2 :x")
    assert scene.client.isupport.joins_per_line == 2
    assert caplog.messages == [f"h: ignored a token of the server's ISUPPORT: '{token}'"]


async def test_an_unusable_token_is_shown_by_its_beginning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene()
    await scene.hears(f":srv 005 Terra LINELEN={'9' * 90} :x")
    assert caplog.messages == [f"h: ignored a token of the server's ISUPPORT: 'LINELEN={'9' * 52}'"]


@pytest.mark.parametrize(
    ("mapping", "same", "different"),
    [
        ("", "[a]~", "A"),
        ("=rfc1459", "[a]~", "A"),
        ("=strict-rfc1459", "[a]", "~"),
        ("=ascii", "A", "[a]"),
        ("=", "[a]~", "A"),
    ],
)
async def test_names_compare_by_the_servers_mapping_also_those_known_before(
    mapping: str, same: str, different: str
) -> None:
    upper_and_lower = {"[a]~": "{A}^", "[a]": "{A}", "A": "a", "~": "^"}
    scene = Scene()
    await scene.client.update_user(Source(same))
    scene.client.add_channel(f"#{same}")
    await scene.hears(f":srv 005 Terra CASEMAPPING{mapping} :x")
    other = upper_and_lower[same]
    assert other in scene.client.users
    assert scene.client.in_channel(f"#{other}")
    assert scene.client.is_same_nick(same, other)
    assert scene.client.is_same_channel(f"#{same}", f"#{other}")
    if different != "A":
        assert not scene.client.is_same_nick(different, upper_and_lower[different])


async def test_a_mode_names_members_in_any_case_and_unknown_letters_cost_nothing() -> None:
    scene = await in_tea(":ada!a@h MODE #TEA -o+vv ADA terra bo", ":ada!a@h MODE #tea +x")
    assert scene.channel["modes"] == {"o": [], "v": ["Terra", "bo"]}


@pytest.mark.parametrize(
    ("token", "letter"), [("EXCEPTS", "e"), ("INVEX", "I"), ("EXCEPTS=x", "x")]
)
async def test_the_mask_of_an_exception_is_not_taken_for_a_member(token: str, letter: str) -> None:
    mode = f":ada!a@h MODE #tea +{letter}v *!*@x Terra"
    scene = await in_tea(f":srv 005 Terra {token} :x", mode)
    assert scene.channel["modes"] == {"o": ["ada"], "v": ["Terra"]}


async def test_a_rename_keeps_what_is_known_of_a_user() -> None:
    scene = await in_tea()
    await scene.client.update_user(Source("ada", "a", "h"), account="ada_")
    await scene.hears(":ada!a@h NICK bo")
    assert "ada" not in scene.client.users
    assert scene.client.users["bo"]["nickname"] == "bo"
    assert scene.client.users["bo"]["account"] == "ada_"
    assert scene.client.channels["#tea"]["modes"] == {"o": ["bo"]}


async def test_a_rename_of_a_stranger_adds_nobody_to_a_channel() -> None:
    scene = await in_tea(":xy!x@h NICK yz")
    assert scene.channel["users"] == {"Terra", "ada"}


async def test_our_own_rename_is_ours() -> None:
    scene = await in_tea(":Terra!t@h NICK Terra2")
    assert (scene.client.nick, scene.client.nickname) == ("Terra2", "Terra2")
    assert scene.channel["users"] == {"Terra2", "ada"}


async def test_before_the_welcome_our_nick_is_the_wanted_one() -> None:
    scene = Scene()
    assert scene.client.nick == "Terra"
    await scene.hears(":srv 001 Guest7 :Welcome")
    assert scene.client.nick == "Guest7"


async def test_a_name_with_a_dot_is_a_server_and_no_user() -> None:
    scene = await in_tea(":irc.example.org MODE #tea +o Terra")
    assert list(scene.client.users) == ["terra", "ada"]


async def test_a_quit_forgets_the_user_and_a_part_only_who_is_nowhere_else() -> None:
    scene = await in_tea()
    scene.client.add_channel("#mate")
    await scene.hears(":srv 353 Terra = #mate :ada bo", ":ada!a@h PART #tea")
    assert "ada" in scene.client.users
    await scene.hears(":ada!a@h PART #mate", ":bo!b@h QUIT")
    assert list(scene.client.users) == ["terra"]


async def test_the_end_has_a_reason() -> None:
    scene = await in_tea("ERROR :Closing link", ":oper!o@h KILL Terra :out")
    assert scene.ended == ["Closing link", "the server ended our session"]


async def test_what_pydle_does_not_know_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await in_tea(":srv 999 Terra :my secret", ":ada!a@h PRIVATE :my secret")
    assert "secret" not in caplog.text
    assert [one.message for one in caplog.records if one.levelno > logging.DEBUG] == []

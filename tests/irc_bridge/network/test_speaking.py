"""What the client says: whole, fitting, paced, and heard by itself once."""

import anyio
import pytest

from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotConnected, NotTaken, SendQueueFull
from terrarium_mcp.irc_bridge.network.outgoing import Lane
from tests.irc_bridge.network.scene import login, staying
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.fake_ircd import fake_ircd


def relayed(line: str) -> int:
    """How long the line is when the server sends it on."""
    return len(f":Terra!u@host.example {line}\r\n".encode())


async def test_long_text_in_any_script_fits_and_arrives_whole() -> None:
    text = "漢字" * 300 + " " + "שלום مرحبا naïve " * 60
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", text)
        await network.say("#tea", "the end")
        await server.hears("PRIVMSG #tea :the end")
        said = server.heard("PRIVMSG")[:-1]
        assert 500 < max(map(relayed, said)) <= 512
        assert "".join(line.split(" ", 2)[2].removeprefix(":") for line in said).replace(
            " ", ""
        ) == text.replace(" ", "")


async def test_room_follows_our_mask_and_the_servers_limit() -> None:
    async with (
        fake_ircd(isupport="CHANTYPES=# LINELEN=1024") as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        assert network.payload_bytes("#tea") == 512 - len(":Terra!@ PRIVMSG #tea :\r\n") - 11 - 63
        await ear.happens("members_complete", "#tea")
        assert network.payload_bytes("#tea") == 1024 - relayed("PRIVMSG #tea :")
        await server.says(":srv 396 Terra cloak :is now your displayed host")
        await server.settles()
        assert (
            network.payload_bytes("#tea")
            == 1024 - relayed("PRIVMSG #tea :") + len("host.example") - 5
        )
        await server.says(":Terra!u@cloak CHGHOST user2 h")
        await server.settles()
        assert network.payload_bytes("#tea", "NOTICE") == 1024 - len(
            ":Terra!user2@h NOTICE #tea :\r\n"
        )


async def test_a_line_in_private_leaves_room_for_the_longest_nick() -> None:
    async with (
        fake_ircd(isupport="CHANTYPES=# NICKLEN=20") as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert network.payload_bytes("bo") == network.payload_bytes("b" * 20)
        assert network.payload_bytes("b" * 21) == network.payload_bytes("b" * 20) - 1
        assert network.payload_bytes("#tea") == network.payload_bytes("#te") - 1


async def test_lines_are_lines_and_no_text_can_smuggle_a_command() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "one\r\nQUIT :x\rtwo\0three\n\n \x1dslanted\x1d")
        await server.hears("PRIVMSG", times=5)
        assert [line.split(" ", 2)[2].lstrip(":") for line in server.heard("PRIVMSG")] == [
            "one",
            "QUIT :x",
            "two",
            "three",
            " \x1dslanted\x1d",
        ]
        with pytest.raises(ValueError, match="PRIVMSG"):
            await network.say("#tea QUIT", "x")


async def test_without_echo_we_hear_ourselves_when_the_line_is_out() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        await network.notice("#tea", "a notice")
        line = await ear.hears("tea at four")
        assert line.source == Source("Terra", "u", "host.example")
        assert network.is_own(line.source)
        await ear.hears("a notice")
        assert (ear.texts(), ear.texts("NOTICE")[-1]) == (["tea at four"], "a notice")


async def test_with_echo_only_the_server_lets_us_hear_ourselves() -> None:
    def answer(line: str) -> list[str] | None:
        return [f"@msgid=m1 :Terra!u@host.example {line}"] if line.startswith("PRIVMSG") else None

    async with (
        fake_ircd(caps=["echo-message message-tags"], answer=answer) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        await server.hears("PRIVMSG")
        await server.settles()
        [own] = [line for line in ear.lines if line.command == "PRIVMSG"]
        assert own.tags["msgid"] == "m1"


@pytest.mark.parametrize("caps", [(), ("echo-message",)], ids=["alone", "echoed"])
async def test_what_was_said_is_confirmed_or_refused(caps: tuple[str, ...]) -> None:
    probes: list[str] = []

    def answer(line: str) -> list[str] | None:
        if line.startswith("PING terrarium-said"):
            probes.append(line.removeprefix("PING "))
            return []
        if line.startswith("PRIVMSG") and caps:
            return [f":Terra!u@host.example {line}"]
        return None

    async def fate(network: IrcNetwork, told: list[str]) -> None:
        await network.say("#Tea", "tea at four")
        try:
            await network.confirm("#Tea")
        except NotTaken as error:
            told.append(str(error))
        else:
            told.append("taken")

    async with (
        fake_ircd(caps=list(caps), answer=answer) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        told: list[str] = []
        for number, refusal in enumerate(["", ":srv 404 Terra #tea :Cannot send", ""], start=1):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(fate, network, told)
                await server.hears("PING terrarium-said", times=number)
                await server.settles()
                assert len(told) == number - 1
                await server.says(*filter(None, [refusal]), f":srv PONG srv {probes[-1]}")
    assert told == ["taken", "#Tea does not take our lines: Cannot send", "taken"]


@pytest.mark.parametrize(
    "refusal",
    [
        *(
            f":srv {numeric} Terra #tea :no"
            for numeric in (
                401,
                403,
                404,
                407,
                408,
                415,
                437,
                442,
                477,
                482,
                486,
                489,
                492,
                531,
                716,
            )
        ),
        ":srv FAIL PRIVMSG CANNOT_SEND #tea :no",
        ":srv FAIL NOTICE CANNOT_SEND #tea :no",
    ],
)
async def test_every_kind_of_refusal_is_known(refusal: str) -> None:
    def answer(line: str) -> list[str] | None:
        return [refusal] if line.startswith("PRIVMSG") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        with pytest.raises(NotTaken, match=r"^#tea does not take our lines: no$"):
            await network.confirm("#tea")


async def test_a_failure_that_names_no_target_refuses_nothing() -> None:
    def answer(line: str) -> list[str] | None:
        if line.startswith("PRIVMSG"):
            return [":srv FAIL PRIVMSG CODE #tea", ":srv FAIL JOIN CODE #tea :no", ":srv 404 Terra"]
        return None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        for text in ("one", "two"):  # the second is probed as the first was
            await network.say("#tea", text)
            await network.confirm("#tea")
            assert (await ear.hears(text)).params == ("#tea", text)


async def test_what_may_not_have_been_heard_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    def answer(line: str) -> list[str] | None:
        return [] if line.startswith("PING terrarium-said") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        for text in ("one", "two"):
            await network.say("#tea", text)
        await server.hears("PRIVMSG #tea two")
        await server.drops()
        await ear.happens("lost")
        unsure = "127.0.0.1: 2 lines that we sent may not have arrived; not recorded"
        assert unsure in caplog.messages
        assert ear.texts() == []


async def test_a_network_that_confirms_nothing_is_believed_and_so_is_one_that_is_gone() -> None:
    def answer(line: str) -> list[str] | None:
        return [] if line.startswith("PING terrarium-said") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), confirm=0.05) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        await network.confirm("#tea")
    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), confirm=3600) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(network.confirm, "#tea")
                await server.hears("PING terrarium-said")
                await server.drops()


async def test_a_burst_goes_out_at_once_and_the_rest_at_its_pace() -> None:
    text = "\n".join(map(str, range(8)))
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=4, per_line=3600) as (network, ear),
    ):
        await ear.happens("connected")
        async with beside(network.say, "ada", text):
            await server.hears("PRIVMSG", times=4)
            await server.settles()
        assert [line.split()[-1] for line in server.heard("PRIVMSG")] == ["0", "1", "2", "3"]
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=4, per_line=0.1) as (network, ear),
    ):
        await ear.happens("connected")
        began = anyio.current_time()
        await network.say("ada", text)
        await server.hears("PRIVMSG", times=8)
        assert anyio.current_time() - began + 0.01 >= 0.1 * 4
        assert [line.split()[-1] for line in server.heard("PRIVMSG")] == [str(n) for n in range(8)]


async def test_a_pong_does_not_wait_behind_what_we_say() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=1, per_line=3600) as (network, ear),
    ):
        await ear.happens("connected")
        async with beside(network.say, "ada", "one\ntwo"):
            await server.settles()
            assert len(server.heard("PRIVMSG")) <= 1


async def test_more_than_the_queue_holds_is_refused_as_a_whole() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=1, per_line=3600, queue=3) as (network, ear),
    ):
        await ear.happens("connected")
        async with beside(network.say, "ada", "1\n2\n3"):
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(SendQueueFull, match="lines are waiting"):
                await network.say("ada", "4\n5\n6")


async def test_text_is_said_when_its_last_line_has_left() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=1, per_line=0.05) as (network, ear),
    ):
        await ear.happens("connected")
        await network.say("ada", "1\n2\n3")
        await server.settles()  # so whatever was sent before has arrived
        assert [line.split()[-1] for line in server.heard("PRIVMSG")] == ["1", "2", "3"]


async def test_what_has_not_left_when_its_speaker_is_cancelled_is_never_said() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=1, per_line=0.05) as (network, ear),
    ):
        await ear.happens("connected")
        async with beside(network.say, "ada", "1\n2\n3\n4"):
            await server.hears("PRIVMSG")
        await network.say("bo", "the end")
        assert server.heard("PRIVMSG ada") == ["PRIVMSG ada 1"]


async def test_a_connection_that_ends_tells_those_who_were_speaking() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=1, per_line=3600) as (network, ear),
    ):
        await ear.happens("connected")
        async with beside(server.drops):
            with pytest.raises(NotConnected):
                await network.say("ada", "1\n2\n3")


async def test_ctcp_is_answered_in_private_and_not_in_floods() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(
            ":ada!a@h PRIVMSG #tea :\x01VERSION\x01",
            ":ada!a@h NOTICE Terra :\x01VERSION\x01",
            ":ada!a@h PRIVMSG Terra :\x01FINGER\x01",
            *[":ada!a@h PRIVMSG Terra :\x01PING 12 34\x01"] * 50,
        )
        await server.hears("NOTICE")
        await server.settles()
        assert server.heard("NOTICE") == ["NOTICE ada :\x01PING 12 34\x01"]


async def test_an_answer_names_the_line_that_it_answers_and_nothing_else_does() -> None:
    longest = "m" * 500
    async with (
        fake_ircd(caps=["message-tags"]) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        for text, msgid in (("one", "m"), ("two", longest), ("three", longest + "m")):
            await network.say("#tea", text, reply_to=msgid)
        await network.say("#tea", "four")
        await network.notice("#tea", "five")
        await server.hears("NOTICE")
        said = [line for line in server.lines if "PRIVMSG" in line or "NOTICE" in line]
        assert said == [
            "@+draft/reply=m;+reply=m PRIVMSG #tea one",
            f"@+draft/reply={longest};+reply={longest} PRIVMSG #tea two",
            "PRIVMSG #tea three",
            "PRIVMSG #tea four",
            "NOTICE #tea five",
        ]


async def test_a_refusal_lets_everything_else_go_first() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=2, per_line=0.05) as (network, ear),
    ):
        await ear.happens("connected")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(network.say, "ada", "1\n2", Lane.ANSWER)
            tasks.start_soon(network.say, "ada", "no", Lane.LAST)
            tasks.start_soon(network.say, "ada", "pong", Lane.COMMAND)
        await server.settles()
        said = [line.split()[-1] for line in server.heard("PRIVMSG")]
        assert said == ["pong", "1", "2", "no"]


async def test_what_is_said_of_a_network_that_is_gone_names_its_host() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), burst=1, per_line=3600) as (network, ear),
    ):
        await ear.happens("connected")
        async with beside(server.drops):
            with pytest.raises(NotConnected, match=r"^Not connected to 127\.0\.0\.1 at the moment"):
                await network.say("ada", "1\n2\n3")


async def test_blank_text_is_nothing_to_say() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", " \n\n ")
        await network.say("#tea", "")
        await network.say("#tea", "the end")
        await server.hears("PRIVMSG #tea :the end")
        assert len(server.heard("PRIVMSG")) == 1

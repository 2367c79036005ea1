"""The connection ends in every way there is, and comes back; and it ends for good when told."""

import logging
from datetime import UTC, datetime

import anyio
import pytest

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.chathistory import HistoryPoint
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotConnected
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.settings import ConfiguredChannel
from tests.irc_bridge.network.scene import Ear, login, staying
from tests.passing_time import time_passes
from tests.patience import PATIENCE
from tests.servers.fake_ircd import fake_ircd
from tests.servers.ircd import free_port
from tests.servers.logs import until_logged


async def test_a_server_that_is_away_for_a_while_finds_us_back() -> None:
    port = free_port()
    async with staying(login(port, "#tea")) as (network, ear):
        async with fake_ircd(port=port):
            await ear.happens("members_complete", "#tea")
        await ear.happens("lost")
        assert not network.connected
        assert network.trouble
        assert (network.members("#tea"), network.joined_channels()) == ([], [])
        async with fake_ircd(port=port) as server:
            await ear.happens("members_complete", "#tea", times=2)
            await server.says(":ada!a@h PRIVMSG #tea :welcome back")
            await ear.hears("welcome back")
            assert network.trouble == ""


@pytest.mark.parametrize("ending", ["drops", "resets"])
async def test_however_the_server_hangs_up_we_come_back(ending: str) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await getattr(server, ending)()
        await ear.happens("members_complete", "#tea", times=2)
        assert len(ear.happened("lost")) == 1


@pytest.mark.parametrize(
    "farewell",
    ["ERROR :Closing link: (flood)", ":oper!o@h KILL Terra :out", ":Terra!u@h QUIT :Killed"],
)
async def test_a_server_that_sends_us_away_sees_us_again(farewell: str) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(farewell)
        await ear.happens("members_complete", "#tea", times=2)
        if farewell.startswith("ERROR"):
            assert ear.happened("lost") == [("lost", "Closing link: (flood)")]


async def test_the_server_password_is_told_each_time() -> None:
    who = {"password": "letmein"}
    async with fake_ircd() as server, staying(login(server.port, **who)) as (_, ear):
        await ear.happens("connected")
        await server.drops()
        await ear.happens("connected", times=2)
        assert server.heard("PASS") == ["PASS letmein"] * 2


async def test_a_peer_that_is_silent_after_a_ping_is_dead() -> None:
    def deaf(line: str) -> list[str] | None:
        return [] if line.startswith("PING") else None

    async with (
        fake_ircd(answer=deaf) as server,
        staying(login(server.port), silence=0.05) as (_, ear),
    ):
        await ear.happens("connected", times=2)
        assert ear.happened("lost")[0] == ("lost", "the server stopped responding")
        assert server.heard("PING")


async def test_a_peer_that_answered_while_this_machine_slept_is_alive() -> None:
    def answer(line: str) -> None:
        if line == "PING terrarium":
            time_passes(10)  # before its PONG can be read

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port), silence=8) as (_, ear),
    ):
        await ear.happens("connected")
        if not server.heard("PING terrarium"):
            time_passes(8)
        await server.hears("PING terrarium")
        await server.settles()
        assert ear.happened("lost") == []


async def test_a_peer_that_answers_our_ping_is_alive() -> None:
    # The server and we share a core with other tests: it has a while to answer.
    async with fake_ircd() as server, staying(login(server.port), silence=0.5) as (_, ear):
        await server.hears("PING", times=3)
        assert ear.happened("lost") == []


async def test_a_server_that_never_lets_us_in_is_not_waited_for() -> None:
    async with (
        fake_ircd(answer=lambda _: []) as server,
        staying(login(server.port), register=0.05) as (network, ear),
    ):
        await server.hears("NICK", times=2)
        assert "did not let us in" in network.trouble
        assert ear.events == []


async def test_names_fold_as_the_last_server_said_while_we_are_away() -> None:
    port = free_port()
    async with staying(login(port)) as (network, ear):
        assert network.casemapping == "rfc1459"
        async with fake_ircd(port=port, isupport="CASEMAPPING=ascii"):
            await ear.happens("connected")
        await ear.happens("lost")
        async with fake_ircd(port=port, answer=lambda _: []) as silent:
            await silent.hears("NICK")
        assert network.casemapping == "ascii"
        assert not network.same_nick("a[b]", "a{b}")


async def test_a_server_that_let_us_in_without_tls_is_not_said_to_expect_it() -> None:
    port = free_port()
    async with staying(login(port)) as (network, ear):
        async with fake_ircd(port=port):
            await ear.happens("connected")
        await ear.happens("lost")
        async with fake_ircd(port=port, answer=lambda _: []) as restarting:
            await restarting.hears("NICK")
            await restarting.drops()
            await restarting.hears("NICK", times=2)
            assert network.trouble == "the server closed the connection"


@pytest.mark.parametrize(
    ("settled", "pauses"), [(3600, ["0.1", "0.2", "0.3", "0.3"]), (0, ["0.1", "0.1", "0.1"])]
)
async def test_the_pauses_grow_until_a_connection_lasts(
    settled: float, pauses: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), backoff=(0.1, 0.2, 0.3), settled=settled) as (_, ear),
    ):
        for times in range(1, len(pauses) + 1):
            await ear.happens("connected", times=times)
            await server.says("ERROR :come back later")
        await ear.happens("connected", times=len(pauses) + 1)
    again = [text for text in caplog.messages if "connecting again" in text]
    assert again == [f"127.0.0.1: come back later; connecting again in {n} s" for n in pauses]


async def test_a_thousand_clients_do_not_all_come_back_at_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd(answer=lambda _: ["ERROR :come back later"]) as server,
        staying(login(server.port), backoff=(0.05,), jitter=1) as (_, _ear),
    ):
        await server.hears("CAP LS", times=26)
    again = [text.rpartition(" in ")[2] for text in caplog.messages if "connecting again" in text]
    # Each pause is said as 0.0 s or 0.1 s, as by a coin: 25 alike are one run in 17 million.
    assert set(again) == {"0.0 s", "0.1 s"}


async def test_the_channels_of_a_reload_are_those_of_the_next_connection() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        network.change_channels([ConfiguredChannel("#mate", "sesame")])
        await ear.happens("members_complete", "#mate")
        await server.drops()
        await ear.happens("members_complete", "#mate", times=2)
        assert server.heard("JOIN") == ["JOIN #tea", *["JOIN #mate sesame"] * 2]


async def test_stop_says_goodbye_and_run_returns(caplog: pytest.LogCaptureFixture) -> None:
    async with fake_ircd() as server:
        async with staying(login(server.port)) as (network, ear):
            await ear.happens("connected")
        assert server.heard("QUIT") == ["QUIT bye"]
        assert "connecting again" not in caplog.text
        assert len(ear.happened("lost")) == 1
        assert not network.connected


async def test_stop_ends_the_pause_before_the_next_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ear = Ear()
    network = IrcNetwork(login(free_port()), ear, timeouts=Timeouts(backoff=(3600,)))
    with anyio.fail_after(PATIENCE), caplog.at_level(logging.WARNING):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(network.run)
            await until_logged(caplog, "connecting again")
            assert network.trouble.startswith("nothing is listening at 127.0.0.1:")
            await network.stop()


async def test_stop_before_the_start_means_no_start() -> None:
    async with fake_ircd() as server:
        network = IrcNetwork(login(server.port), Ear())
        await network.stop()
        await network.run()
        assert server.connections == 0


async def test_a_server_that_ignores_our_goodbye_cannot_hold_us() -> None:
    def clinging(line: str) -> list[str] | None:
        return [] if line.startswith("QUIT") else None

    async with fake_ircd(answer=clinging) as server:
        async with staying(login(server.port), farewell=0.05) as (_, ear):
            await ear.happens("connected")
        assert ear.happened("lost") == [("lost", "stopped")]


async def test_in_a_hurry_no_goodbye_is_said_or_waited_for() -> None:
    async with (
        fake_ircd(answer=lambda line: [] if line.startswith("QUIT") else None) as server,
        staying(login(server.port), farewell=3600) as (network, ear),
    ):
        await ear.happens("connected")
        network.stop_now()
        assert await ear.happens("lost") == ("lost", "stopped")
        assert (server.connections, server.heard("QUIT")) == (1, [])


async def test_before_its_start_a_network_can_be_told_to_hurry() -> None:
    async with fake_ircd() as server:
        network = IrcNetwork(login(server.port), Ear())
        network.stop_now()
        await network.run()
        assert server.connections == 0


async def test_a_cancelled_run_ends_at_once_and_tells_that_the_network_is_lost() -> None:
    ear = Ear()
    async with fake_ircd() as server:
        network = IrcNetwork(login(server.port, "#tea"), ear)
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(network.run)
                await ear.happens("members_complete", "#tea")
                tasks.cancel_scope.cancel()
        left_over = [
            task.name for task in anyio.get_running_tasks() if "terrarium_mcp" in str(task.name)
        ]
    assert ear.events[-1] == ("lost", "stopped")
    assert left_over == []


async def test_who_speaks_without_a_network_is_told_so() -> None:
    network = IrcNetwork(login(free_port()), Ear())
    with pytest.raises(NotConnected, match=r"Not connected to 127\.0\.0\.1"):
        await network.say("#tea", "anybody?")
    network.fetch_history("#tea", HistoryPoint(datetime(2026, 5, 1, tzinfo=UTC)))  # nothing happens
    assert network.nick == "Terra"
    assert (network.connected, network.trouble) == (False, "not started")


async def test_a_listener_that_fails_is_told_the_next_line_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Clumsy(Ear):
        def on_line(self, message: IrcMessage) -> None:
            super().on_line(message)
            raise RuntimeError("oops")

    ear = Clumsy()
    async with fake_ircd() as server, anyio.create_task_group() as tasks:
        network = IrcNetwork(login(server.port, "#tea"), ear)
        tasks.start_soon(network.run)
        await ear.happens("members_complete", "#tea")
        await network.stop()
    assert "recording a JOIN line failed" in caplog.text

"""What we say is history once the network took it: probes, refusals, and a bouncer between."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from terrarium_mcp.chat.times.timestamps import to_iso
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotTaken
from tests.irc_bridge.network.scene import login, staying
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.fake_ircd import fake_ircd

ZNC = ("znc.in/self-message echo-message",)
ECHO = ("echo-message",)


def silent_at(*starts: str) -> Callable[[str], Sequence[str] | None]:
    """A server that leaves these lines without an answer."""
    return lambda line: [] if line.startswith(starts) else None


def replying_404(line: str) -> Sequence[str] | None:
    """A server that refuses whatever is said in #tea."""
    cannot = ":srv 404 Terra #tea :Cannot send to channel"
    return [cannot] if line.startswith("PRIVMSG #tea") else None


def refusals(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name.endswith(".own_lines")]


async def refused(network: IrcNetwork, text: str, target: str = "#tea") -> str:
    """Say it; returns why it was not taken."""
    await network.say(target, text)
    try:
        assert await network.confirm(target)
    except NotTaken as error:
        return error.why
    return ""


@pytest.mark.parametrize("pong", [":srv PONG srv {}", "PONG {}"])
async def test_what_answers_an_earlier_probe_confirms_nothing_later(pong: str) -> None:
    async with (
        fake_ircd(answer=silent_at("PING terrarium-said")) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        for text in ("one", "two"):
            await network.say("#tea", text)
        (probe,) = [line.split()[1] for line in await server.hears("PING terrarium-said")]
        await server.says("PONG srv", pong.format("x"))
        await server.settles()
        assert ear.texts() == []
        await server.says(*[pong.format(probe)] * 2)
        await server.hears("PING terrarium-said", times=2)
        await server.settles()
        assert ear.texts() == ["one"]
        later = server.heard("PING terrarium-said")[1].split()[1]
        await server.says(pong.format(later))
        await ear.hears("two")


@pytest.mark.parametrize("pong", [":srv PONG srv", "PONG :", ":srv PONG srv Terra"])
async def test_a_server_that_sends_no_token_back_confirms_as_well(pong: str) -> None:
    async with (
        fake_ircd(answer=lambda line: [pong] if line.startswith("PING") else None) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        for text in ("one", "two"):
            assert await refused(network, text) == ""
        assert ear.texts() == ["one", "two"]


async def test_a_line_on_its_way_while_our_nick_changes_is_our_own() -> None:
    async with (
        fake_ircd(answer=silent_at("PING terrarium-said")) as server,
        staying(login(server.port, "#tea", nick="Terra_")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        await server.hears("PING terrarium-said")
        await server.says(":Terra_!u@host.example NICK Terry", ":srv PONG srv terrarium-said-1")
        line = await ear.hears("tea at four")
        assert network.is_own(line.source)
        assert str(line.source) == "Terry!u@host.example"


async def test_what_was_refused_is_no_history_when_a_bouncer_plays_it_back() -> None:
    def replay(text: str, at: datetime) -> str:
        return f"@batch=b;time={to_iso(at)} :Terra!u@host.example PRIVMSG #tea :{text}"

    async with (
        fake_ircd(caps=("batch server-time",)) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        server.answer = replying_404
        assert await refused(network, "nobody heard it") == "Cannot send to channel"
        await server.drops()
        await ear.happens("members_complete", "#tea", times=2)
        now = datetime.now(UTC)
        await server.says(
            ":srv BATCH +b znc.in/playback #tea",
            replay("nobody heard it", now),
            replay("another", now),
            replay("nobody heard it", now - timedelta(hours=1)),
            ":srv BATCH -b",
        )
        await server.settles()
        assert ear.texts() == ["another", "nobody heard it"]


async def test_each_line_has_a_refusal_of_its_own() -> None:
    """Those of the first lines: what is said to another, or later, is not refused by it."""
    async with (
        fake_ircd(answer=silent_at("PING terrarium-said")) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        for target, text in (("#tea", "one"), ("ada", "two"), ("#Tea", "three"), ("#tea", "four")):
            await network.say(target, text)
        await server.says(":srv 404 Terra #TEA :no", ":srv 404 Terra #tea :no")
        await server.settles()
        for number in (1, 2):
            await server.hears("PING terrarium-said", times=number)
            await server.says(f":srv PONG srv terrarium-said-{number}")
        await ear.hears("four")
        assert ear.texts() == ["two", "four"]


async def test_the_first_refusal_in_a_row_is_logged_with_its_network(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def answer(line: str) -> list[str] | None:
        target, _, text = line.removeprefix("PRIVMSG ").partition(" ")
        return [f":srv 404 Terra {target} :no {text}"] if text in ("1", "2", "4", "5") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea", network="labnet")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        why = [await refused(network, text) for text in ("1", "2", "3", "4", "5")]
        assert why == ["no 1", "no 2", "", "no 4", "no 5"]
        assert await refused(network, "5", target="ada") == "no 5"
    assert refusals(caplog) == [
        "labnet/#tea does not take our lines: no 1",
        "labnet/#tea does not take our lines: no 4",
        "labnet/ada does not take our lines: no 5",
    ]


async def test_a_refusal_without_a_reason_says_so(caplog: pytest.LogCaptureFixture) -> None:
    def answer(line: str) -> list[str] | None:
        return [":srv 404 Terra #tea :"] if line.startswith("PRIVMSG") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert await refused(network, "tea at four") == "no reason given"
    assert refusals(caplog) == ["#tea does not take our lines: no reason given"]


def test_an_endless_reason_is_cut() -> None:
    refusal = NotTaken("#tea", "x" * 300)
    assert refusal.why == "x" * 200 + "..."
    assert str(refusal) == f"#tea does not take our lines: {refusal.why}"


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [
        (":srv 404 Terra #Tea :no", True),
        (":srv FAIL PRIVMSG CANNOT_SEND #Tea :no", True),
        (":srv 482 Terra #tea :you are no operator", False),
        (":srv 404 Terra #elsewhere :no", False),
        (":srv FAIL NOTICE CANNOT_SEND #elsewhere :no", False),
    ],
)
async def test_with_echo_a_refusal_is_logged_where_it_can_only_be_of_a_line(
    line: str, is_ours: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        fake_ircd(caps=ECHO) as server,
        staying(login(server.port, "#tea")) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(line, line)
        await server.settles()
    assert refusals(caplog) == ["#Tea does not take our lines: no"] * is_ours


async def test_what_is_said_with_echo_is_no_line_that_may_not_have_been_heard(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd(caps=ECHO, answer=silent_at("PING terrarium-said")) as server,
        staying(login(server.port, "#tea"), confirm=0.05) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        assert not await network.confirm("#tea")
        await server.drops()
        await ear.happens("lost")
    assert refusals(caplog) == []


async def test_one_line_that_may_not_have_been_heard_is_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd(answer=silent_at("PING terrarium-said")) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        await server.drops()
        await ear.happens("lost")
    assert refusals(caplog) == ["127.0.0.1: 1 line that we sent may not have arrived; not recorded"]


async def test_behind_a_bouncer_only_the_network_says_that_it_took_a_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """ZNC answers PING itself, and echoes; it passes USERHOST on."""
    caplog.set_level(logging.WARNING)
    answered = ":irc 302 Terra :Terra=+u@host.example"
    async with (
        fake_ircd(caps=ZNC) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(answered)  # to another client of the bouncer
        await network.say("#tea", "one")
        assert await server.hears("USERHOST") == ["USERHOST Terra"]
        await server.settles()
        assert ear.texts() == []
        await server.says(answered)
        await ear.hears("one")
        await network.say("#tea", "two")
        await server.hears("USERHOST", times=2)
        await server.says(":irc 001 Terra :Welcome back")
        await network.say("#tea", "three")
        await server.hears("USERHOST", times=3)
        await server.says(answered)
        await ear.hears("three")
        assert ear.texts() == ["one", "three"]
        assert server.heard("PING terrarium-said") == []
    assert refusals(caplog) == ["127.0.0.1: 1 line that we sent may not have arrived; not recorded"]


async def test_a_userhost_that_nobody_asked_for_confirms_nothing() -> None:
    async with (
        fake_ircd(answer=silent_at("PING terrarium-said")) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        await server.hears("PING terrarium-said")
        await server.says(":srv 302 Terra :Terra=+u@host.example")
        await server.settles()
        assert ear.texts() == []


async def test_who_waits_for_the_networks_word_is_not_held_by_its_end() -> None:
    async with (
        fake_ircd(caps=ECHO, answer=silent_at("PING terrarium-said")) as server,
        staying(login(server.port, "#tea"), confirm=3600, backoff=(3600,)) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(network.confirm, "#tea")
                await server.hears("PING terrarium-said")
                async with beside(server.drops):
                    await ear.happens("lost")
            assert await network.confirm("#tea")  # nor afterwards


@pytest.mark.parametrize("numeric", ["439", "707"])
async def test_a_line_that_comes_too_quickly_after_others_is_refused(numeric: str) -> None:
    def answer(line: str) -> list[str] | None:
        refusal = f":srv {numeric} Terra #tea :Targets changing too fast, message dropped"
        return [refusal] if line.startswith("PRIVMSG") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), confirm=PATIENCE) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        why = await refused(network, "tea at four")
        assert why == "Targets changing too fast, message dropped"
        assert ear.texts() == []


@pytest.mark.parametrize(
    ("answers", "is_taken"),
    [
        ([":srv 437 Terra-1 #tea :Cannot change nickname while banned on channel"], True),
        ([":srv 447 Terra-1 :Cannot now", ":srv 437 Terra-1 #tea :Unavailable"], False),
    ],
)
async def test_what_refuses_a_nick_refuses_no_line(answers: list[str], is_taken: bool) -> None:
    def answer(line: str) -> list[str] | None:
        if line.startswith("PING terrarium-said"):
            return []
        if line == "NICK Terra":
            return [":srv 433 * Terra :in use"] if not server.heard("JOIN") else []
        return None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), regain_nick=3600, confirm=PATIENCE) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        await server.hears("PING terrarium-said")
        await server.says(":terra!t@h QUIT :gone")
        await server.hears("NICK Terra", times=3)
        await server.says(*answers, ":srv PONG srv terrarium-said-1")
        await server.settles()
        assert ear.texts() == ["tea at four"] * is_taken


@pytest.mark.parametrize("is_granted", [True, False])
async def test_a_line_said_while_echoes_are_asked_for_is_heard_once(is_granted: bool) -> None:
    async with (
        fake_ircd(answer=silent_at("PING terrarium-said", "CAP REQ")) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(":srv CAP Terra NEW :echo-message")
        await server.hears("CAP REQ")
        for number, text in enumerate(("one", "one", "two"), 1):
            await network.say("#tea", text)
            await server.hears("PRIVMSG", times=number)
        echoes = [f":Terra!u@host.example {line}" for line in server.heard("PRIVMSG")]
        if is_granted:
            await server.says(":srv CAP Terra ACK :echo-message", *echoes)
        else:
            await server.says(":srv CAP Terra NAK :echo-message")
        for number in (1, 2):
            await server.hears("PING terrarium-said", times=number)
            await server.says(f":srv PONG srv terrarium-said-{number}")
        await server.settles()
        assert ear.texts() == ["one", "one", "two"]

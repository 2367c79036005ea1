"""Under which nick the client registers, and when it asks for the one it wants."""

import logging
import re

import pytest

from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import Answer, fake_ircd


def refusing(numeric: str, *nicks: str, params: str = "* {nick} :No") -> Answer:
    def answer(line: str) -> list[str] | None:
        verb, _, nick = line.partition(" ")
        refused = verb == "NICK" and (not nicks or nick in nicks)
        return [f":srv {numeric} {params.format(nick=nick)}"] if refused else None

    return answer


@pytest.mark.parametrize("numeric", ["432", "433", "436", "437"])
async def test_however_a_nick_is_refused_the_next_one_is_cut_and_numbered(numeric: str) -> None:
    who = "terrarium"
    async with (
        fake_ircd(answer=refusing(numeric, who)) as server,
        staying(login(server.port, nick=who), regain_nick=3600) as (network, ear),
    ):
        await ear.happens("connected")
        assert re.fullmatch(r"terrar-\d\d", network.nick)
        assert server.heard("NICK") == ["NICK terrarium", f"NICK {network.nick}"]


async def test_the_last_refusal_is_the_reason_why_there_is_no_connection() -> None:
    async with fake_ircd(answer=refusing("433")) as server, staying(login(server.port)) as (net, _):
        await server.hears("CAP LS", times=2)
        assert net.trouble == "no nick was accepted: No. Set IRC_NICK to another nick"
        assert net.nick == "Terra"


async def test_a_refusal_without_a_word_is_a_refusal_too() -> None:
    answer = refusing("433", params="")
    async with fake_ircd(answer=answer) as server, staying(login(server.port)) as (network, _):
        await server.hears("CAP LS", times=2)
        assert network.trouble == "no nick was accepted: . Set IRC_NICK to another nick"


async def test_once_registered_a_refused_nick_is_only_asked_for_again_later() -> None:
    async with (
        fake_ircd(answer=refusing("433", "Terra")) as server,
        staying(login(server.port), regain_nick=0.01) as (network, ear),
    ):
        await ear.happens("connected")
        mine = network.nick
        await server.hears("NICK Terra", times=9)
        assert set(server.heard("NICK")) == {"NICK Terra", f"NICK {mine}"}
        assert server.heard(f"NICK {mine}") == [f"NICK {mine}"]
        assert ear.happened("lost") == []


@pytest.mark.parametrize("gone", [":TERRA!t@h QUIT :bye", ":terra!t@h NICK other"])
async def test_a_nick_that_became_free_is_asked_for_at_once(gone: str) -> None:
    async with (
        fake_ircd(answer=refusing("433", "Terra")) as server,
        staying(login(server.port), regain_nick=3600) as (network, ear),
    ):
        await ear.happens("connected")
        server.answer = None
        await server.says(gone)
        await ear.until(lambda: network.nick == "Terra")


@pytest.mark.parametrize("gone", [":ada!t@h QUIT :bye", "QUIT :bye", ":ada!t@h NICK Terra2"])
async def test_another_nick_that_became_free_is_nothing(gone: str) -> None:
    async with (
        fake_ircd(answer=refusing("433", "Terra")) as server,
        staying(login(server.port), regain_nick=3600, mishaps=gone[0] != ":") as (network, ear),
    ):
        await ear.happens("connected")
        await server.says(gone)
        await server.settles()
        await server.settles()
        assert server.heard("NICK") == ["NICK Terra", f"NICK {network.nick}"]


def taking(nick: str) -> Answer:
    """A server that gives us the nick, and takes it away at once; not when we register."""

    def answer(line: str) -> list[str] | None:
        if line != "NICK Terra":
            return None
        return [f":{nick}!u@host.example NICK Terra", f":Terra!u@host.example NICK {nick}"]

    return answer


async def test_a_nick_that_the_network_takes_from_us_is_no_free_one_and_the_operator_hears_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with (
        fake_ircd() as server,
        staying(
            login(server.port), regain_nick=0.01, nick_taken=(0.02, 0.04, 3600), silence=0.2
        ) as (network, ear),
    ):
        await ear.happens("connected")
        server.answer = taking("Guest7")
        await server.says(":Terra!u@host.example NICK Guest7")
        await server.hears("NICK Terra", times=3)
        await server.hears("PING", times=2)
        assert network.nick == "Guest7"
        assert server.heard("NICK") == ["NICK Terra"] * 3
    told = [one for one in caplog.records if "the nick Terra" in one.message]
    (warning,) = [one.message for one in told if one.levelno >= logging.WARNING]
    taken = "127.0.0.1: the network took the nick Terra from us, and we are Guest7."
    assert warning == (
        f"{taken} If it is registered to you, log in with TERRARIUM_SASL_USERNAME and"
        " TERRARIUM_SASL_PASSWORD; if not, set IRC_NICK to another nick."
    )
    back = "127.0.0.1: we have the nick Terra now, after Guest7"
    assert [one.message for one in told] == [warning, *[back, taken] * 2]


async def test_who_kept_the_nick_for_long_asks_again_soon_after_it_is_taken() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), regain_nick=0.01, nick_taken=(0.02, 3600), forgiven=0) as (
            _,
            ear,
        ),
    ):
        await ear.happens("connected")
        server.answer = taking("Guest7")
        await server.says(":Terra!u@host.example NICK Guest7")
        await server.hears("NICK Terra", times=5)


async def test_with_the_wanted_nick_nothing_is_asked_for() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), regain_nick=0.01, silence=0.2) as (_, ear),
    ):
        await ear.happens("connected")
        await server.hears("PING", times=2)
        assert server.heard("NICK") == ["NICK Terra"]


async def test_a_nick_is_cut_to_the_servers_limit_when_it_is_asked_for() -> None:
    def answer(line: str) -> list[str] | None:
        return [":srv 433 * x :in use"] if line == "NICK terrarium" else None

    async with (
        fake_ircd(isupport="NICKLEN=7", answer=answer) as server,
        staying(login(server.port, nick="terrarium"), regain_nick=0.01) as (network, ear),
    ):
        await ear.until(lambda: network.nick == "terrari")


async def test_a_limit_that_is_no_number_is_no_limit() -> None:
    def answer(line: str) -> list[str] | None:
        return (
            [":srv 433 * x :in use"] if line == "NICK terrarium" and len(server.lines) < 9 else None
        )

    async with (
        fake_ircd(isupport="NICKLEN=many", answer=answer) as server,
        staying(login(server.port, nick="terrarium"), regain_nick=0.01) as (network, ear),
    ):
        await ear.until(lambda: network.nick == "terrarium")


async def test_a_nick_that_the_server_gives_us_is_ours() -> None:
    def answer(line: str) -> list[str] | None:
        welcome = [":srv 001 Guest7 :Welcome", ":srv 376 Guest7 :End"]
        return welcome if line.startswith("USER") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port), regain_nick=3600) as (network, ear),
    ):
        assert await ear.happens("connected") == ("connected", "Guest7")
        assert network.nick == "Guest7"


async def test_a_bouncer_that_has_another_nick_took_none_from_us(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def answer(line: str) -> list[str] | None:
        welcome = [":srv 001 Terra :Welcome", ":Terra!u@h NICK :Terra_", ":srv 376 Terra_ :End"]
        return welcome if line.startswith("USER") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port), regain_nick=0.01, nick_taken=(3600,)) as (_, ear),
    ):
        assert await ear.happens("connected") == ("connected", "Terra_")
        await server.hears("NICK Terra", times=2)
    assert "took" not in caplog.text

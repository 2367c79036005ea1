"""A nick that someone has is asked back from services: with our account, never with a password."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import Answer, fake_ircd

SERVICE = (
    ":srv 311 Terra NickServ NickServ services.example * :Nickname Services",
    ":srv 312 Terra NickServ services.example :Services",
    ":srv 313 Terra NickServ :is a Network Service",
    ":srv 318 Terra NickServ :End of /WHOIS list.",
)
PERSON = (
    ":srv 311 Terra NickServ mallory evil.example * :me",
    ":srv 313 Terra NickServ :is an IRC operator",
    ":srv 318 Terra NickServ :End of /WHOIS list.",
)
NO_OPERATOR = tuple(line for line in SERVICE if " 313 " not in line)
"""What inspircd 3 says of atheme's NickServ, as seen."""
HIDDEN_SERVER = tuple(line.replace("services.example :", "*.example :") for line in SERVICE)
"""What a server says that tells nobody how the network is linked."""
PEOPLE_ELSEWHERE = (
    ":srv 311 Terra NickServ mallory evil.example * :me",
    ":srv 312 Terra NickServ irc.example :a server",
    ":srv 318 Terra NickServ :End of /WHOIS list.",
)
REQUESTS = ("REGAIN", "GHOST", "RECOVER")
NOBODY = (":srv 401 Terra NickServ :No such nick", ":srv 318 Terra NickServ :End")


def with_services(
    whois: Sequence[str] = SERVICE, frees: str = "", then: Sequence[str] = ()
) -> Answer:
    """A server with SASL on which someone has the nick Terra, until `frees` reaches NickServ."""
    free = False

    def answer(line: str) -> Sequence[str] | None:
        nonlocal free
        match line.split(" ", 2):
            case ["NICK", "Terra"] if not free:
                return [":srv 433 * Terra :Nickname is already in use."]
            case ["AUTHENTICATE", "PLAIN"]:
                return ["AUTHENTICATE +"]
            case ["AUTHENTICATE", _]:
                return [":srv 903 * :SASL authentication successful"]
            case ["WHOIS", "NickServ"]:
                return whois
            case ["PRIVMSG", "NickServ", request]:
                frees_it = bool(frees) and request.removeprefix(":").startswith(frees)
                free = free or frees_it  # and another request does not take it away again
                word = "Terra has been ghosted." if frees_it else "Unknown command."
                return [f":NickServ!NickServ@services.example NOTICE x :{word}", *then]
        return None

    return answer


def account(port: int, keys: Path, **more: Any) -> Any:
    told = {"host": "localhost", "tls": True, "tls_cafile": str(keys / "cert.pem")}
    return login(port, **told, sasl_username="ada", sasl_password="hunter2", **more)  # noqa: S106


@pytest.mark.parametrize("frees", REQUESTS)
async def test_services_free_the_nick_by_the_request_that_they_know(
    frees: str, server_keys: Path
) -> None:
    async with (
        fake_ircd(caps=["sasl"], answer=with_services(frees=frees), keys=server_keys) as server,
        staying(account(server.port, server_keys), regain_nick=0.05) as (network, ear),
    ):
        await ear.happens("connected")
        await ear.until(lambda: network.nick == "Terra")
        asked = [line.split(":")[1] for line in server.heard("PRIVMSG NickServ")]
        until_then = REQUESTS[: REQUESTS.index(frees) + 1]  # and more, where an answer is slow
        assert asked[: len(until_then)] == [f"{word} Terra" for word in until_then]
        assert "hunter2" not in "\n".join(server.lines)


@pytest.mark.parametrize("whois", [HIDDEN_SERVER, NO_OPERATOR])
async def test_nickserv_is_known_by_its_rank_and_by_its_host_which_is_its_server(
    whois: Sequence[str], server_keys: Path
) -> None:
    answer = with_services(whois, frees="REGAIN")
    async with (
        fake_ircd(caps=["sasl"], answer=answer, keys=server_keys) as server,
        staying(account(server.port, server_keys), regain_nick=3600) as (network, ear),
    ):
        await ear.happens("connected")
        await ear.until(lambda: network.nick == "Terra")
        assert server.heard("PRIVMSG") == ["PRIVMSG NickServ :REGAIN Terra"]


async def test_the_requests_are_few_and_go_on_after_a_refusal(server_keys: Path) -> None:
    async with (
        fake_ircd(caps=["sasl"], answer=with_services(), keys=server_keys) as server,
        staying(account(server.port, server_keys), regain_nick=0.01) as (_, ear),
    ):
        await ear.happens("connected")
        await server.hears("PRIVMSG", times=3)
        await server.settles()
        asked = len(server.heard("WHOIS"))
        await server.hears("NICK Terra", times=len(server.heard("NICK Terra")) + 5)
        assert server.heard("PRIVMSG") == [f"PRIVMSG NickServ :{word} Terra" for word in REQUESTS]
        assert len(server.heard("WHOIS")) == asked


async def test_two_late_answers_about_nickserv_are_one_request(server_keys: Path) -> None:
    late = with_services([*SERVICE, *SERVICE], frees="REGAIN")
    async with (
        fake_ircd(caps=["sasl"], answer=late, keys=server_keys) as server,
        staying(account(server.port, server_keys), regain_nick=3600) as (network, ear),
    ):
        await ear.happens("connected")
        await ear.until(lambda: network.nick == "Terra")
        await server.settles()
        assert server.heard("PRIVMSG") == ["PRIVMSG NickServ :REGAIN Terra"]


@pytest.mark.parametrize(
    "whois",
    [
        PERSON,
        PEOPLE_ELSEWHERE,
        NOBODY,
        [":srv 313", ":srv 313 Terra ada :a service"],
        [":srv 312 Terra NickServ", ":srv 312 Terra NickServ :", ":srv 311 Terra NickServ"],
        [":srv 311 Terra ada a h * :a", ":srv 312 Terra NickServ h :a server"],
    ],
)
async def test_whoever_else_is_called_nickserv_is_told_nothing(
    whois: Sequence[str], server_keys: Path
) -> None:
    async with (
        fake_ircd(caps=["sasl"], answer=with_services(whois), keys=server_keys) as server,
        staying(account(server.port, server_keys), regain_nick=0.01) as (_, ear),
    ):
        await ear.happens("connected")
        await server.hears("WHOIS NickServ", times=3)
        await server.settles()
        assert server.heard("PRIVMSG") == []


async def test_without_a_login_services_are_not_asked() -> None:
    async with (
        fake_ircd(answer=with_services(frees="REGAIN")) as server,
        staying(login(server.port), regain_nick=0.01) as (_, ear),
    ):
        await ear.happens("connected")
        await server.hears("NICK Terra", times=5)
        assert server.heard("WHOIS") == server.heard("PRIVMSG") == []


async def test_a_word_of_nickserv_that_answers_nothing_changes_nothing(server_keys: Path) -> None:
    forged = (":srv 313 Terra NickServ :is a Network Service", ":NickServ NOTICE Terra :hello")
    async with (
        fake_ircd(caps=["sasl"], answer=with_services(frees="REGAIN"), keys=server_keys) as server,
        staying(account(server.port, server_keys), regain_nick=3600) as (network, ear),
    ):
        await ear.happens("connected")
        await ear.until(lambda: network.nick == "Terra")
        await server.says(*forged, ":ada!a@h NOTICE Terra :hello", "NOTICE Terra :hello")
        await server.settles()
        assert len(server.heard("PRIVMSG")) == 1
        assert server.heard("NICK")[-1] == "NICK Terra"
        assert server.heard("NICK").count("NICK Terra") == 2

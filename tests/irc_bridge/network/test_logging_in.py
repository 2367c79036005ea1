"""Passwords: they go where they belong, or nowhere."""

import base64
import logging
import ssl
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.irc_bridge.network.scene import login, staying
from tests.patience import PATIENCE
from tests.servers.fake_ircd import Answer, fake_ircd
from tests.servers.logs import until_logged

SECRETS = ("hunter2", "letmein", "teakey", base64.b64encode(b"\0ada\0hunter2").decode())
ACCOUNT: dict[str, Any] = {"sasl_username": "ada", "sasl_password": "hunter2"}


def tls_login(port: int, keys: Path, **more: Any) -> Any:
    told = {"host": "localhost", "tls": True, "tls_cafile": str(keys / "cert.pem")}
    return login(port, "#tea teakey", **told, password="letmein", **more)  # noqa: S106


def services(
    verdict: str = "",
    *,
    password: str = "hunter2",  # noqa: S107 -- of no one
    external: str = ":srv 903 * :ok",
) -> Answer:
    """A server with SASL, which ends with `verdict`, or by the password that it wants.

    `external` is what it says to a certificate.
    """
    right = base64.b64encode(f"\0ada\0{password}".encode()).decode()
    wrong = ":srv 904 * :SASL authentication failed"

    def answer(line: str) -> list[str] | None:
        match line.split():
            case ["AUTHENTICATE", "PLAIN" | "EXTERNAL"]:
                return ["AUTHENTICATE +"]
            case ["AUTHENTICATE", "+"] if not verdict:
                return [external]
            case ["AUTHENTICATE", answered]:
                return [verdict or (":srv 903 * :ok" if answered == right else wrong)]
        return None

    return answer


async def test_sasl_logs_in_before_we_come_in(server_keys: Path) -> None:
    async with (
        fake_ircd(
            caps=["sasl=PLAIN"], answer=services(":srv 903 * :ok"), keys=server_keys
        ) as server,
        staying(tls_login(server.port, server_keys, **ACCOUNT)) as (_, ear),
    ):
        await ear.happens("joined", "#tea")
        assert server.lines.index(f"AUTHENTICATE {SECRETS[-1]}") < server.lines.index("CAP END")
        assert "PASS letmein" in server.lines
        assert "JOIN #tea teakey" in server.lines


async def test_who_is_logged_in_and_loses_the_nick_is_not_told_to_log_in(
    server_keys: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        fake_ircd(caps=["sasl"], answer=services(), keys=server_keys) as server,
        staying(tls_login(server.port, server_keys, **ACCOUNT), regain_nick=3600) as (_, ear),
    ):
        await ear.happens("connected")
        await server.says(":Terra!u@host.example NICK Guest7")
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "took")
    (told,) = [text for text in caplog.messages if "took" in text]
    assert told == (
        "localhost: the network took the nick Terra from us, and we are Guest7. We are logged in,"
        " but the nick may belong to another account: ask the network's services why, or set"
        " IRC_NICK to another nick."
    )


LOGGED_OUT = ":srv 901 Terra Terra!u@host.example :You are now logged out"
LOGGED_IN = ":srv 900 Terra Terra!u@host.example ada :You are now logged in as ada"


@pytest.mark.parametrize(
    ("said", "is_in"),
    [([LOGGED_OUT, LOGGED_IN, LOGGED_OUT], False), ([LOGGED_OUT, LOGGED_IN], True)],
)
async def test_who_is_logged_out_meanwhile_is_told_so_once(
    said: list[str], is_in: bool, server_keys: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        fake_ircd(caps=["sasl"], answer=services(), keys=server_keys) as server,
        staying(tls_login(server.port, server_keys, **ACCOUNT), regain_nick=3600) as (_, ear),
    ):
        await ear.happens("connected")
        await server.says(*said, ":Terra!u@host.example NICK Guest7")
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "took")
    (out,) = [text for text in caplog.messages if "logged us out" in text]
    (taken,) = [text for text in caplog.messages if "took" in text]
    assert out == (
        "localhost: services logged us out of our account. Ask them why (NickServ INFO); the next"
        " connection logs in again, so restart the bridge then."
    )
    assert ("We are logged in" in taken) is is_in


async def test_a_long_password_goes_out_in_pieces(server_keys: Path) -> None:
    fits_exactly = "x" * (300 - len("\0ada\0"))  # 400 characters of base64
    account = ACCOUNT | {"sasl_password": fits_exactly}
    async with (
        fake_ircd(caps=["sasl"], answer=services(":srv 903 * :ok"), keys=server_keys) as server,
        staying(tls_login(server.port, server_keys, **account)) as (_, ear),
    ):
        await ear.happens("connected")
        _, piece, end = server.heard("AUTHENTICATE")
        assert (len(piece.split()[1]), end) == (400, "AUTHENTICATE +")


@pytest.mark.parametrize(
    ("caps", "verdict"),
    [
        (["sasl"], ":srv 904 * :SASL authentication failed"),
        (["sasl"], ":srv 902 * :nick locked"),
        (["sasl"], ":srv 905 * :too long"),
        (["sasl"], ":srv 906 * :aborted"),
        (["sasl"], ":srv 908 * EXTERNAL :are available"),
        (["sasl"], "AUTHENTICATE Zm9v"),
        (["sasl=EXTERNAL,SCRAM-SHA-256"], ""),
        ([], ""),
    ],
)
async def test_without_the_login_we_do_not_come_in(
    caps: list[str], verdict: str, server_keys: Path
) -> None:
    async with (
        fake_ircd(caps=caps, answer=services(verdict), keys=server_keys) as server,
        staying(tls_login(server.port, server_keys, **ACCOUNT)) as (network, ear),
    ):
        await server.hears("CAP LS", times=2)  # it came back, and fails again
        assert "SASL login failed" in network.trouble
        assert server.heard("JOIN") == []
        assert ear.events == []


async def test_silence_instead_of_a_verdict_ends_too(server_keys: Path) -> None:
    async with (
        fake_ircd(
            caps=["sasl"], answer=lambda line: [] if "AUTH" in line else None, keys=server_keys
        ) as server,
        staying(tls_login(server.port, server_keys, **ACCOUNT), register=0.1) as (network, _),
    ):
        await server.hears("CAP LS", times=2)
        assert "did not let us in" in network.trouble


async def test_without_tls_no_server_gets_the_password_even_if_it_asks() -> None:
    def answer(line: str) -> list[str] | None:
        greedy = [":srv CAP * ACK :sasl", "AUTHENTICATE +"]
        return greedy if line.startswith("CAP LS") else None

    async with (
        fake_ircd(caps=["sasl"], answer=answer) as server,
        staying(login(server.port, "#tea", **ACCOUNT)) as (network, ear),
    ):
        await server.hears("CAP LS", times=2)
        assert "needs TLS" in network.trouble
        assert server.heard("AUTHENTICATE") == []
        assert ear.events == []


async def test_no_log_shows_a_password_a_key_or_a_word_that_was_said(
    caplog: pytest.LogCaptureFixture, server_keys: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    async with (
        fake_ircd(caps=["sasl"], answer=services(":srv 903 * :ok"), keys=server_keys) as server,
        staying(tls_login(server.port, server_keys, **ACCOUNT)) as (network, ear),
    ):
        await ear.happens("joined", "#tea")
        await server.says(":ada!a@h PRIVMSG Terra :my secret", ":srv MODE #tea +k teakey")
        await network.say("ada", "your secret")
        await server.hears("PRIVMSG")
        await server.settles()
    assert {"> PASS ", "> AUTHENTICATE ", "> PRIVMSG ada"} <= set(caplog.messages)
    assert [word for word in (*SECRETS, "secret") if word in caplog.text] == []


async def test_after_the_long_pause_the_password_is_tried_once_and_its_success_counts(
    server_keys: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong, right = services(password="other"), services()  # noqa: S106
    who = {"tls_cafile": str(server_keys / "cert.pem"), "host": "localhost", "tls": True}
    async with (
        fake_ircd(caps=["sasl"], answer=wrong, keys=server_keys) as server,
        staying(login(server.port, **who, **ACCOUNT), login_again=0.2) as (network, ear),
    ):
        await server.hears("CAP LS", times=5)
        assert "every 0.2 s" in network.trouble
        server.answer = right
        await ear.happens("connected")
        assert network.trouble == ""
        server.answer = wrong
        before = len(server.heard("CAP LS"))
        await server.drops()
        await server.hears("CAP LS", times=before + 4)
    assert caplog.text.count("in a row") == 2  # once for each time that it came to this


@pytest.mark.parametrize("numeric", ["903", "900 * ada :logged in\r\n:srv 903"])
async def test_a_login_that_the_server_never_asked_for_is_refused(
    numeric: str, server_keys: Path
) -> None:
    def answer(line: str) -> list[str] | None:
        return [f":srv {numeric} * :ok"] if line == "AUTHENTICATE PLAIN" else None

    who = {"tls_cafile": str(server_keys / "cert.pem"), "host": "localhost", "tls": True}
    async with (
        fake_ircd(caps=["sasl"], answer=answer, keys=server_keys) as server,
        staying(login(server.port, "#dev", **who, **ACCOUNT)) as (network, ear),
    ):
        await server.hears("CAP LS", times=2)
        assert "accepted it without having asked for our account" in network.trouble
        assert ear.events == []
        assert server.heard("JOIN") == server.heard("CAP END") == []


async def test_a_success_before_we_begin_is_refused_too(server_keys: Path) -> None:
    def answer(line: str) -> list[str] | None:
        return [":srv 903 * :ok"] if line.startswith("CAP LS") else None

    who = {"tls_cafile": str(server_keys / "cert.pem"), "host": "localhost", "tls": True}
    async with (
        fake_ircd(caps=["sasl"], answer=answer, keys=server_keys) as server,
        staying(login(server.port, "#dev", **who, **ACCOUNT)) as (network, ear),
    ):
        await server.hears("CAP LS", times=2)
        assert "accepted it without having asked" in network.trouble
        assert ear.events == []


async def test_a_certificate_logs_in_and_the_server_sees_it(server_keys: Path) -> None:
    certificate = str(server_keys / "cert.pem")
    binary = ssl.PEM_cert_to_DER_cert((server_keys / "cert.pem").read_text("ascii"))
    who = {"tls_cafile": certificate, "host": "localhost", "tls": True}
    ours = {"tls_certfile": certificate, "tls_keyfile": str(server_keys / "key.pem")}
    async with (
        fake_ircd(
            caps=["sasl=PLAIN,EXTERNAL"],
            answer=services(),
            keys=server_keys,
            wants_certificate=True,
        ) as server,
        staying(login(server.port, "#dev", **who, **ours, **ACCOUNT)) as (_, ear),
    ):
        await ear.happens("joined", "#dev")
        assert server.heard("AUTHENTICATE") == ["AUTHENTICATE EXTERNAL", "AUTHENTICATE +"]
        assert server.certificate == binary


@pytest.mark.parametrize(
    ("caps", "external", "sent"),
    [
        ("sasl=PLAIN,EXTERNAL", ":srv 904 * :no such certificate", ["EXTERNAL", "+", "PLAIN"]),
        ("sasl", ":srv 904 * :no such certificate", ["EXTERNAL", "+", "PLAIN"]),
        ("sasl=PLAIN", "", ["PLAIN"]),
    ],
)
async def test_where_the_certificate_does_not_count_the_password_does(
    caps: str, external: str, sent: list[str], server_keys: Path
) -> None:
    certificate, key = str(server_keys / "cert.pem"), str(server_keys / "key.pem")
    who = {"tls_cafile": certificate, "host": "localhost", "tls": True}
    async with (
        fake_ircd(caps=[caps], answer=services(external=external), keys=server_keys) as server,
        staying(
            login(server.port, "#dev", **who, **ACCOUNT, tls_certfile=certificate, tls_keyfile=key)
        ) as (_, ear),
    ):
        await ear.happens("joined", "#dev")
        assert [line.split()[1] for line in server.heard("AUTHENTICATE")][:-1] == sent

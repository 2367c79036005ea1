"""Passwords: they go where they belong, or nowhere."""

import base64
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import Answer, fake_ircd

SECRETS = ("hunter2", "letmein", "teakey", base64.b64encode(b"\0ada\0hunter2").decode())
ACCOUNT: dict[str, Any] = {"sasl_username": "ada", "sasl_password": "hunter2"}


def tls_login(port: int, keys: Path, **more: Any) -> Any:
    told = {"host": "localhost", "tls": True, "tls_cafile": str(keys / "cert.pem")}
    return login(port, "#tea teakey", **told, password="letmein", **more)  # noqa: S106


def services(verdict: str) -> Answer:
    """A server with SASL, which ends with `verdict`."""

    def answer(line: str) -> list[str] | None:
        match line.split():
            case ["AUTHENTICATE", "PLAIN"]:
                return ["AUTHENTICATE +"]
            case ["AUTHENTICATE", _]:
                return [verdict]
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
    assert "> PRIVMSG ada" in caplog.text
    assert [word for word in (*SECRETS, "secret") if word in caplog.text] == []

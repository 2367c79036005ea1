"""A connection that cannot come about is explained, with the setting that helps."""

import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
import pytest
from anyio.abc import SocketStream

from terrarium_mcp.irc_bridge.network.diagnosis import (
    foreign_greeting,
    handshake_failed,
    silent_end,
    unconnected,
    unusable_certificate,
)
from terrarium_mcp.irc_bridge.network.errors import TlsFailed, UntrustedCertificate
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import open_connection
from tests.irc_bridge.network.scene import PATIENT, login, staying
from tests.irc_bridge.network.test_transport import port_of
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.fake_ircd import fake_ircd
from tests.servers.ircd import Ircd, free_port
from tests.servers.logs import until_logged
from tests.servers.znc import znc_before


def tls_error(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, "broken")
    error.reason = reason
    return error


NOT_ACCEPTED = "the server did not accept our password"
USUAL = "6697 is usual with TLS, 6667 without"
NO_TLS = f"if it is a port without TLS, set IRC_USE_SSL=off, or IRC_PORT to its TLS port; {USUAL}"


@contextmanager
def told(kind: type[OSError], words: str) -> Iterator[None]:
    """The block raises this, with these words."""
    with pytest.raises(kind) as raised:
        yield
    assert words in str(raised.value)


@pytest.mark.parametrize("kind", [ssl.SSLZeroReturnError, ssl.SSLEOFError, ConnectionResetError])
def test_a_closed_connection_is_told_in_the_same_words_on_every_python(
    kind: type[OSError],
) -> None:
    error = handshake_failed(login(6697, tls=True), kind("closed (EOF)"))
    banned = "the server may refuse this address for a while: a ban, or too many connections"
    why = f"{NO_TLS}; if it has TLS, {banned}"
    assert str(error) == f"the server hung up during the TLS handshake: {why}"


def test_silence_in_the_handshake_is_told_with_the_place() -> None:
    error = handshake_failed(login(6697, tls=True), TimeoutError())
    assert str(error) == f"no answer from 127.0.0.1:6697 to the TLS handshake: {NO_TLS}"


@pytest.mark.parametrize("reason", ["WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"])
def test_what_is_no_tls_at_all_is_told_as_certain(reason: str) -> None:
    way_out = f"set IRC_USE_SSL=off, or IRC_PORT to its TLS port; {USUAL}"
    error = handshake_failed(login(6667, tls=True), tls_error(reason))
    assert str(error) == f"127.0.0.1:6667 does not speak TLS: {way_out}"


def test_another_fault_of_tls_is_told_with_its_reason_or_else_whole() -> None:
    beginning = "the TLS handshake with 127.0.0.1:1 failed: "
    error = tls_error("NO_SHARED_CIPHER")
    assert str(handshake_failed(login(1), error)) == f"{beginning}NO_SHARED_CIPHER"
    bare = tls_error("")
    assert str(handshake_failed(login(1), bare)) == f"{beginning}{bare}"


@pytest.mark.parametrize(
    ("cause", "why"),
    [
        (
            TimeoutError(),
            "no answer from 127.0.0.1:1: check IRC_SERVER, IRC_PORT and the firewall",
        ),
        (OSError("odd"), "no connection to 127.0.0.1:1: odd"),
        (ValueError("odder"), "no connection to 127.0.0.1:1: odder"),
    ],
)
def test_whatever_keeps_us_from_a_host_is_told(cause: Exception, why: str) -> None:
    error = OSError("All connection attempts failed")
    error.__cause__ = cause
    assert unconnected(login(1), error) == why


def test_a_silent_end_is_explained_where_there_is_no_tls() -> None:
    assert silent_end(login(1, tls=True), "it hung up") == "it hung up"
    hint = "it hung up: if 127.0.0.1:1 expects TLS, set IRC_USE_SSL=on"
    assert silent_end(login(1), "it hung up") == hint


async def test_nobody_listening_is_told_with_the_usual_ports() -> None:
    port = free_port()
    words = (
        f"nothing is listening at 127.0.0.1:{port} (connection refused):"
        f" check IRC_SERVER and IRC_PORT; {USUAL}"
    )
    for who in (login(port), login(port, tls=True), login(port, host="localhost")):
        with told(ConnectionError, words.replace("127.0.0.1", who.host)):
            async with open_connection(who, PATIENT):
                pass


async def test_tls_to_a_port_without_it_names_the_setting(ircd: Ircd) -> None:
    with told(TlsFailed, "set IRC_USE_SSL=off, or IRC_PORT to its TLS port"):
        async with open_connection(login(ircd.port, tls=True), Timeouts(handshake=3)):
            pass


@asynccontextmanager
async def speaking_first(line: bytes) -> AsyncIterator[int]:
    """The port of a server without TLS that says a line at once."""

    async def says(stream: SocketStream) -> None:
        async with stream:
            await stream.send(line + b"\r\n")
            await stream.receive()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, beside(listener.serve, says):
        yield await port_of(listener)


async def test_tls_to_a_server_that_speaks_first_is_certain() -> None:
    async with speaking_first(b":srv NOTICE * :*** Looking up your hostname") as port:
        with told(TlsFailed, f"127.0.0.1:{port} does not speak TLS: set IRC_USE_SSL=off"):
            async with open_connection(login(port, tls=True), PATIENT):
                pass


async def test_a_tls_port_that_refuses_us_without_tls_is_quoted() -> None:
    async with speaking_first(b"ERROR :Reconnecting too fast, throttled.") as port:
        with pytest.raises(ConnectionError) as raised:
            async with open_connection(login(port, tls=True), PATIENT):
                pass
    assert str(raised.value) == "the server does not let us in: Reconnecting too fast, throttled."
    assert not isinstance(raised.value, TlsFailed)  # after which `init` offers to do without TLS


async def test_plain_text_to_a_tls_port_names_the_setting(ircd: Ircd) -> None:
    async with staying(login(ircd.tls_port), register=3, backoff=(60,)) as (network, _):
        with anyio.fail_after(PATIENCE):
            while "IRC_USE_SSL=on" not in network.trouble:
                await anyio.wait_all_tasks_blocked()
    assert f"127.0.0.1:{ircd.tls_port} expects TLS" in network.trouble


async def test_a_self_signed_certificate_names_the_file_that_helps(ircd: Ircd) -> None:
    words = (
        f"the certificate of localhost:{ircd.tls_port} is self-signed: set TERRARIUM_TLS_CAFILE"
        " to a PEM file with that certificate, if you trust it"
    )
    who = login(ircd.tls_port, host="localhost", tls=True)
    with told(UntrustedCertificate, words):
        async with open_connection(who, PATIENT):
            pass


async def test_a_certificate_of_another_host_names_the_server(ngircd: Ircd) -> None:
    who = login(ngircd.tls_port, host="127.0.0.2", tls=True, tls_cafile=ngircd.cafile)
    words = f"the certificate of 127.0.0.2:{ngircd.tls_port} is for another host"
    async with fake_ircd():  # so that the loop has something else to do
        with pytest.raises(OSError, match=r".") as raised:
            async with open_connection(who, PATIENT):
                pass
    refused = isinstance(raised.value.__cause__, ssl.SSLError)
    assert (words in str(raised.value)) == refused


TRUST = "set TERRARIUM_TLS_CAFILE to a PEM file with that"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (9, "is not valid yet: is the clock of this machine right?"),
        (10, "has expired: its operator has to renew it"),
        (18, f"is self-signed: {TRUST} certificate, if you trust it"),
        (19, f"is self-signed: {TRUST} certificate, if you trust it"),
        (20, f"is from an authority unknown here: {TRUST} authority's"),
        (21, f"is from an authority unknown here: {TRUST} authority's"),
        (62, "is for another host (why not): set IRC_SERVER to a name in it"),
        (64, "is for another host (why not): set IRC_SERVER to a name in it"),
        (23, "is not accepted: why not"),
    ],
)
def test_every_fault_of_a_certificate_has_its_sentence(code: int, words: str) -> None:
    error = ssl.SSLCertVerificationError(1, "broken")
    error.verify_code, error.verify_message = code, "why not"
    found = handshake_failed(login(6697, host="irc.example"), error)
    assert isinstance(found, UntrustedCertificate)
    assert str(found) == f"the certificate of irc.example:6697 {words}"


def test_a_fault_of_a_certificate_without_a_word_is_told_whole() -> None:
    error = ssl.SSLCertVerificationError(1, "broken")
    error.verify_code, error.verify_message = 23, ""
    told = str(handshake_failed(login(6697), error))
    assert told == f"the certificate of 127.0.0.1:6697 is not accepted: {error}"


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (b"\x15\x03\x01\x00\x02\x02\x46", "127.0.0.1:1 expects TLS: set IRC_USE_SSL=on"),
        (b"HTTP/1.1 400 Bad\r\n", f"127.0.0.1:1 speaks HTTP, not IRC: check IRC_PORT; {USUAL}"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", f"127.0.0.1:1 speaks SSH, not IRC: check IRC_PORT; {USUAL}"),
        (b"\x16\x03\x01\x00\x02", "127.0.0.1:1 expects TLS: set IRC_USE_SSL=on"),
        (
            b"220 mail.example ESMTP\r\n",
            f"127.0.0.1:1 speaks mail (SMTP), not IRC: check IRC_PORT; {USUAL}",
        ),
        (b":srv NOTICE * :hi\r\n", ""),
        (b"NOTICE AUTH :hi\r\n", ""),
        (b"@time=x :srv NOTICE * :HTTP/1.1\r\n", ""),
    ],
)
def test_another_protocol_is_recognised_by_its_first_bytes(first: bytes, words: str) -> None:
    assert foreign_greeting(login(1), first) == words


async def test_a_server_of_another_protocol_is_given_up_with_its_name() -> None:
    async def web(stream: SocketStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, beside(listener.serve, web):
        who = login(await port_of(listener))
        with told(ConnectionError, "speaks HTTP, not IRC"):
            async with open_connection(who, PATIENT) as connection:
                await connection.send("CAP LS 302")
                await connection.receive()


def test_a_name_that_nobody_knows_is_told() -> None:
    error = socket.gaierror(-2, "Name or service not known")
    assert unconnected(login(6697, host="irc.libera.caht"), error) == (
        "the host name irc.libera.caht is unknown (Name or service not known): check IRC_SERVER"
    )


def test_the_first_of_several_addresses_gives_the_reason() -> None:
    error = OSError("All connection attempts failed")
    error.__cause__ = ExceptionGroup("two", [ConnectionRefusedError(), TimeoutError()])
    assert unconnected(login(1), error).startswith("nothing is listening at 127.0.0.1:1")
    error.__cause__ = OSError(113, "No route to host")
    assert unconnected(login(1), error) == "no connection to 127.0.0.1:1: No route to host"


@pytest.mark.parametrize(
    ("key", "error", "why"),
    [
        (
            "us.key",
            tls_error("KEY_VALUES_MISMATCH"),
            (
                "names us.pem and TERRARIUM_TLS_KEY us.key, but the key is of another certificate:"
                " name the two that belong together."
            ),
        ),
        (
            "",
            ssl.SSLError(9, "PEM lib"),
            (
                "names us.pem, which cannot be used: name PEM files with a certificate and its key,"
                " or set TERRARIUM_TLS_KEY to the key's file."
            ),
        ),
        (
            "us.key",
            ssl.SSLError(9, "PEM lib"),
            (
                "names us.pem and TERRARIUM_TLS_KEY us.key, which cannot be used: name PEM"
                " files with a certificate and its key."
            ),
        ),
        (
            "",
            FileNotFoundError(2, "No such file or directory"),
            "names us.pem, which cannot be read: No such file or directory.",
        ),
        (
            "",
            ValueError("the key has a passphrase"),
            (
                "names us.pem, but the key has a passphrase: remove it (openssl pkey): a bridge"
                " cannot ask for it."
            ),
        ),
    ],
)
def test_why_our_certificate_cannot_be_used_is_told_with_the_files(
    key: str, error: OSError | ValueError, why: str
) -> None:
    who = login(6697, tls=True, tls_certfile="us.pem", tls_keyfile=key)
    assert unusable_certificate(who, error) == f"TERRARIUM_TLS_CERT {why}"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            ":srv 464 * :Password incorrect.",
            f"{NOT_ACCEPTED}: Password incorrect. Set TERRARIUM_SERVER_PASSWORD to the server's",
        ),
        (
            "ERROR :Access denied: Bad password?",  # of ngircd, which sends no 464
            "Access denied: Bad password?. Set TERRARIUM_SERVER_PASSWORD to the server's",
        ),
        (":srv 465 Terra :K-lined", "the server does not let us in: K-lined"),
        (":srv 463 Terra :No such host here", "the server does not let us in: No such host here"),
        (":srv 465", "the server does not let us in: no reason given"),
    ],
)
async def test_a_server_that_does_not_let_us_in_is_quoted_with_the_setting_that_helps(
    line: str, why: str
) -> None:
    def answer(said: str) -> list[str] | None:
        return [line] if said.startswith("USER") else None

    async with fake_ircd(answer=answer) as server, staying(login(server.port)) as (network, ear):
        await server.hears("CAP LS", times=2)
        assert network.trouble == why
        assert ear.events == []


async def test_once_we_are_in_no_such_word_ends_the_connection() -> None:
    async with fake_ircd() as server, staying(login(server.port)) as (_, ear):
        await ear.happens("connected")
        await server.says(":srv 464 Terra :Password incorrect", ":srv 465 Terra :not you")
        await server.settles()
        assert ear.happened("lost") == []
        assert server.connections == 1


async def test_a_bouncer_that_does_not_know_our_password_is_no_server_that_hung_up(
    ngircd: Ircd, caplog: pytest.LogCaptureFixture
) -> None:
    with znc_before(ngircd.port) as znc:
        who = login(znc.port, "#tea", password="terra/net:wrong")  # noqa: S106 -- a test's
        async with staying(who, backoff=(3600,)):
            await until_logged(caplog, f"{NOT_ACCEPTED}: Invalid Password.")

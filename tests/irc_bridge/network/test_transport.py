"""Why there is no connection, in words; and lines that are cut, kept and dropped."""

import subprocess
from pathlib import Path
from socket import socket

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from terrarium_mcp.irc_bridge.network.errors import TlsFailed, UntrustedCertificate
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.transport import (
    MAX_LINE,
    Connection,
    Framing,
    open_connection,
    tls_context,
)
from tests.irc_bridge.network.scene import PATIENT, login
from tests.servers.beside import beside
from tests.servers.fake_ircd import fake_ircd
from tests.servers.ircd import free_port

LONGEST = b"A" * MAX_LINE


async def port_of(listener: anyio.abc.Listener[SocketStream]) -> int:
    port: int = listener.extra(SocketAttribute.local_port)  # noqa: S610 - no Django here
    return port


def test_a_line_may_have_max_line_bytes_and_not_one_more() -> None:
    assert Framing().feed(LONGEST + b"\nPING\n") == [LONGEST, b"PING"]
    assert Framing().feed(LONGEST + b"A\nPING\n") == [b"PING"]


def test_the_same_holds_for_a_line_that_comes_in_pieces() -> None:
    framing = Framing()
    assert framing.feed(LONGEST) == []
    assert framing.feed(b"\nPING\n") == [LONGEST, b"PING"]
    assert framing.feed(LONGEST + b"A") == []
    assert framing.feed(b"\nPING\n") == [b"PING"]


def test_after_a_dropped_line_only_that_line_is_dropped() -> None:
    framing = Framing()
    framing.feed(LONGEST + b"A")
    framing.feed(b"A")
    assert framing.feed(b"A\none\n") == [b"one"]
    assert framing.feed(b"two\nthree\n") == [b"two", b"three"]


async def test_a_host_that_no_name_can_be_is_named() -> None:
    host = "ü" * 64 + ".example"
    with pytest.raises(OSError, match=rf"^{host} is not a host name$"):
        async with open_connection(login(1, host=host), PATIENT):
            pass


async def test_a_port_without_a_server_is_an_oserror() -> None:
    with pytest.raises(OSError, match=r"."):
        async with open_connection(login(free_port()), PATIENT):
            pass


async def test_a_server_that_is_silent_in_the_handshake_is_not_waited_for() -> None:
    async def silent(stream: SocketStream) -> None:
        async with stream:
            await anyio.sleep_forever()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = await port_of(listener)
    async with listener, beside(listener.serve, silent):
        told = rf"^no answer from 127\.0\.0\.1:{port} to the TLS handshake: if it is a port without"
        with pytest.raises(TlsFailed, match=told):
            async with open_connection(login(port, tls=True), Timeouts(handshake=0.05)):
                pass


async def test_a_server_that_hangs_up_in_the_handshake_is_named() -> None:
    async def rude(stream: SocketStream) -> None:
        async with stream:
            await stream.receive()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, beside(listener.serve, rude):
        who = login(await port_of(listener), tls=True)
        with pytest.raises(ConnectionError, match=r"^the server hung up during the TLS handshake:"):
            async with open_connection(who, PATIENT):
                pass


async def test_a_certificate_is_verified(server_keys: Path) -> None:
    cafile = str(server_keys / "cert.pem")
    async with fake_ircd(keys=server_keys) as server:
        who = login(server.port, host="localhost", tls=True, tls_cafile=cafile)
        async with open_connection(who, PATIENT) as connection:
            await connection.send("NICK Terra")
            await server.hears("NICK")
        with pytest.raises(UntrustedCertificate):
            async with open_connection(login(server.port, host="localhost", tls=True), PATIENT):
                pass


async def test_a_certificate_for_another_name_is_not_accepted(server_keys: Path) -> None:
    async with fake_ircd(keys=server_keys) as server:
        who = login(
            server.port, host="127.0.0.2", tls=True, tls_cafile=str(server_keys / "cert.pem")
        )
        with pytest.raises(OSError, match=r"."):
            async with open_connection(who, PATIENT):
                pass


async def test_a_server_that_reads_nothing_is_given_up() -> None:
    async def flood(connection: Connection) -> None:
        for _ in range(10_000):
            await connection.send("x" * 65_536)

    with socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        async with open_connection(login(deaf.getsockname()[1]), Timeouts(send=0.05)) as connection:
            with pytest.raises(TimeoutError, match=r"^the server accepts no more lines$"):
                await flood(connection)


async def test_a_line_goes_out_whole_and_ends_as_the_rfc_says() -> None:
    async with (
        fake_ircd() as server,
        open_connection(login(server.port), PATIENT) as connection,
    ):
        assert (connection.connected, connection.hostname) == (True, "127.0.0.1")
        async with anyio.create_task_group() as tasks:
            for n in range(3):
                tasks.start_soon(connection.send, f"FROM ada {n} \ud800")
        await server.hears("FROM", times=3)
        assert sorted(server.lines) == [f"FROM ada {n} ?" for n in range(3)]
    assert connection.connected is False


async def test_a_server_that_closes_is_named_as_the_reason() -> None:
    async def brief(stream: SocketStream) -> None:
        await stream.send(b"one\r\n")
        await stream.aclose()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    who = login(await port_of(listener))
    async with (
        listener,
        beside(listener.serve, brief),
        open_connection(who, PATIENT) as connection,
    ):
        assert await connection.receive() == [b"one\r"]
        with pytest.raises(ConnectionError, match=r"^the server closed the connection$"):
            await connection.receive()


def test_a_file_of_authorities_that_is_not_there_is_named() -> None:
    with pytest.raises(ConnectionError) as refused:
        tls_context(login(6697, tls=True, tls_cafile="/nowhere/ca.pem"))
    assert str(refused.value) == (
        "TERRARIUM_TLS_CAFILE names /nowhere/ca.pem, which cannot be used: No such file or"
        " directory. Name the PEM file of the server's certificate authority."
    )


def test_a_key_with_a_password_is_refused_and_nobody_is_asked_for_it(
    server_keys: Path, tmp_path: Path
) -> None:
    locked = tmp_path / "locked.pem"
    subprocess.run(
        [
            *("openssl", "pkey", "-in", server_keys / "key.pem"),
            *("-aes256", "-passout", "pass:hunter2", "-out", locked),
        ],
        check=True,
        capture_output=True,
    )
    certificate = str(server_keys / "cert.pem")
    who = login(6697, tls=True, tls_certfile=certificate, tls_keyfile=str(locked))
    with pytest.raises(ConnectionError) as refused:
        tls_context(who)
    assert str(refused.value) == (
        f"TERRARIUM_TLS_CERT names {certificate} and TERRARIUM_TLS_KEY {locked}, but the key has a"
        " password: remove it (openssl pkey): a bridge cannot ask for it."
    )


async def test_a_certificate_and_its_key_may_be_in_one_file(
    server_keys: Path, tmp_path: Path
) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes(
        b"".join((server_keys / name).read_bytes() for name in ("cert.pem", "key.pem"))
    )
    cafile = str(server_keys / "cert.pem")
    async with fake_ircd(keys=server_keys, wants_certificate=True) as server:
        who = login(
            server.port, host="localhost", tls=True, tls_cafile=cafile, tls_certfile=str(both)
        )
        async with open_connection(who, PATIENT) as connection:
            await connection.send("NICK Terra")
            await server.hears("NICK")
            assert server.certificate


async def test_a_connection_that_broke_says_how() -> None:
    async with (
        fake_ircd() as server,
        open_connection(login(server.port), PATIENT) as connection,
    ):
        await connection.send("NICK Terra")
        assert await connection.receive() == [b":srv NOTICE * :one moment\r"]
        await server.resets()
        with pytest.raises(ConnectionError, match=r"^the connection broke: \[Errno \d+\] Conn"):
            await connection.receive()


async def test_only_the_first_bytes_tell_another_protocol() -> None:
    async with (
        fake_ircd() as server,
        open_connection(login(server.port), PATIENT) as connection,
    ):
        await connection.send("NICK Terra")
        await server.hears("NICK")
        assert await connection.receive() == [b":srv NOTICE * :one moment\r"]
        await server.says("HTTP/1.1 is what our web site speaks")
        assert await connection.receive() == [b"HTTP/1.1 is what our web site speaks\r"]

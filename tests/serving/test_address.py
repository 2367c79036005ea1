"""Where we listen, and what a person reads when we cannot."""

import errno
import os
import socket
from typing import Never

import pytest

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.serving.address import (
    CannotListen,
    Listening,
    MayNotListen,
    NotLoopback,
    PortInUse,
    listen,
)


def test_each_transport_has_its_address() -> None:
    here = Listening("127.0.0.1", 8765)
    assert here.mcp_url == "http://127.0.0.1:8765/mcp"
    assert here.sse_url == "http://127.0.0.1:8765/sse"


def test_an_ipv6_address_stands_in_brackets() -> None:
    assert Listening("::1", 8765).mcp_url == "http://[::1]:8765/mcp"


def test_port_0_is_any_free_one() -> None:
    with listen("localhost", 0) as door:
        assert door.getsockname()[0] == "127.0.0.1"
        assert door.getsockname()[1] > 0


def test_a_taken_port_is_named_with_the_way_out() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(PortInUse) as refusal:
            listen("127.0.0.1", port)
    assert str(refusal.value) == (
        f"Port {port} on 127.0.0.1 is in use by another program. "
        "Stop it, or choose another port with --port."
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "irc.example.org", ""])  # noqa: S104
def test_no_other_machine_may_connect(host: str) -> None:
    with pytest.raises(NotLoopback, match=r"no access tokens yet.*ssh") as refusal:
        listen(host, 0)
    assert isinstance(refusal.value, TerrariumError)


def test_a_port_beyond_our_rights_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, errno.EACCES)
    with pytest.raises(MayNotListen, match=r"not allowed to listen on port 80 .*above 1023"):
        listen("127.0.0.1", 80)


def test_an_address_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, errno.EADDRNOTAVAIL)
    with pytest.raises(CannotListen, match=r"port 8765 of ::1: Cannot assign requested address"):
        listen("::1", 8765)


def refuse(monkeypatch: pytest.MonkeyPatch, reason: int) -> None:
    def create_server(*_: object, **__: object) -> Never:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(socket, "create_server", create_server)

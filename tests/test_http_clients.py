"""Whom the HTTP clients of a process trust, and through what they connect."""

import socket
import ssl
from typing import NoReturn

import httpx2
import pytest

from terrarium_mcp.http_clients import UnusableEnvironment, public_reason, tls_context
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.settings import Settings
from terrarium_mcp.websearch.search import WebSearchFailed, search_the_web


def test_a_certificate_is_verified_and_its_name_too() -> None:
    context = tls_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


async def test_the_certificates_of_the_system_are_loaded_once_for_all_clients(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load(*_: object, **__: object) -> NoReturn:
        pytest.fail("they are loaded again")

    tls_context()
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", load)
    with pytest.raises(pytest.fail.Exception, match="loaded again"):
        httpx2.AsyncClient()  # as a client does by itself
    await LLM.from_settings(Settings()).aclose()
    with pytest.raises(WebSearchFailed, match="does not answer"):
        await search_the_web("tea", 1, Settings(search_api_url="http://127.0.0.1:9/"))


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(113, "Connect call failed ('10.0.3.7', 8080)"), "no route to host"),
        (ConnectionRefusedError(111, "Connect call failed ('10.0.3.7', 80)"), "connection refused"),
        (socket.gaierror(-2, "Name or service not known"), "its host is not known"),
        (
            ssl.SSLCertVerificationError(1, "certificate is not valid for 'nas.home'"),
            "its certificate is not accepted",
        ),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] nas.home"), "no TLS connection came about"),
        (OverflowError("port must be 0-65535."), "port must be 0-65535."),
    ],
)
def test_who_is_not_the_operator_reads_no_host_and_no_address(error: Exception, why: str) -> None:
    with pytest.raises(httpx2.ConnectError) as failed:
        raise httpx2.ConnectError("nas.home:8080") from error
    assert public_reason(failed.value) == why


def test_a_proxy_that_cannot_be_used_is_an_error_that_says_where_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://proxy.example:70")
    with pytest.raises(UnusableEnvironment, match=r"cannot be used\. Check HTTP_PROXY, "):
        LLM.from_settings(Settings())


def test_certificates_that_are_not_there_are_an_error_that_says_where_they_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tls_context.cache_clear()
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/cert.pem")
    with pytest.raises(UnusableEnvironment, match="SSL_CERT_FILE"):
        LLM.from_settings(Settings())

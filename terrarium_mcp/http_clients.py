"""What HTTP clients share: certificates and proxies from the environment, words for failures."""

import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import httpx2

from terrarium_mcp.errors import TerrariumError, single_errors
from terrarium_mcp.wording import shown

_LONGEST_REASON = 200
"""Characters: the text of an error may quote what a server sent."""


class UnusableEnvironment(TerrariumError):
    """No HTTP client can be made in the environment of this process."""

    def __init__(self) -> None:
        super().__init__(
            "No HTTP request can be made: the environment of this process names a proxy or"
            " certificates that cannot be used. Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY,"
            " SSL_CERT_FILE and SSL_CERT_DIR."
        )


@contextmanager
def usable_environment() -> Iterator[None]:
    """Turn what an HTTP client raises while it is made into one error.

    Raises:
        UnusableEnvironment: a proxy has a scheme for which nothing is installed, or that does not
            exist, or there are no such certificates.
    """
    try:
        yield
    except (ImportError, ValueError, OSError) as error:
        raise UnusableEnvironment from error


@cache
def tls_context() -> ssl.SSLContext:
    """Trusts whom the system trusts, or SSL_CERT_FILE or SSL_CERT_DIR, as of the first call.

    One for all clients: loading certificates takes 30 ms of CPU.
    """
    return httpx2.create_ssl_context()


def reason(error: BaseException) -> str:
    """Why a connection failed: the innermost cause, in words. For the operator."""
    cause = _innermost(error)
    if isinstance(cause, ConnectionRefusedError):
        return "connection refused"
    return shown(str(cause), _LONGEST_REASON) or type(cause).__name__


def public_reason(error: BaseException) -> str:
    """Why a connection failed, for whoever is not the operator: without hosts, addresses, ports.

    asyncio puts the address into what the system says, and ssl the name in a certificate.
    """
    match _innermost(error):
        case socket.gaierror():
            return "its host is not known"
        case ssl.SSLCertVerificationError():
            return "its certificate is not accepted"
        case ssl.SSLError():
            return "no TLS connection came about"
        case OSError(errno=int(number)):
            return os.strerror(number).lower()
        case cause:
            return reason(cause)


def _innermost(error: BaseException) -> BaseException:
    while inner := error.__cause__ or error.__context__:
        error = inner
    return single_errors(error)[0]  # a group has one for each address of a host name

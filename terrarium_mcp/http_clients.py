"""What every HTTP client of a process takes from its environment: certificates, and proxies."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import httpx2

from terrarium_mcp.errors import TerrariumError


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

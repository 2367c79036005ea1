"""The TLS context of every HTTP client of a process: loading certificates takes 30 ms of CPU."""

import ssl
from functools import cache

import httpx2


@cache
def tls_context() -> ssl.SSLContext:
    """Trusts whom the system trusts, or SSL_CERT_FILE or SSL_CERT_DIR, as of the first call."""
    return httpx2.create_ssl_context()

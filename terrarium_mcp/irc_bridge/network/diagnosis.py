"""Why no connection came about, in words: what was met there, and which setting helps. Pure."""

import socket
import ssl

from terrarium_mcp.chat.irc_message import IrcMessage, parse_line
from terrarium_mcp.errors import single_errors
from terrarium_mcp.irc_bridge.network.errors import TlsFailed, UntrustedCertificate
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig

_SELF_SIGNED = {18, 19}
"""OpenSSL's verify codes for a certificate, or a chain, that is signed by itself."""
_UNKNOWN_AUTHORITY = {20, 21}
_NOT_YET_VALID = 9
_EXPIRED = 10
_OTHER_NAME = {62, 64}

_HUNG_UP = (ssl.SSLZeroReturnError, ssl.SSLEOFError)
"""How Python before 3.11.4 says that the connection was closed."""

_USUAL_PORTS = "6697 is usual with TLS, 6667 without"

_REFUSAL = b"ERROR :"
"""How servers such as solanum refuse an address, before TLS: `ERROR :Reconnecting too fast`."""

_TLS_RECORDS = (b"\x15\x03", b"\x16\x03")
"""How an alert and a handshake begin (RFC 8446 5.1)."""


def unconnected(config: ServerConfig, error: OSError | UnicodeError) -> str:
    """Why there is no TCP connection."""
    place = f"{config.host}:{config.port}"
    if isinstance(error, UnicodeError):  # raised for a name that no DNS label can hold
        return f"{config.host} is not a host name"
    match cause := single_errors(error.__cause__ or error)[0]:
        case socket.gaierror():
            return f"the host name {config.host} is unknown ({cause.strerror}): check IRC_SERVER"
        case ConnectionRefusedError():
            return (
                f"nothing is listening at {place} (connection refused):"
                f" check IRC_SERVER and IRC_PORT; {_USUAL_PORTS}"
            )
        case TimeoutError():
            return f"no answer from {place}: check IRC_SERVER, IRC_PORT and the firewall"
        case OSError():
            return f"no connection to {place}: {cause.strerror or cause}"
        case _:
            return f"no connection to {place}: {cause}"


def handshake_failed(
    config: ServerConfig, error: BaseException, first: bytes = b""
) -> ConnectionError:
    """The error for a failed TLS handshake, with the reason in words.

    `first` are the first bytes from the server.
    """
    if isinstance(error, ssl.SSLCertVerificationError):
        return UntrustedCertificate(_untrusted(config, error))
    if first.startswith(_REFUSAL):
        return ConnectionError(not_admitted(parse_line(first.partition(b"\n")[0])))
    return TlsFailed(_no_handshake(config, error))


def _no_handshake(config: ServerConfig, error: BaseException) -> str:
    place = f"{config.host}:{config.port}"
    plain = (
        "if it is a port without TLS, set IRC_USE_SSL=off,"
        f" or IRC_PORT to its TLS port; {_USUAL_PORTS}"
    )
    match error:
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER" | "RECORD_LAYER_FAILURE" | "HTTP_REQUEST"):
            return (
                f"{place} does not speak TLS: set IRC_USE_SSL=off,"
                f" or IRC_PORT to its TLS port; {_USUAL_PORTS}"
            )
        case TimeoutError():
            return f"no answer from {place} to the TLS handshake: {plain}"
        case ssl.SSLError() if not isinstance(error, _HUNG_UP):
            return f"the TLS handshake with {place} failed: {error.reason or error}"
        case _:
            return (
                f"the server hung up during the TLS handshake: {plain}; if it has TLS,"
                " the server may refuse this address for a while: a ban, or too many connections"
            )


def _untrusted(config: ServerConfig, error: ssl.SSLCertVerificationError) -> str:
    certificate = f"the certificate of {config.host}:{config.port}"
    why = error.verify_message or str(error)
    if error.verify_code in _OTHER_NAME:
        return f"{certificate} is for another host ({why}): set IRC_SERVER to a name in it"
    if error.verify_code == _NOT_YET_VALID:
        return f"{certificate} is not valid yet: is the clock of this machine right?"
    if error.verify_code == _EXPIRED:
        return f"{certificate} has expired: its operator has to renew it"
    trust = "set TERRARIUM_TLS_CAFILE to a PEM file with"
    if error.verify_code in _SELF_SIGNED:
        return f"{certificate} is self-signed: {trust} that certificate, if you trust it"
    if error.verify_code in _UNKNOWN_AUTHORITY:
        return f"{certificate} is from an authority unknown here: {trust} that authority's"
    return f"{certificate} is not accepted: {why}"


def unusable_certificate(config: ServerConfig, error: OSError | ValueError) -> str:
    """Why our own certificate cannot be presented."""
    file = f"TERRARIUM_TLS_CERT names {config.tls_certfile}"
    if config.tls_keyfile:
        file += f" and TERRARIUM_TLS_KEY {config.tls_keyfile}"
    match error:
        case ssl.SSLError(reason="KEY_VALUES_MISMATCH"):
            why = "but the key is of another certificate: name the two that belong together"
        case ssl.SSLError():
            missing = "" if config.tls_keyfile else ", or set TERRARIUM_TLS_KEY to the key's file"
            why = f"which cannot be used: name PEM files with a certificate and its key{missing}"
        case OSError():
            why = f"which cannot be read: {error.strerror or error}"
        case _:
            why = f"but {error}: remove it (openssl pkey): a bridge cannot ask for it"
    return f"{file}, {why}."


def foreign_greeting(config: ServerConfig, first: bytes) -> str:
    """Why the first bytes from a server cannot be IRC; empty if they may be."""
    place = f"{config.host}:{config.port}"
    if first.startswith(_TLS_RECORDS):
        return f"{place} expects TLS: set IRC_USE_SSL=on"
    for name, beginning in (("HTTP", b"HTTP/"), ("SSH", b"SSH-"), ("mail (SMTP)", b"220 ")):
        if first.startswith(beginning):
            return f"{place} speaks {name}, not IRC: check IRC_PORT; {_USUAL_PORTS}"
    return ""


_SET_PASS = "Set TERRARIUM_SERVER_PASSWORD to the server's"  # noqa: S105 -- what to do


def not_admitted(line: IrcMessage) -> str:
    """Why a server refuses us before its welcome: `464 * :Password incorrect`."""
    why = (line.params[-1] if line.params else "") or "no reason given"
    if line.command == "464":
        return f"the server did not accept our password: {why.rstrip('.')}. {_SET_PASS}"
    return f"the server does not let us in: {why}"


def with_password_named(why: str) -> str:
    """Why a connection ended before its welcome, with the setting if a password is the reason.

    ngircd sends no 464, only `ERROR :Access denied: Bad password?`.
    """
    if "password" not in why.lower() or "TERRARIUM_" in why:
        return why
    return f"{why.rstrip('.')}. {_SET_PASS}"


def silent_end(config: ServerConfig, why: str) -> str:
    """Why a connection ended on which the server never said a word, nor on one before."""
    hint = f": if {config.host}:{config.port} expects TLS, set IRC_USE_SSL=on"
    return why + ("" if config.tls else hint)

"""URLs in chat text: where each one ends, and a canonical form for comparing them."""

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, urlsplit

from terrarium_mcp.chat.irctext import plain

MAX_CHARACTERS = 2_000
"""Longer URLs are not recorded as links. (RFC 9110 4.1 recommends to support 8,000.)"""

_SCHEMES = "https?|ftps?|sftp|gemini|gopher|ircs?"
# A URL ends at a space, a control character, a delimiter of RFC 3986 appendix C, a bracket or a
# quotation mark of another script, or full-width punctuation. What is stored of the links of a line
# follows from these signs, so another one needs a version of the schema, as v16.sql.
URL = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_SCHEMES})://"
    r"[^\s\x00-\x20\x7f-\x9f<>\"`{}|\\^\u2028\u2029\ud800-\udfff"
    r"\u3001\u3002\u300a-\u300f\u3010\u3011\uff08\uff09\uff0c\u201c\u201d\u00ab\u00bb"
    r"\uff01\uff1a\uff1b\uff1f\uff3b\uff3d\u3014\u3015\u2018\u2039\u203a]+",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?'*_~\u2026\u2019\u060c\u061b\u061f\u06d4\u0964\u0965"
_PAIRS = {")": "(", "]": "["}
_TRACKING = re.compile(r"utm_|(?:fbclid|gclid)(?:=|$)", re.IGNORECASE)
_PORT = r":\d*$"
_DEFAULT_PORTS = {"http": ":80", "https": ":443", "ftp": ":21"}


def urls_in(text: str) -> list[str]:
    """The URLs of a line in canonical form, each once, in order."""
    return list(dict.fromkeys(_canonical_urls(text)))


def _canonical_urls(text: str) -> Iterator[str]:
    for found in URL.finditer(plain(text)):
        if len(found[0]) > 2 * MAX_CHARACTERS:  # stripping punctuation takes quadratic time
            continue
        url = canonical(_without_punctuation(found[0]))
        if url:
            yield url


def _without_punctuation(url: str) -> str:
    """`url` without the punctuation of the sentence around it: a full stop, a closing bracket."""
    while url:
        last = url[-1]
        opening = _PAIRS.get(last)
        if last in _TRAILING or (opening and url.count(last) > url.count(opening)):
            url = url[:-1]
        else:
            break
    return url


def canonical(url: str) -> str:
    """The canonical form of a URL, which still leads to the same page; "" if it is not valid.

    Scheme and host are in lower case, the host in its DNS form (IDNA), and the default port and
    tracking parameters are gone.
    """
    if len(url) > MAX_CHARACTERS:
        return ""
    try:
        parts = urlsplit(url)
        place = _place(parts)
    except ValueError:  # brackets that are no IPv6 address, a label that is too long
        return ""
    if not place:
        return ""
    query = _query(parts.query)
    return parts._replace(netloc=place, path=parts.path or "/", query=query).geturl()


def _place(parts: SplitResult) -> str:
    """User, host and port; "" without a host."""
    user, at, place = parts.netloc.rpartition("@")
    host, colon, port = place.rpartition(":") if re.search(_PORT, place) else (place, "", "")
    if not re.search(r"[^\W_]", host):
        return ""
    host = host.rstrip(".").lower()
    if not host.isascii():
        host = host.encode("idna").decode()
        # By that some characters become spaces, and others, such as `¹`, the digits of a port.
        if re.search(rf"\s|{_PORT}", host):
            return ""
    port = colon + port if port and colon + port != _DEFAULT_PORTS.get(parts.scheme) else ""
    return user + at + host + port


def _query(query: str) -> str:
    """The query without tracking parameters; the others are as they were, byte for byte."""
    return "&".join(part for part in query.split("&") if not _TRACKING.match(part))

"""URLs as people write them into a line: where each ends, and when two are the same."""

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from terrarium_mcp.chat.irctext import plain

LONGEST = 2_000
"""Characters; what is longer is no link that anybody would follow (RFC 9110 4.1 asks for 8,000)."""

_SCHEMES = "https?|ftps?|sftp|gemini|gopher|ircs?"
# Space, controls, the delimiters of RFC 3986 appendix C, and brackets of CJK text end a URL.
URL = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_SCHEMES})://"
    r"[^\s\x00-\x20\x7f-\x9f<>\"`{}|\\^\u2028\u2029\ud800-\udfff"
    r"\u3001\u3002\u300a-\u300f\u3010\u3011\uff08\uff09\uff0c\u201c\u201d\u00ab\u00bb]+",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?'*_~\u2026\u2019"
_PAIRS = {")": "(", "]": "["}
_SAID_OF_THE_VISITOR = re.compile(r"utm_|fbclid$|gclid$", re.IGNORECASE)
_DEFAULT_PORTS = {"http": ":80", "https": ":443", "ftp": ":21"}


def urls_in(text: str) -> list[str]:
    """The URLs of a line in the form in which they compare, each once, in order."""
    return list(dict.fromkeys(_same_form(text)))


def _same_form(text: str) -> Iterator[str]:
    for found in URL.finditer(plain(text)):
        url = comparable(_without_punctuation(found[0]))
        if url:
            yield url


def _without_punctuation(url: str) -> str:
    """Leave out what belongs to the sentence: a full stop, the bracket around the URL."""
    while url:
        last = url[-1]
        opening = _PAIRS.get(last)
        if last in _TRAILING or (opening and url.count(last) > url.count(opening)):
            url = url[:-1]
        else:
            break
    return url


def comparable(url: str) -> str:
    """The form in which two spellings of one address are equal; "" when it is no address.

    Scheme and host in lower case, the host as the name system has it (IDNA), no default port, no
    marks that tell where a visitor came from. It still leads to the same page.
    """
    try:
        parts = urlsplit(url)
        place = _place(parts)
    except ValueError:  # brackets that are no IPv6 address, a label that is too long
        return ""
    if not place or len(url) > LONGEST:
        return ""
    query = _query(parts.query)
    return parts._replace(netloc=place, path=parts.path or "/", query=query).geturl()


def _place(parts: SplitResult) -> str:
    """User, host and port; "" when there is no host."""
    user, at, place = parts.netloc.rpartition("@")
    host, colon, port = place.rpartition(":") if re.search(r":\d*$", place) else (place, "", "")
    if not re.search(r"[^\W_]", host):
        return ""
    host = host.rstrip(".").lower()
    if not host.isascii():
        host = host.encode("idna").decode()
    if any(char.isspace() for char in host):  # what some letters become under IDNA
        return ""
    port = colon + port if port and colon + port != _DEFAULT_PORTS.get(parts.scheme) else ""
    return user + at + host + port


def _query(query: str) -> str:
    """The query without what marks the visitor; untouched where there is nothing of it."""
    if not any(_SAID_OF_THE_VISITOR.match(part) for part in query.split("&")):
        return query
    kept = parse_qsl(query, keep_blank_values=True)
    return urlencode([pair for pair in kept if not _SAID_OF_THE_VISITOR.match(pair[0])])

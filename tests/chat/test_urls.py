"""Where a URL in a line ends, and when two are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.urls import canonical, urls_in


@pytest.mark.parametrize(
    ("line", "urls"),
    [
        ("see https://tea.example/a.", ["https://tea.example/a"]),
        ("(https://en.example/wiki/Tea_(drink))", ["https://en.example/wiki/Tea_(drink)"]),
        ("[https://tea.example/[1]]", ["https://tea.example/[1]"]),
        (
            "<http://tea.example/b>, ftp://x.example/c;",
            ["http://tea.example/b", "ftp://x.example/c"],
        ),
        ("\x0312https://tea.example/\x03: title", ["https://tea.example/"]),
        ("'https://tea.example/q', she said", ["https://tea.example/q"]),
        ("是https://tea.example/x。好", ["https://tea.example/x"]),
        ("\u0627\u0646\u0638\u0631 https://tea.example\u061f", ["https://tea.example/"]),
        ("twice http://a.example http://A.example/", ["http://a.example/"]),
        ("javascript://alert(1) data://x file:///etc/passwd nohttp://a.example", []),
        ("https:// https://... http://[broken", []),
        ("http://:\u00b9 http://:1 http://tea.example:\u2078\u2070", []),
        ("https://" + "a" * 64 + "\u00fc.example", []),
    ],
)
def test_urls_end_where_people_mean_it(line: str, urls: list[str]) -> None:
    assert urls_in(line) == urls


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("HTTPS://Tea.Example:443", "https://tea.example/"),
        ("http://tea.example.:8080/A?b=C#d", "http://tea.example:8080/A?b=C#d"),
        ("https://b\u00fccher.example/\u00fc", "https://xn--bcher-kva.example/\u00fc"),
        ("https://a.example/?utm_source=x&b=1&fbclid=y", "https://a.example/?b=1"),
        ("https://[::1]:8080/x", "https://[::1]:8080/x"),
        ("https://a.example/" + "x" * 2_000, ""),
    ],
)
def test_spellings_of_one_address_are_equal(url: str, same: str) -> None:
    assert canonical(url) == same


@given(st.text() | st.from_regex(r"https?://[^ ]{0,40}"))
def test_what_is_found_is_found_again(line: str) -> None:
    for url in urls_in(line):
        assert canonical(url) == url
        assert not any(char.isspace() for char in url)


@pytest.mark.parametrize(
    "scheme", ["http", "https", "ftp", "ftps", "sftp", "gemini", "gopher", "irc", "ircs", "HTTPS"]
)
def test_links_of_these_schemes_are_found(scheme: str) -> None:
    assert urls_in(f"see {scheme}://a.example/x") == [f"{scheme.lower()}://a.example/x"]


@pytest.mark.parametrize("char", [*' \t<>"`{}|\\^', *"\u3001\u3002\u300a\u300f\u3010\u3011"])
def test_a_url_ends_before_a_delimiter(char: str) -> None:
    assert urls_in(f"https://a.example/x{char}y") == ["https://a.example/x"]


@pytest.mark.parametrize(
    "char",
    [
        *"\uff08\uff09\uff0c\u201c\u201d\u00ab\u00bb\u2028\u2029\x7f",
        *"\uff01\uff1a\uff1b\uff1f\uff3b\uff3d\u3014\u3015\u2018\u2039\u203a",
    ],
)
def test_a_url_ends_before_the_punctuation_of_other_scripts(char: str) -> None:
    assert urls_in(f"https://a.example/x{char}y") == ["https://a.example/x"]


@pytest.mark.parametrize(
    "end",
    [
        *".,;:!?'*_~\u2026\u2019",
        *"\u060c\u061b\u061f\u06d4\u0964\u0965",
        ")",
        "]",
        ".)",
        "?!",
        ")].",
    ],
)
def test_punctuation_at_the_end_belongs_to_the_sentence(end: str) -> None:
    assert urls_in(f"https://a.example/x{end}") == ["https://a.example/x"]


def test_brackets_that_a_url_opens_belong_to_it() -> None:
    assert urls_in("https://a.example/x(1)") == ["https://a.example/x(1)"]
    assert urls_in("(https://a.example/x(1))") == ["https://a.example/x(1)"]
    assert urls_in("https://a.example/[1].") == ["https://a.example/[1]"]


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("http://a.example:80/", "http://a.example/"),
        ("https://a.example:443/", "https://a.example/"),
        ("ftp://a.example:21/", "ftp://a.example/"),
        ("http://a.example:443/", "http://a.example:443/"),
        ("http://a.example:/", "http://a.example/"),
        ("http://me:pw@A.example:80/", "http://me:pw@a.example/"),
        ("http://a.example?b", "http://a.example/?b"),
        ("http://a.example/?gclid=1", "http://a.example/"),
        ("http://a.example/?UTM_x=1&a=", "http://a.example/?a="),
        ("http://a.example/?a=%20b", "http://a.example/?a=%20b"),
        ("http://a.example/?q=caf%E9&utm_source=t", "http://a.example/?q=caf%E9"),
        ("http://a.example/?12345&utm_source=irc", "http://a.example/?12345"),
        ("http://a.example/?p=a.git;a=blob&fbclid=1", "http://a.example/?p=a.git;a=blob"),
        (
            "http://a.example/?utm_a&q=a+b%20c&&gclid&d=\u00e9",
            "http://a.example/?q=a+b%20c&&d=\u00e9",
        ),
        ("http://a.example/?gclidx=1&fbclids=2", "http://a.example/?gclidx=1&fbclids=2"),
        ("http://a.example/#utm_x", "http://a.example/#utm_x"),
        ("http://-./", ""),
        ("http://", ""),
        ("http://___/", ""),
    ],
)
def test_more_spellings_of_one_address(url: str, same: str) -> None:
    assert canonical(url) == same


def test_a_url_of_two_thousand_characters_is_a_link_and_a_longer_one_is_none() -> None:
    url = "https://a.example/".ljust(2_000, "x")
    assert canonical(url) == url
    assert canonical(f"{url}x") == ""

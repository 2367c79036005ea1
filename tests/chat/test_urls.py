"""Where a URL in a line ends, and when two are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.urls import comparable, urls_in


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
        ("twice http://a.example http://A.example/", ["http://a.example/"]),
        ("javascript://alert(1) data://x file:///etc/passwd nohttp://a.example", []),
        ("https:// https://... http://[broken", []),
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
    assert comparable(url) == same


@given(st.text() | st.from_regex(r"https?://[^ ]{0,40}"))
def test_what_is_found_is_found_again(line: str) -> None:
    for url in urls_in(line):
        assert comparable(url) == url
        assert not any(char.isspace() for char in url)

"""An address in the settings is shown without the password and the key that it may have."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from terrarium_mcp.settings import BadSetting, Settings, public_address, settings_from
from terrarium_mcp.settings.addresses import has_secrets, is_address_setting, passwords_in


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("http://ada:tea@h:1/v1?key=k#x", "http://h:1/v1"),
        ("http://h?key=k", "http://h"),
        ("ftp://ada:tea@h", "ftp://h"),
        ("ada:tea@h", "h"),
        ("http://ada:t@a@[::1]:80/", "http://[::1]:80/"),
        ("http://ada:te/a@h/", "..."),
        ("http://ada:12/a@h/", "..."),
        ("http://ada:12?a@h/", "..."),
        ("http:/ada:tea@h/", "..."),
    ],
)
def test_an_address_is_shown_without_user_password_and_query(url: str, public: str) -> None:
    assert public_address(url) == public
    assert has_secrets(url)


@pytest.mark.parametrize(
    "url", ["http://localhost:8080", "https://[::1]:80/v1/", "localhost:8080", "none", "y", ""]
)
def test_an_address_without_secrets_is_shown_as_it_is(url: str) -> None:
    assert public_address(url) == url
    assert not has_secrets(url)


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
@example("", "12/", "")
@example("", "/?@", "")
def test_no_password_and_no_query_is_shown_whatever_is_in_them(
    user: str, password: str, query: str
) -> None:
    secret = f"{password}SEKRIT"
    for url in (
        f"http://{user}:{secret}@h/v1",
        f"http://{user}:{secret}@h/v1?{query}",
        f"http://h/v1?{query}SEKRIT",
        f"http://{user}:{secret}@h/v1?{query}SEKRIT",
    ):
        assert "SEKRIT" not in public_address(url)


def test_a_password_is_known_as_it_is_sent() -> None:
    assert passwords_in("http://ada:p%40w@h/v1") == ["p@w", "YWRhOnBAdw=="]
    assert passwords_in("http://h/v1") == passwords_in("http://ada@h") == []


ADDRESSES = [
    str(field.alias)
    for field in Settings.model_fields.values()
    if is_address_setting(str(field.alias))
]


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize("url", ["ftp://ada:SEKRIT@h", "http://h /?SEKRIT", "http://ada:SE/KRIT@"])
def test_an_address_that_is_refused_is_repeated_without_its_secrets(name: str, url: str) -> None:
    with pytest.raises(BadSetting) as refused:
        settings_from({name: url}, "a test")
    assert name in str(refused.value)
    assert "KRIT" not in str(refused.value)

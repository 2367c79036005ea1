"""A request may name the whole URL, as it would to a proxy: its host is the one that is checked."""

import json

import pytest

from tests.serving.processes import INITIALIZE, HttpHouse
from tests.serving.raw import answer_of, connected, request

ELSEWHERE = ("evil.example", "127.0.0.1:1", "127.0.0.1:{port}.evil.example", "ada@127.0.0.1:{port}")


def status(house: HttpHouse, target: str, method: str = "GET", **headers: str) -> int:
    with connected(house) as client:
        client.sendall(request(house, target, b"", method, **headers))
        return answer_of(client)[0]


@pytest.mark.parametrize("scheme", ["http", "HTTP"])
def test_the_whole_url_is_served_like_its_path(http_house: HttpHouse, scheme: str) -> None:
    here = f"{scheme}://localhost:{http_house.port}"
    body = json.dumps(INITIALIZE).encode()
    with connected(http_house) as client:
        client.sendall(request(http_house, f"{here}/mcp", body))
        assert answer_of(client)[0] == 200
    assert status(http_house, f"{here}/healthz?deep=1") == 200
    assert status(http_house, f"{here}/health%7A") == 200


def test_a_url_without_a_path_is_the_root_where_nothing_is(http_house: HttpHouse) -> None:
    assert status(http_house, f"http://127.0.0.1:{http_house.port}") == 404


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("host", ELSEWHERE)
def test_a_url_of_another_host_is_refused_whatever_the_host_header_says(
    http_house: HttpHouse, host: str, method: str
) -> None:
    url = f"http://{host.format(port=http_house.port)}/healthz"
    assert status(http_house, url, method) == 421


def test_the_host_header_is_not_read_where_the_url_has_a_host(http_house: HttpHouse) -> None:
    url = f"http://127.0.0.1:{http_house.port}/healthz"
    assert status(http_house, url, host="proxy.example") == 200


def test_a_page_of_another_site_is_refused_in_this_form_too(http_house: HttpHouse) -> None:
    url = f"http://127.0.0.1:{http_house.port}/healthz"
    assert status(http_house, url, origin="https://evil.example") == 403

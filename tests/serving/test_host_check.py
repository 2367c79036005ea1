"""Only this machine, calling the server by its own name, is let in."""

import httpx2
import pytest

from terrarium_mcp.serving.address import Listening
from terrarium_mcp.serving.host_check import allowed_hosts
from tests.patience import PATIENCE
from tests.serving.processes import HttpHouse

PATHS = [("GET", "sse"), ("POST", "messages/"), ("POST", "mcp"), ("GET", "healthz")]


async def ask(house: HttpHouse, path: str, method: str = "GET", **headers: str) -> httpx2.Response:
    async with httpx2.AsyncClient(timeout=PATIENCE) as client:
        url = f"http://127.0.0.1:{house.port}/{path}"
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return await client.request(
            method, url, headers={"content-type": "application/json", **fields}
        )


@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_a_page_that_rebinds_its_name_to_us_is_refused(
    http_house: HttpHouse, method: str, path: str
) -> None:
    for host in ("evil.example", f"127.0.0.1:{http_house.port}.evil.example", "127.0.0.1:1"):
        answer = await ask(http_house, path, method, host=host)
        assert answer.status_code == 421


@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_a_page_of_another_site_is_refused(
    http_house: HttpHouse, method: str, path: str
) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        answer = await ask(http_house, path, method, origin=origin)
        assert answer.status_code == 403


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_what_a_page_of_another_site_embeds_is_refused(
    http_house: HttpHouse, method: str, path: str, site: str
) -> None:
    answer = await ask(http_house, path, method, sec_fetch_site=site)
    assert (answer.status_code, answer.text) == (403, "Requests of other sites' pages are refused.")


@pytest.mark.parametrize("site", ["none", "same-origin"])
async def test_an_address_that_a_person_types_is_let_in(http_house: HttpHouse, site: str) -> None:
    assert (await ask(http_house, "healthz", sec_fetch_site=site)).status_code == 200


async def test_this_machine_is_let_in_under_each_of_its_names(http_house: HttpHouse) -> None:
    for name in ("127.0.0.1", "localhost", "[::1]"):
        here = f"{name}:{http_house.port}"
        answer = await ask(http_house, "healthz", host=here, origin=f"http://{here}")
        assert answer.status_code == 200


async def test_a_refusal_is_no_crash(doomed_http_house: HttpHouse) -> None:
    for method, path in PATHS:
        await ask(doomed_http_house, path, method, host="evil.example")
    long = "x" * 20_000
    assert (await ask(doomed_http_house, "healthz", host=long)).status_code == 421
    ended = await doomed_http_house.stop()
    assert ended.well()
    assert "Invalid Host header: evil.example" in ended.said
    assert "Invalid Host header: xxx" in ended.said
    assert "x" * 1_000 not in ended.said


def test_the_port_that_browsers_leave_out_may_be_left_out() -> None:
    assert "localhost" in allowed_hosts(Listening("127.0.0.1", 80)).allowed_hosts
    assert "localhost" not in allowed_hosts(Listening("127.0.0.1", 8765)).allowed_hosts


def test_an_unusual_loopback_address_is_a_name_too() -> None:
    assert "http://127.0.0.5:8765" in allowed_hosts(Listening("127.0.0.5", 8765)).allowed_origins


async def test_the_name_may_be_in_capitals(http_house: HttpHouse) -> None:
    here = f"LOCALHOST:{http_house.port}"
    answer = await ask(http_house, "healthz", host=here, origin=f"HTTP://{here}")
    assert answer.status_code == 200


@pytest.mark.parametrize("upgrade", ["h2c", "websocket"])
async def test_an_offer_of_another_protocol_is_no_line_in_the_log(
    doomed_http_house: HttpHouse, upgrade: str
) -> None:
    offer = {"connection": "Upgrade, HTTP2-Settings", "upgrade": upgrade, "http2-settings": ""}
    answer = await ask(doomed_http_house, "healthz", **offer)
    assert answer.status_code == 200
    assert "pgrade" not in (await doomed_http_house.stop()).said

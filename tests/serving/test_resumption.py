"""A client that lost its stream gets a new one, though nothing is sent again."""

from tests.serving.processes import HttpHouse
from tests.serving.raw import answer_of, connected, opened_session, request


async def test_a_stream_with_the_id_of_its_last_event_opens_each_time(
    doomed_http_house: HttpHouse,
) -> None:
    house = doomed_http_house
    for event in ("7", "an-event-of-another-server"):
        session = opened_session(house)
        with connected(house) as client:
            client.sendall(
                request(house, "/mcp", b"", "GET", mcp_session_id=session, last_event_id=event)
            )
            status, received, _ = answer_of(client)
        assert (status, received["content-type"]) == (200, "text/event-stream")
    assert (await house.stop()).well()

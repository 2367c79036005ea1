"""What was said while we were away is asked for, one page and one channel at a time."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from terrarium_mcp.irc_bridge.network.chathistory import HistoryLine, HistoryPage, HistoryPoint
from tests.irc_bridge.network.scene import Ear, login, staying
from tests.passing_time import time_passes
from tests.servers.fake_ircd import ISUPPORT, FakeIrcd, fake_ircd

CAPS = ("batch message-tags server-time chathistory",)
LABELLED = (f"{CAPS[0]} labeled-response",)
TWO_A_PAGE = f"{ISUPPORT} CHATHISTORY=2 MSGREFTYPES=msgid,timestamp"
SINCE = HistoryPoint(datetime(2026, 5, 1, 12, tzinfo=UTC), "m0")


def replayed(number: int, channel: str = "#tea") -> str:
    return (
        f"@batch=h;time=2026-05-01T12:00:0{number}.000Z;msgid=m{number}"
        f" :ada!a@h PRIVMSG {channel} :line {number}"
    )


def line(number: int) -> HistoryLine:
    at = datetime(2026, 5, 1, 12, 0, number, tzinfo=UTC)
    return HistoryLine(at, f"m{number}", "ada", f"line {number}")


def page(*lines: str, channel: str = "#tea") -> list[str]:
    return [f":srv BATCH +h chathistory {channel}", *lines, ":srv BATCH -h"]


def answers(*pages: Sequence[str]) -> Callable[[str], Sequence[str] | None]:
    """Each request is answered by the next page; those after the last by nothing."""
    left = list(pages)

    def answer(said: str) -> Sequence[str] | None:
        if "CHATHISTORY AFTER" not in said:
            return None
        return left.pop(0) if left else []

    return answer


async def ready(server: FakeIrcd, ear: Ear, *channels: str) -> None:
    for channel in channels:
        await ear.happens("members_complete", channel)
    await server.settles()


async def test_page_follows_page_until_one_is_not_full() -> None:
    pages = page(replayed(1), replayed(2)), page(replayed(3))
    async with (
        fake_ircd(caps=CAPS, isupport=TWO_A_PAGE, answer=answers(*pages)) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ready(server, ear, "#tea")
        network.fetch_history("#Tea", SINCE)
        await ear.until(lambda: len(ear.pages) == 2)
        assert ear.pages == [
            HistoryPage("#Tea", [line(1), line(2)], SINCE, is_last=False),
            HistoryPage("#Tea", [line(3)], line(2).point, is_last=True),
        ]
        await server.settles()
        assert server.heard("CHATHISTORY") == [
            "CHATHISTORY AFTER #Tea msgid=m0 2",
            "CHATHISTORY AFTER #Tea msgid=m2 2",
        ]


async def test_a_line_without_a_msgid_or_a_sender_or_words_is_what_it_is() -> None:
    lines = page(
        "@batch=h;time=2026-05-01T12:00:01.000Z :ada!a@h PRIVMSG #tea :plain",
        "@batch=h PING nobody",
        "@batch=h :srv BATCH +m draft/multiline #tea",
        "@batch=m;time=2026-05-01T12:00:02.000Z;msgid=m2 :bo!b@h PRIVMSG #tea :within",
        "@batch=h :srv BATCH -m",
        "@batch=h;time=2026-05-01T12:00:03.000Z :cy!c@h AWAY",
    )
    async with (
        fake_ircd(caps=CAPS, answer=answers(lines)) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ready(server, ear, "#tea")
        network.fetch_history("#tea", SINCE)
        await ear.happens("history", "#tea")
        (found,) = ear.pages
        assert [one[1:] for one in found.lines] == [
            ("", "ada", "plain"),
            ("m2", "bo", "within"),
            ("", "cy", ""),
        ]


async def test_a_time_that_cannot_be_is_now() -> None:
    lines = page(
        "@batch=h;time=yesterday :ada!a@h PRIVMSG #tea :one",
        "@batch=h;time=1970-01-01T00:00:00Z :ada!a@h PRIVMSG #tea :two",
        "@batch=h;time=1988-08-01T00:00:00Z :ada!a@h PRIVMSG #tea :three",
    )
    began = datetime.now(UTC)
    async with (
        fake_ircd(caps=CAPS, answer=answers(lines)) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ready(server, ear, "#tea")
        network.fetch_history("#tea", SINCE)
        await ear.happens("history", "#tea")
        one, two, three = (found.at for found in ear.pages[0].lines)
        assert began <= one <= two <= datetime.now(UTC)
        assert three == datetime(1988, 8, 1, tzinfo=UTC)


async def test_of_a_page_that_never_ends_the_first_lines_and_the_last_are_kept() -> None:
    many = [f"@batch=h :ada!a@h PRIVMSG #tea :{number}" for number in range(2_003)]
    async with (
        fake_ircd(caps=CAPS, answer=answers(page(*many))) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ready(server, ear, "#tea")
        network.fetch_history("#tea", SINCE)
        await ear.happens("history", "#tea")
        texts = [found.text for found in ear.pages[0].lines]
        assert texts == [*map(str, range(1_999)), "2002"]


async def test_one_channel_waits_for_the_other_and_each_request_has_its_own_label() -> None:
    async with (
        fake_ircd(caps=LABELLED, isupport=TWO_A_PAGE) as server,
        staying(login(server.port, "#tea", "#mate", "#soup")) as (network, ear),
    ):
        await ready(server, ear, "#tea", "#mate", "#soup")
        for channel in ("#tea", "#mate", "#soup"):
            network.fetch_history(channel, SINCE)
        await server.hears("@label=1 CHATHISTORY AFTER #tea")
        await server.says(
            "@label=7 FAIL CHATHISTORY MESSAGE_ERROR #tea :not ours",
            "@label=7 :srv ACK",
            "@time=2026-05-01T12:00:00Z :srv ACK",
            "FAIL JOIN MESSAGE_ERROR #tea :not of this",
            ":srv 421 Terra WHO :Unknown command",
        )
        await server.settles()
        assert len(server.heard("@label=")) == 1
        await server.says("@label=1 :srv ACK")
        await server.hears("@label=2 CHATHISTORY AFTER #tea timestamp=")
        await server.says("@label=1 :srv ACK", "@label=2 :srv ACK")
        await server.hears("@label=3 CHATHISTORY AFTER #mate msgid=m0")
        await server.says(":srv FAIL CHATHISTORY INVALID_TARGET #mate :no such channel")
        await server.hears("@label=4 CHATHISTORY AFTER #soup")
        await server.settles()
        assert len(server.heard("@label=")) == 4


async def test_pages_of_two_channels_at_once_are_two_pages() -> None:
    mate = replayed(2, "#mate").replace("batch=h", "batch=m")
    async with (
        fake_ircd(caps=("batch server-time message-tags",)) as server,
        staying(login(server.port, "#tea", "#mate")) as (_, ear),
    ):
        await ready(server, ear, "#tea", "#mate")
        await server.says(
            ":srv BATCH +h chathistory #tea",
            ":srv BATCH +m chathistory #MATE",
            *(replayed(1), mate, replayed(3)),
            ":srv BATCH -m",
            ":srv BATCH -h",
            *page(),
        )
        await ear.until(lambda: len(ear.pages) == 3)
        assert ear.pages == [
            HistoryPage("#MATE", [line(2)]),
            HistoryPage("#tea", [line(1), line(3)]),
            HistoryPage("#tea", []),
        ]


async def test_a_channel_that_we_are_not_in_has_no_history_for_us() -> None:
    async with (
        fake_ircd(caps=CAPS) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ready(server, ear, "#tea")
        network.fetch_history("#elsewhere", SINCE)
        network.fetch_history("#tea", SINCE)
        await server.hears("CHATHISTORY AFTER #tea msgid=m0 100")
        assert len(server.heard("CHATHISTORY")) == 1


async def test_a_failure_that_nothing_was_asked_for_is_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd(caps=CAPS) as server,
        staying(login(server.port, "#tea")) as (_, ear),
    ):
        await ready(server, ear, "#tea")
        await server.says(
            ":srv FAIL CHATHISTORY INVALID_TARGET #tea :no such place",
            ":srv 421 Terra CHATHISTORY :Unknown command",
        )
        await server.settles()
        assert server.heard("CHATHISTORY") == []
    assert "no history" not in caplog.text


async def test_a_msgid_that_the_server_does_not_know_is_asked_for_by_its_time() -> None:
    async with (
        fake_ircd(caps=CAPS, isupport=TWO_A_PAGE) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ready(server, ear, "#tea")
        network.fetch_history("#tea", SINCE)
        await server.hears("CHATHISTORY")
        await server.says(":srv FAIL CHATHISTORY INVALID_MSGREFTYPE AFTER #tea :which?")
        _, second = await server.hears("CHATHISTORY", times=2)
        assert second == "CHATHISTORY AFTER #tea timestamp=2026-05-01T11:59:59.000Z 2"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            ":srv FAIL CHATHISTORY INVALID_TARGET #tea :no such place",
            "INVALID_TARGET no such place",
        ),
        (":srv FAIL CHATHISTORY", "CHATHISTORY"),
        (":srv 421 Terra CHATHISTORY :Unknown command", "UNKNOWN_COMMAND Unknown command"),
        ("@label=1 :srv ACK", "the server sent nothing"),
    ],
)
async def test_why_there_is_no_history_is_said_once(
    said: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with (
        fake_ircd(caps=LABELLED) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ready(server, ear, "#tea")
        point = HistoryPoint(SINCE.at)
        for times in (1, 2):
            network.fetch_history("#tea", point)
            await server.hears("@label=", times=times)
            await server.says(said.replace("label=1", f"label={times}"))
            await server.settles()
    mine = [record for record in caplog.records if record.name.endswith("history_fetch")]
    assert [record.getMessage() for record in mine] == [f"no history of #tea: {why}"]


async def test_a_server_that_does_not_answer_is_given_up_on_and_what_comes_late_is_a_page(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd(caps=CAPS) as server,
        staying(login(server.port, "#tea", "#mate"), history=0.05) as (network, ear),
    ):
        await ready(server, ear, "#tea", "#mate")
        network.fetch_history("#tea", SINCE)
        network.fetch_history("#mate", SINCE)
        await server.hears("CHATHISTORY AFTER #mate")
        assert "no history of #tea: no answer within 0.05 s" in caplog.messages
        await server.says(*page(replayed(1)))
        await ear.happens("history", "#tea")
        assert ear.pages == [HistoryPage("#tea", [line(1)], None, is_last=False)]


async def test_the_server_has_its_time_to_answer_from_when_the_request_has_left(
    caplog: pytest.LogCaptureFixture,
) -> None:
    channels = [f"#c{n}" for n in range(6)]
    pages = page(replayed(1, "#c0"), channel="#c0")
    async with (
        fake_ircd(caps=CAPS, answer=answers(pages)) as server,
        staying(login(server.port, *channels), burst=1, per_line=4, history=15) as (net, ear),
    ):
        await ear.happens("joined", channels[-1])
        net.fetch_history("#c0", SINCE)
        for number in range(1, len(channels) + 1):
            time_passes(4)
            await server.hears("WHO", times=number)
        time_passes(4)
        await ear.happens("history", "#c0")
        assert len(server.heard("WHO")) == len(channels)
        assert ear.pages == [HistoryPage("#c0", [line(1)], SINCE, is_last=True)]
    assert "no history" not in caplog.text


async def test_what_a_server_replays_by_itself_is_all_there_is() -> None:
    async with (
        fake_ircd(caps=("batch server-time message-tags",)) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ready(server, ear, "#tea")
        network.fetch_history("#tea", SINCE)
        await server.says(
            *page(replayed(1, "#elsewhere"), channel="#elsewhere"), *page(replayed(1))
        )
        await ear.happens("history", "#tea")
        assert ear.pages == [HistoryPage("#tea", [line(1)], None, is_last=True)]
        assert server.heard("CHATHISTORY") == []


async def test_a_kick_amid_the_history_of_a_channel_keeps_no_other_waiting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd(caps=CAPS) as server,
        staying(login(server.port, "#tea", "#mate", "#soup"), rejoin=(3600,)) as (network, ear),
    ):
        await ready(server, ear, "#tea", "#mate", "#soup")
        for channel in ("#tea", "#mate", "#soup"):
            network.fetch_history(channel, SINCE)
        await server.hears("CHATHISTORY AFTER #tea")
        first, second, *_, end = page(replayed(1), replayed(2))
        kick = ":op!o@h KICK {} Terra :out"
        await server.says(first, second, kick.format("#tea"), kick.format("#mate"), end)
        await server.hears("CHATHISTORY AFTER #soup")
        assert server.heard("CHATHISTORY AFTER #mate") == []
        await server.says(*page(channel="#soup"))
        await ear.happens("history", "#soup")
        assert [one.channel for one in ear.pages] == ["#soup"]
    assert "no history of" not in caplog.text

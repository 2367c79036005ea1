"""!stats: of the channel, of a person, of words; each in a line or two."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from terrarium_mcp.chat.records import MessageType, NewMessage
from tests.irc_bridge.ask.desk import desk
from tests.irc_bridge.house import said


def on(day: int, text: str, nick: str = "bo", channel: str = "#tea") -> NewMessage:
    at = datetime(2026, 1, day, 14, 5, tzinfo=UTC)
    return NewMessage(network="local", channel=channel, nick=nick, text=text, said_at=at)


TALK = [
    on(1, "the greenhouse is hot", "Alice"),
    on(2, "the greenhouse door", "alice"),
    on(3, "green house"),
    on(4, "alice: yes"),
    on(5, "!stats greenhouse", "cy"),
]


async def test_of_the_channel_who_talks_most(tmp_path: Path) -> None:
    async with desk(tmp_path, TALK) as scene:
        assert await scene.asks("!stats") == [
            "#tea: 5 lines, 1 of them commands or mine, by 2 people, 0 in the last 24 h, 0 in 7 d",
            "Most talkative: alice 2, bo 2",
        ]
        assert await scene.asks('!stats "') == await scene.asks("!stats")


async def test_of_channels_in_which_people_only_asked_the_bot_or_nobody_spoke(
    tmp_path: Path,
) -> None:
    join = on(7, "", "cy", "#x")._replace(kind=MessageType.JOIN)
    lines = [*TALK, on(6, "!help", "cy", "#mate"), on(7, "!stats", "cy", "#mate"), join]
    async with desk(tmp_path, [*lines, on(8, "!help", "cy", "#one")]) as scene:
        told = await scene.asks("!stats", channel="", shared=("#tea", "#mate", "#one", "#x"))
        assert told == [
            "Of all these lines 4 are commands or mine:",
            "#tea: 5 lines by 2 people, 0 in the last 24 h, 0 in 7 d",
            "#mate: 2 lines, all of them commands or mine, 0 in the last 24 h, 0 in 7 d",
            "#one: 1 line, a command or mine, 0 in the last 24 h, 0 in 7 d",
            "#x: no line is recorded yet",
        ]
        assert await scene.asks("!stats #mate", channel="", shared=("#tea", "#mate")) == [told[2]]
        assert await scene.asks("!stats", channel="#x") == [told[4]]
        own, *_ = await scene.asks("!stats", channel="", shared=("#tea", "#x"))
        assert own == "Of all these lines 1 is a command or mine:"
        without = await scene.asks("!stats", channel="", shared=("#x", "#y"))
        assert without == [told[4]]


async def test_of_a_person_in_any_case(tmp_path: Path) -> None:
    async with desk(tmp_path, TALK) as scene:
        for nick, typed in (
            ("alice", "alice"),
            ("ALICE", "ALICE"),
            ("alice", "@alice?"),
            ("alice", "<alice>"),
        ):
            assert await scene.asks(f"!stats {typed}") == [
                f"{nick}: 2 lines, first 2026-01-01, last 2026-01-02"
            ]


async def test_of_a_person_with_their_commands(tmp_path: Path) -> None:
    async with desk(tmp_path, [*TALK, on(6, "!help", "bo")]) as scene:
        assert await scene.asks("!stats cy") == ["cy: only 1 command"]
        assert await scene.asks("!stats bo") == [
            "bo: 2 lines, first 2026-01-03, last 2026-01-04, besides 1 command"
        ]


async def test_of_a_word_that_is_no_nick_and_of_words_in_quotes(tmp_path: Path) -> None:
    async with desk(tmp_path, TALK) as scene:
        assert await scene.asks("!stats greenhouse") == [
            "greenhouse: 2 lines, first 2026-01-01, last 2026-01-02; by 1 person: alice 2"
        ]
        assert await scene.asks('!stats "green house"') == [
            '"green house": 1 line, first 2026-01-03, last 2026-01-03; by 1 person: bo 1'
        ]
        assert await scene.asks('!stats "alice"') == [
            '"alice": 1 line, first 2026-01-04, last 2026-01-04; by 1 person: bo 1'
        ]
        (both,) = await scene.asks("!stats user:alice greenhouse + door")
        assert both == (
            "from:alice greenhouse door: 1 line, first 2026-01-02, last 2026-01-02;"
            " by 1 person: alice 1"
        )


async def test_of_the_last_hours(tmp_path: Path) -> None:
    at = datetime.now(UTC) - timedelta(hours=3)
    lines = [*TALK, said("green tea", nick="dee")._replace(said_at=at)]
    async with desk(tmp_path, lines) as scene:
        (answer,) = await scene.asks("!stats hours:48")
        assert answer == (
            f"Everybody in the last 48 hours: 1 line, first {at:%Y-%m-%d}, last {at:%Y-%m-%d};"
            " by 1 person: dee 1"
        )
        (none,) = await scene.asks("!stats hours:1 green")
        assert none.startswith(
            "Nothing found with exactly these words in the last hour. No line is recorded here from"
            f" that time; the nearest were said on {at:%Y-%m-%d}. Nothing recorded yet."
        )
        (wrong,) = await scene.asks("!stats hours:soon")
        assert wrong.endswith("such as hours:48.")


async def test_of_a_time_but_not_of_its_words_in_quotes(tmp_path: Path) -> None:
    lines = [*TALK, on(6, "it was early in january 2026", "dee")]
    async with desk(tmp_path, lines) as scene:
        (answer,) = await scene.asks("!stats january 2026")
        assert answer == (
            "january 2026: 6 lines, first 2026-01-01, last 2026-01-06, 1 of them commands or mine;"
            " by 3 people: alice 2, bo 2, dee 1"  # not cy, who only asked the bot
        )
        (words,) = await scene.asks('!stats "january 2026"')
        assert words.startswith('"january 2026": 1 line, first 2026-01-06')
        (none,) = await scene.asks("!stats february 2026")
        assert none.startswith("february 2026: no line found. ")
        (none,) = await scene.asks("!stats on 5 May 2025")
        assert none.startswith("on 5 May 2025: no line found. ")
        (may,) = await scene.asks("!stats january")
        assert may.endswith('; "january" in quotes is the word')


async def test_of_a_length_of_time_until_now(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    lines = [
        said(f"tea {hours}", nick="dee")._replace(said_at=now - timedelta(hours=hours))
        for hours in (24 * 20, 24 * 5, 40, 23, 1)
    ]
    async with desk(tmp_path, lines) as scene:
        for typed, count in (
            ("2h", "1 line"),
            ("24h", "2 lines"),
            ("last 24 hours", "2 lines"),
            ("48h", "3 lines"),
            ("3 days", "3 lines"),
            ("7d", "4 lines"),
            ("2 weeks", "4 lines"),
            ("6 months", "5 lines"),
        ):
            (answer,) = await scene.asks(f"!stats {typed}")
            assert answer.startswith(f"{typed} (since 20"), answer
            assert f"): {count}, first " in answer, answer
        (none,) = await scene.asks("!stats 30 min")
        assert none.startswith("30 min (since 20")
        assert "): no line found. " in none
        (day,) = await scene.asks("!stats 5 days ago")
        assert "since" not in day


async def test_of_several_people(tmp_path: Path) -> None:
    async with desk(tmp_path, [*TALK, on(6, "alice bo zed", "cy")]) as scene:
        both = "alice, bo: 4 lines, first 2026-01-01, last 2026-01-04; alice 2, bo 2"
        for typed in ("alice,bo", "alice, bo", "alice bo", "@alice  bo?"):
            assert await scene.asks(f"!stats {typed}") == [both]
        (words,) = await scene.asks("!stats alice zed")
        assert words.startswith("alice zed: 1 line, first 2026-01-06")
        (some,) = await scene.asks("!stats alice,zed")
        assert some.startswith("alice, zed: 2 lines")
        (none,) = await scene.asks("!stats zed,zod")
        assert "No one called zed is recorded here" in none


async def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    async with desk(tmp_path, TALK) as scene:
        (answer,) = await scene.asks("!stats greenhouse -door")
        assert answer.startswith("greenhouse -door: 1 line, ")
        assert answer.endswith('. Without lines that hold door; "-door" in quotes is text.')


async def test_a_question_is_answered_with_the_command_to_type(tmp_path: Path) -> None:
    async with desk(tmp_path, TALK) as scene:
        (answer,) = await scene.asks("!stats how many lines did alice write in january 2026?")
        command = "!stats from:alice after:2026-01-01 before:2026-02-01"
        assert f"No line has all these words, so they count nothing: {command} does." in answer
        (counted,) = await scene.asks(command)
        assert ": 2 lines, " in counted
        (answer,) = await scene.asks("!stats alice in january 2026")
        assert f"as a question: {command}." in answer
        (answer,) = await scene.asks("!stats which day was busiest?")
        assert "get_channel_stats" not in answer


async def test_what_was_never_said_says_what_the_record_covers(tmp_path: Path) -> None:
    async with desk(tmp_path, TALK) as scene:
        (answer,) = await scene.asks("!stats xyzzy")
        assert answer.startswith("Nothing found with exactly these words. Nothing recorded yet.")


async def test_of_a_version_also_how_often_it_was_written_otherwise(tmp_path: Path) -> None:
    lines = [on(1, "4.0.0 is out", "ada"), on(2, "v4.0.0 at last", "bo"), on(3, "v4.0.1", "bo")]
    more = "1 line more with the other spelling of a version: !stats {} OR {}."
    async with desk(tmp_path, lines) as scene:
        assert await scene.asks("!stats 4.0.0") == [
            "4.0.0: 1 line, first 2026-01-01, last 2026-01-01; by 1 person: ada 1. "
            + more.format("4.0.0", "v4.0.0")
        ]
        (none,) = await scene.asks("!stats 4.0.1")
        assert none.startswith(
            f"Nothing found with exactly these words. {more.format('4.0.1', 'v4.0.1')} Nothing rec"
        )


async def test_in_private_by_channel(tmp_path: Path) -> None:
    lines = [*TALK, on(6, "mate", "alice", "#mate"), on(7, "x", "alice", "#x")]
    shared = ("#tea", "#mate")
    async with desk(tmp_path, lines) as scene:
        assert await scene.asks("!stats alice", channel="", shared=shared) == [
            "alice: 3 lines, first 2026-01-01, last 2026-01-06; in #tea 2, #mate 1"
        ]
        assert await scene.asks("!stats #MATE alice", channel="", shared=shared) == [
            "alice: 1 line, first 2026-01-06, last 2026-01-06"
        ]
        totals = await scene.asks("!stats", channel="", shared=shared)
        assert [line.partition(":")[0] for line in totals[1:]] == ["#tea", "#mate"]
        (other,) = await scene.asks("!stats #x", channel="", shared=shared)
        assert other == "No channel #x. Known channels: #mate, #tea."

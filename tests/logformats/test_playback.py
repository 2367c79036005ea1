"""What a bouncer sent again is there once, and what people say again is there as often."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.records import MessageType, NewMessage
from terrarium_mcp.logformats.playback import MOST_WAITING, REMEMBERED, PlaybackFilter
from tests.store.scene import NOON, line_of

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def talk(words: str, began: int = 0) -> list[NewMessage]:
    """A word a minute, by two people in turn."""
    nicks = ("ada", "bo")
    return [
        line_of(nicks[number % 2], word, NOON + (began + number) * MINUTE)
        for number, word in enumerate(words.split())
    ]


def first_copies(lines: Sequence[NewMessage]) -> list[NewMessage]:
    return list(filtered(PlaybackFilter(), lines))


def filtered(playback: PlaybackFilter, lines: Sequence[NewMessage]) -> Iterator[NewMessage]:
    for line in lines:
        yield from playback.first_copies(line)
    yield from playback.rest()


def joined(minute: int) -> NewMessage:
    return line_of("zoe", "", NOON + minute * MINUTE, kind=MessageType.JOIN)


EVENING = talk("good evening to all of you")
MISSED = talk("while you slept we drank your tea", began=10)


def test_what_is_played_back_at_each_attach_is_there_once() -> None:
    morning = talk("good morning", began=30)
    log = [*EVENING, joined(20), *EVENING, *MISSED, *morning]
    playback = PlaybackFilter()
    assert [*filtered(playback, log)] == [*EVENING, joined(20), *MISSED, *morning]
    assert playback.repeated == len(EVENING)
    again = [*log, joined(40), *EVENING, *MISSED, *morning]
    assert first_copies(again) == [*EVENING, joined(20), *MISSED, *morning, joined(40)]


def test_a_playback_behind_a_playback_is_none_of_it_again() -> None:
    assert first_copies([*EVENING, *EVENING, *EVENING]) == EVENING


def test_who_said_it_twice_within_a_minute_said_it_twice_in_the_playback_too() -> None:
    ok = line_of("ada", "ok", NOON + 6 * MINUTE)
    attached = [*EVENING, ok, ok, ok, joined(20)]
    assert first_copies([*attached, *EVENING, ok, ok, ok]) == attached
    missed = [*EVENING, ok, joined(20)]
    assert first_copies([*missed, *EVENING, ok, ok, ok]) == [*missed, ok, ok]


def test_a_line_from_before_its_log_was_opened_is_evidence_enough() -> None:
    hello, news = talk("hello"), talk("news", began=1)
    playback = PlaybackFilter()
    kept = [*playback.opened(NOON), *filtered(playback, hello)]
    kept += playback.opened(NOON + HOUR)
    kept += filtered(playback, [*hello, *news])
    assert kept == [*hello, *news]


def test_a_clock_that_was_set_back_behind_talk_since_its_log_was_opened_is_no_playback() -> None:
    bot, more = line_of("bot", "stats are up", NOON), talk("now then", began=50)
    playback = PlaybackFilter()
    kept = [*playback.first_copies(bot), *playback.opened(NOON + 49 * MINUTE)]
    kept += filtered(playback, [*more, bot])
    assert kept == [bot, *more, bot]


def test_a_log_that_was_opened_within_the_minute_of_its_first_line_has_nothing_from_before() -> (
    None
):
    playback = PlaybackFilter()
    kept = [*playback.opened(NOON + timedelta(seconds=50))]
    said = [line_of("ada", word, NOON) for word in ("ok", "ok", "ok")]
    kept += filtered(playback, [*said, *talk("more", began=1)])
    assert kept == [*said, *talk("more", began=1)]


def test_an_hour_that_came_twice_has_all_that_was_said_in_it() -> None:
    """Read in the wrong zone: two bots say the same in both, one tells the time, two say hello."""
    bots = ("stats are up", "backup is done", "feeds are read")

    def hour(number: int) -> list[NewMessage]:
        clock = min(number, 3) - (number > 3)  # the fifth hour is the fourth by the clock
        minutes = [(NOON + clock * HOUR + five * MINUTE) for five in range(0, 60, 5)]
        told = [line_of("clock", f"It is {at:%H:%M}", at) for at in minutes]
        cron = [line_of(f"bot{n % 2}", bots[n], minutes[0] + n * MINUTE) for n in range(3)]
        hello = line_of("ada", "hello", minutes[6])
        return sorted([*told, *cron, hello], key=lambda line: line.said_at)

    log = [line for number in (0, 1, 2, 3, 3, 5) for line in hour(number)]
    assert first_copies(log) == log
    bots_alone = [line for line in log if line.nick != "clock"]
    assert first_copies(bots_alone) == bots_alone
    clock_alone = [line for line in log if line.nick == "clock"]
    assert first_copies(clock_alone) == clock_alone


def test_what_a_bot_alone_said_for_hours_is_there_once_however_often_it_was_played_back() -> None:
    feed = [line_of("feed", f"item {number}", NOON + number * HOUR) for number in range(5)]
    assert first_copies([*feed, *feed]) == feed


def test_a_clock_that_was_set_back_for_good_loses_nothing() -> None:
    later = talk(" ".join(f"later{number}" for number in range(MOST_WAITING)), began=10_000)
    now = talk(" ".join(f"now{number}" for number in range(2 * MOST_WAITING)))
    playback = PlaybackFilter()
    assert [*filtered(playback, [*later, *now])] == [*later, *now]
    assert first_copies([*later, *now, *now[-50:]]) == [*later, *now]


def test_stamps_that_always_go_back_cost_little_and_lose_nothing() -> None:
    many = talk(" ".join(map(str, range(REMEMBERED))))
    assert first_copies(many[::-1]) == many[::-1]
    by_turns = [one for pair in zip(many, many[::-1], strict=True) for one in pair]
    assert len(first_copies(by_turns)) == len(by_turns)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.integers(0, 3))))
def test_lines_whose_words_nobody_said_before_are_all_kept_in_their_order(
    said: list[tuple[int, str, int]],
) -> None:
    lines = [
        line_of(nick, f"{number} {word}", NOON + minute * MINUTE)
        for number, (minute, nick, word) in enumerate(said)
    ]
    assert first_copies(lines) == lines


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab"), st.sampled_from("xyz"))))
def test_without_a_stamp_that_goes_back_everything_is_kept(
    said: list[tuple[int, str, str]],
) -> None:
    lines = [line_of(nick, word, NOON + minute * MINUTE) for minute, nick, word in sorted(said)]
    assert first_copies(lines) == lines

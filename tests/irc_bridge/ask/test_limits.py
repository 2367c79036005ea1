"""How much a person and a channel may ask, second by second."""

import pytest

from terrarium_mcp.irc_bridge.ask.limits import QuestionLimits, Refusal

ADA, BO = ("account", "ada"), ("user@host", "u@h")


def limits(burst: int = 5, every: float = 15, per_channel: int = 40) -> QuestionLimits:
    return QuestionLimits(burst, every, per_channel)


def asks(limit: QuestionLimits, who: tuple[str, str], now: float, channel: str = "#tea") -> bool:
    """Ask if it is allowed; whether it was."""
    if limit.refusal(who, channel, now):
        return False
    limit.count(who, channel, now)
    return True


def test_five_in_a_row_and_then_one_in_fifteen_seconds() -> None:
    limit = limits()
    assert [asks(limit, ADA, 100) for _ in range(7)] == [True] * 5 + [False] * 2
    assert not asks(limit, ADA, 114.9)
    assert [asks(limit, ADA, 115), asks(limit, ADA, 115)] == [True, False]
    assert asks(limit, BO, 115)


def test_of_sixty_questions_in_half_a_minute_at_most_eight_pass() -> None:
    limit = limits()
    assert sum(asks(limit, ADA, 100 + second / 2) for second in range(60)) == 6


def test_who_was_silent_for_long_has_the_whole_burst_and_no_more() -> None:
    limit = limits()
    assert asks(limit, ADA, 0)
    assert [asks(limit, ADA, 10_000) for _ in range(6)] == [True] * 5 + [False]


def test_a_channel_has_forty_in_any_quarter_of_an_hour_and_private_chats_have_none_of_its() -> None:
    limit = limits(burst=1000)
    assert sum(asks(limit, ADA, second) for second in range(100)) == 40
    assert limit.refusal(BO, "#tea", 100) is Refusal.CHANNEL_SPENT
    assert asks(limit, BO, 100, channel="#mate")
    assert asks(limit, BO, 100, channel="")
    assert not asks(limit, ADA, 899.9)
    assert asks(limit, ADA, 900)


def test_a_refused_question_costs_nothing() -> None:
    limit = limits(burst=1, every=10)
    assert asks(limit, ADA, 0)
    assert not any(asks(limit, ADA, second / 10) for second in range(1, 100))
    assert asks(limit, ADA, 10)


def test_people_are_forgotten_when_their_burst_is_free_again() -> None:
    limit = limits(per_channel=1_000_000)
    for number in range(10_000):
        assert asks(limit, ("user@host", f"u@{number}"), number)
    assert len(limit._free_at) <= 15  # noqa: SLF001 -- its memory is what this is about


@pytest.mark.parametrize("every", [0, 1])
def test_a_pause_of_nothing_is_no_limit(every: float) -> None:
    limit = limits(burst=1, every=every)
    passed = [asks(limit, ADA, 5) for _ in range(3)]
    assert passed == ([True] * 3 if every == 0 else [True, False, False])

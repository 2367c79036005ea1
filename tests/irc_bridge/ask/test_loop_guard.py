"""Two programs that answer each other come to an end; people who are quick now and then do not."""

from terrarium_mcp.irc_bridge.ask.loop_guard import (
    FIRST_PAUSE,
    FORGOTTEN_AFTER,
    LONGEST_PAUSE,
    MOST_PEOPLE,
    LoopGuard,
    Pace,
    reflex_rules,
)

ROBO, ADA = ("user@host", "u@robo"), ("account", "ada")


class Talk:
    """One who is answered at once, and answers after `pause` seconds."""

    def __init__(self, quickest: float = 2) -> None:
        self.guard = LoopGuard(reflex_rules(quickest))
        self.now = 1000.0

    def round(self, pause: float, who: tuple[str, str] = ROBO) -> Pace:
        self.now += pause
        pace = self.guard.heard(who, self.now)
        if pace is Pace.HUMAN:
            self.guard.replied(who, self.now)
        return pace

    def rounds_until_paused(self, pause: float) -> int:
        """How many lines were answered before a pause began."""
        count = 0
        while self.round(pause) is Pace.HUMAN:
            count += 1
        return count


def test_the_third_reflex_in_a_row_is_not_answered_and_then_nothing_for_two_minutes() -> None:
    talk = Talk()
    paces = [talk.round(pause) for pause in (0, 1, 1, 1, 1, 60)]
    assert paces == [Pace.HUMAN] * 3 + [Pace.TOO_MUCH] + [Pace.PAUSED] * 2
    assert talk.round(FIRST_PAUSE - 61) is Pace.HUMAN


def test_a_pause_is_known_to_all_who_ask_until_it_ends() -> None:
    talk = Talk()
    assert not talk.guard.is_paused(ROBO, talk.now)
    talk.rounds_until_paused(1)
    assert talk.guard.is_paused(ROBO, talk.now + FIRST_PAUSE - 1)
    assert not talk.guard.is_paused(ROBO, talk.now + FIRST_PAUSE)
    assert not talk.guard.is_paused(ADA, talk.now)


def test_a_slower_program_is_stopped_as_well_however_slow() -> None:
    assert Talk().rounds_until_paused(1.9) == 3
    assert Talk().rounds_until_paused(2.1) == 20
    assert Talk().rounds_until_paused(29) == 20
    assert Talk().rounds_until_paused(31) == 60
    assert Talk().rounds_until_paused(599) == 60


def test_who_takes_their_time_now_and_then_is_never_stopped() -> None:
    talk = Talk()
    assert {talk.round(pause) for pause in [1, 1, 5] * 6} == {Pace.HUMAN}


def test_pauses_grow_to_a_day_and_are_forgotten_a_day_later() -> None:
    talk = Talk()
    pauses = []
    for _ in range(12):
        talk.rounds_until_paused(1)
        began = talk.now
        while talk.round(60) is Pace.PAUSED:
            pass
        pauses.append(talk.now - began)
    assert pauses[:3] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE]
    assert pauses[-1] == LONGEST_PAUSE
    talk.now += FORGOTTEN_AFTER + 1
    talk.rounds_until_paused(1)
    assert talk.round(FIRST_PAUSE - 1) is Pace.PAUSED
    assert talk.round(1) is Pace.HUMAN


def test_lines_that_nobody_answered_are_no_reflexes() -> None:
    talk = Talk()
    talk.round(0)
    assert [talk.guard.heard(ROBO, talk.now + n / 10) for n in range(9)] == [Pace.HUMAN] * 9


def test_who_reads_on_where_more_was_offered_counts_in_no_row() -> None:
    talk = Talk()
    talk.round(0)
    for _ in range(100):
        talk.guard.offered(ROBO)
        assert talk.guard.heard(ROBO, talk.now + 1, reads_on=True) is Pace.HUMAN
        talk.guard.replied(ROBO, talk.now)
    assert talk.rounds_until_paused(1) == 2


def test_reading_on_ends_no_row_and_counts_where_nothing_was_offered() -> None:
    talk = Talk()
    paces = []
    for second in range(8):
        talk.guard.replied(ROBO, second)
        if second == 1:
            talk.guard.offered(ROBO)
        paces.append(talk.guard.heard(ROBO, second + 0.5, reads_on=second > 0))
    assert paces[:4] == [Pace.HUMAN] * 3 + [Pace.TOO_MUCH]
    talk.guard.offered(ROBO)
    assert talk.guard.heard(ROBO, 9, reads_on=True) is Pace.PAUSED


def test_one_who_is_paused_pauses_nobody_else() -> None:
    talk = Talk()
    talk.rounds_until_paused(1)
    assert talk.round(0, ADA) is Pace.HUMAN
    assert talk.round(0, ROBO) is Pace.PAUSED


def test_it_remembers_a_bounded_number_of_people() -> None:
    guard = LoopGuard(reflex_rules(2))
    for number in range(3 * MOST_PEOPLE):
        guard.heard(("user@host", f"u@{number}"), number)
    assert len(guard._exchanges) == MOST_PEOPLE  # noqa: SLF001 -- its memory is what this is about


def test_the_quickest_rule_can_be_switched_off() -> None:
    assert Talk(quickest=0).rounds_until_paused(0.1) == 20

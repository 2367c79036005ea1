"""Pauses grow to a limit, start again after a good connection, and differ between clients."""

from terrarium_mcp.backoff import Backoff

PAUSES = (5, 10, 20, 40)


def test_pauses_grow_to_the_last_and_start_again_after_a_connection_that_lasted() -> None:
    backoff = Backoff(PAUSES, settled=60)
    assert [backoff.pause_after(59.9) for _ in range(6)] == [5, 10, 20, 40, 40, 40]
    assert [backoff.pause_after(60), backoff.pause_after(1)] == [5, 10]
    assert [backoff.pause_after(3600), backoff.pause_after(3600)] == [5, 5]


def test_the_first_pause_is_the_same_whether_or_not_the_connection_lasted() -> None:
    assert Backoff(PAUSES, settled=60).pause_after(3600) == 5


def test_jitter_spreads_pauses_to_both_sides_and_no_further() -> None:
    pauses = [Backoff((100,), settled=60, jitter=0.25).pause_after(1) for _ in range(200)]
    assert 75 <= min(pauses) < 90
    assert 110 < max(pauses) <= 125

"""Who answers whom in a period, with what was said before it in mind."""

from terrarium_mcp.chat.disentanglement import (
    Utterance,
    conversations_in,
    lines_before,
    links_of_period,
)


def said(number: int, minutes: float, nick: str, text: str, reply_to: int = 0) -> Utterance:
    tag = f"m{reply_to}" if reply_to else ""
    return Utterance(number, 60 * minutes, nick, text, msgid=f"m{number}", reply_to=tag)


BEFORE = [
    said(1, 0, "cy", "the kettle boils over again"),
    said(2, 600, "ada", "who has the key of the shed?"),
    said(3, 601, "bo", "it hangs in the hall", reply_to=2),
]


def test_a_line_that_goes_on_with_earlier_talk_answers_the_line_that_began_it() -> None:
    period = [
        said(4, 602, "dora", "it does not", reply_to=3),
        said(5, 603, "cy", "turn it down", reply_to=1),
        said(6, 604, "eve", "I took it", reply_to=2),
        said(7, 605, "ada", "bring it back then", reply_to=6),
    ]
    links = links_of_period(BEFORE, period)
    assert [(link.line, link.answers) for link in links] == [(4, 2), (5, 1), (6, 2), (7, 6)]
    talks = [[link.line for link in talk] for talk in conversations_in(links)]
    assert talks == [[4, 6, 7], [5]]


def test_a_period_with_nothing_before_it_is_read_alone() -> None:
    links = links_of_period([], BEFORE)
    assert [link.line for link in links] == [1, 2, 3]
    assert links[2].answers == 2
    assert links_of_period(BEFORE, []) == []


def test_an_unsure_link_over_a_long_pause_goes_on_with_nothing() -> None:
    """It would be kept if the earlier line were gone when its pause is looked at."""
    before = [said(1, 0, "ada", "tea is ready"), said(2, 5, "bo", "tea?")]
    period = [said(3, 187, "ada", "is the tea cold now")]
    assert [link.answers for link in links_of_period(before, period)] == [None]


def test_the_rooms_with_most_lines_share_what_is_read_before_them() -> None:
    assert lines_before({}) == {}
    assert lines_before({1: "ab", 2: "a"}) == {1: 100}
    assert lines_before({1: "ab", 2: "abc", 3: "abcd", 4: "abc"}) == {3: 50, 2: 50, 4: 50, 1: 50}
    many = lines_before({room: "ab" if room % 10 else "abc" for room in range(300)})
    assert {*many.values()} == {10}
    assert len(many) == 20
    assert not any(room % 10 for room in many)

"""The facts that the conversation scorer reads from a scene, one for each axis of its tables."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

import pytest

from terrarium_mcp.chat.disentanglement import Utterance, find_links
from terrarium_mcp.chat.disentanglement.addressees import Participants
from terrarium_mcp.chat.disentanglement.scores import score_choices
from terrarium_mcp.chat.disentanglement.tables import ANSWERING, SCALE, STARTING, ScoreTables
from terrarium_mcp.chat.disentanglement.thread_state import PlacedUtterance, ThreadState
from terrarium_mcp.chat.disentanglement.window import read_window
from terrarium_mcp.chat.disentanglement.words import lowercase, words_of

Facts: TypeAlias = "Mapping[str, tuple[int, ...]]"
"""By table, the entry that a choice uses."""

NAMED = ScoreTables.from_flat(
    {
        name: [((name, facts),) for facts in product(*map(range, shape))]
        for name, shape in (ANSWERING | STARTING).items()
    }
)
"""Entries that are the names of themselves: a "score" is the list of all entries it used."""

EVEN = ScoreTables.from_flat(
    {name: [0] * math.prod(shape) for name, shape in (ANSWERING | STARTING).items()}
)
"""Weights that prefer nothing."""


def talk(text: str) -> tuple[list[Utterance], list[int | None]]:
    """Utterances of `minute nick > text`, or `minute nick 2> text` to answer the second line."""
    utterances, parents = [], list[int | None]()
    for number, row in enumerate(text.strip().splitlines(), 1):
        head, said = row.strip().split("> ", 1)
        minute, nick, *parent = head.split()
        utterances.append(Utterance(number, 60 * float(minute), nick, said))
        parents.append(int(parent[0]) if parent else None)
    return utterances, parents


def choices(text: str, bots: Sequence[str] = ()) -> dict[int | None, Facts]:
    """The facts of the last utterance: for starting (None), and by the number of each candidate."""
    utterances, parents = talk(text)
    state = ThreadState(read_window(utterances, bots))
    placed: list[PlacedUtterance] = []
    *earlier, last = state.window.utterances
    for features, parent in zip(earlier, parents, strict=False):
        placed.append(state.add(features, None if parent is None else placed[parent - 1]))
    candidates = state.candidates(last)
    keys = [None, *(candidate.features.index + 1 for candidate in candidates)]
    sums: list[Any] = score_choices(last, candidates, state, NAMED)
    return {key: dict(entries) for key, entries in zip(keys, sums, strict=True)}


def after(count: int, first: str, last: str, minute: int = 0) -> dict[int | None, Facts]:
    """The facts of `last` with `count - 1` utterances by other people between it and `first`."""
    between = "\n".join(f"0 other{n} > {'ab'[n % 2]}{n}" for n in range(1, count))
    return choices(f"0 {first}\n{between}\n{minute} {last}" if between else f"0 {first}\n0 {last}")


def test_the_facts_of_an_answer_are_those_of_the_scene() -> None:
    facts = choices("""
        0 ann > how do I mount a usb disk?
        1 bob > no idea about lilo
        2 cat > ann: plug in the disk
        3 ann 3> cat: which disk?
        5 cat 4> ann: the usb disk of course
    """)
    assert facts[4] == {  # ann names me, first of all, right after my last utterance
        "relation": (1, 1, 1, 0, 0, 1),
        "callers": (0, 0, 1, 1, 1),
        "talked": (1, 1, 1, 1),
        "above": (1, 1, 1, 1),
        "topic": (3, 2, 1, 1),
        "thread": (3, 1, 0, 0, 0),
        "lengths": (2, 1, 1, 0),
        "words": (2, 2, 1, 0),
        "distance": (1, 0, 2),
        "openings": (0, 4, 1, 0),
        "questions": (0, 1, 1, 0, 0),
    }
    assert facts[3] == {  # my own, which ann has answered since and which named whom I name
        "relation": (0, 3, 2, 1, 0, 0),
        "callers": (1, 1, 0, 3, 2),
        "talked": (0, 0, 3, 2),
        "above": (0, 0, 3, 2),
        "topic": (3, 2, 1, 0),
        "thread": (3, 0, 1, 1, 0),
        "lengths": (2, 2, 0, 1),
        "words": (2, 2, 0, 1),
        "distance": (0, 1, 3),
        "openings": (0, 0, 0, 0),
        "questions": (0, 0, 0, 1, 0),
    }
    assert facts[2] == {  # a stranger to the two of us
        "relation": (1, 3, 0, 2, 0, 0),
        "callers": (2, 1, 1, 3, 0),
        "talked": (0, 1, 3, 0),
        "above": (0, 1, 3, 0),
        "topic": (0, 0, 0, 1),
        "thread": (0, 1, 0, 0, 0),
        "lengths": (2, 2, 1, 1),
        "words": (0, 0, 1, 1),
        "distance": (1, 2, 3),
        "openings": (0, 3, 1, 0),
        "questions": (0, 0, 1, 2, 0),
    }
    assert facts[1]["words"] == (3, 3, 1, 2)
    assert facts[1]["questions"] == (0, 1, 1, 2, 1)
    assert facts[None] == {
        "opening": (0, 0, 3, 1),
        "silence": (3, 2, 3),
        "pause": (2, 3, 1),
        "length": (2, 0, 0),
        "called": (1, 2, 0),
        "echo": (3, 2, 3),
        "crowd": (2, 2, 2),
    }


def test_the_first_utterance_can_only_start() -> None:
    assert choices("0 ann > which kernel is it?") == {
        None: {
            "opening": (4, 1, 0, 0),
            "silence": (8, 0, 0),
            "pause": (8, 0, 0),
            "length": (2, 1, 4),
            "called": (0, 0, 1),
            "echo": (0, 0, 0),
            "crowd": (0, 0, 0),
        }
    }


@pytest.mark.parametrize(
    ("ago", "bucket", "near"),
    [
        *[(1, 0, 0), (2, 1, 1), (3, 2, 1), (4, 3, 2), (5, 4, 2), (6, 4, 2), (7, 5, 2), (9, 5, 2)],
        *[(10, 6, 3), (14, 6, 3), (15, 7, 3), (22, 7, 3), (23, 8, 3), (35, 8, 3), (36, 9, 3)],
        (100, 9, 3),
    ],
)
def test_distance_in_utterances_is_bucketed(ago: int, bucket: int, near: int) -> None:
    own = after(ago, "ann > ok", "ann > ok")[1]
    assert own["distance"] == (0, bucket, 0)
    assert own["lengths"] == (0, 0, 0, near)
    assert own["words"] == (0, 0, 0, near)


def test_more_than_a_hundred_utterances_back_nothing_is_answered() -> None:
    assert 1 not in after(101, "ann > ok", "ann > ok")


MINUTE_BUCKETS = [
    *[(0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (7, 4), (8, 5), (14, 5), (15, 6), (29, 6)],
    *[(30, 7), (89, 7), (90, 8), (120, 8), (121, 8), (5_000, 8)],
]


@pytest.mark.parametrize(("minutes", "bucket"), MINUTE_BUCKETS)
def test_distance_in_minutes_is_bucketed(minutes: int, bucket: int) -> None:
    facts = choices(f"0 ann > ok\n{minutes} bob > ok\n{minutes} ann > ok")
    assert facts[1]["distance"] == (0, 1, bucket)
    assert facts[None]["silence"] == (bucket, 1, 0)
    assert facts[None]["pause"] == (0, 0, 1)
    assert choices(f"0 ann > ok\n{minutes} bob > ok")[None]["pause"] == (bucket, 0, 0)


@pytest.mark.parametrize(
    ("words", "bucket"),
    [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (7, 2), (8, 3), (15, 3), (16, 4), (39, 4), (60, 4)],
)
def test_length_is_bucketed_and_nicks_do_not_count(words: int, bucket: int) -> None:
    text = " ".join(["ann:", *["uh"] * words])
    facts = choices(f"0 ann > ok\n0 bob > {text}\n0 cat > ok")
    assert facts[2]["lengths"] == (0, bucket, 1, 0)
    assert choices(f"0 ann > ok\n0 bob > {text}")[None]["length"][0] == bucket


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("zebras!", 0),
        ("hello all", 1),
        ("thanks a lot", 2),
        ("yes it does", 3),
        ("how so", 4),
        ("!weather", 6),
        ("lol", 7),
        ("...", 7),
        ("see http://a.example", 10),
        ("zebras: https://a.example/x, look", 8),
        ("HTTPS://A.EXAMPLE", 8),
        ("i think", 9),
        ("try that", 10),
        ("but then", 11),
        ("s/teh/the/", 12),
        ("*the", 12),
        ("cat: thanks", 2),
    ],
)
def test_the_kind_of_an_utterance_is_that_of_its_first_word(text: str, kind: int) -> None:
    facts = choices(f"0 cat > ok\n0 ann > {text}\n0 bob > yes")
    assert facts[2]["openings"] == (3, kind, 1, 0)
    assert choices(f"0 cat > ok\n0 ann > {text}")[None]["opening"][0] == kind


def test_what_a_bot_says_is_a_kind_of_its_own() -> None:
    assert choices("0 InfoBot > hello\n0 ann > ok")[1]["openings"][1] == 5
    assert choices("0 terra > hello\n0 ann > ok", bots=["TERRA"])[1]["openings"][1] == 5
    assert choices("0 terra > hello\n0 ann > ok")[1]["openings"][1] == 1


def test_what_an_earlier_speaker_did_since_is_counted_to_two() -> None:
    facts = choices("""
        0 ann > ok
        0 ann 1> ok
        0 ann 1> ok
        0 bob > ok
    """)
    assert [facts[n]["relation"][4] for n in (1, 2, 3)] == [2, 1, 0]
    assert [facts[n]["openings"][3] for n in (1, 2, 3)] == [1, 1, 0]
    assert [facts[n]["thread"] for n in (1, 2, 3)] == [
        (0, 1, 2, 2, 0),
        (0, 1, 1, 0, 0),
        (0, 1, 0, 0, 0),
    ]


def test_later_utterances_of_a_thread_are_bucketed() -> None:
    rows = "\n".join(f"0 ann{n} {n}> ok" for n in range(1, 5))
    facts = choices(f"0 ann0 > ok\n{rows}\n0 bob > ok")
    assert [facts[n]["thread"][2] for n in (5, 4, 3, 2, 1)] == [0, 1, 2, 2, 3]


def test_my_part_in_a_thread() -> None:
    facts = choices("""
        0 ann > bob: ok
        0 bob > ok
        0 cat > ok
        0 dan > ann: ok
        0 ann > ok
        0 ann 5> ok
    """)
    assert facts[5]["thread"][0] == 3  # my last utterance is in it
    assert facts[1]["thread"][0] == 2  # an earlier one of mine
    assert facts[4]["thread"][0] == 1  # it names me
    assert facts[3]["thread"][0] == 0
    answered = choices("0 cat > ok\n0 ann 1> ok\n0 ann > ok")
    assert [answered[n]["thread"][4] for n in (1, 2)] == [1, 0]  # I have answered it before


def test_whom_an_earlier_utterance_answers() -> None:
    facts = choices("""
        0 ann > ok
        0 bob 1> ok
        0 cat > ok
        0 cat 3> ok
        0 dan 3> ok
        0 ann > ok
        0 eve 6> ok
        0 ann > ok
    """)
    ups = {number: facts[number]["above"][0] for number in (7, 6, 5, 4, 3)}
    assert ups == {7: 1, 6: 0, 5: 4, 4: 3, 3: 0}
    assert choices("0 ann > ok\n0 bob 1> ok\n0 ann > ok\n0 ann > ok")[2]["above"][0] == 2


def test_where_an_earlier_utterance_lies_beside_my_last_one() -> None:
    facts = choices("0 bob > ok\n0 ann > ok\n0 cat > ok\n0 ann > ok")
    assert [facts[n]["relation"][3] for n in (3, 2, 1)] == [0, 1, 2]
    assert choices("0 bob > ok\n0 ann > ok")[1]["relation"][3] == 3
    assert facts[None]["called"] == (0, 1, 0)


def test_later_utterances_that_name_me_are_counted_to_two() -> None:
    calls = "\n".join(f"0 bob{n} > ann: ok" for n in range(4))
    facts = choices(f"0 cat > ok\n{calls}\n0 ann > ok")
    assert [facts[n]["callers"][1] for n in (5, 4, 3, 2, 1)] == [0, 1, 2, 2, 2]
    assert [facts[n]["relation"][5] for n in (5, 4, 3, 2, 1)] == [1, 0, 0, 0, 0]
    assert facts[None]["called"] == (3, 0, 0)


def test_how_somebody_is_addressed() -> None:
    facts = choices("0 ann > ok\n0 bob > ok\n0 cat > ok\n0 dan > bob: like cat says")
    assert [facts[n]["relation"][:3] for n in (1, 2, 3)] == [(1, 3, 0), (1, 1, 0), (1, 2, 0)]
    assert choices("0 ann > ok\n0 bob > ok")[1]["relation"][:3] == (1, 0, 0)
    assert choices("0 ann > ok\n0 bob > zoe: ok")[1]["relation"][:3] == (1, 3, 0)
    own = choices("0 ann > bob: ok\n0 bob > ok\n0 ann > bob: ok")
    assert own[1]["relation"][:3] == (0, 3, 2)
    assert choices("0 ann > ok\n0 bob > ok\n0 ann > ok")[1]["relation"][:3] == (0, 0, 0)
    assert choices("0 bob > cat: ok\n0 cat > ok\n0 ann > ok")[1]["relation"][:3] == (1, 0, 3)


def test_whether_two_people_talk_elsewhere() -> None:
    def talked(rows: str) -> int:
        utterances, _ = talk(rows)
        window = read_window(utterances)
        index = next(n for n, one in enumerate(utterances) if one.text == "here")
        return window.talked(0, 1, index)

    def filler(count: int) -> str:
        return "\n".join(["0 cat > ok"] * count)

    ann_and_bob = "0 ann > ok\n0 bob > ok\n"
    assert talked(f"{ann_and_bob}0 ann > here") == 0
    assert talked(f"{ann_and_bob}0 bob > ann: ok\n{filler(99)}\n0 ann > here") == 1
    assert talked(f"{ann_and_bob}0 bob > ann: ok\n{filler(100)}\n0 ann > here") == 0
    again = f"0 bob > ann: ok\n{filler(150)}\n0 bob > ann: ok"
    assert talked(f"{ann_and_bob}{again}\n0 ann > here") == 1
    assert talked(f"{ann_and_bob}0 ann > here\n{filler(39)}\n0 bob > ann: ok") == 2
    assert talked(f"{ann_and_bob}0 ann > here\n{filler(40)}\n0 bob > ann: ok") == 0
    assert talked(f"{ann_and_bob}0 ann > bob: ok\n0 ann > here\n0 bob > ann: ok") == 3


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("usb " + " ".join(f"w{n}" for n in range(20)), 1),
        ("usb sdb w1 w2 w3 w4", 2),
        ("usb sdb w1", 3),
        ("usb sdb", 4),
    ],
)
def test_how_much_of_an_utterance_was_said_before(text: str, share: int) -> None:
    facts = choices(f"0 ann > usb sdb\n0 bob > {text}")
    assert facts[1]["words"][0] == share
    assert facts[None]["echo"][:2] == (share, 2)
    assert facts[1]["topic"][2] == 1


@pytest.mark.parametrize(("times", "rarity"), [(2, 3), (3, 3), (4, 2), (15, 2), (16, 1), (30, 1)])
def test_how_rare_a_repeated_word_is(times: int, rarity: int) -> None:
    rows = "\n".join(f"0 p{n} > usb" for n in range(times - 1))
    assert choices(f"{rows}\n0 ann > usb")[times - 1]["words"] == (4, rarity, 1, 0)


@pytest.mark.parametrize(
    ("text", "bucket"),
    [("w1 w2 w3 usb", 1), ("w1 w2 usb", 2), ("w1 w2 w3 w4 sda sdb", 2), ("usb", 3)],
)
def test_how_much_of_an_utterance_a_thread_has(text: str, bucket: int) -> None:
    rows = "0 ann > usb sda sdb\n0 ann 1> ok\n0 cat > ok"
    facts = choices(f"{rows}\n0 bob > {text}")
    assert [facts[n]["topic"][1] for n in (3, 2, 1)] == [0, bucket, bucket]


def test_words_connect_by_their_stem_and_common_words_do_not() -> None:
    def connects(one: str, other: str) -> bool:
        return choices(f"0 ann > {one}\n0 bob > {other}")[1]["words"][0] > 0

    assert all(connects("install", f"install{end}") for end in ("ing", "ed", "es", "s"))
    assert connects("using", "used") is connects("the", "the") is connects("q", "q") is False
    assert connects("buses", "bus")
    assert not connects("beds", "bed")  # an ending of a word this short may be part of it
    assert connects("ls", "ls")
    assert connects("see https://a.example/1", "or https://b.example") is False
    assert connects(f"{'x ' * 255}ab kernel", "kernel") is False  # beyond 512 characters


def test_an_echo_is_my_own_or_anothers() -> None:
    assert choices("0 ann > usb\n0 ann > usb")[None]["echo"] == (4, 1, 0)
    assert choices("0 ann > usb\n0 bob > usb")[None]["echo"] == (4, 2, 0)
    weaker = "0 ann > usb\n0 cat > usb sdb\n0 bob > usb sdb"
    assert choices(weaker)[None]["echo"] == (4, 2, 0)


def test_what_became_of_my_last_utterance() -> None:
    assert choices("0 ann > ok\n0 ann > ok")[None]["silence"][1] == 1
    assert choices("0 bob > ok\n0 ann > bob: ok\n0 ann > ok")[None]["silence"][1] == 2
    assert choices("0 ann > ok\n0 bob 1> ok\n0 ann > ok")[None]["silence"][1] == 3


def test_whom_a_beginning_addresses() -> None:
    def addressing(text: str, between: int = 0) -> int:
        fill = "".join("0 cat > ok\n" for _ in range(between))
        return choices(f"0 bob > ok\n{fill}0 ann > {text}")[None]["opening"][2]

    assert addressing("ok") == 0
    assert addressing("like bob says") == 1
    assert addressing("bob: ok") == addressing("bob: ok", between=29) == 3
    assert addressing("bob: ok", between=30) == 2
    assert addressing("zoe: ok") == addressing("zoe, ok") == 4
    assert addressing("zoe:ok") == addressing("zoe ok") == 0
    assert addressing("yes: ok") == addressing("error: ok") - 4 == addressing("ab: ok") == 0


@pytest.mark.parametrize(
    ("text", "crowd"),
    [
        ("0 a > ok", (0, 0, 0)),
        ("0 a > ok\n2 b 1> ok", (1, 0, 1)),
        ("0 a > ok\n5 b > ok\n5 c 2> ok", (2, 1, 2)),
        ("0 a > ok\n0 b > ok\n15 c > ok", (2, 2, 3)),
        ("0 a > ok\n0 b > ok\n0 c > ok\n60 a > ok", (2, 3, 4)),
        ("\n".join(f"0 a{n} > ok" for n in range(6)), (5, 4, 0)),
        ("\n".join(f"0 a{n} > ok" for n in range(9)), (5, 4, 0)),
        ("0 z > ok\n" + "\n".join("70 a 1> ok" for _ in range(14)), (1, 0, 4)),
        ("0 z > ok\n" + "\n".join("70 a 1> ok" for _ in range(15)), (0, 0, 0)),
    ],
)
def test_the_crowd_is_that_of_the_last_fifteen_utterances(
    text: str, crowd: tuple[int, ...]
) -> None:
    last = text.rsplit("\n", 1)[-1].split(maxsplit=1)[0]
    assert choices(f"{text}\n{last} zoe > ok")[None]["crowd"] == crowd


def far_candidates(first: str, last: str, between: str = "") -> set[int | None]:
    """Which of the utterances before the five nearest are looked at."""
    fill = "\n".join(f"0 fill{n} > w{n}" for n in range(5))
    rows = "\n".join(row for row in (first, between, fill) if row)
    last_near = len(rows.splitlines()) - 5
    return {n for n in choices(f"{rows}\n0 {last}") if n and n <= last_near}


def test_far_utterances_are_looked_at_only_where_something_connects_them() -> None:
    assert far_candidates("0 bob > ok", "ann > ok") == set()
    assert far_candidates("0 ann > ok", "ann > ok") == {1}
    assert far_candidates("0 ann > ok\n0 ann > ok\n0 ann > ok", "ann > ok") == {2, 3}
    assert far_candidates("\n".join("0 bob > ann: ok" for _ in range(4)), "ann > ok") == {2, 3, 4}
    assert far_candidates("\n".join("0 bob > ok" for _ in range(5)), "ann > bob: ok") == {
        2,
        3,
        4,
        5,
    }
    through_me = "0 bob > ok\n0 bob > ok\n0 bob > ok\n0 ann > bob: ok"
    assert far_candidates(through_me, "ann > ok") == {2, 3, 4}
    assert far_candidates("0 bob > usb\n0 cat > usb", "ann > usb") == {2}
    assert far_candidates("\n".join("0 bob > usb" for _ in range(6)), "ann > usb") == {6}
    assert far_candidates("\n".join("0 bob > usb" for _ in range(7)), "ann > usb") == set()


def named_by(nick: str, text: str) -> tuple[int, ...]:
    """Whom a second person names: the first, who goes by `nick`, or nobody."""
    utterances, _ = talk(f"0 {nick} > ok\n0 someone > {text}")
    return read_window(utterances).utterances[1].named


@pytest.mark.parametrize(
    ("nick", "text", "named"),
    [
        ("Ann", "ask ANN then", True),
        ("ann_", "ann: ok", True),
        ("ann", "ann_: ok", True),
        ("[ann]", "ask ann then", True),
        ("jo", "jo: ok", True),
        ("jo", "ask jo then", False),
        ("[42]", "ask 42 then", False),
        ("[jo]", "jo: ok", False),
        ("ann", "ask anna then", False),
        ("annabel", "anna: ok", True),
        ("annabel", "anna ok", False),
        ("help", "the help page", False),
        ("___", "___: ok", True),
    ],
)
def test_a_person_is_named_by_nick_core_or_unique_beginning(
    nick: str, text: str, named: bool
) -> None:
    assert named_by(nick, text) == ((0,) if named else ())


def test_a_beginning_that_two_nicks_share_names_neither() -> None:
    utterances, _ = talk("0 annabel > ok\n0 annalena > ok\n0 bob > anna: ok")
    last = read_window(utterances).utterances[-1]
    assert (last.named, last.stranger) == ((), True)


def test_at_most_eight_people_are_addressed() -> None:
    nicks = [f"person{n}" for n in range(9)]
    rows = "\n".join(f"0 {nick} > ok" for nick in nicks)
    utterances, _ = talk(f"{rows}\n0 op > {' '.join(nicks)}")
    assert read_window(utterances).utterances[-1].named == tuple(range(8))


def links(
    *rows: tuple[float, str, str], bots: Sequence[str] = ()
) -> list[tuple[int | None, float]]:
    """Parent and probability under weights that prefer nothing."""
    utterances = [Utterance(n, 60 * at, nick, text) for n, (at, nick, text) in enumerate(rows, 1)]
    found = find_links(utterances, bots, EVEN)
    return [(link.answers, round(link.probability, 3)) for link in found]


def odds(units: float) -> float:
    """The probability of one of two choices that is so many units of log odds ahead."""
    return round(1 / (1 + math.exp(-units)), 3)


def test_in_a_quiet_channel_starting_costs_one_unit_of_log_odds() -> None:
    assert SCALE == 100
    assert links((0, "ann", "ok"), (0.9, "bob", "bob: ok"))[1] == (None, 0.5)
    assert links((0, "ann", "ok"), (1, "bob", "ann: ok"))[1] == (1, odds(1))
    assert links((0, "ann", "ok")) == [(None, 1.0)]


@pytest.mark.parametrize(
    ("first", "minutes", "nick", "text", "ahead"),
    [
        ("ok", 5, "ann", "ok", 1),  # their own line: nothing but the cost of starting
        ("ok", 5, "bob", "ok", 1 + 1.5),
        ("ok?", 5, "bob", "ok", 1 + 1.5 + 1),
        ("ok?", 5, "bob", "ok?", 1 + 1.5),
        ("ok?", 5, "bob", "ann: ok", 1),
        ("ok?", 20, "bob", "ok", 1 + 1.5 + 1 - 0.5),
        ("ok?", 40, "bob", "ok", 1 - 0.5 * 2),
        ("ok", 40, "ann", "ok", 1 - 2),
        ("bob: ok", 40, "bob", "ok", 1),
    ],
)
def test_in_a_quiet_channel_the_next_line_answers_and_a_pause_ends_a_topic(
    first: str, minutes: int, nick: str, text: str, ahead: float
) -> None:
    answers, probability = links((0, "ann", first), (minutes, nick, text))[1]
    chance = odds(ahead)
    assert (answers, probability) == ((1, chance) if ahead > 0 else (None, max(chance, 1 - chance)))


@pytest.mark.parametrize(("line", "reply"), [("cat: ok?", "ok"), ("ok?", "cat: ok")])
def test_the_next_line_gains_nothing_where_somebody_else_is_named(line: str, reply: str) -> None:
    chance = round(1 / (2 + math.exp(-1)), 3)
    assert links((0, "cat", "ok"), (0, "ann", line), (5, "bob", reply))[2] == (2, chance)


def test_a_night_counts_as_an_hour_for_the_pace_of_a_channel() -> None:
    def starts_after_a_night(gaps: int) -> bool:
        return links(*[(0, "ann", "ok")] * gaps, (80, "bob", "ann: ok"))[-1][0] is None

    assert not starts_after_a_night(gaps=60)
    assert starts_after_a_night(gaps=61)


def test_each_doubling_of_age_beyond_ninety_minutes_costs_one_unit() -> None:
    def started(age: float) -> float:
        (_, probability) = links(*[(0, "ann", "ok")] * 200, (age, "bob", "ok"))[-1]
        return probability

    def expected(cost: float) -> float:
        return round(1 / (1 + 5 * math.exp(-cost)), 3)

    assert started(90) == round(1 / 6, 3)
    assert started(180) == expected(1)
    assert started(360) == expected(2)


def test_only_old_candidates_fade() -> None:
    rows = [(0.0, "ann", "ok")] * 200
    _, probability = links(*rows, (180, "bob", "ok"), (180, "bob", "ok"))[-1]
    assert probability == round(1 / (2 + 4 * math.exp(-1)), 3)


def test_minutes_are_whole_ones_and_never_run_back() -> None:
    times = [-30.0, 59.9, 60, 179, 30, 180]
    window = read_window([Utterance(n, at, "ann", "ok") for n, at in enumerate(times)])
    assert [features.minute for features in window.utterances] == [-1, 0, 1, 2, 2, 3]


def test_a_bridge_is_recognised_by_its_nick_and_only_a_whole_prefix_is_unwrapped() -> None:
    def speaker(nick: str, text: str) -> tuple[str, str]:
        one = Utterance(1, 0, nick, text).unwrapped
        return one.nick, one.text

    for name in ("bot", "bridge", "relay", "discord", "matrix", "telegram", "slack", "gateway"):
        assert speaker(f"My{name.title()}2", "<jo> hi\nyou") == ("jo", "hi\nyou")
    assert speaker("jim", "<jo> hi") == ("jim", "<jo> hi")
    assert speaker("relay", "<jo>hi") == ("relay", "<jo>hi")
    assert speaker("relay", "so <jo> hi") == ("relay", "so <jo> hi")
    assert speaker("relay", "<j o> hi") == ("relay", "<j o> hi")
    assert speaker("relay", f"<{'x' * 40}> hi") == ("x" * 40, "hi")
    assert speaker("relay", f"<{'x' * 41}> hi")[0] == "relay"


def test_nicks_with_a_tail_or_other_case_are_one_participant() -> None:
    people = Participants.from_nicks(["Jo", "jo_", "jo`", "JO^|-", "jim", "__"])
    assert [people.number(nick) for nick in ("jo", "Jo_", "jo`", "jo^|-", "JIM", "__")] == (
        [0, 0, 0, 0, 1, 2]
    )
    assert people.by_nick_prefix("ji") == 1
    assert people.by_nick_prefix("j") is None
    assert people.by_nick_prefix("x") is None


def test_words_are_whole_nicks_and_only_512_characters_are_read() -> None:
    assert words_of("a[b]\\`^{c}|-_ d.e") == ["a[b]\\`^{c}|-_", "d", "e"]
    assert lowercase("A" * 600) == "a" * 512
    assert lowercase("see HTTPS://A.example/x?y, ok") == "see  httpurl  ok"


def test_two_answers_to_a_message_outside_the_window_are_in_one_thread() -> None:
    shapes = ANSWERING | STARTING
    flat = {name: [0] * math.prod(shape) for name, shape in shapes.items()}
    size = math.prod(shapes["above"][1:])
    flat["above"][-size:] = [SCALE] * size  # prefer what answers a third person
    utterances = [
        Utterance(1, 0, "fay", "ok", reply_to="gone"),
        Utterance(2, 0, "gus", "ok", reply_to="gone"),
        Utterance(3, 0, "hal", "ok"),
    ]
    *_, last = find_links(utterances, weights=ScoreTables.from_flat(flat))
    assert last.answers == 2


@pytest.mark.parametrize(
    ("text", "asks"), [("tea?", 1), ("tea\uff1f no", 1), ("\u0634\u0627\u064a\u061f", 1), ("t;", 0)]
)
def test_a_question_mark_of_any_script_asks(text: str, asks: int) -> None:
    (one,) = read_window(talk(f"0 ann> {text}")[0]).utterances
    assert one.asks == asks

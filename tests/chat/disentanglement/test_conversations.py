"""Which line answers which: small scenes, and the traps of real channels."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from terrarium_mcp.chat.disentanglement import (
    ReplyLink,
    Utterance,
    conversations_in,
    find_links,
)
from terrarium_mcp.chat.disentanglement.tables import ScoreTables
from tests.chat.disentanglement.scene import conversation_of

ROOT = Path(__file__).parents[2]

TWO = """
    0 ann hi, does anyone know why my wifi driver fails to load after the upgrade?
    0 bob how do I mount a usb disk?
    1 cat ann: which card is it?
    1 dan bob: plug it in and run lsblk
    2 ann cat: a broadcom 4311
    2 bob dan: thanks, lsblk shows sdb1
    3 cat ann: then you need the firmware package for that driver
"""


def said(talk: str) -> list[Utterance]:
    """Lines of `minute nick text`; ids count from 1, msgids are the same in words."""
    rows = [row.strip().split(" ", 2) for row in talk.strip().splitlines()]
    return [
        Utterance(n, 60 * float(minute), nick, text, msgid=f"m{n}")
        for n, (minute, nick, text) in enumerate(rows, 1)
    ]


def answers(links: list[ReplyLink]) -> list[int | None]:
    return [link.answers for link in links]


def ids(links: list[ReplyLink]) -> list[int]:
    return [link.line for link in links]


def test_two_conversations_at_once_are_taken_apart() -> None:
    links = find_links(said(TWO))
    assert answers(links) == [None, None, 1, 2, 3, 4, 5]
    assert ids(conversation_of(3, links)) == [1, 3, 5, 7]
    assert ids(conversation_of(6, links)) == [2, 4, 6]
    assert all(0.5 < link.probability <= 1 for link in links)


def test_a_nick_with_a_tail_or_cut_short_is_the_same_person() -> None:
    plain = answers(find_links(said(TWO)))
    assert answers(find_links(said(TWO.replace("3 cat ann", "3 cat_ ann`")))) == plain
    whole = TWO.replace("cat", "catherine")
    assert find_links(said(whole.replace("ann catherine:", "ann cathe:"))) == find_links(
        said(whole)
    )


def test_a_bridge_lends_its_voice_to_whoever_speaks_through_it() -> None:
    relayed = [
        replace(line, nick="relaybot", text=f"<{line.nick}> {line.text}")
        if line.nick == "ann"
        else line
        for line in said(TWO)
    ]
    assert find_links(relayed) == find_links(said(TWO))


def test_what_a_reply_tag_says_needs_no_guess() -> None:
    lines = [*said(TWO), Utterance(8, 180, "eve", "cat: me too", "m8", reply_to="m2")]
    links = find_links(lines)
    assert links[-1] == ReplyLink(8, 2, 1.0, tagged=True)
    assert 8 in ids(conversation_of(2, links))
    assert 8 not in ids(conversation_of(1, links))


def test_two_answers_to_a_line_from_before_the_window_belong_together() -> None:
    lines = [
        *said(TWO),
        Utterance(8, 180, "fay", "which kernel?", "m8", reply_to="gone"),
        Utterance(9, 240, "gus", "and which desktop?", "m9", reply_to="gone"),
    ]
    links = find_links(lines)
    assert [link.outside for link in links[-2:]] == ["gone", "gone"]
    assert ids(conversation_of(9, links)) == [8, 9]


def test_a_tag_that_names_its_own_line_or_a_later_one_is_survived() -> None:
    own = Utterance(8, 180, "eve", "hello there", "m8", reply_to="m8")
    assert not find_links([*said(TWO), own])[-1].tagged
    early = Utterance(0, 0, "eve", "as I will say", "m0", reply_to="m4")
    links = find_links([early, *said(TWO)])
    assert links[0].answers == 4
    assert ids(conversation_of(2, links)) == [0, 2, 4, 6]


def test_a_day_of_silence_ends_a_conversation() -> None:
    before = [
        Utterance(n, 30.0 * n, "ann", f"still at the wifi driver, part {n}") for n in range(1, 30)
    ]
    today = 30.0 * 30
    tomorrow = today + 20 * 3600
    topic = "anyone here who knows about beans?"
    assert find_links([*before, Utterance(30, today, "ann", topic)])[-1].answers is not None
    assert find_links([*before, Utterance(30, tomorrow, "ann", topic)])[-1].answers is None


def test_people_who_answer_late_in_a_quiet_channel_are_not_torn_apart() -> None:
    busy = find_links(said("0 ann the bus was late\n0 bob yes, it always is"))
    quiet = find_links(said("0 ann the bus was late\n9 bob yes, it always is"))
    assert busy[1].answers is None
    assert quiet[1].answers == 1


REGULARS = """
    0 olga the ferry leaves at six tomorrow, be early
    90 pete has anyone fed the hens?
    95 olga this morning, both bowls
    96 pete good
    250 rosa which paint is left for the fence?
    258 pete green, half a bucket
    264 rosa that is enough
    500 olga do we have stamps?
    521 rosa in the drawer under the phone
    700 pete storm tonight, take the chairs in
"""
"""A day in a channel of three who name nobody."""


def test_in_a_small_channel_topics_hours_apart_are_apart_and_plain_answers_are_not() -> None:
    found = conversations_in(find_links(said(REGULARS)))
    assert [ids(links) for links in found] == [[1], [2, 3, 4], [5, 6, 7], [8, 9], [10]]


def test_a_bot_without_bot_in_its_nick_has_to_be_told() -> None:
    talk = """
        0 ann !weather
        0 terra rain until the evening
        1 ann and the ferry?
        1 terra no ferry today
    """
    untold, told = find_links(said(talk)), find_links(said(talk), bots=["Terra"])
    assert [link.probability for link in untold] != [link.probability for link in told]
    assert told == find_links(said(talk), bots=["terra"])


def test_a_nick_that_is_a_word_names_nobody() -> None:
    calm = "0 ann my disk is full\n0 {} hello\n1 bob the help page says so"
    named, unnamed = find_links(said(calm.format("help"))), find_links(said(calm.format("cat")))
    assert answers(named) == answers(unnamed)
    assert named[2].probability == unnamed[2].probability


def test_a_roll_call_costs_no_more_than_a_line() -> None:
    crowd = [f"person{n}" for n in range(60)]
    some = [Utterance(n, 60.0 * n, nick, "here") for n, nick in enumerate(crowd, 1)]
    everybody = Utterance(100, 3700, "op", " ".join(crowd))
    few = Utterance(100, 3700, "op", " ".join(crowd[:8]))
    assert find_links([*some, everybody])[-1].answers == find_links([*some, few])[-1].answers


def test_nothing_and_nonsense_are_read_too() -> None:
    assert find_links([]) == []
    odd = ["", " ", "\x00", "____", "?!", "\U0001f375" * 400, "a" * 100_000, "http://", "<x>", ":"]
    lines = [Utterance(n, 60.0 * n, "|_" if n % 2 else "", text) for n, text in enumerate(odd, 1)]
    assert len(find_links(lines)) == len(odd)


def test_every_process_finds_the_same() -> None:
    code = (
        "from tests.chat.disentanglement.test_conversations import TWO, said\n"
        "from terrarium_mcp.chat.disentanglement import find_links\n"
        "print(find_links(said(TWO)))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1
    assert "ReplyLink(" in told.pop()


def test_the_weights_name_their_source_and_its_licence() -> None:
    text = files("terrarium_mcp.chat.disentanglement").joinpath("weights.json").read_text("utf-8")
    note = json.loads(text)["note"]
    for told in ("derived", "Kummerfeld", "https://jkk.name/irc-disentanglement", "CC BY 4.0"):
        assert told in note


def test_weights_of_another_shape_are_refused() -> None:
    text = files("terrarium_mcp.chat.disentanglement").joinpath("weights.json").read_text("utf-8")
    tables = json.loads(text)["tables"]
    with pytest.raises(ValueError, match="table 'topic' has 63 entries"):
        ScoreTables.from_flat(tables | {"topic": tables["topic"][1:]})


def test_every_message_is_in_one_conversation_in_the_order_of_the_links() -> None:
    links = [
        ReplyLink(1, None, 1.0),
        ReplyLink(2, None, 1.0),
        ReplyLink(5, 2, 0.9),
        ReplyLink(3, 1, 0.9),
        ReplyLink(4, None, 1.0, "elsewhere"),
        ReplyLink(6, None, 1.0, "elsewhere"),
    ]
    found = [[link.line for link in one] for one in conversations_in(links)]
    assert found == [[1, 3], [2, 5], [4, 6]]
    assert conversations_in([]) == []

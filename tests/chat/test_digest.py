"""What somebody should know of a stretch of the log, from its lines and their reply links alone."""

import time
from collections.abc import Mapping
from dataclasses import astuple
from datetime import timedelta

import pytest

from terrarium_mcp.chat.digest import Digest, digest_of
from terrarium_mcp.chat.disentanglement import ReplyLink, without_leaps
from terrarium_mcp.chat.records import Message, MessageType, Room
from tests.store.scene import NOON, chat

TEA = Room(1, "net", "#tea")


def digest(
    talk: str, links: Mapping[int, tuple[int | None, float]] | None = None, nick: str = ""
) -> Digest:
    """The digest of some talk, whose lines have the ids 1, 2 ...; links name what they answer."""
    messages = [
        Message(number, TEA, line.said_at, line.nick, line.text, line.kind)
        for number, line in enumerate(chat(talk), 1)
    ]
    known = links or {}
    replies = [ReplyLink(one.id, *known.get(one.id, (None, 1.0))) for one in messages]
    times = {one.id: one.said_at.timestamp() for one in messages}
    return digest_of(messages, without_leaps(replies, times), nick)


def test_a_conversation_is_told_by_the_first_line_that_says_something() -> None:
    (one,) = digest(
        "<bo> hi\n<cy> hello\n<bo> the gate is stuck\n<cy> oil it",
        {2: (1, 0.9), 3: (2, 0.9), 4: (3, 0.9)},
    ).conversations
    assert (one.line.id, one.first.id, one.last.id, one.lines) == (3, 1, 4, 4)
    (bare,) = digest("<bo> hi\n<cy> hello", {2: (1, 0.9)}).conversations
    assert bare.line.id == 1


def test_talk_between_people_leads_a_longer_monologue() -> None:
    found = digest(
        "<bo> one two\n<bo> three four\n<bo> five six\n<cy> red tea\n<dora> green tea",
        {2: (1, 0.9), 3: (2, 0.9), 5: (4, 0.9)},
    ).conversations
    assert [(one.first.id, one.people) for one in found] == [(4, ("cy", "dora")), (1, ("bo",))]


def test_a_link_over_a_silence_counts_only_if_it_is_sure_enough() -> None:
    talk = "12:00 <bo> green tea\n{} <cy> black tea"
    for clock, probability, conversations in (
        ("12:05", 0.2, 1), ("12:30", 0.4, 0), ("12:30", 0.6, 1), ("14:30", 0.8, 0),
        ("14:30", 0.95, 1), ("18:00", 1.0, 1), ("20:00", 1.0, 0),
    ):  # fmt: skip
        found = digest(talk.format(clock), {2: (1, probability)})
        assert len(found.conversations) == conversations, (clock, probability)


BUSY = "\n<dora> it rains" * 8
"""Other talk, in which the next line need not be about the one before."""


def test_only_another_person_answers_a_question() -> None:
    talk = "<bo> where is the key?\n<bo> the blue one\n<cy> {}" + BUSY
    for reply, links, answered in (
        ("no idea", {2: (1, 0.9), 3: (1, 0.9)}, True),
        ("no idea", {2: (1, 0.9), 3: (2, 0.9)}, True),  # to what the asker said next
        ("no idea", {2: (1, 0.9), 3: (2, 0.3)}, True),  # as their conversation shows it
        ("bo: no idea", {2: (1, 0.9)}, False),  # another conversation
        ("no idea", {2: (1, 0.9)}, False),
    ):
        found = digest(talk.format(reply), links).questions
        assert [one.id for one in found] == ([] if answered else [1]), (reply, links)


def test_an_answer_to_what_was_said_before_the_question_is_none() -> None:
    talk = "<bo> I lost my umbrella\n<bo> did you see the key?\n<cy> buy a new one" + BUSY
    links = {2: (1, 0.9), 3: (1, 0.9)}
    assert [one.id for one in digest(talk, links).questions] == [2]
    for sign in ":,>\uff1a\uff0c\u3001\u060c":
        assert digest(talk.replace("buy", f"bo{sign} buy"), links).questions == []  # it calls them
    dora = digest(talk.replace("buy", "dora: buy"), links).questions
    assert [one.id for one in dora] == [2]


@pytest.mark.parametrize(
    ("reply", "answered"),
    [
        ("12:09 <cy> under the pot", True),
        ("12:09 <cy> yes, under the pot", True),  # nobody is called yes
        ("12:09 <cy> bo: under the pot", True),
        ("12:05 <bo> the blue one\n12:09 <cy> under the pot", True),
        ("12:28 <cy> under the pot", True),
        ("12:05 <bo> the blue one\n12:59 <cy> under the pot", True),
        ("12:28 <dora> where is the ladder?\n12:29 <cy> under the pot", False),
        ("13:01 <cy> under the pot", False),
        ("12:09 <cy> is it going to rain?", False),
        ("12:05 <cy> dora: good morning", False),
        ("12:05 <dora> where is the ladder?\n12:06 <cy> under the pot", False),  # asked of dora
        ("12:09 <cy> under the pot" + "\n12:09 <dora> it rains" * 8, False),
        ("12:09 <bo> found it", False),
    ],
)
def test_where_few_talk_the_next_line_of_another_person_answers(reply: str, answered: bool) -> None:
    talk = f"09:00 <dora> morning\n12:00 <bo> where is the key?\n{reply}"
    assert (2 not in [one.id for one in digest(talk).questions]) == answered


def test_what_is_said_to_the_absent_reader_answers_nobody_else() -> None:
    talk = "12:00 <bo> where is the key?\n12:28 <cy> ada: your parcel arrived"
    assert [one.id for one in digest(talk, nick="Ada").questions] == [1]
    assert digest(talk.replace("ada: ", "")).questions == []


def test_many_questions_of_one_conversation_take_a_moment() -> None:
    talk = "\n".join(f"<{'bo' if n % 2 else 'cy'}> is it number {n}? no" for n in range(2_000))
    links: dict[int, tuple[int | None, float]] = dict.fromkeys(range(2, 2_001), (1, 0.3))
    began = time.thread_time()
    assert len(digest(talk, links).questions) == 1_999  # all replies are to the first
    assert time.thread_time() - began < 1


def test_a_question_may_be_followed_by_a_sentence_of_its_line() -> None:
    talk = "12:00 <bo> is there parking nearby? I come by car"
    assert [one.id for one in digest(talk).questions] == [1]
    assert digest(f"{talk}\n12:20 <cy> behind the hall").questions == []
    assert digest(f"{talk}\n12:20 <cy> the hall? behind it").questions == []
    assert digest("<bo> what? I come by car\n<bo> http://a.example/?q=tea is good").questions == []


def test_a_question_that_says_nothing_by_itself_is_none() -> None:
    assert digest("<bo> what?\n<bo> really now?\n<bo> ?\n<bo> http://a.example/?").questions == []


@pytest.mark.parametrize(
    "question",
    [
        "who has the key\uff1f",
        "\u0645\u0646 \u0639\u0646\u062f\u0647 \u0645\u0641\u062a\u0627\u062d\u061f",
        "\u03c0\u03bf\u03b9\u03bf\u03c2 \u03ad\u03c7\u03b5\u03b9 \u03ba\u03ac\u03c4\u03b9;",
        "\u9375\u306f\u8ab0\u304c\u6301\u3063\u3066\u3044\u307e\u3059\u304b\uff1f",
        "\u8c01\u6709\u4ed3\u5e93\u7684\u94a5\u5319?",
        "\u0e43\u0e04\u0e23\u0e21\u0e35\u0e01\u0e38\u0e0d\u0e41\u0e08?",
    ],
)
def test_a_question_of_any_script_may_wait_for_an_answer(question: str) -> None:
    assert [one.text for one in digest(f"<bo> {question}").questions] == [question]


@pytest.mark.parametrize("question", ["\u672c\u5f53\uff1f", "\u771f\u7684\u5417?", "\u061f \u061f"])
def test_a_question_of_few_letters_is_none_where_words_run_together(question: str) -> None:
    assert digest(f"<bo> {question}").questions == []


def test_a_reply_that_asks_back_does_not_answer() -> None:
    talk = "<bo> how do I open the gate?\n<cy> {}" + BUSY
    for reply, answered in (
        ("which of the gates do you mean?", False),
        ("bo: which of the gates do you mean?", False),
        ("bo: which one? the green one has a latch", True),
        ("with the key", True),
    ):
        found = digest(talk.format(reply), {2: (1, 0.9)}).questions
        assert (1 not in [one.id for one in found]) == answered, reply


def test_a_question_to_another_person_is_not_open_to_all() -> None:
    talk = "<bo> {}\n<cy> good morning\n<bo> it rains" + BUSY
    for question, is_open in (
        ("cy: which of the gates do you mean?", False),
        ("Cy, which of the gates do you mean?", False),
        ("ada: which of the gates do you mean?", False),  # who was away; it is a mention
        ("eve: which of the gates do you mean?", True),  # nobody is called so
        ("hello, which of the gates do you mean?", True),
    ):
        found = digest(talk.format(question), nick="Ada").questions
        assert (1 in [one.id for one in found]) == is_open, question


@pytest.mark.parametrize(
    "nag", ["anyone will help?", "can anyone please help me?", "does anybody know the answer?"]
)
def test_who_asks_again_without_saying_what_is_told_by_their_question(nag: str) -> None:
    talk = f"<bo> how do I open the gate?{BUSY}\n<bo> {nag}{BUSY}"
    assert [one.id for one in digest(talk).questions] == [1]


def test_a_question_that_is_repeated_is_told_once_as_put_last() -> None:
    talk = f"<bo> how do I open the gate?{BUSY}\n<cy> how do I open the gate?{BUSY}"
    talk += "\n<bo> please, how do I open the gate???"
    assert [one.nick for one in digest(talk).questions] == ["cy", "bo"]
    assert [one.id for one in digest(talk).questions] == [10, 19]


def test_a_question_needs_no_question_mark() -> None:
    asked = "how to build a teapot from clay"
    assert [one.text for one in digest(f"<bo> {asked}{BUSY}").questions] == [asked]
    assert digest(f"12:00 <bo> {asked}\n12:09 <cy> with patience").questions == []
    assert digest(f"<bo> when it rains I see the gate{BUSY}").questions == []


def test_a_url_is_told_once_where_it_was_posted_first() -> None:
    found = digest(
        "<bo> see https://a.example/x.\n<cy> HTTPS://A.example/x and http://b.example/ \n<bo> ://"
    ).links
    assert [(one.url, one.message.id) for one in found] == [
        ("https://a.example/x", 1), ("http://b.example/", 2)
    ]  # fmt: skip


def test_ones_own_lines_are_no_mentions_and_nobody_in_particular_is_mentioned() -> None:
    talk = "<bo> Ada, come\n<ada> ada is here\n<cy> adamant\n* dora looks for ada"
    assert [one.id for one in digest(talk, nick="ADA").mentions] == [1, 4]
    assert digest(talk).mentions == []


def test_of_nothing_the_digest_is_empty() -> None:
    assert not any(astuple(digest_of([], [], "ada")))


def test_the_asker_neither_arrives_nor_leaves() -> None:
    join = Message(1, TEA, NOON, "ada", "", MessageType.JOIN)
    hello = Message(2, TEA, NOON + timedelta(minutes=1), "ada", "hello", MessageType.PRIVMSG)
    links = [ReplyLink(2, None, 1.0)]
    assert digest_of([join, hello], links, "Ada").moves == []
    assert digest_of([join, hello], links, "bo").moves == [join]

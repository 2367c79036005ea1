"""The query language understands everything, and prints what it understood."""

import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from terrarium_mcp.chat.query.notes import MOST_PARTS
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.query.syntax import MOST_CHARACTERS
from terrarium_mcp.chat.query.typed_times import may_name_times
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.terms import Term, TermKind

NOW = datetime(2026, 5, 6, 14, 23, 5, 678_901, tzinfo=UTC)
AUCKLAND = ZoneInfo("Pacific/Auckland")
PIECES = [
    *[
        '"',
        "-",
        "*",
        "OR",
        " OR ",
        "AND",
        "in:",
        "from:",
        "IN:",
        "#tea",
        "ada",
        "tea",
        "te*",
        "c++",
    ],
    *[" ", " ", " ", "\t", "\u00a0", "\0", "\ud800", "?", "\U0001f375", "\u8336", "-from:", "--"],
    *[
        "mentions:",
        "has:link",
        "has:",
        "type:",
        "type:action",
        "-type:x",
        "before:",
        "after:",
        "on:",
    ],
    *["\u05e6", '\u05e6"\u05dc'],
    *["2026-05-01", "2026-02-30", "yesterday", "last week", "last", "5 may", "2h", "9999-12-31"],
]
TYPED = st.lists(st.one_of(st.text(max_size=6), st.sampled_from(PIECES)), max_size=14).map("".join)


def word(text: str) -> tuple[Term]:
    return (Term(text),)


def phrase(text: str) -> tuple[Term]:
    return (Term(text, TermKind.PHRASE),)


def parsed(typed: str) -> Query:
    return parse_query(typed, now=NOW)


def test_words_phrases_prefixes_and_alternatives_are_told_apart() -> None:
    query = parsed('kettle "green  tea" te* milk OR "soy milk" OR so* cup')
    assert query == Query(
        clauses=(
            word("kettle"),
            phrase("green tea"),
            (Term("te", TermKind.PREFIX),),
            (Term("milk"), Term("soy milk", TermKind.PHRASE), Term("so", TermKind.PREFIX)),
            word("cup"),
        )
    )
    assert query.question == "kettle green tea te milk soy milk so cup"
    assert not query.notes


def test_a_minus_leaves_out_words_people_and_channels() -> None:
    assert parsed('tea -milk -"soy milk" -su* -from:bo -in:#mate') == Query(
        clauses=(word("tea"),),
        excluded=(
            Term("milk"),
            Term("soy milk", TermKind.PHRASE),
            Term("su", TermKind.PREFIX),
        ),
        excluded_people=("bo",),
        excluded_channels=("#mate",),
    )


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("parser.cpp -O2", "-O2"),
        ("kill -9", "-9"),
        ("fsck -f", "-f"),
        ("ls -l", "-l"),
        ("apt-get -f install", "-f"),
        ("error -110", "-110"),
        ("kernel -2.6.12", "-2.6.12"),
        ("(ls -l), then", "-l),"),
        ("did somebody run rm -rf on their home?", "-rf"),
        ("and tar -xzf ?", "-xzf"),
        ("what is rm -rf?", "-rf?"),
        ("rm -rf? and tea", "-rf?"),
        ("rm -rf \u5b9f\u884c\u3057\u305f\uff1f", "-rf"),
        ("\u0645\u0646 -\u0639\u0646\u062f\u0647\u061f", "-\u0639\u0646\u062f\u0647\u061f"),
        ("ls -l\uff0c then", "-l\uff0c"),
        ('rm "-rf"', "-rf"),
        ("git commit --no-verify", "--no-verify"),
        ("a -> b", "->"),
        ("why -_-", "-_-"),
    ],
)
def test_an_option_a_number_and_what_a_question_asks_for_are_text(typed: str, text: str) -> None:
    query = parsed(typed)
    assert Term(text) in query.terms
    assert query.excluded == ()
    assert parsed(str(query)) == query


@pytest.mark.parametrize(
    ("typed", "excluded"),
    [
        ("cat -dog", Term("dog")),
        ("filesystem -ext3", Term("ext3")),
        ("language -C++", Term("C++")),
        ("tea -#mate", Term("#mate")),
        ("tea -\u8336", Term("\u8336")),
        ('kill -"9"', Term("9", TermKind.PHRASE)),
        ('gcc -"-O2"', Term("-O2", TermKind.PHRASE)),
        ("tea? -milk", Term("milk")),
        ("tea -milk in:#who?", Term("milk")),
        ("x -9*", Term("9", TermKind.PREFIX)),
    ],
)
def test_other_words_and_phrases_behind_a_minus_are_left_out(typed: str, excluded: Term) -> None:
    query = parsed(typed)
    assert query.excluded == (excluded,)
    assert any(note.startswith("without lines that hold ") for note in query.notes)
    assert parsed(str(query)) == query


def test_an_excluded_word_behind_a_word_may_be_an_option_and_is_text_where_it_is_one() -> None:
    typed = "rm -rf -vi tea -milk"
    options = parsed(typed).possible_options
    assert [(one.typed, one.said.text) for one in options] == [
        ("-rf", "rm -rf"),
        ("-milk", "tea -milk"),
    ]
    query = parse_query(typed, now=NOW, options=["-rf"])
    assert query.terms == (Term("rm"), Term("-rf"), Term("tea"))
    assert query.excluded == (Term("vi"), Term("milk"))
    assert str(query) == 'rm "-rf" tea -vi -milk'
    assert parsed(str(query)) == query
    for none in ("-rf rm", "a OR -rf", "from:ada -rf", "? -rf"):
        assert parsed(none).possible_options == ()


def test_operators_restrict() -> None:
    typed = 'from:ada FROM:"bo b" In:#Tea in:mate mentions:cy has:link type:action type:JOIN tea'
    assert parsed(typed) == Query(
        clauses=(word("tea"),),
        people=("ada", "bo b"),
        channels=("#Tea", "mate"),
        mentions=("cy",),
        kinds=(MessageType.ACTION, MessageType.JOIN),
        has_link=True,
    )


@pytest.mark.parametrize(
    ("typed", "since", "until"),
    [
        ("after:2026-05-01", "2026-05-01", None),
        ("before:2026-05", None, "2026-05-01"),
        ("on:2026-05-01", "2026-05-01", "2026-05-02"),
        ("on:2026-04", "2026-04-01", "2026-05-01"),
        ("on:2025", "2025-01-01", "2026-01-01"),
        ("on:yesterday", "2026-05-05", "2026-05-06"),
        ("after:2h", "2026-05-06T12:23:05.678", None),
        ("before:3d", None, "2026-05-03T14:23:05.678"),
        ("on:2h", "2026-05-06", "2026-05-07"),
        ("on:last week", "2026-04-27", "2026-05-04"),
        ('on:"last week"', "2026-04-27", "2026-05-04"),
        ("on:monday", "2026-05-04", "2026-05-05"),
        ("on:5 may 2025", "2025-05-05", "2025-05-06"),
        ("on:3 may and 5 may", "2026-05-03", "2026-05-06"),
        ("on:sunday and monday", "2026-05-03", "2026-05-05"),
        ("on:2026-05-03 or 2026-05-05", "2026-05-03", "2026-05-06"),
        ("after:3 days ago", "2026-05-03", None),
        ("after:2026-05-01T14:00+02:00", "2026-05-01T12:00", None),
        ("after:2026-05-01 after:2026-05-03 before:today", "2026-05-03", "2026-05-06"),
    ],
)
def test_times_are_read_by_the_clock_of_the_request(
    typed: str, since: str | None, until: str | None
) -> None:
    def moment(text: str | None) -> datetime | None:
        return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None

    assert parsed(f"tea {typed}") == Query(
        clauses=(word("tea"),), since=moment(since), until=moment(until)
    )
    assert parsed(f"{typed} tea") == parsed(f"tea {typed}")


def test_a_day_begins_in_the_readers_zone() -> None:
    query = parse_query("on:2026-05-01", now=NOW, zone=AUCKLAND)
    assert query.since == datetime(2026, 4, 30, 12, tzinfo=UTC)
    assert query.until == datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert query.printed(AUCKLAND) == "after:2026-05-01 before:2026-05-02"
    assert str(query) == "after:2026-04-30T12:00:00.000Z before:2026-05-01T12:00:00.000Z"


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("", Query()),
        (' "" " ', Query()),
        ("from: ada", Query(clauses=(word("from:"), word("ada")))),
        ("login:ada", Query(clauses=(word("login:ada"),))),
        ("from:ada from:ada", Query(people=("ada",))),
        ('from:"ada', Query(people=("ada",))),
        ('from:a"b"', Query(people=('a"b',))),
        ('"green tea', Query(clauses=(phrase("green tea"),))),
        ("te\0a \ud800b", Query(clauses=(word("te"), word("a"), word("b")))),
        ("tea tea", Query(clauses=(word("tea"),))),
        ("tea ? ...", Query(clauses=(word("tea"),))),
        ("?", Query(clauses=(word("?"),))),
        ("--force", Query(clauses=(word("--force"),))),
        ("-", Query(clauses=(word("-"),))),
        ("*", Query(clauses=(word("*"),))),
        ("tea**", Query(clauses=((Term("tea", TermKind.PREFIX),),))),
        ("c++*", Query(clauses=(word("c++*"),))),
        ("a or b", Query(clauses=(word("a"), word("or"), word("b")))),
    ],
)
def test_what_is_typed_oddly_has_a_meaning_too(typed: str, query: Query) -> None:
    assert parsed(typed) == query


IDF = '\u05e6\u05d4"\u05dc'
POINTED = '\u05e6\u05d4\u05b7"\u05dc'
"""An acronym in Hebrew, with its mark before the last letter, and with a point as well."""


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        (IDF, Query(clauses=(word(IDF),))),
        (IDF.replace('"', "\u201d"), Query(clauses=(word(IDF),))),
        (f'"{IDF} tea" milk', Query(clauses=(phrase(f"{IDF} tea"), word("milk")))),
        (f'-"{IDF}" "{IDF}', Query(clauses=(phrase(IDF),), excluded=phrase(IDF))),
        (f'"{POINTED}" tea', Query(clauses=(phrase(POINTED), word("tea")))),
        (f'from:"{IDF} x" tea', Query(clauses=(word("tea"),), people=(f"{IDF} x",))),
        ('"\u8336"\u3068', Query(clauses=(phrase("\u8336"), word("\u3068")))),
        ('"green tea"milk', Query(clauses=(phrase("green tea"), word("milk")))),
    ],
)
def test_the_mark_of_a_hebrew_acronym_ends_no_phrase(typed: str, query: Query) -> None:
    assert parsed(typed) == query
    assert parsed(str(query)) == query


@pytest.mark.parametrize(
    ("typed", "text", "note"),
    [
        (
            "before:2026-02-30",
            "before:2026-02-30",
            "before:2026-02-30 was read as text: write a time as 2026-05-01",
        ),
        ("on:12", "on:12", "on:12 was read as text: write a time as 2026-05-01"),
        ("after:may 32", "after:may", None),
        ("has:file", "has:file", "has:file was read as text: the value of has: is link"),
        ('has:"a file"', "has:a file", 'has:"a file" was read as text: the value of has: is link'),
        (
            "type:poem",
            "type:poem",
            "type:poem was read as text: the values of type: are privmsg, notice",
        ),
        ("OR tea", "OR", "OR was read as text: it must be between"),
        ("tea OR", "OR", "OR was read as text: it must be between"),
        ("from:ada OR tea", "OR", "OR was read as text: it must be between"),
        ("AND tea", "AND", "AND was read as text: it must be between"),
        ("tea AND ", "AND", "AND was read as text: it must be between"),
        ("tea NOT milk", "NOT", "NOT was read as text"),
        ("from: ada", "from:", "from: was read as text: its value must follow"),
    ],
)
def test_what_looks_like_an_operator_and_is_none_is_text_and_said(
    typed: str, text: str, note: str | None
) -> None:
    query = parsed(typed)
    if note is None:
        assert query.since == datetime(2026, 5, 1, tzinfo=UTC)
        assert query.terms == word("32")
    else:
        assert text in [term.text for term in query.terms]
        assert len(query.notes) == 1
        assert query.notes[0].startswith(note)


def test_a_question_may_stress_its_not() -> None:
    query = parsed("which of them did NOT rust?")
    assert "NOT" in [term.text for term in query.terms]
    assert query.notes == ()


def test_other_notes_say_what_was_left_out() -> None:
    assert parsed('from:"" tea').notes == ("from: has no value and was ignored",)
    assert parsed("-has:link").excluded == word("has:link")
    assert "can follow a minus" in parsed("-has:link").notes[0]
    assert "no message can be both" in parsed("after:today before:yesterday").notes[0]


def test_a_thousand_branches_are_cut_short_and_said() -> None:
    query = parsed(" OR ".join(f"tea{n}" for n in range(1_000)))
    assert len(query.clauses) == 1
    assert len(query.terms) == MOST_PARTS
    assert query.notes == (f"only the first {MOST_PARTS} words, phrases and names were used",)
    assert len(parsed("from:a" + " from:b1 from:b2" * 500).people) == 3


def test_punctuation_beside_an_or_that_is_text_is_dropped() -> None:
    assert parsed("? OR").clauses == parsed('"OR"').clauses


@given(TYPED, st.sampled_from([UTC, AUCKLAND]))
@example('from:a"b in:c" d"e"', UTC)
@example("a OR b -c on:9999-12-30 OR", UTC)
@example('has:x"y -has:"z', UTC)
def test_a_query_that_is_printed_and_read_again_is_the_same(typed: str, zone: ZoneInfo) -> None:
    query = parse_query(typed, now=NOW, zone=zone)
    assert parse_query(str(query), now=NOW, zone=zone) == query
    assert parse_query(str(query), now=datetime(2031, 1, 1, tzinfo=UTC)) == query
    assert parse_query(query.printed(zone), now=NOW, zone=zone) == query


@given(TYPED)
def test_nothing_in_a_query_is_more_than_sqlite_can_hold(typed: str) -> None:
    query = parsed(typed)
    texts = [term.text for term in (*query.terms, *query.excluded)]
    for part in (*texts, *query.channels, *query.people, *query.mentions, *query.notes):
        assert "\0" not in part
        part.encode()


def test_a_query_prints_every_operator_as_it_is_typed() -> None:
    typed = (
        'tea OR "soy milk" te* -cup -from:bo -in:#mate from:"a b" in:#tea mentions:cy'
        " type:action type:join has:link after:2026-05-01 before:2026-06-01"
    )
    query = parsed(typed)
    assert query.printed(UTC) == (
        'tea OR "soy milk" te* -cup from:"a b" -from:bo in:#tea -in:#mate mentions:cy'
        " type:action type:join has:link after:2026-05-01 before:2026-06-01"
    )
    assert str(query).endswith("after:2026-05-01T00:00:00.000Z before:2026-06-01T00:00:00.000Z")
    assert parsed("after:2h").printed(UTC) == "after:2026-05-06T12:23:05.678Z"


def test_a_time_takes_the_words_that_belong_to_it_and_no_more() -> None:
    assert parsed("on:5 may 2025 tea").terms == word("tea")
    assert parsed("on:monday tea").terms == word("tea")
    assert parsed("after:3 days ago tea").terms == word("tea")
    assert parsed("after:yesterday -tea").excluded == word("tea")
    assert parsed('after:last week "tea"').terms == phrase("tea")
    assert parsed("after:last week from:ada").people == ("ada",)
    assert parsed("after:2h ago").terms == word("ago")
    assert parsed('after:"3 days" ago').terms == word("ago")
    assert parsed("on:friday a b").terms == (Term("a"), Term("b"))


@pytest.mark.parametrize(
    ("typed", "since"),
    [
        ("2026-05-01 10:00", "2026-05-01T10:00"),
        ("2026-05-01 9:30", "2026-05-01T09:30"),
        ("2026-05-01 10:00:30", "2026-05-01T10:00:30"),
        ("2026-05-01 10:00Z", "2026-05-01T10:00"),
        ("2026-05-01 10:00+02:00", "2026-05-01T08:00"),
        ("2026-05-01 at 20:00", "2026-05-01T20:00"),
        ("2026-05-01 8pm", "2026-05-01T20:00"),
        ("2026-05-01 8 PM", "2026-05-01T20:00"),
        ("2026-05-01 00:00", "2026-05-01"),
        ("2026-05-01, 10:00", "2026-05-01T10:00"),
        ("yesterday 20:00", "2026-05-05T20:00"),
        ("yesterday at 20:00", "2026-05-05T20:00"),
        ("yesterday noon", "2026-05-05T12:00"),
        ("5 may 12:00", "2026-05-05T12:00"),
        ("may 5 2025 12:00", "2025-05-05T12:00"),
        ("this monday 12:00", "2026-05-04T12:00"),
        ("last friday at 8:15 am", "2026-05-01T08:15"),
        ("the 24th of november 2025 at 8 pm", "2025-11-24T20:00"),
        ("20:00 yesterday", "2026-05-05T20:00"),
    ],
)
def test_a_time_of_day_behind_a_day_belongs_to_it(typed: str, since: str) -> None:
    moment = datetime.fromisoformat(since).replace(tzinfo=UTC)
    for key, found in ("after", "since"), ("before", "until"):
        for behind in (" tea", ", tea", " from:ada tea", ' "tea"', ") tea"):
            query = parsed(f"{key}:{typed}{behind}")
            assert getattr(query, found) == moment, query
            assert query.question == "tea"
            assert not query.notes
    assert parsed(f"({key}:{typed})").clauses == ()


def test_two_days_with_their_times_are_a_part_of_them() -> None:
    query = parsed("in:#tea after:2026-05-01 10:00 before:2026-05-02 21:30")
    assert (
        query.printed(UTC)
        == "in:#tea after:2026-05-01T10:00:00.000Z before:2026-05-02T21:30:00.000Z"
    )
    on = parsed("on:2026-05-01 10:00 tea")
    assert on == parsed("on:2026-05-01 tea")
    assert on.notes == ("on:2026-05-01 10:00 is the whole of that day; after: begins then",)


@pytest.mark.parametrize(
    ("time", "left"),
    [
        ("yesterday", "25:00"),
        ("last week", "10:00"),
        ("2026-05", "10:00"),
        ("2h", "10:00"),
        ('"2026-05-01"', "10:00"),
    ],
)
def test_a_time_of_day_that_belongs_to_no_day_is_said_to_be_text(time: str, left: str) -> None:
    query = parsed(f"after:{time} {left} tea")
    assert query.since == parsed(f"after:{time}").since
    assert query.terms == (Term(left), Term("tea"))
    assert query.notes == (
        f"{left} was read as text: write a time of day behind its day, as after:2026-05-01 14:00",
    )


@pytest.mark.parametrize("zone", ["CEST", "CET", "+02:00", "+0200", "-05:00"])
@pytest.mark.parametrize("time", ["2026-05-01 10:00", '"2026-05-01 10:00"', "2026-05-01T10:00"])
def test_a_zone_apart_from_its_time_is_said_to_be_text(time: str, zone: str) -> None:
    query = parsed(f"before:{time} {zone} tea")
    assert query.until == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert query.terms == (Term(zone), Term("tea"))
    assert query.notes[0] == (
        f"{zone} was read as text:"
        " write an offset directly behind its time, as after:2026-05-01 14:00+02:00"
    )
    assert parsed("before:2026-05-01 CEST").notes == ()


def test_several_who_must_all_be_named_are_said_to_be() -> None:
    note = "a line must name everyone after mentions:; to find any of them, search for each"
    assert parsed("mentions:june,tomek").notes == (note,)
    assert note in parsed("mentions:june OR mentions:tomek").notes
    assert parsed("mentions:june mentions:june").notes == ()


@pytest.mark.parametrize("words", ["12 monkeys", "16.04", "8 pmx", "10:00pm:x", "at home", "x:1"])
def test_what_is_no_time_of_day_is_text_behind_a_day(words: str) -> None:
    query = parsed(f"after:2026-05-01 {words}")
    assert query.since == datetime(2026, 5, 1, tzinfo=UTC)
    assert query.question == words
    assert query.notes == ()


SWALLOWED_BEFORE = """apt git net get set bot cat cut art ant most must cost just about cant from
    now one two second s3 sun mar 16.04 12 5"""


@pytest.mark.parametrize("time", ["yesterday", "tuesday", "today"])
def test_a_word_behind_a_time_is_no_part_of_it(time: str) -> None:
    for words in SWALLOWED_BEFORE.split():
        assert parsed(f"on:{time} {words}").terms == word(words)


@pytest.mark.parametrize(
    "time",
    [
        "the week of 3 may 2022",
        "a couple of weeks ago",
        "new year's eve",
        "last weekend",
        "the last 3 days",
        "first half of 2022",
        "fri 5 may 2017",
        "yesterday evening",
    ],
)
def test_a_time_of_several_words_is_taken_whole(time: str) -> None:
    found = parsed(f"on:{time} tea")
    assert found.terms == word("tea")
    assert found.since is not None
    assert parsed("on:yesterday 2 pm tea").terms == word("tea")


def test_at_most_eight_times_are_read() -> None:
    query = parsed(" ".join(f"after:2026-04-{day:02}" for day in range(1, 11)))
    assert query.since == datetime(2026, 4, 8, tzinfo=UTC)
    assert [term.text for term in query.terms] == ["after:2026-04-09", "after:2026-04-10"]
    assert parsed("on:2026-04-01 " * 8 + "on:2026-04-02").terms == word("on:2026-04-02")


def test_long_text_in_a_note_is_cut_after_forty_characters() -> None:
    forty, longer = f"has:{'x' * 36}", f"has:{'x' * 37}"
    assert parsed(forty).notes == (f"{forty} was read as text: the value of has: is link",)
    assert parsed(longer).notes == (f"{forty}... was read as text: the value of has: is link",)


TYPES = ["privmsg", "notice", "action", "join", "part", "quit", "nick", "kick", "mode", "topic"]
READ_AS_TEXT = [
    ("tea AND AND", "AND was read as text: it must be between two words or phrases"),
    ("tea NOT x", "NOT was read as text: -word excludes messages with the word"),
    ("OR", "OR was read as text: it must be between two words or phrases"),
    ("from:", "from: was read as text: its value must follow the colon directly"),
    ("type:x", f"type:x was read as text: the values of type: are {', '.join(TYPES)}"),
    ("on:12", "on:12 was read as text: write a time as 2026-05-01, 2026-05, yesterday or 2h"),
]
OTHER_NOTES = [
    ('-in:""', "-in: has no value and was ignored"),
    ("-milk", 'without lines that hold milk; "-milk" in quotes is text'),
    ('-"soy milk" -su*', 'without lines that hold "soy milk" or su*'),
    (
        '-"a b" -bb -cc -dd -ee',
        'without lines that hold "a b", bb, cc, dd or others; "-bb" in quotes is text',
    ),
    ("kill -9", '-9 was read as text: -"9" excludes the lines that hold 9'),
    ("did they run rm -rf?", '-rf was read as text: -"rf" excludes the lines that hold rf'),
    (
        "after:2026-05-02 before:2026-05-02",
        "no message can be both after and before these times",
    ),
]


@pytest.mark.parametrize(("typed", "note"), READ_AS_TEXT + OTHER_NOTES)
def test_a_note_is_a_sentence_that_names_the_way_out(typed: str, note: str) -> None:
    assert parsed(typed).notes == (note,)


@pytest.mark.parametrize(
    "typed",
    [
        "has:link HAS:LINK -from:x tea",
        "after:2026-05-01 before:2026-05-02",
        "login:ada",
        "a -> b",
        "x -_-",
    ],
)
def test_what_is_understood_needs_no_note(typed: str) -> None:
    assert parsed(typed).notes == ()


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("from\uff1a\u592a\u90ce tea", "from:\u592a\u90ce tea"),
        ("-In\uff1a#mate -from\uff1aada tea", "-in:#mate -from:ada tea"),
        (
            "tea mentions\uff1abo has\uff1alink type\uff1aaction",
            "tea mentions:bo has:link type:action",
        ),
        (
            "tea after\uff1a2026-05-01 14:00 is\uff1acommand",
            "tea after:2026-05-01 14:00 is:command",
        ),
        ("tea on:\u0662\u0660\u0662\u0666-\u0660\u0665-\u0660\u0661", "tea on:2026-05-01"),
        ("tea before:\uff12\uff10\uff12\uff16-\uff10\uff15", "tea before:2026-05"),
        ("tea after:\u0663 days ago", "tea after:3 days ago"),
    ],
)
def test_other_keyboards_have_another_colon_and_other_digits(typed: str, same: str) -> None:
    assert parsed(typed) == parsed(same)
    assert parsed(typed).notes == ()


def test_an_or_joins_only_the_terms_beside_it() -> None:
    assert parsed("a OR b c OR d").clauses == (
        (Term("a"), Term("b")),
        (Term("c"), Term("d")),
    )
    assert parsed("a OR OR b").clauses == (word("a"), (Term("OR", TermKind.PHRASE), Term("b")))
    assert parsed("a -OR b").excluded == word("OR")
    assert parsed("a OR a b").clauses == (word("a"), word("b"))
    assert parsed("a OR -bo c").clauses == (word("a"), phrase("OR"), word("c"))


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("from:@ada", Query(people=("ada",))),
        ("-from:<ada>", Query(excluded_people=("ada",))),
        ("from:ada: tea", Query(clauses=(word("tea"),), people=("ada",))),
        ('mentions:"+bo b"', Query(mentions=("bo b",))),
        ("from:<Jane#1234>", Query(people=("Jane",))),
        ("from:@", Query(people=("@",))),
        ("from:ada,bo, tea", Query(clauses=(word("tea"),), people=("ada", "bo"))),
        ('from:"ada,bo"', Query(people=("ada,bo",))),
        ("in:#tea,mate", Query(channels=("#tea", "mate"))),
        ("-in:#tea,#mate", Query(excluded_channels=("#tea", "#mate"))),
        ("type:join,part", Query(kinds=(MessageType.JOIN, MessageType.PART))),
        ("from:ada OR from:bo", Query(people=("ada", "bo"))),
        ("(from:ada OR from:bo) tea", Query(clauses=(word("tea"),), people=("ada", "bo"))),
        ("((in:#tea OR in:#tea(2)))", Query(channels=("#tea", "#tea(2)"))),
        ("(-from:ada)", Query(excluded_people=("ada",))),
        (
            "a OR b from:ada OR from:bo c",
            Query(clauses=((Term("a"), Term("b")), word("c")), people=("ada", "bo")),
        ),
        (
            "after:2026-05-01, type:join; tea",
            Query(
                clauses=(word("tea"),),
                kinds=(MessageType.JOIN,),
                since=datetime(2026, 5, 1, tzinfo=UTC),
            ),
        ),
        ("\u201cgreen tea\u201d", Query(clauses=(phrase("green tea"),))),
        ("from:\u201eada b\u201c", Query(people=("ada b",))),
        ("\u300c\u94a5\u5319\u300d", Query(clauses=(phrase("\u94a5\u5319"),))),
        (
            "\u8c01\u6709\u300c\u94a5\u5319\u300d\u554a \uff1f",
            Query(clauses=(word("\u8c01\u6709"), phrase("\u94a5\u5319"), word("\u554a"))),
        ),
        (
            "from:\u0623\u062d\u0645\u062f\u060c tea",
            Query(clauses=(word("tea"),), people=("\u0623\u062d\u0645\u062f",)),
        ),
        (
            "\u0915\u093f*",
            Query(clauses=((Term("\u0915\u093f", TermKind.PREFIX),),)),
        ),
    ],
)
def test_people_and_channels_are_read_as_models_and_phones_write_them(
    typed: str, query: Query
) -> None:
    assert parsed(typed) == query
    assert parsed(typed).notes == ()
    assert parsed(str(query)) == query


@pytest.mark.parametrize("typed", ["from:ada OR in:#tea", "-from:ada OR -from:bo", "from:ada OR"])
def test_an_or_between_operators_that_must_all_hold_is_text(typed: str) -> None:
    query = parsed(typed)
    assert query.clauses == (phrase("OR"),)
    assert query.notes == ("OR was read as text: it must be between two words or phrases",)


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("tea AND milk", "tea milk"),
        ("tea AND from:ada AND -milk", "tea from:ada -milk"),
        ("a OR b AND c", "a OR b c"),
        ("*tea*", "tea*"),
        ("**green-tea*", "green-tea*"),
    ],
)
def test_signs_of_other_searches_mean_what_they_mean_there(typed: str, same: str) -> None:
    assert parsed(typed) == parsed(same)
    assert parsed(typed).notes == parsed(same).notes
    assert parsed(str(parsed(typed))) == parsed(typed)


def test_of_many_names_in_one_value_the_first_are_read() -> None:
    query = parsed("tea from:" + ",".join(f"n{n}" for n in range(100)))
    assert len(query.people) == 63
    assert query.notes == ("only the first 64 words, phrases and names were used",)


def test_a_query_counts_names_terms_and_exclusions_up_to_sixty_four() -> None:
    sixty_four = " ".join([*(f"w{n}" for n in range(32)), *(f'-"x{n}"' for n in range(16))])
    sixty_four += " " + " ".join(f"from:n{n}" for n in range(16))
    left_out = 'without lines that hold "x0", "x1", "x2", "x3" or others'
    assert parsed(sixty_four).notes == (left_out,)
    query = parsed(f"{sixty_four} tea")
    assert Term("tea") not in query.terms
    assert query.notes == ("only the first 64 words, phrases and names were used", left_out)


def test_without_a_clock_a_query_is_read_by_the_present() -> None:
    began = datetime.now(UTC)
    since = parse_query("after:1h").since
    assert since is not None
    assert abs((began - since).total_seconds() - 3_600) < 60


def test_formatting_codes_are_no_part_of_a_query() -> None:
    assert parsed("\x02tea\x0f from:\x0304ada") == parsed("tea from:ada")


def test_a_link_that_is_asked_for_stays_asked_for() -> None:
    assert parsed("has:link has:file").has_link
    assert not parsed("has:file").has_link


MANY = 100_000
HUGE = {
    "or": "OR " * MANY,
    "branches": " OR ".join(f"tea{n}" for n in range(MANY)),
    "words": " ".join(f"tea{n}" for n in range(MANY)),
    "excluded": " ".join(f"-tea{n}" for n in range(MANY)),
    "phrases": '"green tea" ' * MANY,
    "quotes": '"' * MANY,
    "empty phrases": '"" ' * MANY,
    "a phrase without end": '"' + "tea " * MANY,
    "minuses": "-" * MANY,
    "prefixes": "t*" * MANY,
    "stars": "*" * MANY,
    "a word of stars": "a" + "*" * MANY + "b",
    "from": " ".join(f"from:nick{n}" for n in range(MANY)),
    "in": "in:#tea " * MANY,
    "mentions": " ".join(f"mentions:nick{n}" for n in range(MANY)),
    "has": "has:link " * MANY,
    "not has": "has:tea " * MANY,
    "type": "type:action " * MANY,
    "empty values": 'from:"" ' * MANY,
    "no values": "from: " * MANY,
    "colons": ":" * MANY,
    "operators in one word": "from:" * MANY,
    "dates": "on:2026-05-01 " * MANY,
    "dates in words": "after:last week " * MANY,
    "no dates": " ".join(f"on:tea{n} b c d" for n in range(MANY)),
    "times of day after a date": "on:friday " + "10:00 " * MANY,
    "times of day after dates": "on:2026-05-01 10:00 11:00 12:00 13:00 14:00 15:00 16:00 a " * MANY,
    "one word after a date": "on:friday " + "a" * MANY + "!",
    "words after a date": "on:friday " + "a! " * MANY,
    "brackets": "(" * MANY + ")" * MANY,
    "operators in brackets": "(from:ada) " * MANY,
    "brackets behind a value": "from:ada" + ")" * MANY,
    "names in one value": "from:" + ",".join(f"nick{n}" for n in range(MANY)),
    "spaces": " " * MANY,
    "spaces after a date": "on:friday" + " " * MANY + ":",
    "emoji": "\U0001f375 " * MANY,
    "combining characters": "e" + "\u0301" * MANY,
    "Chinese": "\u8336" * MANY,
    "surrogates": "\ud800" * MANY,
    "formatting": "\x0304,01" * MANY,
    "punctuation": "?! " * MANY,
}


@pytest.mark.parametrize("what", HUGE)
def test_a_huge_query_is_read_within_a_second_and_is_small_afterwards(what: str) -> None:
    parsed("on:yesterday")  # loads the library that reads dates
    began = time.thread_time()
    query = parsed(HUGE[what])
    printed = str(query)
    assert time.thread_time() - began < 1
    assert len(printed) < 2 * MOST_CHARACTERS
    assert len(query.notes) <= MOST_PARTS + 2
    assert any(note.startswith("only the first") for note in query.notes)


def test_a_long_query_is_cut_between_two_words_and_that_is_said() -> None:
    long = "tea " + " ".join(["word" * 50] * 12)
    assert parsed(long[:MOST_CHARACTERS]).notes == ()
    query = parsed(long)
    assert query.notes == ("only the first 2,000 characters of the query were read",)
    assert query.terms == (Term("tea"), *[Term("word" * 50)])
    assert parsed("x" * 3_000).terms == (Term("x" * MOST_CHARACTERS),)


@pytest.mark.parametrize(("typed", "names_times"), [
    ("tea after:2h", True), ("-ON:monday", True), ("tea afternoon:", False), ("tea", False),
    ("on\uff1amonday", True),
])  # fmt: skip
def test_a_query_that_may_name_times_is_recognised(typed: str, *, names_times: bool) -> None:
    assert may_name_times(typed) == names_times


def test_commands_to_the_bot_are_asked_for() -> None:
    assert parse_query("is:command heater").only_commands
    assert parse_query("IS:Command").only_commands
    assert str(parse_query("is:command heater")) == "heater is:command"
    assert not parse_query("heater").only_commands
    odd = parse_query("is:bot")
    assert odd.question == "is:bot"
    assert odd.notes == ("is:bot was read as text: the value of is: is command",)
    assert not parse_query("-is:command").only_commands
    assert parse_query("the problem is: heat").notes == ()


def test_a_moment_is_printed_in_the_readers_zone_and_read_again_as_the_same() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    for text, printed in [
        ("after:2026-10-25T00:30Z", "after:2026-10-25T02:30+02:00"),
        ("after:2026-10-25T01:30:05Z", "after:2026-10-25T02:30:05.000+01:00"),
        ("after:2026-05-01", "after:2026-05-01"),
    ]:
        query = parse_query(text, now=NOW, zone=berlin)
        assert query.printed(berlin) == printed
        assert parse_query(printed, now=NOW, zone=berlin) == query


def test_an_asterisk_alone_is_told_how_to_list_every_line() -> None:
    assert parsed("*").notes == ("* was read as text: an empty query lists every line",)


def test_a_timed_query_is_told_from_one_with_words() -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    timed = ("", "after:2026 before:2027", "in:#tea -in:#mate on:yesterday")
    assert all(parse_query(one, now=now).is_only_timed for one in timed)
    others = ("tea", "from:ada", "has:link", "type:join", "-tea", "is:command", "mentions:ada")
    assert not any(parse_query(one, now=now).is_only_timed for one in others)

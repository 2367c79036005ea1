"""An answer becomes lines that fit, say whose they are, and command nobody."""

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.defusing import Unaddressed
from terrarium_mcp.chat.irctext import harmless, is_off_record
from terrarium_mcp.irc_bridge.answer.reply import SHOWN, Reply, refitted
from tests.irc_bridge.answer.replies import cleaned, continued, replied

NOTE = re.compile(r" \((\d+) more: .{1,6}more\)$")
NICKS = st.from_regex(r"[a-z\[\]\\`_^{}|!][a-z0-9]{0,15}", fullmatch=True)


def test_the_first_line_is_addressed_and_marked() -> None:
    reply = replied(["Ada did.", "On Monday."], to="bob", line_bytes=400)
    assert reply.now == ("bob: [LLM] Ada did.", "| [LLM] On Monday.")
    assert reply.more == ()


def test_without_nick_or_mark_there_is_none() -> None:
    assert replied(["Ada did."], to="", line_bytes=400).now == ("[LLM] Ada did.",)
    assert replied(["Ada did."], to="bob", mark="", line_bytes=400).now == ("bob: Ada did.",)
    plain = replied(["pong", "tea"], to="", mark="", line_bytes=400)
    assert plain.now == ("pong", "| tea")
    assert replied(["!kick ada"], to="", mark="", line_bytes=400).now == ("| !kick ada",)


def test_off_the_record_every_line_says_so_and_has_its_mark() -> None:
    reply = replied(["a", "b", "c", "d", "e"], to="bob", line_bytes=400, off_record=True)
    assert reply.now == (
        "[off] bob: [LLM] a",
        "[off] | [LLM] b",
        "[off] | [LLM] c",
        "[off] | [LLM] d (1 more: !more)",
    )
    assert continued(reply, line_bytes=400).now == ("[off] | [LLM] e",)


def test_names_in_code_and_links_stay_and_in_prose_are_defused() -> None:
    bo = Unaddressed(frozenset({"bo"}), str.lower)
    text = (
        "Bo, run `bo --now` or see [Bo](https://bo.example).\n\n```\nbo.start()\n```\n"
        "\ufdd0 <https://bo.example/bo>\n> | bo | x |"
    )
    lines = cleaned(text, defused=bo.defused)
    assert [line.replace("\u200d", ".") for line in lines] == [
        "B.o, run bo --now or see B.o <https://bo.example>.",
        "bo.start()",
        "https://bo.example/bo",
        "> | b.o | x |",
    ]


def test_an_empty_answer_is_an_empty_reply() -> None:
    assert replied([], to="bob", line_bytes=400).now == ()


def test_the_fourth_line_says_how_many_more_there_are() -> None:
    reply = replied([f"line {n}" for n in range(1, 8)], to="bob", line_bytes=400)
    assert reply.now[-1] == "| [LLM] line 4 (3 more: !more)"
    assert continued(reply, line_bytes=400).now == tuple(f"| [LLM] line {n}" for n in (5, 6, 7))


def test_four_lines_need_no_note() -> None:
    reply = replied(["a", "b", "c", "d"], to="bob", line_bytes=400)
    assert reply.now == ("bob: [LLM] a", "| [LLM] b", "| [LLM] c", "| [LLM] d")
    assert reply.more == ()


def test_what_the_note_displaces_comes_first_under_more() -> None:
    lines = ["a", "b", "c", "word " * 11 + "word", "last"]
    reply = replied(lines, to="bob", line_bytes=75)
    assert reply.now[3] == "| [LLM] word word word word word word word word word (2 more: !more)"
    rest = continued(reply, line_bytes=75)
    assert rest.now == ("| [LLM] word word word", "| [LLM] last")


def test_what_the_note_displaces_is_filled_up_from_what_follows_it() -> None:
    sentences = " ".join(f"Sentence {n} is about the kettle." for n in range(60))
    reply, pages = replied([sentences], to="bob", line_bytes=200), list[tuple[str, ...]]()
    while reply.more:
        pages.append(reply.now)
        reply = continued(reply, line_bytes=200)
    lines = [line for page in [*pages, reply.now] for line in page]
    assert len(lines) == 12
    assert [line for line in lines[:-1] if len(line) < 200 - len(" (9999 more: !more)") - 40] == []


def test_every_line_that_is_not_to_be_recorded_says_so() -> None:
    words = ["word " * 60 + "word", "last"]
    reply = replied(words, to="bob", line_bytes=72, off_record=True)
    assert reply.now[0].startswith("[off] bob: [LLM] word")
    rest = continued(reply, line_bytes=40)
    assert len(rest.now) > 1
    assert all(is_off_record(line) for line in (*reply.now, *rest.now))


def test_a_page_of_the_rest_ends_like_the_first() -> None:
    kept = Reply((), tuple(str(n) for n in range(6)))
    page = continued(kept, line_bytes=400, prefix=".")
    assert page.now == ("| 0", "| 1", "| 2", "| 3 (2 more: .more)")
    assert continued(page, line_bytes=400) == Reply(("| 4", "| 5"), texts=("4", "5"))


def test_japanese_fits_in_bytes_not_in_characters() -> None:
    reply = replied(["これは長い答えです。" * 80], to="bob", line_bytes=400)
    assert len(reply.now) == 4
    assert all(len(line.encode()) <= 400 for line in reply.now)


def test_a_prefix_that_is_our_own_mark_is_avoided() -> None:
    reply = replied(["one", "two"], to="|bob", line_bytes=400, prefix="|")
    assert reply.now == ("· |bob: [LLM] one", "· [LLM] two")


@given(
    text=st.text()
    | st.lists(st.sampled_from(["!kick", "\x01", "漢字", "👩‍💻", "tea.", "\n"])).map(" ".join),
    to=NICKS,
    line_bytes=st.integers(80, 450),
    prefix=st.sampled_from(["!", ".", "|", "·", "terra "]),
)
def test_lines_fit_lose_nothing_and_command_nobody(
    text: str, to: str, line_bytes: int, prefix: str
) -> None:
    lines = cleaned(text * 20, asker=to)
    reply = replied(lines, to=to, line_bytes=line_bytes, prefix=prefix)
    assert len(reply.now) <= SHOWN
    pages = _all_pages(reply, line_bytes, prefix)
    everything = [line for page in pages for line in page]
    assert all(len(line.encode()) <= line_bytes for line in everything)
    assert not any(line.startswith((prefix, "\x01")) for line in everything)
    assert _words(pages, to, reply.continuation) == _squeezed("".join(lines))


@given(
    st.lists(st.text(alphabet="ab .", min_size=1, max_size=300), min_size=1),
    st.integers(80, 200),
)
def test_the_note_tells_the_truth_page_after_page(lines: list[str], line_bytes: int) -> None:
    reply = replied(lines, to="bob", line_bytes=line_bytes)
    told, said = [], [len(reply.now)]
    while reply.more:
        note = NOTE.search(reply.now[-1])
        assert note
        told.append(int(note[1]))
        reply = continued(reply, line_bytes=line_bytes)
        said.append(len(reply.now))
    assert told == [sum(said[page:]) for page in range(1, len(said))]
    assert set(said[:-1]) <= {SHOWN}


URL = "https://example.org/" + "a" * 50


def test_a_link_that_fits_a_line_is_on_one_line() -> None:
    reply = replied([f"Ada said so in <{URL}>, on Monday."], to="bob", line_bytes=85)
    assert reply.now == (
        "bob: [LLM] Ada said so in",
        f"| [LLM] <{URL}>, on",
        "| [LLM] Monday.",
    )


@pytest.mark.parametrize("before", ["", "See ", "There are a few words before it: ", "ここを見て"])
@pytest.mark.parametrize("nick", ["bob", "b" * 30])
def test_a_link_that_fits_a_line_is_whole_however_long_the_nick_of_its_asker_is(
    before: str, nick: str
) -> None:
    line_bytes = len(f"| {URL}")
    reply = replied([f"{before}{URL} there"], to=nick, mark="", line_bytes=line_bytes)
    assert reply.now == (f"{nick}: {before}".rstrip(), f"| {URL}", "| there")


def test_a_word_longer_than_a_line_begins_behind_the_nick_of_the_asker() -> None:
    reply = replied([f"See {'x' * 100}"], to="bob", mark="", line_bytes=60)
    assert reply.now == (f"bob: See {'x' * 51}", f"| {'x' * 49}")


def test_a_longer_link_is_marked_where_it_is_cut_and_nothing_of_it_is_lost() -> None:
    reply = replied([f"See {URL}{URL} there"], to="bob", line_bytes=90)
    assert [line.endswith(" …") for line in reply.now] == [True, False]
    said = "".join(line.removeprefix("| [LLM] ").removesuffix(" …") for line in reply.now)
    assert said == f"bob: [LLM] See {URL}{URL} there"


def test_a_link_that_leaves_no_room_for_the_note_comes_whole_under_more() -> None:
    lines = ["a", "b", "c", URL, "d"]
    reply = replied(lines, to="bob", mark="", line_bytes=len(f"bob: {URL}"))
    assert reply.now == ("bob: a", "| b", "| c", "| (2 more: !more)")
    assert continued(reply, line_bytes=len(f"bob: {URL}")).now == (f"| {URL}", "| d")


def test_a_word_that_fits_no_line_is_cut_also_before_the_note() -> None:
    reply = replied(["x" * 1000], to="bob", line_bytes=100)
    assert len(reply.now) == 4
    assert reply.now[-1].startswith("| [LLM] xxxxxxxx")
    assert reply.now[-1].endswith("x (8 more: !more)")


def test_of_an_answer_without_end_the_start_is_said_and_the_cut_is_told() -> None:
    lines = cleaned("tea at four. " * 15_400)
    assert sum(map(len, lines)) < 16_100
    assert lines[-2].endswith("tea at four.")
    assert cleaned("\U0001f469\u200d\U0001f4bb" * 9000)[0].endswith("\u200d\U0001f4bb")
    assert lines[-1] == "(cut here: the answer has 200,200 characters)"


def test_of_an_answer_in_thousands_of_lines_the_first_are_said() -> None:
    lines = cleaned("a\n" * 5000)
    assert lines[249:] == ["a", "(cut here: the answer has 10,000 characters)"]


def test_blanks_without_end_are_not_said() -> None:
    assert cleaned(" " * 32_000) == []
    assert cleaned("tea" + " " * 32_000) == ["tea"]


def test_what_was_kept_fits_also_if_our_mask_has_grown_meanwhile() -> None:
    lines = ["a", "b", "c", "d", "tea " * 12 + "x", "e"]
    reply = replied(lines, to="bob", line_bytes=80, off_record=True)
    assert reply.now[-1] == "[off] | [LLM] d (2 more: !more)"
    assert continued(reply, line_bytes=53).now == (
        "[off] | [LLM] tea tea tea tea tea tea tea tea tea tea",
        "[off] | [LLM] tea tea x",
        "[off] | [LLM] e",
    )


@pytest.mark.parametrize("text", [" ", "\n\t\u2028", "---", "\u200b\u202e", "\x02\x1f\x0304\0"])
def test_an_answer_that_shows_nothing_is_none(text: str) -> None:
    assert cleaned(text) == []


def test_an_answer_can_send_no_command_to_the_server() -> None:
    lines = cleaned("Ada did.\r\nQUIT :bye\r\nJOIN #mate\n\x01DCC SEND x\x01")
    reply = replied(lines, to="bob", line_bytes=400)
    assert reply.now == (
        "bob: [LLM] Ada did.",
        "| [LLM] QUIT :bye",
        "| [LLM] JOIN #mate",
        "| [LLM] DCC SEND x",
    )


LONG = st.lists(
    st.sampled_from(
        [
            *(
                "漢字仮名交じり文。",
                "Съешь ещё этих мягких булок.",
                "क्षत्रिय",
                "한국어",
                "e\u0301\u0323",
            ),
            *(
                "👩‍👩‍👧‍👦",
                "🇩🇪🇯🇵",
                "👍🏽",
                "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
            ),
            *(URL, f"<{URL}/ж>,", URL * 9, "    return x", "word", ". ", " ", "  "),
        ]
    ),
    max_size=60,
).map("".join)


@given(
    st.lists(LONG, min_size=1, max_size=8), st.integers(120, 450), st.sampled_from(["", "[LLM]"])
)
def test_over_many_pages_everything_is_said_once_and_no_character_is_broken(
    answer: list[str], line_bytes: int, mark: str
) -> None:
    lines = [line for line in (harmless(line).rstrip() for line in answer) if line]
    reply = replied(lines, to="bob", mark=mark, line_bytes=line_bytes)
    said = list(reply.now)
    while reply.more:
        reply = continued(reply, line_bytes=line_bytes)
        assert len(reply.now) <= SHOWN
        said += reply.now
    assert all(len(line.encode()) <= line_bytes for line in said)
    words = [_unframed(line, mark) for line in said]
    assert _squeezed("".join(words)) == _squeezed("".join(lines))
    assert _graphemes("".join(lines)) == [one for line in words for one in _graphemes(line)]


@given(st.text(alphabet="#*_-+>`|[]()<!~&;\\1.) \n\tab😀:/"))
def test_no_markdown_is_an_error_and_no_line_is_empty(text: str) -> None:
    assert all(line.strip() and "\n" not in line for line in cleaned(text))


def _all_pages(reply: Reply, line_bytes: int, prefix: str) -> list[tuple[str, ...]]:
    """The lines of a reply, page after page."""
    pages = [reply.now]
    while reply.more:
        reply = continued(reply, line_bytes=line_bytes, prefix=prefix)
        pages.append(reply.now)
    return pages


def _words(pages: list[tuple[str, ...]], to: str, continuation: str) -> str:
    """All that a reply says, without what we put around it."""
    noted = [(*page[:-1], NOTE.sub("", page[-1])) for page in pages[:-1]]
    everything = [line for page in [*noted, pages[-1]] for line in page]
    begin = rf"(?:[|·] )?{re.escape(to)}: \[LLM\](?: |$)"
    first = [re.sub(begin, "", line) for line in everything[:1]]
    rest = [line.removeprefix(continuation.rstrip()) for line in everything[1:]]
    return _squeezed("".join([*first, *rest]))


def _unframed(line: str, mark: str) -> str:
    """A line of a reply to bob without what we put around it."""
    return re.sub(rf"^(?:bob:|\|) ?(?:{re.escape(mark)} ?)?", "", NOTE.sub("", line)).removesuffix(
        " …"
    )


def _graphemes(text: str) -> list[str]:
    return [one for one in regex.findall(r"\X", text) if one.strip()]


def _squeezed(text: str) -> str:
    return text.replace(" ", "")


def test_a_line_that_fits_still_is_said_as_it_is() -> None:
    reply = replied(["tea at four"], to="ada", line_bytes=60)
    assert refitted(reply.now[0], reply, line_bytes=len(reply.now[0])) == [reply.now[0]]


@given(st.text(alphabet="ab !|茶", min_size=1, max_size=400), st.integers(60, 90), st.booleans())
def test_a_line_for_which_our_mask_has_grown_is_said_in_lines_of_its_kind(
    text: str, line_bytes: int, off_record: bool
) -> None:
    lines = [text, *["kept back"] * 4]
    reply = replied(lines, to="ada", line_bytes=120, off_record=off_record)
    for line in reply.now:
        first, *others = refitted(line, reply, line_bytes=line_bytes)
        begin = reply.continuation.rstrip()
        assert all(one.startswith(begin) for one in others)
        assert max(len(one.encode()) for one in (first, *others)) <= line_bytes
        whole = first + "".join(one.removeprefix(begin) for one in others)
        assert whole.replace(" ", "") == line.replace(" ", "")
    assert refitted(reply.now[-1], reply, line_bytes=line_bytes)[-1].endswith("more: !more)")

"""An answer becomes lines that fit, say whose they are, and command nobody."""

import re

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.defusing import Unaddressed
from terrarium_mcp.chat.irctext import is_off_record
from terrarium_mcp.irc_bridge.answer.reply import Reply, clean_answer, paged, reply_lines

NOTE = re.compile(r" \((\d+) more: .{1,6}more\)$")
NICKS = st.from_regex(r"[a-z\[\]\\`_^{}|!][a-z0-9]{0,15}", fullmatch=True)


def test_the_first_line_is_addressed_and_marked() -> None:
    reply = reply_lines(["Ada did.", "On Monday."], to="bob", line_bytes=400)
    assert reply == Reply(("bob: [LLM] Ada did.", "| [LLM] On Monday."), continuation="| [LLM] ")


def test_without_nick_or_mark_there_is_none() -> None:
    assert reply_lines(["Ada did."], to="", line_bytes=400).now == ("[LLM] Ada did.",)
    assert reply_lines(["Ada did."], to="bob", mark="", line_bytes=400).now == ("bob: Ada did.",)
    assert reply_lines(["!kick ada"], to="", mark="", line_bytes=400).now == ("| !kick ada",)


def test_off_the_record_every_line_says_so_and_has_its_mark() -> None:
    reply = reply_lines(["a", "b", "c"], to="bob", line_bytes=400, shown=2, off_record=True)
    assert reply.now == ("[off] bob: [LLM] a", "[off] | [LLM] b (1 more: !more)")
    assert reply.more == ("[off] | [LLM] c",)


def test_names_in_code_and_links_stay_and_in_prose_are_defused() -> None:
    bo = Unaddressed(frozenset({"bo"}), str.lower)
    text = (
        "Bo, run `bo --now` or see [Bo](https://bo.example).\n\n```\nbo.start()\n```\n"
        "\ufdd0 <https://bo.example/bo>\n> | bo | x |"
    )
    lines = clean_answer(text, defused=bo.defused)
    assert [line.replace("\u200d", ".") for line in lines] == [
        "B.o, run bo --now or see B.o <https://bo.example>.",
        "bo.start()",
        "https://bo.example/bo",
        "> | b.o | x |",
    ]


def test_an_empty_answer_is_an_empty_reply() -> None:
    assert reply_lines([], to="bob", line_bytes=400).now == ()


def test_the_fourth_line_says_how_many_more_there_are() -> None:
    reply = reply_lines([f"line {n}" for n in range(1, 8)], to="bob", line_bytes=400)
    assert reply.now[-1] == "| [LLM] line 4 (3 more: !more)"
    assert reply.more == ("| [LLM] line 5", "| [LLM] line 6", "| [LLM] line 7")


def test_four_lines_need_no_note() -> None:
    reply = reply_lines(["a", "b", "c", "d"], to="bob", line_bytes=400)
    assert reply.now == ("bob: [LLM] a", "| [LLM] b", "| [LLM] c", "| [LLM] d")
    assert reply.more == ()


def test_what_the_note_displaces_comes_first_under_more() -> None:
    reply = reply_lines(["word " * 11 + "word", "last"], to="bob", line_bytes=72, shown=1)
    assert reply.now == ("bob: [LLM] word word word word word word word word word (2 more: !more)",)
    assert reply.more == ("| [LLM] word word word", "| [LLM] last")


def test_every_line_that_is_not_to_be_recorded_says_so() -> None:
    words = ["word " * 11 + "word", "last"]
    reply = reply_lines(words, to="bob", line_bytes=72, shown=1, off_record=True)
    assert reply.now[0].startswith("[off] bob: [LLM] word")
    rest = paged(reply, line_bytes=40)
    assert len(rest.now) > 1
    assert all(is_off_record(line) for line in (*reply.now, *reply.more, *rest.now, *rest.more))


def test_a_page_of_the_rest_ends_like_the_first() -> None:
    kept = Reply((), tuple(f"| {n}" for n in range(6)))
    page = paged(kept, line_bytes=400, prefix=".")
    assert page.now == ("| 0", "| 1", "| 2", "| 3 (2 more: .more)")
    assert paged(page, line_bytes=400) == Reply(("| 4", "| 5"))


def test_japanese_fits_in_bytes_not_in_characters() -> None:
    reply = reply_lines(["これは長い答えです。" * 80], to="bob", line_bytes=400)
    assert len(reply.now) == 4
    assert all(len(line.encode()) <= 400 for line in (*reply.now, *reply.more))


def test_a_prefix_that_is_our_own_mark_is_avoided() -> None:
    reply = reply_lines(["one", "two"], to="|bob", line_bytes=400, prefix="|")
    assert reply.now == ("· |bob: [LLM] one", "· [LLM] two")


@given(
    text=st.text()
    | st.lists(st.sampled_from(["!kick", "\x01", "漢字", "👩‍💻", "tea.", "\n"])).map(" ".join),
    to=NICKS,
    line_bytes=st.integers(80, 450),
    shown=st.integers(1, 5),
    prefix=st.sampled_from(["!", ".", "|", "·", "terra "]),
)
def test_lines_fit_lose_nothing_and_command_nobody(
    text: str, to: str, line_bytes: int, shown: int, prefix: str
) -> None:
    lines = clean_answer(text * 20, nick="Terra", asker=to)
    reply = reply_lines(lines, to=to, line_bytes=line_bytes, shown=shown, prefix=prefix)
    everything = [*reply.now, *reply.more]
    assert len(reply.now) <= shown
    assert all(len(line.encode()) <= line_bytes for line in everything)
    assert not any(line.startswith((prefix, "\x01")) for line in everything)
    assert _words(reply, to) == _squeezed("".join(lines))


@given(st.lists(st.text(alphabet="ab .", min_size=1), min_size=1), st.integers(80, 200))
def test_the_note_tells_the_truth_page_after_page(lines: list[str], line_bytes: int) -> None:
    reply = reply_lines(lines, to="bob", line_bytes=line_bytes)
    while reply.more:
        note = NOTE.search(reply.now[-1])
        assert note
        assert int(note[1]) == len(reply.more)
        reply = paged(reply, line_bytes=line_bytes)


@given(st.text(alphabet="#*_-+>`|[]()<!~&;\\1.) \n\tab😀:/"))
def test_no_markdown_is_an_error_and_no_line_is_empty(text: str) -> None:
    assert all(line.strip() and "\n" not in line for line in clean_answer(text))


def _words(reply: Reply, to: str) -> str:
    """All that the reply says, without what we put around it."""
    now = list(reply.now)
    if reply.more:
        now[-1] = NOTE.sub("", now[-1])
    everything = [*now, *reply.more]
    begin = rf"(?:[|·] )?{re.escape(to)}: \[LLM\](?: |$)"
    first = [re.sub(begin, "", line) for line in everything[:1]]
    return _squeezed(
        "".join([*first, *(line.removeprefix(reply.continuation) for line in everything[1:])])
    )


def _squeezed(text: str) -> str:
    return text.replace(" ", "")

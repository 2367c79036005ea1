"""What a model writes and the channel never sees."""

import pytest

from terrarium_mcp.irc_bridge.answer.reply import clean_answer
from terrarium_mcp.irc_bridge.model.reasoning_tags import without_reasoning


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("<think>hm</think>Ada did.", "Ada did."),
        ("<THINKING>\nhm\n</THINKING>Ada did.", "Ada did."),
        ("<thought>a</thought>Ada <thin>b</thin>did.", "Ada did."),
        ("<reasoning effort='low'>hm</reasoning>Ada did.", "Ada did."),
        ("<think></think>Ada did.", "Ada did."),
        ("<think>a<think>b</think>c</think>Ada did.", "Ada did."),
        ("so it was Ada</think>Ada did.", "Ada did."),
        ("Hm. <think>a</think>so it was Ada</think>Ada did.", "Ada did."),
        ("Ada did.<think>or did she", "Ada did."),
        ("<think>only this", ""),
        ("I think <b>Ada</b> did, 1 < 2", "I think <b>Ada</b> did, 1 < 2"),
        ("<thinker> said it", "<thinker> said it"),
    ],
)
def test_reasoning_is_removed_closed_unclosed_and_orphaned(written: str, meant: str) -> None:
    assert without_reasoning(written) == meant


@pytest.mark.parametrize(
    "written",
    [
        "[14:23] <Terra> Ada did.",
        "14:23 <terra> Ada did.",
        "184213 14:23:07 <Terra> Ada did.",
        "<Terra> Ada did.",
        "Terra: Ada did.",
        "**Terra:** Ada did.",
        "alice: Ada did.",
        "[LLM] Ada did.",
        "[14:23] <Terra> alice: [LLM] Ada did.",
    ],
)
def test_an_echoed_prefix_is_removed(written: str) -> None:
    assert clean_answer(written, nick="Terra", asker="alice") == ["Ada did."]


def test_an_echo_is_removed_from_every_line() -> None:
    assert clean_answer("[14:23] <Terra> one\n[14:24] <Terra> two") == ["one", "two"]


@pytest.mark.parametrize(
    "quoted",
    ["[14:23] <bob> I fixed the gate", "14:23 it broke", "bob: see above", "Terrain: flat"],
)
def test_a_quoted_line_keeps_its_speaker(quoted: str) -> None:
    assert clean_answer(quoted, nick="Terra", asker="alice") == [quoted]


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("# Gate\nIt **works**, *really*.", ["Gate", "It works, really."]),
        ("- one\n- two\n  1. deep\n", ["• one", "• two", "1. deep"]),
        ("* one\n\n  more", ["• one", "more"]),
        ("3) three\n4) four", ["3) three", "4) four"]),
        ("see [the page](https://e.org/a_b)", ["see the page <https://e.org/a_b>"]),
        ("<https://e.org/é> [https://e.org](https://e.org)", ["https://e.org/é https://e.org"]),
        ("![gate](https://e.org/g.png)", ["gate <https://e.org/g.png>"]),
        ("```py\nif x:\n    go()\n```", ["if x:", "    go()"]),
        ("use `a*b*c`", ["use a*b*c"]),
        ("|nick|lines|\n|-|-|\n|ada|3|\n|bo||", ["nick | lines", "ada | 3", "bo | "]),
        ("> quoted\n> again\n\nplain", ["> quoted", "> again", "plain"]),
        ("one\n\n---\n\ntwo", ["one", "two"]),
        ("2*3*4 = 24, 2**3**2, snake_case_name", ["2*3*4 = 24, 2**3**2, snake_case_name"]),
        ("__init__ and _private_", ["__init__ and _private_"]),
        ("~~tea~~ mate", ["~~tea~~ mate"]),
        ("#tea is a channel", ["#tea is a channel"]),
        ("<alice> hello & goodbye &lt;3", ["<alice> hello & goodbye <3"]),
        ("[alice]: hello", ["[alice]: hello"]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_markdown_becomes_plain_lines(written: str, lines: list[str]) -> None:
    assert clean_answer(written) == [line.rstrip() for line in lines]


def test_no_control_code_survives() -> None:
    written = (
        "\x01ACTION waves\x01 \x02b\x02 \x0304,05red\x03 \u202eevil\u2066 a\u2028b\rc&#1;&#10;d"
    )
    assert clean_answer(written) == ["ACTION waves b red evil a", "b", "c�", "d"]


def test_an_emoji_of_several_parts_stays_whole() -> None:
    assert clean_answer("👩‍💻 and 🏳️‍🌈") == ["👩‍💻 and 🏳️‍🌈"]


def test_half_a_character_is_dropped() -> None:
    assert clean_answer("tea \ud83d") == ["tea"]

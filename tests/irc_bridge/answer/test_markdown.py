"""Markdown as lines that read well on IRC, which shows none of it."""

import pytest

from tests.irc_bridge.answer.replies import cleaned


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("# Gate\nIt **works**, *really*.", ["Gate", "It works, really."]),
        ("- one\n- two\n  1. deep\n", ["• one", "• two", "  1. deep"]),
        ("* one\n\n  more", ["• one", "more"]),
        ("3) three\n4) four", ["3) three", "4) four"]),
        ("see [the page](https://e.org/a_b)", ["see the page <https://e.org/a_b>"]),
        ("<https://e.org/é> [https://e.org](https://e.org)", ["https://e.org/é https://e.org"]),
        ("![gate](https://e.org/g.png)", ["gate <https://e.org/g.png>"]),
        ("```py\nif x:\n    go()\n```", ["if x:", "    go()"]),
        ("use `a*b*c`", ["use a*b*c"]),
        ("|nick|lines|\n|-|-|\n|ada|3|\n|bo||", ["nick | lines", "ada  | 3", "bo   |"]),
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
    assert cleaned(written) == [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("- one\n  - two\n    1. three\n- four", ["• one", "  • two", "    1. three", "• four"]),
        ("- [ ] buy tea\n- [x] boil water", ["• [ ] buy tea", "• [x] boil water"]),
        ("Tea[^1]\n\n[^1]: green", ["Tea[^1]", "[^1]: green"]),
        (r"\(x^2\), $a_1*b*c$ and \[\frac{a}{b}\]", None),
        ("f(*args, **kwargs) and **kw or *.py, *.txt", None),
        ("use the <b> tag", None),
        ("std::vector<std::string> and std::map<std::string, int> v", None),
        ("<soap:Body><xs:element/></soap:Body> in <svg:g>", None),
        (
            "<https://e.org/a>, <irc://e.org/tea>, <mailto:a@e.org>, <bo@e.org>",
            ["https://e.org/a, irc://e.org/tea, mailto:a@e.org, bo@e.org"],
        ),
        ("https://a.example/*/https://b.example/*/c and 2 * 3 * 4", None),
        ("see **https://a.example/b** or *c*", ["see https://a.example/b or c"]),
        ("one<br>two<br/>three", ["one", "two", "three"]),
        ("|a|b|\n|-|-|\n|x<br>y|z|", ["a   | b", "x y | z"]),
        ("[e.org/x](https://e.org/x)", ["https://e.org/x"]),
        ("![](https://e.org/g.png)", ["<https://e.org/g.png>"]),
        ("```go\nif x {\n\tgo()\n}\n```", ["if x {", "    go()", "}"]),
        ("```\n<think>\n**no**\n```", ["<think>", "**no**"]),
        ("Gate\n====\nAda", ["Gate", "Ada"]),
    ],
)
def test_what_carries_meaning_stays(written: str, lines: list[str] | None) -> None:
    assert cleaned(written) == (lines or [written])


@pytest.mark.parametrize(
    "text",
    [
        r"\\nas\tea",
        r"C:\_tmp\*.log and C:\dir\_tmp",
        r"^\[foo\]\.\*$",
        r"s/\./,/g; s/\*a/b\*/; s/\_x_\_y_/z/",
        r"¯\_(ツ)_/¯",
        r"grep '\<tea\>' \`file\`",
        "cp a \\\n  b",
        r"\d+ \# \- \ \\",
        "a \\",
    ],
)
def test_backslashes_stay_and_what_follows_them_marks_nothing(text: str) -> None:
    assert cleaned(text) == [line.strip() for line in text.split("\n")]


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (r"use snake\_case, (get\_current\_users)", "use snake_case, (get_current_users)"),
        (r"**a\_b** and *c\_d*", "a_b and c_d"),
        (r"a\_\_b is no C:\x\_y", r"a__b is no C:\x\_y"),
        (r"`a\_b`", r"a\_b"),
    ],
)
def test_an_underscore_that_is_escaped_in_a_name_reads_as_the_name(written: str, line: str) -> None:
    assert cleaned(written) == [line]


def test_columns_of_a_table_are_aligned_also_where_characters_are_wide() -> None:
    assert cleaned("|nick|tea|\n|-|-|\n|ボー|4|\n|e\u0301va|12|") == [
        "nick | tea",
        "ボー | 4",
        "e\u0301va  | 12",
    ]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("`ls | wc`", "ls | wc"),
        ("``a|`b`|c``", "a|`b`|c"),
        (r"`ls \| wc`", "ls | wc"),
        ("one `|` or `||`", "one | or ||"),
    ],
)
def test_a_bar_in_code_ends_no_cell(cell: str, shown: str) -> None:
    assert cleaned(f"|do|then|\n|-|-|\n|{cell}|go|") == [
        f"{'do':{len(shown)}} | then",
        f"{shown} | go",
    ]


def test_a_bar_beside_a_single_backtick_ends_its_cell() -> None:
    assert cleaned("|do|then|\n|-|-|\n|a `|b|") == ["do  | then", "a ` | b"]


def test_a_bar_in_code_stays_where_there_is_no_table() -> None:
    text = "run `ls | wc` or `a \\| b`\n```\nls | wc\n```"
    assert cleaned(text) == ["run ls | wc or a \\| b", "ls | wc"]


def test_a_table_too_wide_for_a_line_is_not_aligned() -> None:
    wide = "w" * 90
    assert cleaned(f"|nick|{wide}|\n|-|-|\n|b|4|") == [f"nick | {wide}", "b | 4"]


def test_no_control_code_survives() -> None:
    written = (
        "\x01ACTION waves\x01 \x02b\x02 \x0304,05red\x03 \u202eevil\u2066 a\u2028b\rc&#1;&#10;d"
    )
    assert cleaned(written) == ["ACTION waves b red evil a", "b", "c�", "d"]


@pytest.mark.parametrize("code", ["31m", "m", "1;38;5;208m", "2K", "?25l", "0 q"])
def test_of_a_code_for_terminals_nothing_is_left(code: str) -> None:
    assert cleaned(f"\x1b[{code}red\x1b[0m\n```\n\x1b[{code}tea\x1b[m\n```") == ["red", "tea"]


def test_a_picture_of_braille_keeps_its_blanks_but_no_line_of_blanks() -> None:
    assert cleaned("\u2800\u2801\u2800\u2802\n\u2800\u2800\n\u2800|\u2803") == [
        "\u2800\u2801\u2800\u2802",
        "\u2800|\u2803",
    ]


def test_an_emoji_of_several_parts_stays_whole() -> None:
    assert cleaned("👩‍💻 and 🏳️‍🌈") == ["👩‍💻 and 🏳️‍🌈"]


def test_half_a_character_is_dropped() -> None:
    assert cleaned("tea \ud83d") == ["tea"]

"""An entry is put into JSON with comments, and nothing else in the text changes."""

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from terrarium_mcp.cli.starting.json_entry import with_entry
from terrarium_mcp.cli.starting.jsonc import BrokenJson, parsed

ENTRY = {"command": "/bin/terrarium-mcp", "args": ["serve"]}

VSCODE = """\
// Servers of mine
{
\t"inputs": [], // asked for once
\t"servers": {
\t\t/* the "weather" */
\t\t"weather": {"type": "http", "url": "http://localhost:1/mcp"}, // a // b
\t},
\t"unknown": {"kept": [1, 2,]},
}
"""


def test_comments_order_and_indentation_stay() -> None:
    assert with_entry(VSCODE, "servers", "terrarium", ENTRY) == VSCODE.replace(
        " // a // b\n",
        ' // a // b\n\t\t"terrarium": {\n\t\t\t"command": "/bin/terrarium-mcp",\n\t\t\t"args": [\n'
        '\t\t\t\t"serve"\n\t\t\t]\n\t\t}\n',
    )


def test_a_comma_is_set_behind_the_last_entry_and_not_behind_its_comment() -> None:
    text = '{\n  "servers": {\n    "a": {} // of ada\n  }\n}\n'
    assert with_entry(text, "servers", "b", {}) == (
        '{\n  "servers": {\n    "a": {}, // of ada\n    "b": {}\n  }\n}\n'
    )


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "// nothing yet\n"])
def test_an_empty_file_becomes_an_object(text: str) -> None:
    written = with_entry(text, "servers", "x", ENTRY)
    assert parsed(written).value == {"servers": {"x": ENTRY}}
    assert ("// nothing yet\n{" in written) == ("//" in text)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{}", '{\n  "s": {\n    "x": {}\n  }\n}'),
        ('{"s": {}}', '{"s": {\n  "x": {}\n}}'),
        ('{\n    "s": {}\n}', '{\n    "s": {\n        "x": {}\n    }\n}'),
        ('{"a": 1}', '{"a": 1,\n  "s": {\n    "x": {}\n  }\n}'),
        ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "s": {\r\n    "x": {}\r\n  }\r\n}\r\n'),
    ],
)
def test_every_shape_of_a_file_stays_readable(text: str, result: str) -> None:
    assert with_entry(text, "s", "x", {}) == result


def test_an_entry_is_replaced_in_its_place() -> None:
    text = '{"s": {"x": {"old": 1}, "y": 2}, "z": 3} // end\n'
    assert with_entry(text, "s", "x", {"new": 1}) == (
        '{"s": {"x": {\n  "new": 1\n}, "y": 2}, "z": 3} // end\n'
    )
    assert with_entry(text, "s", "x", {"old": 1}) == text


def test_of_two_entries_with_one_name_the_last_counts() -> None:
    text = '{"s": {"x": 1, "x": 2}}'
    assert with_entry(text, "s", "x", 3) == '{"s": {"x": 1, "x": 3}}'


@pytest.mark.parametrize(
    ("text", "line", "wrong"),
    [
        ('{\n  "s": {\n    "a": 1\n    "b": 2\n  }\n}', 4, 'a , is missing before "b"'),
        ('{\n  "s": {\n', 3, "it ends too early"),
        ("{\n  s: 1\n}", 2, "a name in double quotes is missing"),
        ('{\n  "s": nil\n}', 2, "nil is not a value of JSON"),
        ('{"a": "x\n}', 1, "does not belong here, or is never closed"),
        ("{} {}", 1, "there is more after the end"),
        ('{"a": }', 1, "a value is missing before }"),
        ('{"a" 1}', 1, "a : is missing before 1"),
        ('{"a\\x": 1}', 1, "is not a value of JSON"),
        ("/* never closed", 1, "is never closed"),
        ("[]", 1, "the file is not an object"),
        ('{\n"s": []}', 2, "s is not an object"),
        ("[" * 500 + "]" * 500, 1, "nested too deeply"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, wrong: str) -> None:
    with pytest.raises(BrokenJson) as refused:
        with_entry(text, "s", "x", {})
    assert str(refused.value).startswith(f"line {line}: ")
    assert wrong in str(refused.value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)
BLANK = st.sampled_from([" ", "\n", "\t", "// x\n", "/* , } */"])
BLANKS = st.lists(BLANK, max_size=2).map("".join)


@given(
    st.dictionaries(st.text(max_size=5), VALUES, max_size=4),
    st.dictionaries(st.text(max_size=5), VALUES, max_size=3),
    st.sampled_from([None, 2, "\t"]),
    st.data(),
)
def test_the_rest_means_the_same_and_every_comment_stays(
    whole: dict[str, Any], section: dict[str, Any], indent: Any, data: st.DataObject
) -> None:
    assume("new" not in section)
    whole = {**whole, "s": section}
    plain = json.dumps(whole, indent=indent, ensure_ascii=False)
    pieces = re.split(r'("(?:[^"\\]|\\.)*"|[{}\[\]:,])', plain)
    text = "".join(piece + data.draw(BLANKS) for piece in pieces)
    merged = with_entry(text, "s", "new", ENTRY)
    assert parsed(merged).value == {**whole, "s": {**section, "new": ENTRY}}
    assert merged.count("// x\n") == text.count("// x\n")
    assert with_entry(merged, "s", "new", ENTRY) == merged

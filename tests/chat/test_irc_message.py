"""Bytes become lines, whatever the bytes are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.irc_message import (
    IrcMessage,
    MalformedMessage,
    Source,
    parse_line,
    parse_source,
    serialize,
)


def test_a_line_is_tags_source_command_and_parameters() -> None:
    raw = b"@msgid=a1;+draft/reply=a0;bot :ada!~a@host PRIVMSG #tea :green tea? \r\n"
    assert parse_line(raw) == IrcMessage(
        "PRIVMSG",
        ("#tea", "green tea? "),
        Source("ada", "~a", "host"),
        {"msgid": "a1", "+draft/reply": "a0", "bot": ""},
    )


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"PING x", IrcMessage("PING", ("x",))),
        (b"ping  x  y ", IrcMessage("PING", ("x", "y"))),
        (b":srv 001 me :", IrcMessage("001", ("me", ""), Source("srv"))),
        (b"PING :a :b", IrcMessage("PING", ("a :b",))),
        (b":a PRIVMSG #t :\x1dslanted\x1d \x1fwords", None),
        (b":a PRIVMSG #t a\x1db", IrcMessage("PRIVMSG", ("#t", "a\x1db"), Source("a"))),
        (b":a PRIVMSG #t :a\0b\rc", IrcMessage("PRIVMSG", ("#t", "abc"), Source("a"))),
    ],
)
def test_white_space_is_a_space_and_nothing_else(raw: bytes, line: IrcMessage | None) -> None:
    assert parse_line(raw) == (
        line or IrcMessage("PRIVMSG", ("#t", "\x1dslanted\x1d \x1fwords"), Source("a"))
    )


@pytest.mark.parametrize(
    ("raw", "tags", "source", "words"),
    [
        ("AWAY", {}, "", ["AWAY"]),
        ("AWAY :", {}, "", ["AWAY", ""]),
        ("AWAY :  gone  out ", {}, "", ["AWAY", "  gone  out "]),
        (":ada AWAY", {}, "ada", ["AWAY"]),
        (":ada  AWAY  :x", {}, "ada", ["AWAY", "x"]),
        ("CAP * LS :batch echo-message", {}, "", ["CAP", "*", "LS", "batch echo-message"]),
        ("CAP * LS batch", {}, "", ["CAP", "*", "LS", "batch"]),
        ("PRIVMSG #tea ::-)", {}, "", ["PRIVMSG", "#tea", ":-)"]),
        ("PRIVMSG #tea : :)", {}, "", ["PRIVMSG", "#tea", " :)"]),
        ("PRIVMSG #a:b c:d", {}, "", ["PRIVMSG", "#a:b", "c:d"]),
        (":srv MODE #tea +o ada ", {}, "srv", ["MODE", "#tea", "+o", "ada"]),
        (":srv 353 me = #tea :ada @bo ", {}, "srv", ["353", "me", "=", "#tea", "ada @bo "]),
        ("@a;b= PING x", {"a": "", "b": ""}, "", ["PING", "x"]),
        ("@a=1;a=2 PING x", {"a": "2"}, "", ["PING", "x"]),
        ("@a=1   :ada   PING", {"a": "1"}, "ada", ["PING"]),
        ("@+ex.org/b=c=d PING", {"+ex.org/b": "c=d"}, "", ["PING"]),
        ("@a=\u00e9\u4e2d PING", {"a": "\u00e9\u4e2d"}, "", ["PING"]),
        (r"@a=\\\\s;b=\\b PING", {"a": r"\\s", "b": r"\b"}, "", ["PING"]),
        (";PING", None, "", []),
        (":ada!a@h", None, "", []),
    ],
)
def test_a_line_is_split_as_the_standards_say(
    raw: str, tags: dict[str, str] | None, source: str, words: list[str]
) -> None:
    if tags is None:
        with pytest.raises(MalformedMessage):
            parse_line(raw.encode())
        return
    line = parse_line(raw.encode())
    assert (line.tags, str(line.source or ""), [line.command, *line.params]) == (
        tags,
        source,
        words,
    )


def test_tag_values_are_unescaped_and_a_lone_backslash_vanishes() -> None:
    line = parse_line(rb"@a=x\:\s\\\r\n\q;b=\\n;c=x\;d= PING x")
    assert line.tags == {"a": "x; \\\r\nq", "b": "\\n", "c": "x", "d": ""}


def test_only_the_bytes_that_are_not_utf8_are_taken_for_cp1252() -> None:
    line = parse_line(":a PRIVMSG #t :naïve ".encode() + b"caf\xe9 \x80 \x81")
    assert line.params[-1] == "naïve café € \ufffd"


@pytest.mark.parametrize(
    ("mask", "source"),
    [
        ("ada!a@x@h", Source("ada", "a@x", "h")),
        ("ada!a!b@h", Source("ada", "a!b", "h")),
        ("ada@h", Source("ada", "", "h")),
        ("ada!a", Source("ada", "a")),
        ("irc.example.org", Source("irc.example.org")),
        ("ada!~a@gw/web/x.y", Source("ada", "~a", "gw/web/x.y")),
        ("ada!a@2001:db8::1", Source("ada", "a", "2001:db8::1")),
        ("[a]|{b}!a@h", Source("[a]|{b}", "a", "h")),
        ("ada!\x02a@\x0304h", Source("ada", "\x02a", "\x0304h")),
    ],
)
def test_a_source_may_have_too_much_or_too_little(mask: str, source: Source) -> None:
    assert parse_source(mask) == source
    assert str(source) == mask


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b":foo",
        b":foo :bar",
        b"@a=b",
        b"@a=b ",
        b":x!u@h \xff\xfe foo",
        b":x P@NG",
        b"\xc2\xb2 x",
        b":!u@h PRIVMSG #tea :hi",
        b"::x!u@h PRIVMSG #tea :hi",
        b": PING",
    ],
)
def test_what_has_no_command_is_a_bad_line(raw: bytes) -> None:
    with pytest.raises(MalformedMessage):
        parse_line(raw)


@given(st.binary())
def test_no_bytes_do_worse_than_a_bad_line(raw: bytes) -> None:
    try:
        line = parse_line(raw)
    except MalformedMessage:
        return
    assert line.command.isalnum()


WORD = st.text(st.characters(exclude_characters="\r\n\0 ", exclude_categories=["Cs"]), min_size=1)
LAST = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]))


@given(st.lists(WORD.filter(lambda word: not word.startswith(":"))), LAST)
def test_what_we_write_is_read_as_what_we_meant(middle: list[str], last: str) -> None:
    line = IrcMessage("PRIVMSG", (*middle, last))
    assert parse_line(serialize(line).encode()) == line


@pytest.mark.parametrize(
    "params", [("#a b", "x"), ("", "x"), (":a", "x"), ("#t", "x\r\nQUIT"), ("#t", "\0")]
)
def test_what_would_be_read_as_something_else_is_refused(params: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="PRIVMSG"):
        serialize(IrcMessage("PRIVMSG", params))


@given(st.dictionaries(st.sampled_from(["+reply", "label", "+draft/reply"]), st.text(max_size=20)))
def test_tags_that_we_send_read_the_same_at_the_other_end(tags: dict[str, str]) -> None:
    line = IrcMessage("PRIVMSG", ("#tea", "tea at four"), tags=tags)
    without_nul = {key: value.replace("\0", "") for key, value in tags.items()}
    read = parse_line(serialize(line).encode())
    assert (read.tags, read.params) == (without_nul, line.params)

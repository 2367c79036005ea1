"""The parts of a query's text, and the values of its operators."""

import re

from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.question_marks import ends_with_question_mark
from terrarium_mcp.chat.terms import VOWEL_SIGN, Term, TermKind, begins_like_an_exclusion

MOST_CHARACTERS = 2_000
"""Characters that are read: four times the longest IRC message (512 bytes, RFC 1459 2.3), so that
a line and its neighbours can be pasted. All work that follows on a query is bounded by this."""

OPERATORS = ("from", "in", "mentions", "has", "type", "after", "before", "on")
"""All but `is:`, which ends half a sentence, too: "the answer is: ..."."""

_KEY = rf"(?:is|{'|'.join(OPERATORS)})"
IN_QUOTES = r'(?:[^"]|(?<=[\u0591-\u05ea])"(?=[\u05d0-\u05ea]))*'
"""What is in quotation marks, as a regular expression. A mark between two Hebrew letters, with or
without points, is that of an acronym (gershayim). Letters of other scripts may be directly behind a
phrase: Chinese and Japanese have no spaces."""
PART = re.compile(
    rf"(?:\(+(?=-?{_KEY}:))?"  # a group of operators: what is in it decides what it means
    r"(?P<minus>-(?=[^\s-]))?(?:"
    rf'(?P<key>{_KEY}):(?P<value>"{IN_QUOTES}"?|\S+)'
    rf'|"(?P<phrase>{IN_QUOTES})"?'
    rf"|(?:\*+(?=\w))?(?P<prefix>\S*(?:[^\W_]|{VOWEL_SIGN}))\*+(?!\S)"
    r"|(?P<word>\S+))",
    re.IGNORECASE,
)
"""An operator, a phrase, the beginning of a word, or any other run of non-spaces."""
_WIDE_COLON = re.compile(rf"(?<!\w)({_KEY})\uff1a", re.IGNORECASE)
"""An operator with the colon of a Chinese or Japanese keyboard."""
_OPENING_BRACKETS = "\u300c\u300e\uff62"
_CLOSING_BRACKETS = "\u300d\u300f\uff63"
_QUOTATION_MARKS = str.maketrans(
    dict.fromkeys(
        f"\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02{_OPENING_BRACKETS}{_CLOSING_BRACKETS}", '"'
    )
)
"""Those of phones, word processors and other languages, as the one that marks a phrase."""
_BEFORE_A_QUOTATION = re.compile(rf"(?<=\w)(?=[{_OPENING_BRACKETS}])")
"""Where Chinese and Japanese, without a space, begin to quote."""
_COMMAS = ",;\u060c\u061b\u3001\uff0c\uff1b"
_STOPS = f"{_COMMAS}.:!?\u061f\u06d4\u0964\u0965\u3002\uff01\uff0e\uff1a\uff1f"
"""Punctuation behind a word; also of Arabic, Urdu, Hindi, Chinese and Japanese."""
_BEHIND_A_VALUE = f'{_COMMAS}"'
_BEHIND_A_WORD = f"{_STOPS})\uff09"
_PUNCTUATION = re.compile(rf"[{_STOPS}\u00a1\u00bf\u2026]+")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # SQLite ends text at NUL; UTF-8 has no surrogates
_OPTION = re.compile(r"[a-z]?\d[\d.,:/%-]*|[a-z]", re.IGNORECASE)
"""What is the option of a command, or a number, behind a minus: `-f`, `-O2`, `-110`. Longer words
may be either."""
_LAST_WORD = re.compile(r"(?<!\S)[^\s:\"]+\s*$")
"""A word at the end of the query, which is no operator."""
AND_AS_TEXT = Term("AND", TermKind.PHRASE)
OR_AS_TEXT = Term("OR", TermKind.PHRASE)


def readable(text: str) -> str:
    """The beginning of a text, with the signs of all keyboards as those that `PART` knows."""
    quoting = _BEFORE_A_QUOTATION.sub(" ", plain(_beginning(text)))
    marked = quoting.translate(_QUOTATION_MARKS)
    return _WIDE_COLON.sub(r"\1:", _UNSTORABLE.sub(" ", marked))


def _beginning(text: str) -> str:
    """The part of a query that is read, cut between two words where there are two."""
    if len(text) <= MOST_CHARACTERS:
        return text
    *words, _ = text[:MOST_CHARACTERS].rsplit(maxsplit=1) or [""]
    return words[0] if words else text[:MOST_CHARACTERS]


def term_in(part: re.Match[str]) -> Term:
    """The term of a `PART` that is no operator."""
    if part["phrase"] is not None:
        phrase = " ".join(part["phrase"].split())
        is_word = begins_like_an_exclusion(phrase) and " " not in phrase and not part["minus"]
        return Term(phrase, TermKind.WORD if is_word else TermKind.PHRASE)
    if part["prefix"] is not None:
        return Term(part["prefix"], TermKind.PREFIX)
    return AND_AS_TEXT if part["word"] == "AND" else Term(part["word"])


def operator_as_text(part: re.Match[str]) -> Term:
    """A `PART` that is an operator with an invalid value, as a term."""
    typed = part[0].removeprefix(part["minus"] or "")
    if '"' in typed:
        said = f"{part['key'].lower()}:{value_in(part['value'])}"
        return Term(" ".join(said.replace('"', " ").split()), TermKind.PHRASE)
    return Term(typed)


def value_in(typed: str) -> str:
    """A value without its quotation marks, or what a sentence puts behind it: `(in:#tea), `."""
    if typed[0] == '"':
        return " ".join(typed.strip('"').split())
    bare = typed.strip('"').rstrip(_BEHIND_A_VALUE)
    while bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1].rstrip(_BEHIND_A_VALUE)
    return bare


def names_in(typed: str) -> list[str]:
    """The names in a value: neither nicks nor channels have a comma, unless it is quoted."""
    value = value_in(typed)
    if typed[0] == '"':
        return [value]
    return [name for part in value.split(",") if (name := part.strip('"'))]


def is_punctuation(text: str) -> bool:
    """Whether a text is punctuation alone."""
    return _PUNCTUATION.fullmatch(text) is not None


def without_punctuation_behind(word: str) -> str:
    """A word without what a sentence puts behind it."""
    return word.rstrip(_BEHIND_A_WORD)


def ends_as_a_question(text: str) -> bool:
    """Whether a query ends in a word with a question mark."""
    return ends_with_question_mark(text) and _LAST_WORD.search(text) is not None


def is_option(typed: str) -> bool:
    """Whether a word with a minus before it is the option of a command, or a number."""
    return _OPTION.fullmatch(without_punctuation_behind(typed[1:])) is not None

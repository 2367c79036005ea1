"""Turns markdown into plain lines."""

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink
from markdown_it.token import Token

from terrarium_mcp.chat.urls import URL
from terrarium_mcp.irc_bridge.answer.text_table import table_lines

_TAB = 4
"""Spaces for a tab in code, which clients show as one, or as nothing."""

_NOTHING = " |\u2800"
"""What a line without words may hold: blanks, U+2800 among them, and the bars of a table."""

_INDENT = "  "
"""In front of an item, for each list that its own is in."""

_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_BAR = re.compile(r"(?<!\\)\|")  # an escaped one is the parser's
_BAR_IN_CODE = "\ufdd1"
"""Holds the place of a bar in code: in a table the parser would end a cell there, and drop the
cells that are then too many. Unicode keeps this code point for use inside a program."""

_WORD = re.compile(r"\S+")
_ESCAPED_MARK = re.compile(r"\\([!-/:-@\[-`{-~])")  # the punctuation of ASCII, as CommonMark has it
_ESCAPED_IN_NAME = re.compile(r"(?<=\w)\\_(?=[\w\\])")

_ADDRESS_IN_BRACKETS = re.compile(
    r"<(?:[a-z][a-z\d+.-]{1,31}://|(?:mailto|tel|sip|xmpp|magnet):|[^\s<>@]{1,64}@)", re.IGNORECASE
)
_LINE_BREAK_TAG = re.compile(r"<br\s?/?>", re.IGNORECASE)


def markdown_lines(text: str, prose: Callable[[str], str]) -> list[str]:
    r"""The lines of `text` without markup, none of them empty.

    A bar in code ends no cell of a table, as in `grep a | wc`: the model means one cell.

    Single line breaks stay: in text for IRC they are meant. `~~struck~~` keeps its marks, since
    without them it would mean the opposite. `prose` changes text that is neither code nor a URL.

    Backslashes stay, since the model is told to write no markdown: they are of a path, a pattern or
    a shrug, and what follows one marks nothing. Only those of `snake\_case` go, in a word without
    any other: so a model in the habit of markdown writes names, and hardly anybody a path.
    """
    text = text.replace(_BAR_IN_CODE, "")
    text = _CODE.sub(lambda code: _BAR.sub(_BAR_IN_CODE, code[0]), text)
    plain = _PlainLines(prose)
    for token in _MARKDOWN.parse(text):
        plain.add_block(token)
    return plain.lines


def _parser() -> MarkdownIt:
    """CommonMark with tables, without the rules that would drop words.

    `<nick>` is not HTML, `[nick]: word` is not a link definition, and `<std::string>` is no link.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("reference")
    # URLs stay as the model wrote them.
    parser.inline.ruler.before("emphasis", "mark in a URL", _keep_mark_in_url)
    parser.inline.ruler.at("escape", _keep_backslash)
    parser.inline.ruler.at("autolink", _address_in_brackets)
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    return parser


def _keep_mark_in_url(state: StateInline, silent: bool) -> bool:
    """A rule of the parser: `*` inside a URL is a part of it, as in `https://a.example/*/b/*`."""
    if state.src[state.pos] != "*":
        return False
    starts, ends = _urls_in(state.src)
    place = bisect(starts, state.pos) - 1
    if place < 0 or state.pos >= ends[place]:
        return False
    if not silent:
        state.pending += "*"
    state.pos += 1
    return True


def _address_in_brackets(state: StateInline, silent: bool) -> bool:
    """A rule of the parser: a URL or a mail address in angle brackets, which are no part of it.

    For CommonMark any word with a colon is a URL: the type in `vector<std::string>`, `<soap:Body>`.
    """
    if not _ADDRESS_IN_BRACKETS.match(state.src, state.pos):
        return False
    return autolink(state, silent)


def _keep_backslash(state: StateInline, silent: bool) -> bool:
    """A rule of the parser: a backslash and the mark behind it are text."""
    if not (pair := _ESCAPED_MARK.match(state.src, state.pos)):
        return False
    if not silent:
        state.pending += pair[1] if state.pos in _needless_in(state.src) else pair[0]
    state.pos += 2
    return True


@lru_cache(maxsize=8)  # asked for each backslash of a text, and of the images' labels in it
def _needless_in(text: str) -> frozenset[int]:
    r"""Where the backslashes of `snake\_case` are."""
    needless = set[int]()
    for word in _WORD.finditer(text):
        places = [one.start() for one in _ESCAPED_IN_NAME.finditer(text, *word.span())]
        if len(places) == word[0].count("\\"):
            needless.update(places)
    return frozenset(needless)


@lru_cache(maxsize=1)  # asked once for each mark of the same text
def _urls_in(text: str) -> tuple[list[int], list[int]]:
    """Where the URLs of a text start, and where they end."""
    urls = list(URL.finditer(text))
    ends = [url.start() + len(url[0].rstrip("*_.,;:!?")) for url in urls]
    return [url.start() for url in urls], ends


_MARKDOWN = _parser()


class _PlainLines:
    """Collects lines; remembers the lists, the bullet and the quote level of the next."""

    def __init__(self, prose: Callable[[str], str]) -> None:
        self._prose = prose
        self.lines: list[str] = []
        self._bullet = ""
        self._lists = 0
        self._quotes = 0
        self._rows: list[list[str]] | None = None

    def add_block(self, token: Token) -> None:
        """Add the text of a block token."""
        match token.type:
            case "inline":
                self._add_words(_plain_words(token.children or [], self._prose))
            case "fence" | "code_block":
                self._add(_with_bars(token.content).expandtabs(_TAB).split("\n"))
            case "bullet_list_open" | "ordered_list_open":
                self._lists += 1
            case "bullet_list_close" | "ordered_list_close":
                self._lists -= 1
            case "list_item_open":
                mark = f"{token.info}{token.markup}" if token.info else "•"
                self._bullet = f"{_INDENT * (self._lists - 1)}{mark} "
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case "table_open":
                self._rows = []
            case "tr_open" if self._rows is not None:
                self._rows.append([])
            case "table_close":
                rows, self._rows = self._rows or [], None
                self._add(table_lines(rows))

    def _add_words(self, words: str) -> None:
        if self._rows is None:
            self._add(" ".join(line.split()) for line in words.split("\n"))
        else:
            self._rows[-1].append(" ".join(words.split()))

    def _add(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line.strip(_NOTHING):
                quoted = "> " if self._quotes else ""
                self.lines.append(f"{quoted}{self._bullet}{line.rstrip()}")
                self._bullet = ""


def _plain_words(tokens: Sequence[Token], prose: Callable[[str], str]) -> str:
    """The text of inline tokens; a link becomes its text and its URL."""
    words = ""
    links: list[tuple[int, str]] = []
    kept: list[bool] = []
    for place, token in enumerate(tokens):
        match token.type:
            case "softbreak" | "hardbreak":
                words += "\n"
            case "image":
                words += _linked(prose(token.content), str(token.attrs["src"]))
            case "link_open":
                links.append((len(words), str(token.attrs["href"])))
            case "link_close":
                start, address = links.pop()
                words = words[:start] + _linked(words[start:], address)
            case "em_open" | "strong_open":
                kept.append(_is_no_emphasis(token.markup, words, tokens[place + 1].content))
                words += token.markup if kept[-1] else ""
            case "em_close" | "strong_close":
                words += token.markup if kept.pop() else ""
            case "text":
                words += prose(_LINE_BREAK_TAG.sub("\n", token.content))
            case _:
                words += token.content
    return _with_bars(words)


def _with_bars(text: str) -> str:
    return text.replace(_BAR_IN_CODE, "|")


def _linked(text: str, address: str) -> str:
    """A link as text: its label, and its URL unless the label is the same."""
    if not address or address in {text, f"mailto:{text}"}:
        return text
    if address.rstrip("/") in {f"{scheme}://{text.rstrip('/')}" for scheme in ("https", "http")}:
        return address
    return f"{text} <{address}>".lstrip()


def _is_no_emphasis(mark: str, before: str, after: str) -> bool:
    """Whether the marks are literal: `2*3*4`, `__init__`, `_private`."""
    return mark.startswith("_") or (before[-1:].isalnum() and after[:1].isalnum())

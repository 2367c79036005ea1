"""Turns the markdown that models write into plain lines."""

from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token


def markdown_lines(text: str) -> list[str]:
    """The lines of `text` without markup, none of them empty.

    A line break stays one: who writes for IRC means it. `~~struck~~` keeps its marks, since
    without them it would say the opposite.
    """
    page = _Page()
    for token in _MARKDOWN.parse(text):
        page.take(token)
    return page.lines


def _parser() -> MarkdownIt:
    """CommonMark with tables, and without what would make words vanish.

    `<nick>` is no HTML, and `[nick]: word` is no link definition.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("reference")
    # Addresses stay as the model wrote them.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    return parser


_MARKDOWN = _parser()


class _Page:
    """The lines so far, and what the next one begins with."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._bullet = ""
        self._quotes = 0
        self._cells: list[str] | None = None

    def take(self, token: Token) -> None:
        """Add what a block token says."""
        match token.type:
            case "inline":
                self._take_words(_plain_words(token.children or []))
            case "fence" | "code_block":
                self._add(token.content.split("\n"))
            case "list_item_open":
                self._bullet = f"{token.info}{token.markup} " if token.info else "• "
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case "tr_open":
                self._cells = []
            case "tr_close":
                cells, self._cells = self._cells or [], None
                self._add([" | ".join(cells)])

    def _take_words(self, words: str) -> None:
        if self._cells is None:
            self._add(" ".join(line.split()) for line in words.split("\n"))
        else:
            self._cells.append(" ".join(words.split()))

    def _add(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line.strip(" |"):
                quoted = "> " if self._quotes else ""
                self.lines.append(f"{quoted}{self._bullet}{line.rstrip()}")
                self._bullet = ""


def _plain_words(tokens: Sequence[Token]) -> str:
    """The text of inline tokens, lines apart; a link is its text and its address."""
    words = ""
    links: list[tuple[int, str]] = []
    kept: list[bool] = []
    for place, token in enumerate(tokens):
        match token.type:
            case "softbreak" | "hardbreak":
                words += "\n"
            case "image":
                words += _linked(token.content, str(token.attrs["src"]))
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
            case _:
                words += token.content
    return words


def _linked(text: str, address: str) -> str:
    """A link in plain words: its text, and its address unless the text says it."""
    if not address or address in {text, f"mailto:{text}"}:
        return text
    return f"{text} <{address}>".lstrip()


def _is_no_emphasis(mark: str, before: str, after: str) -> bool:
    """Whether the marks mean themselves: `2*3*4`, `__init__`, `_private`."""
    return mark.startswith("_") or (before[-1:].isalnum() and after[:1].isalnum())

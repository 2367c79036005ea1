"""Reads JSON with comments, as VS Code writes it, and finds where things lie in it. Pure."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r"(?P<blank>[\s\ufeff]+)"
    r"|(?P<comment>//[^\n\r]*|/\*.*?\*/)"
    r'|(?P<text>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<mark>[{}\[\]:,])"
    r'|(?P<word>[^\s"{}\[\]:,/]+)',
    re.DOTALL,
)

_DEEPEST = 100
"""Levels of nesting; a settings file has five."""


class BrokenJson(ValueError):
    """The text is not JSON; the message names the line and what is wrong there."""

    def __init__(self, text: str, at: int, wrong: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        super().__init__(f"line {self.line}: {wrong}")


@dataclass(frozen=True, slots=True)
class JsonToken:
    """A piece of the text: blank, comment, text, mark or word."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value and where it lies; an object also has its members."""

    value: Any
    start: int
    end: int
    members: tuple["JsonProperty", ...] = ()


@dataclass(frozen=True, slots=True)
class JsonProperty:
    """A member of an object, and where its key begins."""

    key: str
    start: int
    node: JsonNode


def tokens(text: str) -> Iterator[JsonToken]:
    """The pieces of the text, blanks and comments included.

    Raises:
        BrokenJson: a piece is no part of JSON.
    """
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise BrokenJson(text, at, f"{text[at]!r} does not belong here, or is never closed")
        yield JsonToken(str(found.lastgroup), found[0], at, found.end())
        at = found.end()


def parsed(text: str) -> JsonNode:
    """The document; of a blank one, or of one with nothing but comments, `end` is 0.

    Raises:
        BrokenJson: it is not JSON with comments.
    """
    return _Parser(text).document()


class _Parser:
    """A recursive-descent parser over the tokens that are neither blank nor comments."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [one for one in tokens(text) if one.kind not in ("blank", "comment")]
        self._at = 0

    def document(self) -> JsonNode:
        """The whole text as one value."""
        if not self._tokens:
            return JsonNode(None, 0, 0)
        node = self._value(0)
        if self._at < len(self._tokens):
            raise self._broken("there is more after the end")
        return node

    def _value(self, depth: int) -> JsonNode:
        if depth > _DEEPEST:
            raise self._broken("it is nested too deeply")
        token = self._next()
        match token.text:
            case "{":
                return self._object(token, depth)
            case "[":
                return self._array(token, depth)
        if token.kind == "mark":
            self._at -= 1
            raise self._broken(f"a value is missing before {token.text}")
        return JsonNode(self._scalar(token), token.start, token.end)

    def _scalar(self, token: JsonToken) -> Any:
        try:
            return json.loads(token.text)
        except ValueError:
            self._at -= 1
            raise self._broken(f"{token.text[:20]} is not a value of JSON") from None

    def _object(self, opening: JsonToken, depth: int) -> JsonNode:
        members: list[JsonProperty] = []
        while self._peek() != "}":
            key = self._next()
            if key.kind != "text":
                self._at -= 1
                raise self._broken("a name in double quotes is missing")
            name = str(self._scalar(key))
            self._expect(":")
            members.append(JsonProperty(name, key.start, self._value(depth + 1)))
            if self._peek() != "}":
                self._expect(",")
        closing = self._next()
        value = {one.key: one.node.value for one in members}
        return JsonNode(value, opening.start, closing.end, tuple(members))

    def _array(self, opening: JsonToken, depth: int) -> JsonNode:
        items: list[Any] = []
        while self._peek() != "]":
            items.append(self._value(depth + 1).value)
            if self._peek() != "]":
                self._expect(",")
        return JsonNode(items, opening.start, self._next().end)

    def _peek(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _next(self) -> JsonToken:
        if self._at == len(self._tokens):
            raise self._broken("it ends too early: a } or ] is missing")
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, mark: str) -> None:
        if self._next().text != mark:
            self._at -= 1
            raise self._broken(f"a {mark} is missing before {self._peek()[:20]}")

    def _broken(self, wrong: str) -> BrokenJson:
        here = self._tokens[self._at].start if self._at < len(self._tokens) else len(self._text)
        return BrokenJson(self._text, here, wrong)

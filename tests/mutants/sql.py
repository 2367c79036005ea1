"""Mutations of SQL in strings: the faults a person makes in a WHERE, an ORDER BY or a sum."""

import re
from collections.abc import Iterator

# Words in capitals that prose hardly has; a schema is not mutated, its text has a test of its own.
_SQL = re.compile(
    r"\b(?:SELECT|INSERT INTO|INSERT OR|UPDATE \w+ SET|DELETE FROM|FROM \w|WHERE|ORDER BY|GROUP BY"
    r"|(?:AND|OR) [\w.]+ ?[<>=]|UNION|LIMIT|IS NOT NULL|EXISTS|WITH \w+ AS|ON CONFLICT|JOIN \w"
    r"|VALUES ?\(|AS \w|CAST\(|m\.\w|(?:sum|min|max|count|coalesce)\([\w.*]|FILTER \(|MATCH)"
    r"|[<>=] ?:\w"
)
_SCHEMA = re.compile(r"\bCREATE (?:VIRTUAL |UNIQUE )?(?:TABLE|INDEX)\b")

# Not the AND of a BETWEEN, not INSERT OR IGNORE; `=` only where it compares.
_SWAPS = [
    (re.compile(pattern), new)
    for pattern, new in [
        (r"(?<![<>=!])<(?![<>=])", "<="),
        (r"<=", "<"),
        (r"(?<![<>=!-])>(?![<>=])", ">="),
        (r">=", ">"),
        (r"!=|<>", "="),
        (r"(?<!BETWEEN \?)(?<!BETWEEN :since)\bAND\b", "OR"),
        (r"(?<!INSERT )(?<!UPDATE )(?<!CREATE )\bOR\b", "AND"),
        (r"\bIS NOT NULL\b", "IS NULL"),
        (r"\bIS NULL\b", "IS NOT NULL"),
        (r"\bNOT (?=EXISTS|IN\b|MATERIALIZED)", ""),
        (r"\bDESC\b", "ASC"),
        (r"\bASC\b", "DESC"),
        (r"\bmin\(", "max("),
        (r"\bmax\(", "min("),
        (r"\bUNION ALL\b", "UNION"),
        (r"\bLEFT JOIN\b", "JOIN"),
        (r"\bDISTINCT ", ""),
        (r" \+ ", " - "),
        (r" - ", " + "),
    ]
]
_NUMBER = re.compile(r"(?<![\w:?.{$])\d+(?![\w.}])")
_CONJUNCT = re.compile(r"\n[ \t]*AND [^\n()]*(?:\([^\n()]*\)[^\n()]*)*(?=\n)")
_EQUALS = re.compile(r"(?<![<>=!:])=(?![=>])")
_CLAUSE = re.compile(r"\b(WHERE|AND|OR|ON|WHEN|HAVING|CASE|SET|VALUES|SELECT|THEN)\b")


def is_sql(text: str) -> bool:
    """Whether a string literal, or the text of an f-string, is a piece of a statement."""
    return bool(_SQL.search(text)) and not _SCHEMA.search(text)


def sql_mutations(text: str) -> Iterator[str]:
    """The text with one operator, order, function, number or condition changed."""
    for pattern, new in _SWAPS:
        for found in pattern.finditer(text):
            yield _with(text, found, new)
    for found in _NUMBER.finditer(text):
        yield _with(text, found, str(int(found.group()) + 1))
    for found in _CONJUNCT.finditer(text):
        yield _with(text, found, "")
    for found in _EQUALS.finditer(text):
        clauses = _CLAUSE.findall(text[: found.start()])
        if clauses and clauses[-1] not in ("SET", "VALUES"):
            yield _with(text, found, "!=")


def _with(text: str, found: re.Match[str], new: str) -> str:
    return text[: found.start()] + new + text[found.end() :]

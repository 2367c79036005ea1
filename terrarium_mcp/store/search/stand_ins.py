"""Stand-ins: words of a query that no line holds, and the words searched for in their place."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.search.scope import Clauses


@dataclass(frozen=True, slots=True)
class StandIns:
    """Words of a query that no line searched holds, and those that may stand for any of its words.

    `unsaid` may lack words that no line holds: which one it is of several is not always known.
    """

    unsaid: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()

    def said_in(self, texts: Iterable[str]) -> tuple[str, ...]:
        """The stand-ins that lines hold, that of most lines first."""
        if not self.words:
            return ()
        pairs = [word for word in self.words if " " in word]
        lines = Counter([word for text in texts for word in self._in(text, pairs)])
        return tuple(sorted(lines, key=lambda word: (-lines[word], word)))

    def _in(self, text: str, pairs: Sequence[str]) -> list[str]:
        """The stand-ins that a line holds, the pairs of words among them."""
        said = words_in(plain(text))
        held = [*self.words.intersection(said)]
        if pairs:
            side_by_side = f" {' '.join(said)} "
            held += [pair for pair in pairs if f" {pair} " in side_by_side]
        return held


NO_STAND_INS = StandIns()


def stand_ins(typed: Clauses, taken: Clauses) -> StandIns:
    """What the clauses taken search for beside the words typed, which no line holds together."""
    words = {" ".join(term.words) for clause in taken for term in clause}
    asked = {" ".join(term.words) for clause in typed for term in clause}
    alone = typed[0] if len(typed) == 1 else ()
    return StandIns(tuple(map(str, alone)), frozenset(words - asked))

"""Line tallies: what the counters and the vocabulary hold of some lines, counted beforehand. Pure.

Of messages that nobody has tallied, and of relayed ones, SQL counts the same (counter_sql.py).
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain, compress
from operator import and_
from typing import Any, NamedTuple, TypeVar

from terrarium_mcp.chat.records import SPEECH
from terrarium_mcp.chat.urls import urls_in

_SPEECH = frozenset(kind.value for kind in SPEECH)

PlaceName = tuple[str, str]
"""The network and channel that a line names."""

TallyKey = TypeVar("TallyKey", bound=Hashable)


class HourTally(NamedTuple):
    """The lines of one type in a place and an hour.

    Attributes:
        place: where.
        hour: the beginning of their timestamps.
        kind: the type.
        lines: how many they are.
        words: the number of their words: spaces, plus one.
        questions: how many end with a question mark.
        links: how many contain a URL.
        first: the number of the first of them, among all lines from 0.
        last: that of the last.
        began: the earliest timestamp.
        ended: the latest.
    """

    place: PlaceName
    hour: str
    kind: str
    lines: int
    words: int
    questions: int
    links: int
    first: int
    last: int
    began: str
    ended: str

    @property
    def is_said(self) -> bool:
        """Whether they are speech."""
        return self.kind in _SPEECH

    def behind(self, lines: int) -> "HourTally":
        """The same lines behind so many others: in half of the time of `_replace`."""
        return HourTally._make((*self[:7], self.first + lines, self.last + lines, *self[9:]))


class NickTally(NamedTuple):
    """The lines of one nick, as it is spelt, in a place.

    Attributes:
        place: where.
        nick: the nick.
        lines: how many it said.
        events: how many events it has.
        spoke: the timestamp of the last that it said, if any.
        seen: that of the last line.
    """

    place: PlaceName
    nick: str
    lines: int
    events: int
    spoke: str | None
    seen: str

    def joined(self, other: "NickTally") -> "NickTally":
        """This tally joined with another of the same nick in the same place."""
        return NickTally(
            self.place,
            self.nick,
            self.lines + other.lines,
            self.events + other.events,
            max(self.spoke or "", other.spoke or "") or None,
            max(self.seen, other.seen),
        )


class WordTally(NamedTuple):
    """Words of ASCII letters and digits in lower case, and in how many lines each is.

    Attributes:
        words: the words with a space between them: as one text they are sent to another process in
            a tenth of the time.
        lines: the lines of each.
    """

    words: str
    lines: Sequence[int]

    @property
    def counts(self) -> Iterable[tuple[str, int]]:
        """The lines by word."""
        return zip(self.words.split(), self.lines, strict=True)


class LineTallies(NamedTuple):
    """What was counted of some lines.

    Attributes:
        hours: by place, hour and type.
        nicks: by place and nick.
        words: the words of ASCII speech.
        others: the speech that is not ASCII, cut into words: only the tokenizer can tell these.
    """

    hours: Sequence[HourTally]
    nicks: Sequence[NickTally]
    words: WordTally
    others: Sequence[str]


def tallied(
    places: Iterable[PlaceName],
    timestamps: Sequence[str],
    nicks: Sequence[str],
    messages: Sequence[str],
    kinds: Sequence[str],
    indexed: Sequence[str],
    words: Iterable[Sequence[bytes]],
) -> LineTallies:
    """Count lines, given by columns.

    Args:
        places: where they belong.
        timestamps: when they were said.
        nicks: who sent them.
        messages: what they say.
        kinds: their types.
        indexed: the messages as the full-text index has them.
        words: the words of each message, as `encoded_words` has them.
    """
    where = list(places)
    said = [kind in _SPEECH for kind in kinds]
    is_ascii = [text.isascii() for text in indexed]
    return LineTallies(
        _hours(where, timestamps, messages, kinds),
        _nicks(where, timestamps, nicks, said),
        _words(compress(words, map(and_, said, is_ascii))),
        [text for text, spoken in zip(indexed, said, strict=True) if spoken and not text.isascii()],
    )


def joined_tallies(parts: Sequence[tuple[int, LineTallies]]) -> LineTallies:
    """The tallies of all parts as of one, each behind as many lines as those before it have."""
    hours: list[HourTally] = []
    nicks: dict[tuple[PlaceName, str], NickTally] = {}
    others: list[str] = []
    words: dict[str, int] = {}
    before = 0
    for lines, part in parts:
        hours += [hour.behind(before) for hour in part.hours] if before else part.hours
        for nick in part.nicks:
            known = nicks.get(key := (nick.place, nick.nick))
            nicks[key] = known.joined(nick) if known else nick
        others += part.others
        for word, count in part.words.counts:
            words[word] = words.get(word, 0) + count
        before += lines
    return LineTallies(hours, [*nicks.values()], _word_tally(words), others)


def packed_tallies(tallies: LineTallies) -> tuple[object, ...]:
    """Tallies as they are sent: pickling named tuples takes three times as long as plain ones."""
    hours, nicks, words, others = tallies
    return [*map(tuple, hours)], [*map(tuple, nicks)], tuple(words), others


def unpacked_tallies(
    hours: Iterable[Iterable[Any]],
    nicks: Iterable[Iterable[Any]],
    words: Iterable[Any],
    others: Sequence[str],
) -> LineTallies:
    """The tallies that `packed_tallies` packed."""
    return LineTallies(
        [*map(HourTally._make, hours)],
        [*map(NickTally._make, nicks)],
        WordTally._make(words),
        others,
    )


def _hours(
    places: Sequence[PlaceName],
    timestamps: Sequence[str],
    messages: Sequence[str],
    kinds: Sequence[str],
) -> list[HourTally]:
    texts = _to_nul(messages)
    words = [
        text.count(" ") + 1 if message else 0 for text, message in zip(texts, messages, strict=True)
    ]
    questions = [text.endswith("?") for text in texts]
    links = ["://" in message and urls_in(message) != [] for message in messages]
    hours = [timestamp[:13] for timestamp in timestamps]
    return [
        HourTally(
            *key,
            lines=len(numbers),
            words=sum(map(words.__getitem__, numbers)),
            questions=sum(map(questions.__getitem__, numbers)),
            links=sum(map(links.__getitem__, numbers)),
            first=numbers[0],
            last=numbers[-1],
            began=min(map(timestamps.__getitem__, numbers)),
            ended=max(map(timestamps.__getitem__, numbers)),
        )
        for key, numbers in _numbers_by(zip(places, hours, kinds, strict=True)).items()
    ]


def _to_nul(messages: Sequence[str]) -> Sequence[str]:
    """The messages as SQLite's functions of text see them: up to a NUL, which hardly any has."""
    if "\0" not in "".join(messages):
        return messages
    return [message.partition("\0")[0] for message in messages]


def _nicks(
    places: Sequence[PlaceName],
    timestamps: Sequence[str],
    nicks: Sequence[str],
    said: Sequence[bool],
) -> list[NickTally]:
    tallies = []
    for (place, nick), numbers in _numbers_by(zip(places, nicks, strict=True)).items():
        spoken = [timestamps[n] for n in numbers if said[n]]
        seen = max(timestamps[n] for n in numbers)
        events = len(numbers) - len(spoken)
        tallies.append(NickTally(place, nick, len(spoken), events, max(spoken, default=None), seen))
    return tallies


def _words(lines: Iterable[Sequence[bytes]]) -> WordTally:
    counted = Counter(chain.from_iterable(map(set, lines)))
    return WordTally(b" ".join(counted).decode(), [*counted.values()])


def _word_tally(words: Mapping[str, int]) -> WordTally:
    return WordTally(" ".join(words), [*words.values()])


def _numbers_by(keys: Iterable[TallyKey]) -> Mapping[TallyKey, Sequence[int]]:
    """The numbers of lines by the key of each."""
    numbers = defaultdict[TallyKey, list[int]](list)
    for number, key in enumerate(keys):
        numbers[key].append(number)
    return numbers

"""The text of a digest: its headline, and its sections as rows, the most important first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.question import said_words
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.times.timestamps import day, local, minute
from terrarium_mcp.chat.transcript import line_of
from terrarium_mcp.request import Request
from terrarium_mcp.store import RecentDigest
from terrarium_mcp.tools.missed_mentions import MissedMentions
from terrarium_mcp.tools.repeated_query import query_argument
from terrarium_mcp.tools.shortened_lines import shortened
from terrarium_mcp.tools.since import DigestStart
from terrarium_mcp.wording import and_more, note, people, quantity, shown

if TYPE_CHECKING:  # types only: the package is loaded when a conversation is read
    from terrarium_mcp.chat.digest import ConversationSummary, Digest

MOST_SHOWN = {
    "mentions": 10,
    "questions": 6,
    "conversations": 10,
    "links": 8,
    "said": 10,
    "arrivals": 6,
}
"""The sections, and the most lines of each in an answer of `USUAL_TOKENS`: none may leave the
others no room. A longer answer has more of each."""

USUAL_TOKENS = 1_500
"""How long a digest is unless a longer one is asked for."""

_TELLING = 2
"""Content words of a line that says something by itself. In 24 digests of 500 lines (Ubuntu IRC)
143 of the 322 lines in no conversation had fewer."""

_MOST_NAMES = 5
"""People of a conversation who are named."""


class DigestSection(NamedTuple):
    """The lines shown under a title, of `total`; `summaries` are those of its conversations.

    `or_more`: there are at least so many.
    """

    name: str
    title: str
    total: int
    lines: Sequence[Message]
    summaries: Sequence["ConversationSummary"] = ()
    or_more: bool = False

    @property
    def is_cut(self) -> bool:
        """Whether there are more lines than are shown."""
        return len(self.lines) < self.total

    @property
    def heading(self) -> str:
        """`mentions of ada: 2`, `links: 8 of 14, the newest`."""
        if not self.is_cut:
            return f"{self.title}: {self.total}"
        which = "largest" if self.summaries else "newest"
        more = "+" if self.or_more else ""
        return f"{self.title}: {len(self.lines)} of {self.total:,}{more}, the {which}"


def most_shown(budget: int) -> dict[str, int]:
    """The most lines of each section in an answer of so many tokens."""
    return {name: max(most, most * budget // USUAL_TOKENS) for name, most in MOST_SHOWN.items()}


def digest_sections(
    digest: "Digest", mentions: MissedMentions, nick: str, most: Mapping[str, int]
) -> list[DigestSection]:
    """The sections of a digest that have any line, with the most lines of each.

    What was said is shown line by line only where no other section tells of that line; and beside
    other sections only what says something, as `hi` and `exit` do not.
    """
    largest = digest.conversations[: most["conversations"]]
    posted = [one.message._replace(text=one.url) for one in digest.links]
    listed = (mentions.lines, digest.questions, (one.message for one in digest.links))
    told = {line.id for lines in listed for line in lines}
    is_all = not (told or largest)
    untold = [
        line for line in digest.alone if line.id not in told and (is_all or _says_something(line))
    ]

    def newest(name: str, title: str, lines: Sequence[Message]) -> DigestSection:
        quoted = [shortened(line) for line in lines[-most[name] :]]
        return DigestSection(name, title, len(lines), quoted)

    sections = (
        newest("mentions", f"mentions of {shown(nick)}", mentions.lines)._replace(
            total=mentions.total, or_more=mentions.or_more
        ),
        newest("questions", "questions without an answer found", digest.questions),
        DigestSection(
            "conversations",
            "conversations",
            len(digest.conversations),
            [shortened(one.line) for one in largest],
            largest,
        ),
        newest("links", "links", posted),
        newest("said", "said" if is_all else "said in no conversation", untold),
        newest("arrivals", "arrivals and departures", digest.moves),
    )
    return [section for section in sections if section.lines]


def _says_something(line: Message) -> bool:
    return len(said_words(plain(line.text))) >= _TELLING


def digest_headline(
    request: Request, rooms: Sequence[Room], start: DigestStart, recent: RecentDigest
) -> str:
    """`catch-up of #tea since 2026-11-05 08:00 (as asked): 143 lines by 9 people`.

    Of a time that was not read whole it says how much was read, which is no total.
    """
    since = minute(start.after.moment, request.settings.zone)
    lines, is_whole = len(recent.digest.said), recent.reached is None
    said = f"{quantity(lines, 'line')} by {people(recent.digest.people)}"
    if not lines:
        said = "nothing was said" if is_whole else "nothing was said in the part that was read"
    elif not is_whole:
        said = f"only the newest {said} were read"
    return f"catch-up of {request.room_names(rooms)} since {since} ({start.why}): {said}"


def cut_note(request: Request, recent: RecentDigest, nick: str) -> list[str]:
    """That not all of the time was read, how far it was, and that no mention is missing for it."""
    if recent.reached is None:
        return []
    reached = minute(recent.reached.moment, request.settings.zone)
    besides = f", and all mentions of {shown(nick)}" if nick else ""
    rest = "search_irc_history finds earlier ones"
    return [note(f"only the newest lines were read, back to {reached}{besides}; {rest}")]


def next_steps(
    request: Request,
    rooms: Sequence[Room],
    start: DigestStart,
    nick: str,
    sections: Sequence[DigestSection],
    longer: int,
) -> list[str]:
    """How to read on: the conversation of a line, and what is not listed.

    `longer` is the length of an answer that lists more; 0 if none does.
    """
    ids = [section.lines[0].id for section in sections if section.name != "arrivals"]
    steps = [f"around a line: get_message_context({ids[0]}, scope=conversation)"] if ids else []
    if any(section.name == "mentions" and section.is_cut for section in sections):
        mentions = Query(mentions=(nick,), since=start.after.moment)
        if argument := query_argument(request, rooms, mentions):
            steps.append(f"all mentions: search_irc_history({argument}, sort=newest)")
    if longer and any(section.is_cut for section in sections):
        steps.append(f"more of each: max_tokens={longer}")
    return steps


class DigestRow(NamedTuple):
    """A row of a digest: a line, or what stands above one."""

    text: str
    is_heading: bool = True


def digest_rows(
    request: Request, rooms: Sequence[Room], sections: Sequence[DigestSection]
) -> Iterator[DigestRow]:
    """The sections as rows of a listing, with a heading where the day changes."""
    options, today = request.render_options(rooms), None
    for section in sections:
        yield DigestRow(section.heading)
        leads = [DigestRow(f"{_lead(one)}:") for one in section.summaries]
        for place, line in enumerate(section.lines):
            said_on = local(line.said_at, options.zone).date()
            if said_on != today:
                yield DigestRow(f"-- {day(line.said_at, options.zone)} --")
                today = said_on
            yield from leads[place : place + 1]
            yield DigestRow(line_of(line, options), is_heading=False)


def _lead(summary: "ConversationSummary") -> str:
    """`184100 to 184180, 14 lines by ada, bob and 3 more`."""
    lines = f"{summary.lines:,} lines by {and_more(summary.people, _MOST_NAMES)}"
    return f"{summary.first.id} to {summary.last.id}, {lines}"

"""Every derived structure, once, in the order in which messages are added to them."""

from collections.abc import Mapping

from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.index.index_texts import TakesTexts
from terrarium_mcp.store.sqlite.index.link_index import LinkIndex
from terrarium_mcp.store.sqlite.index.message_index import MessageIndex
from terrarium_mcp.store.sqlite.index.msgid_index import MsgidIndex
from terrarium_mcp.store.sqlite.index.nick_evidence import PeopleIndex
from terrarium_mcp.store.sqlite.index.phrase_index import PhraseIndex
from terrarium_mcp.store.sqlite.index.room_moves import RoomMoves
from terrarium_mcp.store.sqlite.index.sorted_runs import Runs
from terrarium_mcp.store.sqlite.index.structure import NORMALISED, Derived
from terrarium_mcp.store.sqlite.index.talk_counts import TalkCounts
from terrarium_mcp.store.sqlite.index.topic_index import TopicIndex
from terrarium_mcp.store.sqlite.index.vocabulary import WordsIndex
from terrarium_mcp.store.sqlite.index.voices import Voices
from terrarium_mcp.store.sqlite.index.word_blocks import WordBlocks

_RUNS = Runs()
BY_VOICE = (MessageIndex(), PhraseIndex(), Counters(), WordsIndex(), WordBlocks(), TalkCounts())
VOICES = Voices(followers=BY_VOICE)
_INDEX, _PHRASES, _COUNTERS, _WORDS, _WORD_BLOCKS, _TALK = BY_VOICE
MSGIDS, _PEOPLE, _LINKS, _TOPICS = MsgidIndex(), PeopleIndex(), LinkIndex(), TopicIndex()
MOVES = RoomMoves((_INDEX, _COUNTERS, _PEOPLE, _LINKS, _TOPICS, MSGIDS, _WORD_BLOCKS, _TALK))

DERIVED: tuple[Derived, ...] = (
    VOICES,  # before what goes by them
    _INDEX,
    _PHRASES,
    _RUNS,
    _COUNTERS,
    _PEOPLE,
    _LINKS,
    _TOPICS,
    MSGIDS,
    _WORDS,
    _WORD_BLOCKS,
    _TALK,
)

BY_TEXTS: Mapping[str, TakesTexts] = {
    one.name: one
    for one in (
        VOICES, _INDEX, _PHRASES, _RUNS, _COUNTERS, _PEOPLE, _LINKS, _TOPICS, MSGIDS, _WORDS, _TALK,
    )
}  # fmt: skip

EVERYTHING = (NORMALISED, *(structure.name for structure in DERIVED))
"""The names of all watermarks that last; ROOM_MOVES is one while lines change rooms."""

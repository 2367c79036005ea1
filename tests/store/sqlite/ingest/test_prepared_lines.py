"""Prepared lines are the messages that they were made of, and what the indexes hold of these."""

import pickle
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.store.sqlite.ingest.prepared_lines import joined, prepared
from tests.store.scene import chat

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
MESSAGES = st.builds(
    NewMessage,
    network=st.just("net"),
    channel=st.sampled_from(["#tea", "#Tea", "bo"]),
    nick=TEXTS,
    text=TEXTS,
    said_at=st.datetimes(datetime(1, 2, 1), datetime(9999, 11, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001 -- hypothesis adds the zone
        lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)
    ),
    kind=st.sampled_from(MessageType),
    user=TEXTS,
    host=TEXTS,
    account=TEXTS,
    msgid=TEXTS,
    reply_to=TEXTS,
    server_time=TEXTS,
    origin=st.sampled_from(Origin),
    relayed_by=TEXTS,
    own=st.booleans(),
    bot=st.booleans(),
    repeat=st.just(0),  # for playback alone
)


@given(st.lists(MESSAGES, max_size=6), st.integers(0, 6))
def test_they_are_the_messages_again_whole_cut_joined_and_sent(
    messages: list[NewMessage], cut: int
) -> None:
    lines = prepared(messages)
    assert [*lines] == messages == [lines[n] for n in range(len(messages))]
    assert [*lines[cut:]] == messages[cut:]
    assert [*joined([lines[:cut], lines[cut:]])] == messages
    assert [*pickle.loads(pickle.dumps(lines))] == messages  # noqa: S301 -- ours


def test_blocks_that_were_joined_are_found_again_with_what_was_counted_of_them() -> None:
    blocks = [prepared(chat(text)) for text in ("<ada> tea?", "<bo> tea\n<bo> hot tea", "<cy> no")]
    lines = joined(blocks)
    assert lines[1:3].tallies == blocks[1].tallies
    assert [*lines[1:]] == [*lines][1:]
    assert [*lines[::2]] == [*lines][::2]
    assert lines[1:].tallies == joined(blocks[1:]).tallies
    assert dict(lines.tallies.words.counts) == {"tea": 3, "hot": 1, "no": 1}
    assert sorted(lines[2:].tallies.words.counts) == [("hot", 1), ("no", 1), ("tea", 1)]
    assert [hour.last for hour in lines.tallies.hours] == [0, 2, 3]
    assert pickle.loads(pickle.dumps(lines)).tallies == lines.tallies  # noqa: S301 -- ours


def test_the_parts_of_a_block_are_that_block_again_also_once_they_were_sent() -> None:
    block = prepared(chat("<ada> tea?\n<bo> tea\n<bo> hot tea"))
    parts = [block[:1], block[1:1], block[1:][:1], block[2:]]
    assert joined(parts) is block
    assert [part.ends_block for part in parts] == [False, False, False, True]
    sent = pickle.loads(pickle.dumps(parts))  # noqa: S301 -- ours
    assert list(map(list, sent)) == list(map(list, parts))
    assert joined(sent).tallies == block.tallies
    assert [*joined(sent[2:])] == [*block[1:]]
    assert joined(sent[2:]).tallies == joined([prepared([*block[1:]])]).tallies


def test_a_clock_that_was_fast_is_set_back_as_far_as_the_calendar_reaches() -> None:
    (message,) = chat("<ada> tea")
    first = message._replace(said_at=datetime(1, 1, 1, tzinfo=UTC))
    hour = timedelta(hours=1)
    assert [line.said_at for line in prepared([message, first]).earlier_by(hour)] == [
        message.said_at - hour,
        first.said_at,
    ]

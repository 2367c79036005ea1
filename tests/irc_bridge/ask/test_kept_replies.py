"""What `!more` continues: the asker's own last reply, else what was said to others since."""

from terrarium_mcp.irc_bridge.answer.reply import Reply
from terrarium_mcp.irc_bridge.ask.kept_replies import (
    MOST_KEPT,
    KeptReplies,
    NothingLeft,
    ReplyKey,
)

LONG = Reply(("ada: 1",), ("2", "3"))
OTHER = Reply(("bo: x",), ("y", "z"))
WHOLE = Reply(("ada: yes",))
OFF = Reply(("[off] ada: 1",), ("2",), continuation="[off] | ")


def key(nick: str, channel: str = "#tea", *rooms: str) -> ReplyKey:
    return ReplyKey(channel, (nick,), rooms)


def continued(kept: KeptReplies, nick: str, *, off_record: bool = False) -> Reply | None:
    found = kept.to_continue(key(nick), off_record=off_record)
    return found[1] if found else None


def test_it_is_the_askers_own_also_after_a_later_one_of_somebody_else() -> None:
    kept = KeptReplies()
    kept.keep(key("ada"), LONG)
    kept.keep(key("bo"), OTHER)
    assert continued(kept, "ada") == LONG
    assert continued(kept, "bo") == OTHER


def test_after_one_that_was_said_whole_no_older_one_is_continued() -> None:
    kept = KeptReplies()
    kept.keep(key("bo"), OTHER)
    kept.keep(key("ada"), LONG)
    kept.keep(key("ada"), WHOLE)
    assert continued(kept, "ada") is None
    assert continued(kept, "bo") == OTHER


def test_who_was_told_nothing_since_continues_the_latest_of_anybody() -> None:
    kept = KeptReplies()
    kept.keep(key("cy"), WHOLE)
    kept.keep(key("ada"), LONG)
    kept.keep(key("bo"), OTHER)
    assert continued(kept, "cy") == OTHER
    assert continued(kept, "dora") == OTHER
    assert kept.to_continue(key("cy", "#mate"), off_record=False) is None


def test_what_is_off_the_record_is_for_its_asker_alone() -> None:
    kept = KeptReplies()
    kept.keep(key("bo"), OTHER)
    kept.keep(key("ada"), OFF)
    assert continued(kept, "bo") == OTHER
    assert continued(kept, "cy") == OTHER
    assert continued(kept, "cy", off_record=True) is None
    assert continued(kept, "bo", off_record=True) is None
    assert continued(kept, "ada", off_record=True) == continued(kept, "ada") == OFF


def test_what_was_said_in_private_is_for_its_asker_alone_in_the_rooms_that_it_could_see() -> None:
    kept = KeptReplies()
    kept.keep(key("bo", "", "#tea", "#mate"), LONG)
    assert kept.to_continue(key("eve", "", "#tea", "#mate"), off_record=False) is None
    assert kept.to_continue(key("bo", "", "#tea"), off_record=False) is None
    found = kept.to_continue(key("bo", "", "#tea", "#mate"), off_record=False)
    assert found == (key("bo", "", "#tea", "#mate"), LONG)


def test_who_has_another_nick_goes_on_and_who_takes_the_old_one_does_not() -> None:
    kept = KeptReplies()
    kept.keep(key("bo2", ""), OTHER)
    kept.keep(key("bo", ""), LONG)
    kept.keep(key("bo"), OFF)
    kept.renamed(("bo",), ("bo2",))
    assert kept.to_continue(key("bo2", ""), off_record=False) == (key("bo2", ""), LONG)
    assert continued(kept, "bo2") == OFF
    kept.renamed(("eve",), ("bo2",))
    assert kept.why_nothing(key("bo2", "")) is kept.why_nothing(key("bo", ""))
    assert kept.why_nothing(key("bo2", "")) is NothingLeft.UNKNOWN


def test_why_nothing_is_left_is_known_of_ones_own_last_reply() -> None:
    kept = KeptReplies()
    kept.keep(key("ada"), WHOLE)
    kept.lose(key("bo"), OTHER, NothingLeft.LOST)
    assert kept.why_nothing(key("ada")) is NothingLeft.SAID_WHOLE
    assert kept.why_nothing(key("bo")) is NothingLeft.LOST
    assert kept.why_nothing(key("cy")) is NothingLeft.UNKNOWN
    assert kept.why_nothing(key("ada", "#mate")) is NothingLeft.UNKNOWN


def test_only_so_many_are_remembered() -> None:
    kept = KeptReplies()
    kept.keep(key("ada"), LONG)
    for number in range(MOST_KEPT):
        kept.keep(key(f"n{number}"), OTHER)
    assert continued(kept, "ada") == OTHER

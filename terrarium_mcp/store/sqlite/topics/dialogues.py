"""Dialogues: what the bot is in the middle of, in each channel and with each person in private.

Writes may come late, twice, and in any order: the bridge repeats those that failed. None of them
undoes a later one, and none brings back what somebody had removed meanwhile.
"""

import json
from functools import partial
from hashlib import blake2b
from itertools import starmap
from typing import Any

from terrarium_mcp.chat.identity import Identity, fold
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.records.dialogue import (
    DialoguePlace,
    DialogueSummary,
    DialogueTurn,
    StoredDialogue,
    ToolStep,
    TurnState,
)
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.dialogue_rows import remove_turns
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.id_lists import ids_params
from terrarium_mcp.store.sqlite.engine.networks import add_network, casemapping_of
from terrarium_mcp.store.sqlite.engine.reads import Reads, Row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.ingest.forgotten import had_removed
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader

_PROGRESS = (TurnState.OPEN, TurnState.CUT, TurnState.DONE, TurnState.STOPPED)
"""The states in the order in which a turn may take them."""


class Dialogues:
    """The dialogues on all networks."""

    def __init__(self, database: Database, opt_out_reader: OptOutReader) -> None:
        self._database = database
        self._opt_out_reader = opt_out_reader

    async def load(self, place: DialoguePlace) -> StoredDialogue:
        """The dialogue at a place, as far as it is part of the talk; an empty one if there is none.

        Raises:
            StoreFailed: the file cannot be read.
        """
        return await self._database.read_whole(partial(_stored, place))

    async def put_turn(self, place: DialoguePlace, turn: DialogueTurn) -> bool:
        """Store a turn, in place of what is stored of the turn with this number.

        Something earlier never replaces something later, such as the question its answer. A turn of
        a newer window begins this window.

        Returns:
            Whether it is stored: not if its asker opted out or had their lines removed since then,
            or if its question or a source was removed. What was stored of it is then removed too.

        Raises:
            StoreFailed: nothing was written; the same call may be repeated.
        """
        return await self._database.write_whole(partial(self._put_turn, place, turn))

    async def put_window(
        self, place: DialoguePlace, window: int, summary: DialogueSummary | None
    ) -> None:
        """Begin a window of a dialogue, and store a summary of the turns in it, if there is one.

        The newest window remains, and of its summaries the newest. A summary that rests on a turn
        that was removed is not stored.

        Raises:
            StoreFailed: nothing was written; the same call may be repeated.
        """
        async with self._database.writing() as writer:
            dialogue = await _enter(writer, place, window)
            if summary and await _rests_on_stored_turns(writer, dialogue, window, summary):
                await writer.run(
                    _PUT_SUMMARY,
                    {
                        "dialogue": dialogue,
                        "window": window,
                        "text": storable(summary.text),
                        "first": summary.first,
                        "last": summary.last,
                        "omitted": json.dumps(sorted(summary.omitted)),
                        "made_at": to_text(summary.made_at),
                    },
                )

    async def mark_cut(self, network: str) -> int:
        """Mark the open turns of a network as cut off; returns how many there were.

        To be called when the network's bridge starts: no other process answers them.

        Raises:
            StoreFailed: nothing was written.
        """
        async with self._database.writing() as writer:
            return len(await writer.rows(_MARK_CUT, {"network": storable(network)}))

    async def _put_turn(self, place: DialoguePlace, turn: DialogueTurn, writer: Writer) -> bool:
        dialogue = await _enter(writer, place, turn.window, turn.number)
        stored = await writer.rows(_STORED, {"dialogue": dialogue, "number": turn.number})
        if await self._is_removed(writer, turn):
            await remove_turns(writer, [row["id"] for row in stored])
            return False
        if all(_progress(row["state"]) <= _progress(turn.state) for row in stored):
            await _write_turn(writer, dialogue, turn)
        return True

    async def _is_removed(self, writer: Writer, turn: DialogueTurn) -> bool:
        """Whether a turn must not be stored, or no longer."""
        opt_outs = await self._opt_out_reader.current(writer)
        if opt_outs.covers(turn.asker) or await had_removed(writer, turn.asker, turn.asked_at):
            return True
        its = ids_params([*turn.sources, *filter(None, [turn.message_id])])
        params = its | {"asked_at": to_text(turn.asked_at)}
        return bool(await writer.value(_LACKS_A_LINE, params))


async def _stored(place: DialoguePlace, reads: Reads) -> StoredDialogue:
    casemapping = await casemapping_of(reads, storable(place.network))
    rows = await reads.rows(_LOAD, _key(place, casemapping))
    if not rows:
        return StoredDialogue()
    return StoredDialogue(
        rows[0]["current"],
        rows[0]["newest"],
        _summary(rows[0]),
        tuple(_turn(row, place.network) for row in rows if row["number"]),
    )


def _progress(state: str) -> int:
    """How far a turn in this state has come."""
    return _PROGRESS.index(TurnState(state))


def _key(place: DialoguePlace, casemapping: str) -> dict[str, Any]:
    """The columns that tell dialogues apart.

    A person is stored as a fingerprint: whoever has their lines removed leaves no name here.
    """
    person = blake2b(storable(place.person).encode(), digest_size=12).hexdigest()
    return {
        "network": storable(place.network),
        "folded": fold(storable(place.channel), casemapping),
        "person": person if place.person else "",
    }


async def _enter(writer: Writer, place: DialoguePlace, window: int, number: int = 0) -> int:
    """The id of a dialogue, new or not, in which this window has begun and this number is taken."""
    network = storable(place.network)
    await add_network(writer, network)
    key = _key(place, await casemapping_of(writer, network))
    reached = {"channel": storable(place.channel), "window": window, "newest": number}
    dialogue = int((await writer.rows(_ENTER, key | reached))[0]["id"])
    await writer.run(_DROP_OLD_SUMMARY, {"dialogue": dialogue})
    return dialogue


async def _rests_on_stored_turns(
    writer: Writer, dialogue: int, window: int, summary: DialogueSummary
) -> bool:
    """Whether all turns of a summary are in this window, which is the dialogue's current one."""
    numbers = json.dumps(sorted(summary.turns))
    params = {"dialogue": dialogue, "window": window, "numbers": numbers}
    return int(await writer.value(_COUNT_TURNS, params)) == len(summary.turns)


async def _write_turn(writer: Writer, dialogue: int, turn: DialogueTurn) -> None:
    who = turn.asker
    steps = [[one.round, one.tool, one.arguments, one.result] for one in turn.steps]
    rows = await writer.rows(
        _PUT_TURN,
        {
            "dialogue": dialogue,
            "number": turn.number,
            "window": turn.window,
            "asked_at": to_text(turn.asked_at),
            "nick": storable(who.nick),
            "user": storable(who.user),
            "host": storable(who.host),
            "account": storable(who.account),
            "question": storable(turn.question),
            "message": turn.message_id or None,
            "steps": storable(json.dumps(steps, ensure_ascii=False)),
            "answer": storable(turn.answer),
            "state": turn.state.value,
        },
    )
    number = rows[0]["id"]
    await writer.run("DELETE FROM dialogue_sources WHERE turn = ?", (number,))
    await writer.many(
        "INSERT INTO dialogue_sources (turn, message) VALUES (?, ?)",
        [(number, source) for source in sorted(turn.sources)],
    )


def _summary(row: Row) -> DialogueSummary | None:
    if row["text"] is None:
        return None
    return DialogueSummary(
        row["text"],
        row["first"],
        row["last"],
        from_text(row["made_at"]),
        frozenset(json.loads(row["omitted"])),
        frozenset(json.loads(row["rests_on"])),
    )


def _turn(row: Row, network: str) -> DialogueTurn:
    return DialogueTurn(
        row["number"],
        row["window"],
        from_text(row["asked_at"]),
        Identity(network, row["nick"], row["user"], row["host"], row["account"]),
        row["question"],
        row["message"] or 0,
        tuple(starmap(ToolStep, json.loads(row["steps"]))),
        row["answer"],
        TurnState(row["state"]),
        frozenset(json.loads(row["sources"])),
    )


_LOAD = """
WITH place AS MATERIALIZED (
  SELECT d.id, d.window AS current, d.newest, s.text, s.first, s.last, s.omitted, s.made_at
  FROM dialogues d LEFT JOIN dialogue_summaries s ON s.dialogue = d.id
  WHERE d.network = :network AND d.folded = :folded AND d.person = :person
),
last_told AS (
  SELECT t.id, t.message FROM place CROSS JOIN dialogue_turns t
    ON t.dialogue = place.id AND t.number = place.last
),
summary AS MATERIALIZED (
  SELECT json_group_array(message) AS rests_on FROM (
    SELECT message FROM last_told WHERE message NOT NULL
    UNION SELECT s.message FROM last_told l CROSS JOIN dialogue_sources s ON s.turn = l.id
  )
),
talk AS (
  SELECT t.id FROM place CROSS JOIN dialogue_turns t
    ON t.dialogue = place.id AND t.window = place.current AND t.number > ifnull(place.last, 0)
  UNION ALL
  SELECT t.id FROM place CROSS JOIN dialogue_turns t
    ON t.dialogue = place.id AND t.window = place.current AND t.number < place.first
  UNION ALL
  SELECT t.id FROM place CROSS JOIN json_each(place.omitted) o CROSS JOIN dialogue_turns t
    ON t.dialogue = place.id AND t.window = place.current AND t.number = o.value
)
SELECT place.*, summary.rests_on, t.number, t.window, t.asked_at, t.nick, t.user, t.host,
  t.account, t.question, t.message, t.steps, t.answer, t.state,
  (SELECT json_group_array(message) FROM dialogue_sources WHERE turn = t.id) AS sources
FROM place CROSS JOIN summary
  LEFT JOIN dialogue_turns t ON t.id IN (SELECT id FROM talk) AND t.state = 'done'
ORDER BY t.number"""

_ENTER = """
INSERT INTO dialogues (network, folded, channel, person, window, newest)
VALUES (:network, :folded, :channel, :person, :window, :newest)
ON CONFLICT (network, folded, person) DO UPDATE SET
  window = max(window, excluded.window), newest = max(newest, excluded.newest)
RETURNING id"""

_DROP_OLD_SUMMARY = """
DELETE FROM dialogue_summaries
WHERE dialogue = :dialogue AND window < (SELECT window FROM dialogues WHERE id = :dialogue)"""

_STORED = """
SELECT id, state FROM dialogue_turns WHERE dialogue = :dialogue AND number = :number"""

_LACKS_A_LINE = """
SELECT 1 FROM json_each(:ids)
WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = value
                  AND (m.redacted_at IS NULL OR m.redacted_at < :asked_at))
  AND NOT EXISTS (SELECT 1 FROM private_messages p WHERE p.id = value)
LIMIT 1"""

_PUT_TURN = """
INSERT INTO dialogue_turns (dialogue, number, window, asked_at, nick, user, host, account, question,
  message, steps, answer, state)
VALUES (:dialogue, :number, :window, :asked_at, :nick, :user, :host, :account, :question, :message,
  :steps, :answer, :state)
ON CONFLICT (dialogue, number) DO UPDATE SET
  window = excluded.window, asked_at = excluded.asked_at, nick = excluded.nick,
  user = excluded.user, host = excluded.host, account = excluded.account,
  question = excluded.question, message = excluded.message, steps = excluded.steps,
  answer = excluded.answer, state = excluded.state
RETURNING id"""

_COUNT_TURNS = """
SELECT count(*) FROM dialogues d JOIN dialogue_turns t ON t.dialogue = d.id AND t.window = d.window
WHERE d.id = :dialogue AND d.window = :window
  AND t.number IN (SELECT value FROM json_each(:numbers))"""

_PUT_SUMMARY = """
INSERT INTO dialogue_summaries (dialogue, window, text, first, last, omitted, made_at)
VALUES (:dialogue, :window, :text, :first, :last, :omitted, :made_at)
ON CONFLICT (dialogue) DO UPDATE SET
  window = excluded.window, text = excluded.text, first = excluded.first, last = excluded.last,
  omitted = excluded.omitted, made_at = excluded.made_at
WHERE excluded.made_at >= made_at"""

_MARK_CUT = """
UPDATE dialogue_turns SET state = 'cut'
WHERE state = 'open' AND dialogue IN (SELECT id FROM dialogues WHERE network = :network)
RETURNING id"""

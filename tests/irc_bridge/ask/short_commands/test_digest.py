"""!seen and !catchup, as people in the channel read them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

from terrarium_mcp.chat.defusing import defused_name
from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.irc_bridge.ask.short_commands.digest import _packed
from tests.irc_bridge.ask.desk import desk
from tests.irc_bridge.house import said
from tests.irc_bridge.test_bridge import Scene, playing
from tests.patience import PATIENCE
from tests.servers.ircd import Ircd
from tests.servers.person import person
from tests.store.scene import chat, line_of
from tests.tools.test_digest import ALONE, GATE, KETTLE, MORNING, TRIP


def said_on(noon: datetime, talk: str, channel: str = "#tea") -> list[NewMessage]:
    return chat(talk, channel=channel, at=noon, origin=Origin.IMPORT, network="local")


def event(at: datetime, nick: str, kind: MessageType, text: str = "") -> NewMessage:
    return line_of(nick, text, at, "#tea", kind, Origin.IMPORT, "local")


async def scripted_day(scene: Scene) -> datetime:
    """Noon of a day on which ada left early: three conversations, two mentions, a question, a link.

    The day is the one before the test: the tests may run over midnight.
    """
    yesterday = datetime.now(UTC) - timedelta(days=1)
    noon = yesterday.replace(hour=12, minute=0, second=0, microsecond=0)
    await scene.house.store.messages.append(
        [
            *said_on(noon, MORNING),
            event(noon - timedelta(minutes=30), "ada", MessageType.QUIT, "off to work"),
            *(one for talk in (GATE, KETTLE, TRIP, ALONE) for one in said_on(noon, talk)),
        ]
    )
    return noon


async def quiet(scene: Scene, count: int) -> list[str]:
    """What the bot said, once it has said as many lines and answered a ping after them."""
    with anyio.fail_after(PATIENCE):
        while len(scene.of_terra()) < count:
            await scene.ada.news.wait()
    await scene.asks("!ping", "pong")
    return [line.split(" :", 1)[1] for line in scene.of_terra() if "pong" not in line]


async def test_catchup_tells_a_day_in_four_lines(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        day = f"{await scripted_day(scene):%Y-%m-%d}"
        await scene.ada.types("PRIVMSG #tea :!catchup")
        lines = await quiet(scene, 4)
    assert len(lines) == 4
    assert lines[0].startswith(f"ada: Since {day} 11:30 (when ada left, away for ")
    assert lines[0].endswith(
        "): 16 lines by 5 people, 2 mentions, 1 unanswered question, 3 conversations, 1 link"
    )
    assert lines[1].startswith(f"| for you: {day} 15:06 <dora> eve: ask ada for the cable, she has")
    assert f" / {day} 19:30 <eve> ada: your parcel arrived" in lines[1]
    assert f" / unanswered: {day} 18:30 <frank> does anybody know the password of" in lines[1]
    assert lines[2].startswith(f"| talk: {day} 13:00 <bo> the garden gate is stuck again")
    assert ", 5 lines by bo, cy / " in lines[2]
    assert "who wants to test the new kettle firmware?" in lines[2]
    assert lines[2].endswith(", 4 lines by cy, bo, dora")
    assert lines[3].startswith(f"| links: {day} 15:02 <dora> https://kettle.example/notes (")


async def test_a_long_catchup_begins_each_subject_and_keeps_the_rest_for_more(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        noon = await scripted_day(scene)
        calls = "\n".join(f"20:{n:02} <bo> ada: call number {n} {'please ' * 20}" for n in range(9))
        await scene.house.store.messages.append(said_on(noon, calls))
        await scene.ada.types("PRIVMSG #tea :!catchup")
        lines = await quiet(scene, 4)
        rest = await scene.asks("!more", "call number")
    assert len(lines) == 4
    assert ", 11 mentions, " in lines[0]
    assert [line.split(": ")[0] for line in lines[1:]] == ["| for you", "| talk", "| links"]
    assert lines[3].endswith("more: !more)")
    assert "call number" in rest


async def test_catchup_takes_a_time_and_says_so_when_it_is_none(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        day = f"{await scripted_day(scene):%Y-%m-%d}"
        assert "(as asked): nothing was said. Recorded " in await scene.asks(
            "!catchup 1m", "Since "
        )
        since = f"ada: Since {day} 00:00 (as asked): 18 lines by 6 people"
        assert await scene.asks("!catchup yesterday", since)
        assert await scene.asks(
            "!catchup whenever",
            "ada: whenever is neither a time nor a message id."
            " Write a time as 2h, yesterday or 2026-05-01.",
        )
        for typed in ("yesterday #tea", "#tea since yesterday", "SINCE yesterday"):
            assert await scene.asks(f"!catchup {typed}", since)
        assert await scene.asks("!catchup tomorrow", "ada: tomorrow is in the future: ")


async def test_in_private_catchup_covers_the_rooms_that_are_shared(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        noon = await scripted_day(scene)
        await scene.house.store.messages.append(
            said_on(noon, "20:00 <eve> ada: a secret of mate", "#mate")
        )
        known = len(scene.ada.lines)
        await scene.ada.types("PRIVMSG Terra :!catchup")
        assert ", 2 mentions" in await scene.hears("PRIVMSG ada :Since ", after=known)
        assert "#tea <dora> eve: ask ada" in await scene.hears("for you: ", after=known)
        await scene.ada.joins("#mate")
        await scene.house.has_heard(scene.ada, "#mate")
        known = len(scene.ada.lines)
        await scene.ada.types("PRIVMSG Terra :!catchup yesterday")
        assert ", 4 mentions" in await scene.hears("PRIVMSG ada :Since ", after=known)
        assert "#mate <eve> ada: a secret of mate" in await scene.hears("for you: ", after=known)
        known = len(scene.ada.lines)
        await scene.ada.types("PRIVMSG Terra :catchup #tea yesterday")
        assert ": 18 lines by 6 people" in await scene.hears("PRIVMSG ada :Since ", after=known)


async def test_seen_says_when_somebody_was_last_here_and_who_else_they_may_be(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        noon = await scripted_day(scene)
        await scene.house.store.messages.append(
            [
                event(noon + timedelta(minutes=500), "cy", MessageType.NICK, "cyrus"),
                event(noon + timedelta(minutes=510), "cyrus", MessageType.NICK, "cy"),
                event(noon + timedelta(minutes=520), "cy", MessageType.QUIT, "night"),
            ]
        )
        day = f"{noon:%Y-%m-%d}"
        told = await scene.asks("!seen CY", "ada: cy last spoke ")
        assert f"last spoke {day} 17:02 <cy> bo: the one at nine from the central" in told
        assert told.endswith(f"; last seen {day} 20:40")
        assert await scene.hears("PRIVMSG #tea :| Perhaps also cyrus (nick change)")
        near = "ada: No one called cyr is recorded here. Similar nicks: cy"
        assert "Recorded " in await scene.asks("!seen cyr", near)
        assert await scene.asks("!seen", "ada: Who? For example: !seen ada")
        assert await scene.asks("!seen ADA", "ada: That is you, and you are here.")
        assert await scene.asks("!seen terra", "ada: That is me, and I am here.")


async def test_of_a_relay_seen_says_that_it_is_one_and_of_others_which_carried_their_words(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path, relays=(Relay("relaybot"),)) as scene:
        yesterday = datetime.now(UTC) - timedelta(days=1)
        carried = said_on(yesterday, "<relaybot> <Jane> the key is with me")
        await scene.house.store.messages.append(carried)
        relay = "ada: relaybot is a relay: the lines that it carries count for those who spoke. "
        assert "Recorded " in await scene.asks("!seen relaybot", relay)
        assert "<Jane via relaybot> the key" in await scene.asks("!seen jane", "Jane last spoke ")


async def seen_as(scene: Scene, nick: str, *expected: str) -> str:
    """What the bot says of somebody, once it says so: who is here is written after the event."""
    with anyio.fail_after(PATIENCE):
        while True:
            told = await scene.asks(f"!seen {nick}", "PRIVMSG #tea :ada: ")
            if all(words in told for words in expected):
                return told
            await scene.house.has_heard(scene.ada)


async def test_seen_knows_who_is_here(ngircd: Ircd, tmp_path: Path) -> None:
    here = f"ada: {defused_name('bo')} is here now"
    async with playing(ngircd, tmp_path) as scene, person("bo", ngircd.port) as bo:
        await bo.joins("#tea")
        await scene.house.has_heard(bo)
        assert (await seen_as(scene, "bo", here)).endswith("is here now")  # and has said nothing
        await bo.types("PRIVMSG #tea :hello all")
        await scene.house.has_heard(bo)
        assert "> hello all (" in await seen_as(scene, "bo", f"{here}; last spoke ")
        await bo.types("PART #tea :gone")
        with anyio.fail_after(PATIENCE):
            await scene.ada.sees("PART #tea")
        assert "is here now" not in await seen_as(scene, "bo", "bo last spoke ", "; last seen ")


async def test_seen_knows_who_was_here_before_the_record_and_keeps_silent(
    ngircd: Ircd, tmp_path: Path
) -> None:
    here = f"ada: {defused_name('bo')} is here now. Nothing of them is recorded. Recorded "
    async with person("bo", ngircd.port) as bo:
        await bo.joins("#tea")
        async with playing(ngircd, tmp_path) as scene:
            await seen_as(scene, "bo", here)
            assert await scene.asks("!seen @bo,", here)
            assert await scene.asks("!seen bo?", here)


async def test_who_opted_out_was_never_seen(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        await scripted_day(scene)
        frank = Identity("local", "frank", "~frank", "host.example")
        assert await scene.asks("!seen frank", "ada: frank last spoke")
        await scene.house.store.opt_outs.add(frank, datetime.now(UTC))
        assert await scene.asks(
            "!seen frank", "ada: No one called frank is recorded here. Recorded "
        )


async def test_seen_answers_for_each_nick_that_is_named(tmp_path: Path) -> None:
    lines = [said("tea", nick="bo"), said("mate", nick="cy"), said("coffee", nick="dee")]
    async with desk(tmp_path, lines) as scene:
        one, other = await scene.asks("!seen bo cy")
        assert one.startswith("bo last spoke ")
        assert other.startswith("cy last spoke ")
        for typed in ("@bo, cy", "bo,cy", "bo and cy?", "bo CY bo please"):
            assert await scene.asks(f"!seen {typed}") == [one, other]
        known, unknown = await scene.asks("!seen bo zoe")
        assert known == one
        assert unknown.startswith("No one called zoe is recorded here.")
        assert (await scene.asks("!seen ada cy"))[0] == "That is you, and you are here."
        told = await scene.asks("!seen bo cy dee eve frank")
        assert [line.split()[0] for line in told] == ["bo", "cy", "dee", "Three"]
        assert told[-1] == "Three nicks at most: ask again for eve, frank."
        assert await scene.asks("!seen the") == await scene.asks("!seen the the")
        assert await scene.asks("!seen , ?") == ["Who? For example: !seen ada"]


async def test_catchup_names_the_commands_of_the_bot_and_no_tools(tmp_path: Path) -> None:
    async with desk(tmp_path, [said(f"tea {number}") for number in range(600)]) as scene:
        (refused,) = await scene.asks("!catchup 99999")
        assert refused == (
            "No message 99999 here. The id is the number in brackets at the end of each line that"
            " !search or !recent quotes."
        )
        lines = await scene.asks("!catchup 2h")
        assert lines[-1].startswith("note: only the newest lines were read, back to ")
        assert lines[-1].endswith("; !search finds earlier ones")


async def test_catchup_has_mentions_however_much_was_said_since(tmp_path: Path) -> None:
    talk = ["ada: your parcel arrived", *(f"tea {number}" for number in range(600))]
    async with desk(tmp_path, [said(text, nick="bo") for text in talk]) as scene:
        lines = await scene.asks("!catchup 2h")
        assert ": the newest 500 lines by 1 person, 1 mention, " in lines[0]
        assert "<bo> ada: your parcel arrived (" in lines[1]


def test_items_go_into_as_few_lines_as_hold_them_and_none_is_lost() -> None:
    assert _packed({}) == _packed({"a": []}) == []
    assert _packed({"a": ["1", "2"], "b": ["3"]}) == ["a: 1 / 2 / b: 3"]
    items = [f"{n} " + "\u8336" * 40 for n in range(8)]
    lines = _packed({"tea": items})
    assert all(len(line.encode()) <= 360 for line in lines)
    assert " / ".join(lines) == "tea: " + " / ".join(items)
    assert _packed({"": ["x" * 999, "y"]}) == ["x" * 999, "y"]

"""Servers and strangers that break the rules: nothing they send ends, silences or drives us."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.chat.records import Message
from terrarium_mcp.store import open_store
from tests.irc_bridge.house import House, bytes_of, living, locked, said, settings_for
from tests.irc_bridge.network.scene import login, staying
from tests.patience import PATIENCE
from tests.servers.fake_ircd import ISUPPORT, Answer, FakeIrcd, fake_ircd
from tests.store.scene import chat


@dataclass(frozen=True)
class Scene:
    """A bridge in its channels on a server that does as it is told."""

    server: FakeIrcd
    house: House

    async def asks(self, text: str, channel: str = "#tea", nick: str = "ada") -> str:
        """Say something there; returns our next line."""
        known = len(self.server.heard("PRIVMSG"))
        await self.server.says(f":{nick}!a@h PRIVMSG {channel} :{text}")
        with anyio.fail_after(PATIENCE):
            return (await self.server.hears("PRIVMSG", known + 1))[known]

    async def recorded(self, channel: str = "", *, events: bool = False) -> list[str]:
        """What is in the store, oldest first, after everything sent was handled."""
        return [line.text for line in await self.lines(channel, events=events)]

    async def lines(self, channel: str = "", *, events: bool = False) -> list[Message]:
        with anyio.fail_after(PATIENCE):
            await self.server.settles()
            await self.house.bridge.flush()
        return await self.house.lines(channel, events=events)


@asynccontextmanager
async def playing(
    folder: Path,
    *,
    isupport: str = ISUPPORT,
    caps: Sequence[str] = (),
    answer: Answer | None = None,
    **more: Any,
) -> AsyncIterator[Scene]:
    async with (
        fake_ircd(isupport=isupport, caps=caps, answer=answer) as server,
        living(settings_for(server.port, folder, **more)) as house,
    ):
        yield Scene(server, house)


@pytest.mark.parametrize(
    "token",
    [
        *("LINELEN=0", "LINELEN=²", "LINELEN=99999999", "LINELEN=-5", "CHATHISTORY=²"),
        *("NICKLEN=0", "NICKLEN=²", "CHANLIMIT=#:²", "TARGMAX=JOIN:²", "CHANTYPES=", "BOT=²"),
        *("CASEMAPPING=²", "PREFIX=(ov)@", "STATUSMSG=#tea", "NETWORK=²", "MAXCHANNELS=0"),
    ],
)
async def test_no_number_or_name_in_isupport_silences_the_bot(token: str, tmp_path: Path) -> None:
    async with playing(tmp_path, isupport=f"{ISUPPORT} {token}") as scene:
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        assert await scene.recorded("#tea") == ["!ping", "ada: pong"]


@pytest.mark.parametrize("source", [":!u@h", "::x!u@h", ":@h", ":!", ":", "::", ":!@"])
async def test_a_sender_without_a_name_is_ignored_and_named_in_the_log_once(
    source: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with playing(tmp_path) as scene:
        for command in ("PRIVMSG #tea :!ping", "JOIN #tea", "NICK x", "MODE #tea +o ada"):
            await scene.server.says(f"{source} {command}", f"{source} {command}")
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        assert await scene.recorded("#tea") == ["!ping", "ada: pong"]
        assert scene.server.connections == 1
    ignored = [text for text in caplog.messages if "ignored a line: no nick" in text]
    assert len(ignored) == 1
    assert "local (127.0.0.1): malformed: 7 more lines like it" in caplog.messages


async def test_a_server_that_quotes_our_secrets_brings_none_of_them_into_log_or_record(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with playing(tmp_path, server_password="hunter2secret") as scene:  # noqa: S106 -- made up
        await scene.server.says(
            ":irc 475 Terra #mate :Cannot join channel (+k), hunter2secret is wrong",
            ":bo!b@h KICK #tea Terra :whose password is hunter2secret",
            ":bo!b@h PRIVMSG #mate :after",
        )
        assert "after" in await scene.recorded("#mate")
        await scene.server.says("ERROR :Closing link: hunter2secret")
        with anyio.fail_after(PATIENCE):
            await scene.house.bridge.is_cut_off()
        await scene.house.bridge.flush()
    assert any("Closing link: ***" in text for text in caplog.messages)
    assert not [text for text in caplog.messages if "hunter2" in text]
    assert b"hunter2" not in bytes_of(tmp_path / "irc_logs.db")


async def test_a_flood_of_nonsense_is_two_lines_of_log_and_costs_no_line_of_talk(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with playing(tmp_path) as scene:
        caplog.clear()
        for n in range(100):
            await scene.server.says(*([b"\xff\xfe", b"KICK #tea", b"353 Terra", b"@a=b"] * 25))
            await scene.server.says(f":ada!a@h PRIVMSG #tea :line {n}")
        assert await scene.recorded("#tea") == [f"line {n}" for n in range(100)]
        kinds = {record.getMessage()[:40] for record in caplog.records}
    of_the_network = [one for one in caplog.records if "network" in one.name]
    assert len(of_the_network) <= 2 * len(kinds) <= 20


async def test_a_flood_of_invitations_leads_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with playing(tmp_path, caps=["invite-notify"]) as scene:
        joins, logged = len(scene.server.heard("JOIN")), len(caplog.records)
        for n in range(50):
            await scene.server.says(*(f":x{n}{m}!u@h INVITE Terra #c{n}-{m}" for m in range(100)))
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        assert len(scene.server.heard("JOIN")) == joins
        assert await scene.recorded() == ["!ping", "ada: pong"]
        assert len(caplog.records) - logged < 10


async def test_a_network_that_renames_itself_is_the_one_of_the_settings_still(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, network="teanet") as scene:
        for name in ("Other", "../../etc", r"x\x0d\x0aQUIT", "y" * 400, ""):
            await scene.server.says(f":srv 005 Terra NETWORK={name} :are supported")
            await scene.server.says(f":ada!a@h PRIVMSG #tea :in {name[:5]}")
        assert len(await scene.recorded("#tea")) == 5
        assert {room.network for room in await scene.house.store.rooms.all()} == {"teanet"}


async def test_somebody_with_an_endless_nick_is_recorded_and_drives_nobody(
    tmp_path: Path,
) -> None:
    endless = "n" * 460
    async with playing(tmp_path) as scene:
        for text in ("!ping", "!help", "Terra: who are you?", "!search tea"):
            await scene.server.says(f":{endless}!u@h PRIVMSG #tea :{text}")
            await scene.server.says(f":{endless}!u@h PRIVMSG Terra :{text}")
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        recorded = await scene.lines("#tea")
        assert [line.nick for line in recorded[:4]] == [endless] * 4
        assert scene.server.heard(f"PRIVMSG {endless}") == []
        assert max(map(len, scene.server.lines)) <= 510


async def test_batches_inside_batches_are_history_to_the_innermost(tmp_path: Path) -> None:
    async with playing(tmp_path, caps=["batch message-tags"]) as scene:
        await scene.server.says("BATCH +b0 chathistory #tea")
        for n in range(1, 300):
            await scene.server.says(f"@batch=b{n - 1} BATCH +b{n} netsplit")
        await scene.server.says("@batch=b299 :ada!a@h PRIVMSG #tea :!ping")
        await scene.server.says("@batch=b299;batch=b7 :ada!a@h PRIVMSG #tea :Terra: hi")
        await scene.server.says("BATCH -b0", "@batch=b299 :ada!a@h PRIVMSG #tea :!help")
        await scene.server.says("BATCH +b299 netsplit", "BATCH +", "BATCH -", "BATCH +x", "BATCH")
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        assert len(await scene.recorded("#tea")) == 5
        assert len(scene.server.heard("PRIVMSG")) == 1


async def test_endless_batches_take_no_endless_memory(tmp_path: Path) -> None:
    async with playing(tmp_path, caps=["batch"]) as scene:
        for n in range(30):
            await scene.server.says(*(f"BATCH +{n}-{m} chathistory #tea" for m in range(100)))
        await scene.server.says("@batch=29-99 :ada!a@h PRIVMSG #tea :!ping")
        assert await scene.recorded("#tea") == ["!ping"]
        session = scene.house.bridge.network._session  # noqa: SLF001 -- nothing shows it from outside
        assert len(session._batches._open) == 1_000  # noqa: SLF001
        assert scene.server.heard("PRIVMSG") == []


async def test_playback_from_the_future_pushes_no_line_there(tmp_path: Path) -> None:
    async with playing(tmp_path, caps=["batch server-time message-tags"]) as scene:
        await scene.server.says(":ada!a@h PRIVMSG #tea :before")
        await scene.server.says("BATCH +b znc.in/playback #tea")
        for time in ("9999-12-31T23:59:59.999Z", "2099-01-01T00:00:00Z", "never", "²"):
            await scene.server.says(f"@batch=b;time={time} :ada!a@h PRIVMSG #tea :at {time}")
        await scene.server.says("BATCH -b", ":ada!a@h PRIVMSG #tea :after")
        lines = await scene.lines("#tea")
        assert (lines[0].text, lines[-1].text, len(lines)) == ("before", "after", 6)
        assert {line.said_at.year for line in lines} == {lines[0].said_at.year}


async def test_two_servers_that_disagree_on_the_case_of_a_channel_record_one_room(
    tmp_path: Path,
) -> None:
    def joined(line: str) -> list[str] | None:
        if not line.startswith("JOIN"):
            return None
        name = "#Tea" if scenes == [] else "#TEA"
        return [f":Terra!u@h JOIN {name}", f":srv 353 Terra = {name.lower()} :Terra ada"]

    scenes: list[Scene] = []
    async with playing(tmp_path, answer=joined, irc_channels=("#tea",)) as scene:
        scenes.append(scene)
        await scene.server.says(":ada!a@h PRIVMSG #tEA :one", ":ada!a@h QUIT :bye")
        assert await scene.recorded() == ["one"]
        await scene.server.drops()
        with anyio.fail_after(PATIENCE):
            await scene.house.bridge.is_cut_off()
            await scene.house.bridge.at_home.wait()
        assert await scene.asks("!ping", "#tea") == "PRIVMSG #tea :ada: pong"
        assert await scene.recorded() == ["one", "!ping", "ada: pong"]
        [room] = await scene.house.store.rooms.all()
        spans = (await scene.house.store.spans.coverage([room])).spans
        assert len(spans) == 2
        assert spans[0].ended < spans[1].ended


@pytest.mark.parametrize(
    ("mapping", "called", "answers"),
    [
        ("rfc1459", "terra{}", True),
        ("rfc1459", "TERRA[}", True),
        ("ascii", "terra{}", False),
        ("ascii", "TERRA[]", True),
    ],
)
async def test_we_answer_to_our_nick_as_the_network_compares_it(
    mapping: str, called: str, answers: bool, tmp_path: Path
) -> None:
    isupport = f"{ISUPPORT} CASEMAPPING={mapping}"
    async with playing(tmp_path, isupport=isupport, irc_nick="Terra[]") as scene:
        await scene.server.says(f":bo!b@h PRIVMSG #tea :{called}: !ping")
        await scene.asks("!ping")
        if answers:
            with anyio.fail_after(PATIENCE):
                await scene.server.hears("PRIVMSG #tea :bo: pong")
        assert ("PRIVMSG #tea :bo: pong" in scene.server.lines) is answers


async def test_channels_that_one_network_takes_for_two_are_two_everywhere(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:  # before anybody knew
        await store.messages.append([said("square tea", channel="#a[")])
        await store.messages.append([said("curly tea", channel="#a{")])
    isupport = "CHANTYPES=# CASEMAPPING=ascii"
    async with playing(tmp_path, irc_channels=("#a[", "#a{"), isupport=isupport) as scene:
        await scene.server.says(":bo!b@h PRIVMSG #a{ :more curly tea")
        assert await scene.recorded("#a[") == ["square tea"]
        assert await scene.recorded("#a{") == ["curly tea", "more curly tea"]
        assert "square" in await scene.asks("!search tea", "#a[")
        assert "curly" in await scene.asks("!search tea", "#a{")
        assert len(await scene.recorded()) >= 7
        assert all("curly" not in line for line in scene.server.heard("PRIVMSG #a["))
        assert all("square" not in line for line in scene.server.heard("PRIVMSG #a{"))
        with anyio.fail_after(PATIENCE):  # our last reply may be stored, and not yet counted
            while await scene.house.store.differences():
                pass


async def test_channels_that_turn_out_to_be_one_at_the_next_connection_are_joined(
    tmp_path: Path,
) -> None:
    channels = ("#a[", "#a{")
    async with playing(tmp_path, irc_channels=channels, isupport="CASEMAPPING=ascii") as scene:
        await scene.server.says(":ada!a@h PRIVMSG #a[ :one", ":ada!a@h PRIVMSG #a{ :two")
        assert await scene.recorded("#a{") == ["two"]
        scene.server.isupport = "CASEMAPPING=rfc1459"
        await scene.server.drops()
        with anyio.fail_after(PATIENCE):
            await scene.house.bridge.is_cut_off()
            await scene.server.hears("JOIN", 2)
        await scene.server.says(":ada!a@h PRIVMSG #A{ :three")
        assert await scene.recorded() == ["one", "two", "three"]
        assert len(await scene.house.store.rooms.all()) == 1
        assert await scene.house.store.differences() == []


async def test_a_server_that_changes_its_mind_all_the_time_is_believed_once(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        network = scene.house.bridge.network
        for _ in range(300):
            await scene.server.says(":srv 005 Terra CASEMAPPING=ascii WHOX :are supported")
            await scene.server.says(":srv 005 Terra -casemapping -WHOX :are supported")
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        await scene.recorded()
        assert (network.casemapping, network.isupport.whox) == ("ascii", False)
        assert await scene.house.store.rooms.casemapping("local") == "ascii"


async def spans_of(scene: Scene) -> list[tuple[str, str]]:
    """Why each span of the record ended, and of which channel it is; "" while it goes on."""
    await scene.recorded()
    names = {room.id: room.channel for room in await scene.house.store.rooms.all()}
    coverage = await scene.house.store.spans.coverage(await scene.house.store.rooms.all())
    return [(names[span.room], span.why_ended) for span in coverage.spans]


async def test_a_record_ends_with_our_leaving_although_names_compare_otherwise_by_then(
    tmp_path: Path,
) -> None:
    """`#a[` folds to `#a{` by rfc1459, and by ascii to itself."""
    async with playing(tmp_path, irc_channels=("#a[",)) as scene:
        await scene.server.says(
            ":srv 005 Terra CASEMAPPING=ascii :are supported", ":ada!a@h KICK #a[ Terra :out"
        )
        assert (await spans_of(scene))[0] == ("#a[", "kicked by ada: out")


async def test_a_record_goes_on_in_our_channel_where_another_spelling_of_it_was_known(
    tmp_path: Path,
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.messages.append(chat("<ada> before", channel="#a{", network="local"))
    async with playing(tmp_path, irc_channels=("#a[",)) as scene:
        await scene.server.says(
            ":srv 005 Terra CASEMAPPING=ascii :are supported",
            ":ada!a@h PRIVMSG #a[ :one",
            ":ada!a@h KICK #a[ Terra :out",
        )
        await scene.recorded()
        assert (await spans_of(scene))[0] == ("#a[", "kicked by ada: out")
        rooms = {room.channel: room for room in await scene.house.store.rooms.all()}
        assert not (await scene.house.store.presence.current(rooms["#a{"])).people


async def test_a_channel_stays_quiet_although_names_compare_otherwise_by_then(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, irc_channels=("#a[", "#tea")) as scene:
        await scene.server.says(":ada!a@h JOIN #a[", ":srv MODE #a[ +o ada")
        await scene.server.says(":ada!a@h PRIVMSG #a[ :!quiet 1h")
        await scene.server.hears("NOTICE ada")
        await scene.server.says(":srv 005 Terra CASEMAPPING=ascii :are supported")
        await scene.server.says(":ada!a@h PRIVMSG #a[ :!ping")
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        assert scene.server.heard("PRIVMSG") == ["PRIVMSG #tea :ada: pong"]


async def test_a_channel_that_is_no_longer_that_of_the_settings_is_no_longer_recorded(
    tmp_path: Path,
) -> None:
    def answer(line: str) -> list[str] | None:
        return [":Terra!u@h JOIN #a["] if line == "JOIN #a{" else None

    async with playing(tmp_path, irc_channels=("#a{",), answer=answer) as scene:
        await scene.server.says(
            ":ada!a@h PRIVMSG #a[ :one",
            ":srv 005 Terra CASEMAPPING=ascii :are supported",
            ":ada!a@h PRIVMSG #a[ :two",
        )
        assert await scene.recorded() == ["one"]
        assert await spans_of(scene) == [("#a[", "no longer recorded, by the settings")]


async def test_a_casemapping_that_the_store_cannot_take_now_is_taken_later(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        async with locked(tmp_path / "irc_logs.db"):
            await scene.server.says(":srv 005 Terra CASEMAPPING=ascii :are supported")
            await scene.server.says(":ada!a@h PRIVMSG #tea :one")
            await scene.server.settles()
        assert await scene.recorded("#tea") == ["one"]
        assert await scene.house.store.rooms.casemapping("local") == "ascii"


@pytest.mark.parametrize("types", ["&", "&+", "+!&"])
async def test_a_network_whose_channels_begin_otherwise_is_recorded(
    types: str, tmp_path: Path
) -> None:
    isupport = f"CHANTYPES={types} PREFIX=(ov)@+"
    async with playing(tmp_path, irc_channels=("&tea",), isupport=isupport) as scene:
        assert await scene.asks("!ping", "&tea") == "PRIVMSG &tea :ada: pong"
        await scene.server.says(":ada!a@h PRIVMSG #tea :nowhere")
        assert await scene.recorded() == ["!ping", "ada: pong"]


async def test_words_for_operators_alone_are_no_history(tmp_path: Path) -> None:
    isupport = "CHANTYPES=# PREFIX=(qov)~@+ STATUSMSG=~@+"
    async with playing(tmp_path, isupport=isupport) as scene:
        for target in ("@#tea", "~@#tea", "+#TEA"):
            await scene.server.says(f":ada!a@h PRIVMSG {target} :!ping")
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        assert await scene.recorded() == ["!ping", "ada: pong"]


async def test_a_hundred_channels_are_joined_in_lines_that_fit(tmp_path: Path) -> None:
    channels = tuple(f"#channel-number-{n}" for n in range(100))
    async with playing(tmp_path, irc_channels=channels) as scene:
        joins = scene.server.heard("JOIN")
        assert max(map(len, joins)) <= 510
        assert len(joins) < 8
        await scene.server.says(*(f":ada!a@h PRIVMSG {name} :in {name}" for name in channels))
        assert await scene.recorded() == [f"in {name}" for name in channels]


@pytest.mark.parametrize("name", ["", "tea", "#a b", "#a,,", "\x07", "#" + "x" * 9_000, "0"])
async def test_a_join_into_what_is_no_channel_of_ours_changes_nothing(
    name: str, tmp_path: Path
) -> None:
    async with playing(tmp_path) as scene:
        await scene.server.says(f":Terra!u@h JOIN :{name}", f":srv 353 Terra = {name} :Terra ada")
        assert await scene.asks("!ping") == "PRIVMSG #tea :ada: pong"
        await scene.house.bridge.flush()
        assert [room.channel for room in await scene.house.store.rooms.all()] == ["#mate", "#tea"]


@pytest.mark.parametrize("nick", ["n" * 5_000, "a b", "", ":x"])
async def test_whatever_a_server_calls_us_we_join_answer_and_record(
    nick: str, tmp_path: Path
) -> None:
    def greeted(line: str) -> list[str] | None:
        welcome = [f":srv 001 :{nick}", ":srv 005 x BOT=B CHANTYPES=# :are", ":srv 376 x :End"]
        return welcome if line.startswith("USER") else None

    def joined(line: str) -> list[str] | None:
        return greeted(line) or (
            [f":{nick}!u@h JOIN {name}" for name in line.split()[1].split(",")]
            if line.startswith("JOIN")
            else None
        )

    async with playing(tmp_path) as scene:
        await scene.server.says(f":Terra!u@h NICK :{nick}")
        assert await scene.asks("!ping", nick="cy") == "PRIVMSG #tea :cy: pong"
        assert (await scene.recorded("#tea"))[-2:] == ["!ping", "cy: pong"]
    async with (
        fake_ircd(answer=joined) as server,
        staying(login(server.port, "#tea"), mishaps=True),
    ):
        with anyio.fail_after(PATIENCE):
            assert await server.hears("JOIN") == ["JOIN #tea"]


async def test_eight_bit_nonsense_on_a_network_of_utf8_is_answered_in_utf8(tmp_path: Path) -> None:
    async with playing(tmp_path, isupport=f"{ISUPPORT} UTF8ONLY") as scene:
        await scene.server.says(b":b\xf6!b@h PRIVMSG #tea :!ping caf\xe9")
        with anyio.fail_after(PATIENCE):
            assert await scene.server.hears("PRIVMSG") == ["PRIVMSG #tea :bö: pong"]
        assert (await scene.recorded("#tea"))[0] == "!ping café"

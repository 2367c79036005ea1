"""Several networks in one process, each with its own misfortune: it stays where it is."""

import logging
import os
import signal
import subprocess
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from terrarium_mcp.cli.starting.bridge_runner import open_bridges
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import build_server
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.claims import Claimant
from tests.cli.programs import ran, running
from tests.irc_bridge.flapping import NAMES, all_heard, one_of_three_flaps, people
from tests.irc_bridge.house import bytes_of, said
from tests.irc_bridge.neighbourhood import BRIEF, neighbourhood, network
from tests.irc_bridge.network.test_logging_in import ACCOUNT, services
from tests.patience import PATIENCE
from tests.servers.agent import calls, hangs, says, strict_agent
from tests.servers.beside import beside
from tests.servers.fake_ircd import Answer, fake_ircd
from tests.servers.ircd import Ircd
from tests.servers.logs import until_logged
from tests.servers.person import person
from tests.store.scene import rows_of


async def test_of_three_networks_with_dev_each_one_flaps_and_the_others_lose_nothing(
    ircds: list[Ircd], tmp_path: Path
) -> None:
    await one_of_three_flaps(ircds, tmp_path, 60)


async def test_what_is_said_on_one_network_is_no_answer_on_another(
    ircds: list[Ircd], tmp_path: Path
) -> None:
    ports = [ircd.port for ircd in ircds]
    async with strict_agent() as agent, people(*ports) as adas:
        settings = [network(name, port) for name, port in zip(NAMES, ports, strict=True)]
        agent.will(
            calls("search_irc_history", query="gate"),
            calls("search_irc_history", query="gate in:two/#dev"),
            calls("get_recent_irc_messages", channel="two/#dev"),
            says("bo fixed it."),
        )
        async with neighbourhood(tmp_path, *settings, agent_url=agent.url) as house:
            with anyio.fail_after(PATIENCE):
                await adas[1].types("PRIVMSG #dev :the gate is a secret of two")
                await all_heard(house, "two", "the gate is a secret of two")
                await adas[0].types("PRIVMSG #dev :bo fixed the gate", "PRIVMSG #dev :!ask who?")
                await adas[0].sees("PRIVMSG #dev :ada: [LLM] bo fixed it.")
                await adas[0].types("PRIVMSG #dev :!search gate")
                await adas[0].sees("<ada> bo fixed the gate")
                await adas[1].types("PRIVMSG #dev :!stats")
                await adas[1].sees("#dev: ", " lines")
    assert "bo fixed the gate" in str(agent.requests)
    assert "secret of two" not in str(agent.requests)
    assert not [line for line in adas[0].lines if "secret" in line]
    assert not [line for line in adas[2].lines if "PRIVMSG" in line]


async def test_the_model_answers_one_question_at_a_time_over_all_networks(
    ircds: list[Ircd], tmp_path: Path
) -> None:
    ports = [ircd.port for ircd in ircds]
    async with strict_agent() as agent, people(*ports) as adas:
        agent.will(hangs(says("first.")), hangs(says("second.")), says("third."))
        settings = Settings(
            db_path=tmp_path / "irc_logs.db", agent_api_url=agent.url, agent_model="scripted"
        ).with_networks([network(name, port) for name, port in zip(NAMES, ports, strict=True)])
        async with open_store(settings.db_path, settings) as store:
            toolbox = Toolbox(lambda: build_server(store, settings))
            async with open_bridges(store, settings, toolbox) as bridges, beside(bridges.run):
                with anyio.fail_after(PATIENCE):
                    for ada in adas:
                        await ada.sees(":Terra!", "JOIN")
                        await ada.types("PRIVMSG #dev :!ask what?", "PRIVMSG #dev :!ping")
                        await ada.sees("pong")  # which waits for no question of another network
                    await agent.asked(1)
                    assert len(agent.requests) == 1
                    agent.release()
                    await agent.asked(2)
                    assert len(agent.requests) == 2
                    agent.release()
                    for ada in adas:
                        await ada.sees("PRIVMSG #dev :ada: [LLM] ")
    assert len(agent.requests) == 3


def closing(words: str) -> Answer:
    return lambda line: [f"ERROR :Closing link: {words}"] if line.startswith("USER") else None


MISFORTUNES: dict[str, tuple[dict[str, Any], str]] = {
    "no such name": ({"irc_server": "irc.invalid", "contact": "ada"}, "irc.invalid is unknown"),
    "nobody there": ({"irc_port": 9}, "nothing is listening"),
}


@pytest.mark.parametrize("misfortune", MISFORTUNES)
async def test_a_network_that_cannot_be_reached_harms_no_other(
    misfortune: str, ngircd: Ircd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    more, told = MISFORTUNES[misfortune]
    bad = network("bad", 6667, **more)
    async with (
        people(ngircd.port) as (ada,),
        neighbourhood(tmp_path, network("good", ngircd.port), bad, at_home=("good",)) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "connecting again")
            await ada.types("PRIVMSG #dev :still here")
            await all_heard(house, "good", "still here")
            assert "still here" in await house.texts("good")
            trouble = house.by_name["bad"].network.trouble
            assert told in trouble
            assert f"bad ({bad.irc_server}): {trouble}" in caplog.text
            assert house.by_name["good"].network.trouble == ""


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (closing("banned (G-Lined)"), "banned"),
        (lambda _: [":srv 464 * :Password incorrect", "ERROR :Bad password"], "password"),
        (lambda _: [], "did not let us in"),
        (lambda line: ["\0\1\xff" * 50] if line.startswith("USER") else [], "did not let us in"),
        (lambda line: [":srv 433 * x :in use"] if line.startswith("NICK") else None, "no nick"),
    ],
    ids=["banned", "password", "silent", "nonsense", "all nicks taken"],
)
async def test_a_server_that_refuses_for_ever_harms_no_other_network(
    answer: Answer, told: str, ngircd: Ircd, tmp_path: Path
) -> None:
    timeouts = Timeouts(**{**vars(BRIEF), "register": 0.2})
    async with (
        fake_ircd(answer=answer) as bad,
        people(ngircd.port) as (ada,),
        neighbourhood(
            tmp_path,
            network("bad", bad.port),
            network("good", ngircd.port),
            timeouts=timeouts,
            at_home=("good",),
        ) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await bad.hears("NICK", times=4)
            await ada.types("PRIVMSG #dev :still here")
            await all_heard(house, "good", "still here")
        assert await house.texts("good") == ["still here"]
        assert told in house.by_name["bad"].network.trouble
        assert bad.heard("JOIN") == []


async def test_a_bug_that_ends_one_bridge_leaves_the_others_and_it_starts_again(
    ircds: list[Ircd],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual, bugs = IrcNetwork.run, iter(["a bug", "another bug"])

    async def breaks(self: IrcNetwork) -> None:
        if self.name.startswith("bad") and (bug := next(bugs, "")):
            raise ZeroDivisionError(bug)
        await usual(self)

    monkeypatch.setattr(IrcNetwork, "run", breaks)
    settings = [network("good", ircds[0].port), network("bad", ircds[2].port)]
    async with (
        people(ircds[0].port, ircds[2].port) as (ada, bo),
        neighbourhood(tmp_path, *settings, at_home=("good",)) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await ada.types("PRIVMSG #dev :still here")
            await all_heard(house, "good", "still here")
            await bo.sees(":Terra!", "JOIN")
            await bo.types("PRIVMSG #dev :back again", "PRIVMSG #dev :!ping")
            await bo.sees("pong")
            while await house.texts("bad") != ["back again", "!ping", "ada: pong"]:
                await anyio.lowlevel.checkpoint()
        assert await house.texts("good") == ["still here"]
    assert "bad: ended by an error; starting again in 0.05 s" in caplog.text
    assert "ZeroDivisionError: a bug" in caplog.text
    assert "ZeroDivisionError: another bug" in caplog.text


async def test_a_stop_during_the_pause_after_a_bug_ends_everything_at_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(self: IrcNetwork) -> None:
        raise ZeroDivisionError(self.name)

    monkeypatch.setattr(IrcNetwork, "run", breaks)
    both = network("one", 9), network("two", 9)
    async with neighbourhood(tmp_path, *both, at_home=(), restart=3600) as house:
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "starting again in 3600 s", times=2)
            await house.bridges.stop("until later")
            await house.ended.wait()


async def test_lines_from_before_networks_had_names_belong_to_the_first_network(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.messages.append([said("long ago", channel="#dev")._replace(network="irc")])
    settings = [network("one", 9), network("two", ngircd.port)]
    async with (
        people(ngircd.port) as (ada,),
        neighbourhood(tmp_path, *settings, at_home=("two",)) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await ada.types("PRIVMSG #dev :today")
            await all_heard(house, "two", "today")
        assert [await house.texts(name) for name in ("irc", "one", "two")] == [
            [],
            ["long ago"],
            ["today"],
        ]


async def test_a_stop_waits_for_no_network_that_is_away(ngircd: Ircd, tmp_path: Path) -> None:
    async with (
        fake_ircd(answer=lambda _: []) as silent,
        people(ngircd.port) as (ada,),
        neighbourhood(
            tmp_path,
            network("silent", silent.port),
            network("away", 9),
            network("good", ngircd.port),
            at_home=("good",),
        ) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await silent.hears("NICK")
            await ada.types("PRIVMSG #dev :last words")
            await house.by_name["good"].hears("last words")
            await house.bridges.stop("until later")
            await ada.sees(":Terra", "QUIT")


def encrypted(name: str, port: int, keys: Path, **more: Any) -> Settings:
    cafile = {"tls_cafile": keys / "cert.pem", "irc_use_ssl": True, "irc_server": "localhost"}
    return network(name, port, **cafile, **more)


async def test_a_wrong_password_is_sent_three_times_and_harms_no_other_network(
    ngircd: Ircd, server_keys: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        fake_ircd(caps=["sasl"], answer=services(password="other"), keys=server_keys) as bad,  # noqa: S106
        people(ngircd.port) as (ada,),
        neighbourhood(
            tmp_path,
            encrypted("bad", bad.port, server_keys, **ACCOUNT),
            network("good", ngircd.port),
            at_home=("good",),
        ) as house,
    ):
        with anyio.fail_after(PATIENCE):
            while "in a row" not in (trouble := house.by_name["bad"].network.trouble):
                await anyio.lowlevel.checkpoint()
            await ada.types("PRIVMSG #dev :still here")
            await all_heard(house, "good", "still here")
        assert len(bad.heard("AUTHENTICATE PLAIN")) == 3
        assert bad.connections == 3
        assert bad.heard("JOIN") == []
    assert trouble == (
        "SASL login failed: SASL authentication failed. It was refused 3 times in a row and is now"
        " tried every 3600 s: check TERRARIUM_SASL_USERNAME, TERRARIUM_SASL_PASSWORD and"
        " TERRARIUM_TLS_CERT"
    )
    assert caplog.text.count("in a row") == 1
    assert f"bad (localhost): {trouble}" in caplog.text
    assert "hunter2" not in caplog.text


async def test_a_key_of_a_channel_reaches_neither_the_store_nor_a_log_nor_a_channel(
    ircds: list[Ircd], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    locked = {"irc_channels": "#dev,#lock s3cret"}
    async with people(*(ircd.port for ircd in ircds)) as adas:
        for ada in adas:
            await ada.joins("#lock")
            await ada.types("MODE #lock +k s3cret")
            await ada.sees("MODE #lock", "s3cret")
        settings = [
            network(name, ircd.port, **locked) for name, ircd in zip(NAMES, ircds, strict=True)
        ]
        async with neighbourhood(tmp_path, *settings) as house:
            with anyio.fail_after(PATIENCE):
                for name, ada in zip(NAMES, adas, strict=True):
                    await ada.types("MODE #lock -k s3cret", "MODE #lock +k s3cret")
                    await ada.types(f"PRIVMSG #lock :hello {name}")
                    await all_heard(house, name, f"hello {name}")
            assert [await house.texts(name, "#lock") for name in NAMES] == [
                [f"hello {name}"] for name in NAMES
            ]
            rooms = await house.store.rooms.all()
            assert {room.channel for room in rooms} == {"#dev", "#lock"}
    assert "s3cret" not in caplog.text
    assert b"s3cret" not in bytes_of(tmp_path / "irc_logs.db")


async def test_four_hundred_channels_of_a_real_server_are_joined_and_recorded(
    ngircd: Ircd, tmp_path: Path
) -> None:
    many = [f"#room-{n}" for n in range(400)]
    async with (
        person("ada", ngircd.port) as ada,
        neighbourhood(tmp_path, network("one", ngircd.port, irc_channels=many)) as house,
    ):
        with anyio.fail_after(PATIENCE):
            for channel in (many[0], many[399]):
                await ada.joins(channel)
                await ada.types(f"PRIVMSG {channel} :in {channel}")
                await all_heard(house, "one", f"in {channel}")
                assert await house.texts("one", channel) == [f"in {channel}"]
        assert sorted(house.by_name["one"].network.joined_channels()) == sorted(many)


def tables(ircds: Sequence[Ircd], *more: str) -> str:
    """A terrarium.toml with a network for each server."""
    return "".join(
        f'[[network]]\nTERRARIUM_NETWORK = "{name}"\nIRC_SERVER = "127.0.0.1:{ircd.port}"\n'
        f'IRC_USE_SSL = false\nIRC_CHANNELS = ["#dev"]\n{line}\n'
        for name, ircd, line in zip_longest(NAMES, ircds, more, fillvalue="")
        if isinstance(ircd, Ircd)
    )


@pytest.mark.parametrize("command", ["bridge", "up --port 0"])
async def test_a_command_records_every_network_of_its_settings_and_ends_well(
    command: str, ircds: list[Ircd], tmp_path: Path
) -> None:
    (tmp_path / "terrarium.toml").write_text(tables(ircds, 'IRC_NICK = "Uno"'))
    async with (
        people(*(ircd.port for ircd in ircds)) as adas,
        running(f"terrarium-mcp {command}", at=tmp_path) as program,
    ):
        for name in NAMES:
            await program.says(f"recording {name}/#dev")
        for ada in adas:
            await ada.types("PRIVMSG #dev :!ping", f"PRIVMSG #dev :{ada.nick} was here")
            await ada.sees("pong")
        assert [":Uno!" in ada.lines[-1] for ada in adas] == [True, False, False]
        await program.stop()
        assert program.ended_well(), program.said
    lines = rows_of(
        tmp_path / "data" / "irc_logs.db",
        "SELECT network, channel, message FROM messages WHERE message = 'ada was here'"
        " ORDER BY network",
    )
    assert lines == [(name, "#dev", "ada was here") for name in sorted(NAMES)]
    rules = rows_of(tmp_path / "data" / "irc_logs.db", "SELECT network, nick FROM voice_rules")
    assert rules == [("one", "Uno")]  # the others have the default


def claimants(folder: Path) -> list[int]:
    """The processes that record into the database of a folder, or died while they did."""
    files = folder.glob("irc_logs.db.recorder-*")
    return [claimant.pid for file in files if (claimant := Claimant.read(file))]


async def test_the_second_recorder_is_refused_until_the_first_is_gone_even_by_a_crash(
    ircds: list[Ircd], tmp_path: Path
) -> None:
    (tmp_path / "first.toml").write_text(tables(ircds[:2]))
    (tmp_path / "second.toml").write_text(tables(ircds).replace('"#dev"', '"#DEV"'))
    (tmp_path / "other.toml").write_text(tables(ircds[:2]).replace('"#dev"', '"#tea"'))
    database = tmp_path / "irc_logs.db"
    where: dict[str, Any] = {"at": tmp_path, "DB_PATH": database}
    async with running("terrarium-mcp bridge --config first.toml", **where) as first:
        await first.says("recording two/#dev")
        (pid,) = claimants(tmp_path)
        for command in ("bridge", "up --port 0"):
            line = f"terrarium-mcp {command} --config second.toml"
            refused = await to_thread.run_sync(partial(ran, line, **where))
            assert refused.returncode == 1
            told = refused.stderr.splitlines()[-1]
            assert f"Process {pid} on " in told
            assert f"has been recording one/#dev, two/#dev into {database} since 20" in told
            assert "leave what it records out of IRC_CHANNELS here" in told
            assert "connected" not in refused.stderr
        async with running("terrarium-mcp bridge --config other.toml", **where) as other:
            await other.says("recording two/#tea")  # it shares the database
            os.kill(pid, signal.SIGKILL)
            await first.process.wait()
            async with running("terrarium-mcp bridge --config second.toml", **where) as second:
                for name in NAMES:
                    await second.says(f"recording {name}/#")
                await second.stop()
                assert second.ended_well(), second.said
            await other.stop()
            assert other.ended_well(), other.said
    assert claimants(tmp_path) == []


def test_doctor_shows_each_network_with_what_it_sets_and_no_secret(tmp_path: Path) -> None:
    (tmp_path / "terrarium.toml").write_text(
        'TERRARIUM_CONTACT = "ada"\n[[network]]\nTERRARIUM_NETWORK = "libera"\n'
        'IRC_SERVER = "irc.libera.chat:7000"\nIRC_CHANNELS = ["#tea", "#lock s3cret"]\n'
        'TERRARIUM_SASL_PASSWORD = "hunter2"\nTERRARIUM_TLS_CERT = "bot.pem"\n'
    )
    done = ran("terrarium-mcp doctor", at=tmp_path)
    told = [" ".join(line.split()) for line in done.stdout.splitlines()]
    (table,) = [told[at:][: told[at:].index("")] for at in [told.index("network libera")]]
    source = "([[network]] libera of terrarium.toml)"
    assert table == [
        "network libera",
        f"IRC_SERVER irc.libera.chat {source}",
        f"IRC_PORT 7000 {source}",
        f"IRC_CHANNELS #tea, #lock *** {source}",
        f"TERRARIUM_SASL_PASSWORD set {source}",
        f"TERRARIUM_TLS_CERT bot.pem {source}",
        f"TERRARIUM_NETWORK libera {source}",
    ]
    assert "s3cret" not in done.stdout + done.stderr
    assert "hunter2" not in done.stdout + done.stderr


def encrypted_key(key: Path, to: Path) -> None:
    subprocess.run(
        ["openssl", "pkey", "-in", key, "-aes256", "-passout", "pass:hunter2", "-out", to],
        check=True,
        capture_output=True,
    )


@pytest.mark.parametrize(
    ("certificate", "key", "more", "told"),
    [
        ("missing.pem", "", "", "which cannot be read: No such file or directory."),
        ("garbage.pem", "", "", "which cannot be used: name PEM files with a certificate and its"),
        ("cert.pem", "", "", "or set TERRARIUM_TLS_KEY to the key's file."),
        ("cert.pem", "missing.pem", "", "which cannot be read: No such file or directory."),
        ("cert.pem", "other.pem", "", "the key is of another certificate"),
        ("cert.pem", "locked.pem", "", "the key has a password: remove it (openssl pkey)"),
        ("cert.pem", "key.pem", "IRC_USE_SSL = false", "TERRARIUM_TLS_CERT needs TLS"),
        ("", "key.pem", "", "TERRARIUM_TLS_KEY is set and TERRARIUM_TLS_CERT is not"),
    ],
)
def test_a_certificate_that_cannot_be_used_stops_the_start_with_the_way_out(
    certificate: str, key: str, more: str, told: str, server_keys: Path, tmp_path: Path
) -> None:
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).write_bytes((server_keys / name).read_bytes())
    (tmp_path / "garbage.pem").write_bytes(b"\x00\xff certificate")
    if key == "other.pem":
        subprocess.run(
            ["openssl", "genrsa", "-out", tmp_path / key, "2048"], check=True, capture_output=True
        )
    if key == "locked.pem":
        encrypted_key(tmp_path / "key.pem", tmp_path / key)
    lines = [f'TERRARIUM_TLS_CERT = "{certificate}"'] * bool(certificate)
    lines += [f'TERRARIUM_TLS_KEY = "{key}"'] * bool(key)
    (tmp_path / "terrarium.toml").write_text(
        "\n".join(['IRC_SERVER = "localhost"', 'IRC_CHANNELS = "tea"', more, *lines])
    )
    done = ran("terrarium-mcp bridge", at=tmp_path)
    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert "hunter2" not in done.stderr
    assert not (tmp_path / "data").exists()


def test_what_a_network_lacks_is_named_with_the_network(tmp_path: Path) -> None:
    (tmp_path / "terrarium.toml").write_text(
        '[[network]]\nTERRARIUM_NETWORK = "one"\nIRC_SERVER = "127.0.0.1"\nIRC_CHANNELS = "dev"\n'
        '[[network]]\nTERRARIUM_NETWORK = "two"\nIRC_SERVER = "127.0.0.1"\n'
    )
    done = ran("terrarium-mcp bridge", at=tmp_path)
    assert done.returncode == 1
    assert "two: IRC_CHANNELS is not set." in done.stderr
    served = ran("terrarium-mcp serve --create", at=tmp_path)
    assert served.returncode == 0, served.stderr
    searched = ran("terrarium-mcp search tea", at=tmp_path)
    assert "Nothing is recorded yet" in searched.stderr

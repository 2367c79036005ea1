"""One connection: what is answered by itself, who is known in a channel, and how it ends."""

import logging

import anyio
import pytest

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.chat.records import Member
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from tests.irc_bridge.network.scene import Ear, login, staying
from tests.passing_time import time_passes
from tests.patience import PATIENCE
from tests.servers.fake_ircd import Answer, fake_ircd


def who_is(network: IrcNetwork, nick: str) -> Member:
    return next(member for member in network.members("#tea") if member.nick == nick)


@pytest.mark.parametrize(
    ("farewell", "why"),
    [
        ("ERROR :Closing link: (flood)", "Closing link: (flood)"),
        ("ERROR", "no reason given"),
        ("ERROR :[off] for you alone", "no reason given"),
        ("ERROR :Closing Link: Terra (Killed (oper ([off] x)))", "no reason given"),
        ("ERROR :Closing link: (u@h) [Killed (oper (/ns id hunter2))]", "no reason given"),
        ("ERROR :Closing link: [Killed (oper (out))]", "Closing link: [Killed (oper (out))]"),
        ("ERROR :a \x1b[2Kb", "a [2Kb"),
        (":oper!o@h KILL Terra :out", "killed by oper: out"),
        ("KILL Terra :out", "killed by the server: out"),
        ("KILL Terra", "killed by the server"),
        (":oper!o@h KILL Terra :[off] for you alone", "killed by oper"),
        (":oper!o@h KILL terra :", "killed by oper"),
        (":Terra!u@h QUIT :Killed", "the server ended our session"),
    ],
)
async def test_the_first_reason_for_the_end_is_told_and_nothing_after_it_is_heard(
    farewell: str, why: str
) -> None:
    async with fake_ircd() as server, staying(login(server.port)) as (_, ear):
        await ear.happens("connected")
        await server.says(farewell, "ERROR :second", ":ada!a@h PRIVMSG Terra :late")
        assert await ear.happens("lost") == ("lost", why)
        await ear.happens("connected", times=2)
        assert ear.texts() == []


async def test_the_reason_is_the_trouble_until_we_are_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with (
        fake_ircd() as server,
        staying(login(server.port), backoff=(0.3,)) as (network, ear),
    ):
        await ear.happens("connected")
        assert network.trouble == ""
        await server.says("ERROR :too many connections")
        await ear.happens("lost")
        assert (network.connected, network.trouble) == (False, "too many connections")
        await ear.happens("connected", times=2)
        assert network.trouble == ""
    assert "127.0.0.1: too many connections; connecting again in 0.3 s" in caplog.text


async def test_pings_are_answered_with_their_token_and_our_own_is_marked() -> None:
    async with fake_ircd() as server, staying(login(server.port), silence=0.2) as (_, ear):
        await ear.happens("connected")
        await server.says("PING :a b")
        assert await server.hears("PONG") == ["PONG :a b"]
        assert (await server.hears("PING"))[0] == "PING terrarium"


async def test_each_line_from_the_server_puts_the_ping_off() -> None:
    """A line between two silences means that the server was alive after our PING."""
    asked: list[str] = []

    def answer(line: str) -> list[str] | None:
        if line != "PING terrarium":
            return None
        asked.append(line)
        return [":srv NOTICE * :busy, but here"] if len(asked) < 4 else []

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port), silence=0.2) as (_, ear),
    ):
        assert await ear.happens("lost") == ("lost", "the server stopped responding")
        assert len(asked) == 4


async def test_registration_says_who_we_are_and_for_what_we_are_there() -> None:
    who = login(0, nick="Terra", username="bot", realname="run by ada")
    async with fake_ircd() as server:
        config = ServerConfig(**{**vars(who), "port": server.port})
        async with staying(config) as (_, ear):
            await ear.happens("connected")
            assert server.lines[:3] == ["CAP LS 302", "NICK Terra", "USER bot 0 * :run by ada"]


async def test_a_server_that_does_not_let_us_in_is_told_with_the_time() -> None:
    async with (
        fake_ircd(answer=lambda _: []) as server,
        staying(login(server.port), register=0.125) as (network, _),
    ):
        await server.hears("NICK", times=2)
        assert network.trouble == (
            "the server did not let us in within 0.125 s:"
            f" if 127.0.0.1:{server.port} expects TLS, set IRC_USE_SSL=on"
        )


async def test_a_slow_welcome_after_registration_time_is_no_reason_to_leave() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port), register=20) as (_, ear),
    ):
        await ear.happens("connected")
        time_passes(20)
        await server.settles()
        assert ear.happened("lost") == []


async def test_a_welcome_that_skips_001_does_not_skip_the_login() -> None:
    def answer(line: str) -> list[str] | None:
        return [":srv 002 Terra :host", ":srv 422 Terra :no motd"] if line == "CAP END" else None

    account = {"sasl_username": "ada", "sasl_password": "hunter2"}
    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea", **account)) as (network, ear),
    ):
        await server.hears("CAP LS", times=2)
        assert network.trouble == "SASL login failed: it needs TLS"
        assert (ear.events, server.heard("JOIN")) == ([], [])


@pytest.mark.parametrize("isupport", ["CHANTYPES=#", "BOT"])
async def test_without_a_letter_for_it_no_bot_mode_is_set(isupport: str) -> None:
    async with (
        fake_ircd(isupport=isupport) as server,
        staying(login(server.port), mishaps=isupport == "BOT") as (_, ear),
    ):
        await ear.happens("connected")
        await server.settles()
        assert server.heard("MODE") == []


async def test_a_failing_handler_costs_only_its_line(caplog: pytest.LogCaptureFixture) -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), mishaps=True) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(*[":ada!a@h JOIN"] * 3, ":ada!a@h PRIVMSG #tea :still there?")
        await ear.hears("still there?")
        await server.settles()
    assert [one for one in caplog.messages if "JOIN" in one] == [
        "127.0.0.1: could not handle :ada!a@h JOIN",
        "127.0.0.1: handling a JOIN line failed: IndexError: 2 more lines like it",
    ]


async def test_a_failing_handler_shows_where_to_those_who_look_closely(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), mishaps=True) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(":ada!a@h JOIN")
        await server.settles()
    [failed] = [one for one in caplog.records if "could not handle" in one.getMessage()]
    assert failed.exc_info
    assert failed.exc_info[0] is IndexError


async def test_a_listener_that_fails_hears_the_next_line_and_is_named_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.ERROR)

    def fail(line: IrcMessage) -> None:
        if line.command in {"PRIVMSG", "NOTICE"}:
            raise LookupError(line.params[-1])

    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), mishaps=True) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        ear.at_each_line = fail
        said = [f":ada!a@h {verb} #tea :one" for verb in ("PRIVMSG", "PRIVMSG", "NOTICE")]
        await server.says(*said, ":ada!a@h PART #tea")
        await server.settles()
        assert [line.command for line in ear.lines][-5:-1] == [
            "PRIVMSG",
            "PRIVMSG",
            "NOTICE",
            "PART",
        ]
    failures = [one for one in caplog.records if one.exc_info]
    assert [one.getMessage() for one in failures] == [
        "127.0.0.1: recording a PRIVMSG line failed",
        "127.0.0.1: recording a NOTICE line failed",
    ]
    assert all(isinstance(one.exc_info[1], LookupError) for one in failures if one.exc_info)


async def test_a_server_that_says_nothing_at_all_is_asked_whether_it_is_there() -> None:
    async with (
        fake_ircd(answer=lambda _: []) as server,
        staying(login(server.port), silence=0.1) as (network, _),
    ):
        await server.hears("PING terrarium")
        await server.hears("NICK", times=2)
        assert network.trouble.startswith("the server stopped responding")


async def test_how_names_compare_changes_once_in_a_connection() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        said = len(ear.casemappings)
        await server.says(
            ":srv 005 Terra CASEMAPPING=ascii :are supported",
            ":srv 005 Terra CASEMAPPING=rfc1459 :are supported",
            ":srv 005 Terra casemapping=rfc1459-strict CHANNELLEN=40 :are supported",
        )
        await server.settles()
        assert ear.casemappings[said:] == ["ascii"]
        assert (network.casemapping, network.isupport.channellen) == ("ascii", 40)


async def test_a_bouncer_that_lost_its_server_says_why_we_left() -> None:
    lost = "Disconnected from IRC. Reconnecting..."
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(f":*status!znc@znc.in PRIVMSG Terra :{lost}")
        assert await ear.happens("left") == ("left", "#tea", f"the bouncer says: {lost}")
        await server.says(f":*status!znc@znc.in NOTICE Terra :{lost}")
        await server.settles()
        assert len(ear.happened("left")) == 1
        await server.says(":Terra!u@host.example JOIN #tea", ":srv 366 Terra #tea :End")
        await ear.happens("members_complete", "#tea", times=2)


END_OF_WHO = ":srv 315 Terra #tea :End"


def replying(start: str, *lines: str) -> Answer:
    return lambda line: list(lines) if line.startswith(start) else None


async def test_whox_tells_account_and_absence_of_those_who_are_there() -> None:
    rows = [
        ":srv 354 Terra 542 #tea a host ada H@ 0",
        ":srv 354 Terra 999 #tea a host ada G@ other_question",
        ":srv 354 Terra 542 #tea u host Terra G bot_account",
        ":srv 354 Terra 542 #tea b host nobody H b_account",
        ":srv 354 Terra 542 #tea a host ada G@",
        END_OF_WHO,
    ]
    async with (
        fake_ircd(answer=replying("WHO", *rows)) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert await server.hears("WHO") == ["WHO #tea %tcuhnfa,542"]
        await server.settles()
        assert network.members("#tea") == [
            Member("ada", "@", user="a", host="host"),
            Member("Terra", away=True, account="bot_account", user="u", host="host"),
        ]


async def test_a_plain_who_that_is_cut_short_is_nothing() -> None:
    rows = [":srv 352 Terra #tea a host srv ada", ":srv 352 Terra #tea u host srv Terra G"]
    async with (
        fake_ircd(isupport="CHANTYPES=#", answer=replying("WHO", *rows)) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.hears("WHO")
        await server.settles()
        assert [member.away for member in network.members("#tea")] == [False, True]


@pytest.mark.parametrize(
    ("isupport", "row"),
    [
        ("CHANTYPES=# WHOX", ":srv 354 Terra 542 #tea u host ada H@ 0"),
        ("CHANTYPES=#", ":srv 352 Terra #tea u host srv ada H@ :0 Ada"),
    ],
)
async def test_a_mask_is_known_as_far_as_it_was_shown(isupport: str, row: str) -> None:
    async with (
        fake_ircd(isupport=isupport, answer=replying("WHO", row, END_OF_WHO)) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.hears("WHO")
        await server.says(":srv 353 Terra = #tea :cy", ":bo!b@h JOIN #tea")
        await server.settles()
        for nick, user, host in (("ada", "u", "host"), ("bo", "b", "h"), ("cy", "", "")):
            assert (who_is(network, nick).user, who_is(network, nick).host) == (user, host)


async def test_an_account_tag_tells_who_is_logged_in() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says("@account=ada_ :ada!a@h PRIVMSG #tea :hi", "@account=x PING y")
        await server.says("@account=bo_ :bo!b@h PRIVMSG Terra :hi", ":srv PING z")
        await server.settles()
        assert who_is(network, "ada").account == "ada_"
        assert [member.nick for member in network.members("#tea")] == ["ada", "Terra"]


async def test_extended_joins_tell_accounts_and_plain_ones_forget_none() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(
            ":bo!b@h JOIN #tea bo_account :Bo",
            ":cy!c@h JOIN #tea * :Cy",
            "JOIN #tea",
            ":bo!b@h PART #tea",
            ":bo!b@h JOIN #tea,#elsewhere",
        )
        await server.settles()
        accounts = {member.nick: member.account for member in network.members("#tea")}
        assert accounts == {"ada": "", "bo": "", "cy": "", "Terra": ""}
        assert network.joined_channels() == ["#tea"]
        await server.says(":dee!d@h JOIN #tea dee_ :Dee", ":dee!d@h JOIN #tea")
        await server.settles()
        assert who_is(network, "dee").account == "dee_"


async def test_the_highest_of_several_ranks_is_shown() -> None:
    isupport = "CHANTYPES=# PREFIX=(qaohv)~&@%+"
    names = ":srv 353 Terra = #tea :+bo %+cy ~@dee &emo"
    async with (
        fake_ircd(isupport=isupport) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(names)
        await server.settles()
        ranks = {member.nick: member.rank for member in network.members("#tea")}
        assert ranks == {"ada": "@", "bo": "+", "cy": "%", "dee": "~", "emo": "&", "Terra": ""}


async def test_a_member_called_like_a_server_is_a_member() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":srv 353 Terra = #tea :a.bot")
        await server.settles()
        assert network.members("#tea")[0] == Member("a.bot")


async def test_nobody_is_known_of_channels_that_we_are_not_in() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":srv 353 Terra = #coffee :ada bo", ":bo!b@h JOIN #coffee")
        await server.settles()
        assert (network.members("#coffee"), network.channels_of("bo")) == ([], [])
        assert not network.nicks("#coffee")


async def test_members_are_sorted_as_the_network_compares_them() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":srv 353 Terra = #tea :Zoe bo Cy")
        await server.settles()
        nicks = [member.nick for member in network.members("#tea")]
        assert nicks == ["ada", "bo", "Cy", "Terra", "Zoe"]
        assert network.nicks("#TEA") == set(nicks)


async def test_our_own_mask_follows_what_the_server_says_of_us() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):

        def room_for(mask: str) -> int:
            return 512 - len(f":{mask} PRIVMSG #tea :\r\n".encode())

        await ear.happens("members_complete", "#tea")
        for line, mask in (
            (":srv 396 Terra ~bot@cloak :is now your displayed host", "Terra!~bot@cloak"),
            (":srv 396 Terra other-cloak :is now your displayed host", "Terra!~bot@other-cloak"),
            (":srv 396 Terra", "Terra!~bot@other-cloak"),
            (":srv 396 Terra third-cloak", "Terra!~bot@third-cloak"),
            (":ada!a@h CHGHOST mallory elsewhere", "Terra!~bot@third-cloak"),
            (":Terra!x@y CHGHOST", "Terra!x@y"),
            (":Terra!x@y CHGHOST user", "Terra!x@y"),
            (":terra!x@y CHGHOST user2 host2", "Terra!user2@host2"),
            (":Terra NICK Terr", "Terr!user2@host2"),
            (":TERR!ü@höst AWAY", "Terr!ü@höst"),
        ):
            await server.says(line)
            await server.settles()
            assert network.payload_bytes("#tea") == room_for(mask), line


async def test_a_mask_that_leaves_no_room_for_words_is_not_believed() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        rest = len(": PRIVMSG #tea :\r\n")
        for line, mask in (
            (f":Terra CHGHOST {'u' * 50} {'h' * 100}", len("Terra!@") + 150),
            (f":Terra CHGHOST {'v' * 51} {'g' * 100}", len("Terra!@") + 150),
            (f":Terra NICK {'n' * 64}", 66 + 150),
            (f":{'n' * 64} NICK {'m' * 65}", 66 + 150),
        ):
            await server.says(line)
            await server.settles()
            assert network.payload_bytes("#tea") == 512 - rest - mask


@pytest.mark.parametrize(("limit", "room"), [("20", 4), ("many", None), ("", None)])
async def test_a_line_has_room_for_one_character_at_least(limit: str, room: int | None) -> None:
    async with (
        fake_ircd(isupport=f"CHANTYPES=# LINELEN={limit}") as server,
        staying(login(server.port), mishaps=True) as (network, ear),
    ):
        await ear.happens("connected")
        mask = len(":Terra!@") + 11 + 63
        assert network.payload_bytes("ada") == room or 512 - mask - len(" PRIVMSG ada :\r\n")


async def test_is_own_compares_as_the_network_does() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":TERRA!u@h PRIVMSG ada :me", ":ada!a@h PRIVMSG #tea :not me", "PING x")
        await server.settles()
        own = {line.params[-1]: network.is_own(line.source) for line in ear.lines}
        assert (own["me"], own["not me"], own["x"]) == (True, False, False)


async def test_a_goodbye_may_be_without_a_word() -> None:
    async with fake_ircd() as server, staying(login(server.port)) as (network, ear):
        await ear.happens("connected")
        await network.stop()
        assert server.heard("QUIT") == ["QUIT :"]


def test_the_defaults_are_what_public_networks_ask_for() -> None:
    assert Timeouts() == Timeouts(
        burst=4,
        per_line=2,
        queue=200,
        typing_after=1,
        typing=4,
        reflex=2,
        connect=20,
        handshake=10,
        register=60,
        send=30,
        silence=120,
        farewell=2,
        confirm=5,
        history=120,
        backoff=(5, 10, 20, 40, 80, 160, 300),
        jitter=0.25,
        settled=60,
        logins=3,
        login_again=3600,
        regain_nick=60,
        rejoin=(10, 30, 120, 600),
        forgiven=3600,
        refused=(60, 300, 900, 1800),
        look_round=600,
        ctcp=3,
    )


def test_the_defaults_are_the_safe_ones() -> None:
    assert ServerConfig(host="h", port=1, nick="n", realname="r") == ServerConfig(
        host="h",
        port=1,
        tls=True,
        tls_cafile="",
        tls_certfile="",
        tls_keyfile="",
        network="",
        nick="n",
        username="terrarium",
        realname="r",
        password="",
        sasl_username="",
        sasl_password="",
        channels=(),
        wants_history=True,
    )


@pytest.mark.parametrize(
    "error",
    [
        ExceptionGroup("several", [ValueError("one"), ExceptionGroup("more", [OSError("two")])]),
        RecursionError("too deep"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
        MemoryError(),
        StopIteration(),
        AssertionError(),
        OSError("disk"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_whatever_goes_wrong_over_a_line_costs_that_line_alone(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(line: IrcMessage) -> None:
        if line.params[-1:] == ("boom",):
            raise error

    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), mishaps=True) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        ear.at_each_line = fail
        await server.says(*([":ada!a@h PRIVMSG #tea :boom"] * 50), ":cy!c@h JOIN #tea")
        await server.settles()
        assert [member.nick for member in network.members("#tea")] == ["ada", "cy", "Terra"]
        assert server.connections == 1
    [more] = [one for one in caplog.messages if "more lines like it" in one]
    kind = f"recording a PRIVMSG line failed: {type(error).__name__}"
    assert more == f"127.0.0.1: {kind}: 49 more lines like it"
    assert caplog.messages.count("127.0.0.1: recording a PRIVMSG line failed") == 1


async def test_a_cancellation_passes_through_a_listener_that_fails_at_every_line() -> None:
    class Broken(Ear):
        def on_line(self, message: IrcMessage) -> None:
            super().on_line(message)
            raise RecursionError

    async with fake_ircd() as server:
        ear = Broken()
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(IrcNetwork(login(server.port, "#tea"), ear).run)
                await ear.happens("members_complete", "#tea")
                tasks.cancel_scope.cancel()
    assert ear.happened("lost") == [("lost", "stopped")]


async def test_a_mistake_in_a_task_of_ours_costs_the_connection_and_not_the_process(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd() as server,
        # A task of ours fails when it waits for so long.
        staying(login(server.port, "#tea"), look_round="now and then", mishaps=True) as (_, ear),
    ):
        await ear.happens("lost", "one of our own tasks failed")
        await ear.happens("connected", times=2)
    assert "a task of the connection to 127.0.0.1 failed" in caplog.text


@pytest.mark.parametrize(
    "lines",
    [
        [":Terra!u@{} PRIVMSG x :hi"],
        [":srv 396 Terra {} :is now your displayed host"],
        [":Terra!u@h CHGHOST {} h"],
        [":Terra!u@h CHGHOST u {}", ":Terra!{}@h AWAY"],
    ],
)
async def test_an_endless_mask_of_our_own_leaves_room_for_words(lines: list[str]) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(*(line.format("h" * 5_000) for line in lines))
        await server.settles()
        assert network.payload_bytes("#tea") > 300

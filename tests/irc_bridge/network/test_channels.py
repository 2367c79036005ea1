"""Where the client sits, who is there, and under which nick."""

from itertools import zip_longest

import pytest

from terrarium_mcp.chat.records import Member
from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import Answer, fake_ircd


async def test_what_the_listener_hears_comes_before_what_it_changes() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        there: list[list[str]] = []
        ear.at_each_line = lambda _: there.append(network.channels_of("ada"))
        await server.says(":ada!a@h QUIT :bye")
        await server.settles()
        assert there[0] == ["#tea"]  # at the QUIT itself
        assert network.channels_of("ada") == []


async def test_members_follow_every_kind_of_line() -> None:
    caps = ["extended-join account-notify away-notify multi-prefix account-tag"]
    async with (
        fake_ircd(caps=caps) as server,
        staying(login(server.port, "#Tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#Tea")
        await server.says(
            ":bo!b@h JOIN #tea bo_account :Bo",
            ":cy!c@h JOIN #tea * :Cy",
            ":srv 353 Terra = #tea :@+dee",
            ":srv MODE #TEA +v-o+o bo ada CY",
            ":bo!b@h NICK Bo",
            ":Bo!b@h AWAY :at tea",
            ":cy!c@h ACCOUNT cy_account",
            ":dee!d@h PART #tea",
        )
        await server.settles()
        assert network.members("#TEA") == [
            Member("ada"),
            Member("Bo", "+", away=True, account="bo_account", user="b", host="h"),
            Member("cy", "@", account="cy_account", user="c", host="h"),
            Member("Terra", user="u", host="host.example"),
        ]
        assert network.channels_of("BO") == ["#Tea"]


async def test_one_who_per_channel_tells_accounts_and_absence() -> None:
    def answer(line: str) -> list[str] | None:
        row = ":srv 354 Terra 542 #tea a host ada G@ ada_account"
        return [row, ":srv 315 Terra #tea :End"] if line == "WHO #tea %tcuhnfa,542" else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.hears("WHO")
        await server.settles()
        assert network.members("#tea")[0] == Member(
            "ada", "@", away=True, account="ada_account", user="a", host="host"
        )


async def test_a_plain_who_tells_absence_where_there_is_no_whox() -> None:
    def answer(line: str) -> list[str] | None:
        return [":srv 352 Terra #tea a host srv ada G@ :0 Ada"] if line == "WHO #tea" else None

    async with (
        fake_ircd(isupport="CHANTYPES=#", answer=answer) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.hears("WHO")
        await server.settles()
        assert network.members("#tea")[0].away


async def test_a_strict_casemapping_folds_brackets_but_no_tilde() -> None:
    async with (
        fake_ircd(isupport="CASEMAPPING=strict-rfc1459") as server,
        staying(login(server.port, "#[tea]")) as (network, ear),
    ):
        await ear.happens("members_complete", "#[tea]")
        assert network.members("#{TEA}") == network.members("#[tea]") != []
        assert not network.same_nick("a~", "a^")


async def test_replayed_events_move_nobody() -> None:
    async with (
        fake_ircd(caps=["batch draft/chathistory"]) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(
            "BATCH +h draft/chathistory #tea",
            "@batch=h :Terra!u@h QUIT :old",
            "@batch=h :ada!a@h PART #tea",
            "@batch=h :ada!a@h PRIVMSG #tea :old words",
            "BATCH -h",
        )
        await server.settles()
        assert (await ear.hears("old words")).replay
        assert network.channels_of("ada") == ["#tea"]
        assert ear.happened("lost") == []


async def test_an_invitation_is_not_followed() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":ada!a@h INVITE Terra #coffee")
        await server.settles()
        assert server.heard("JOIN") == ["JOIN #tea"]


async def test_a_channel_that_the_settings_do_not_name_is_left_at_once() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":Terra!u@host JOIN #coffee", ":srv 366 Terra #coffee :End")
        await server.hears("PART #coffee")
        await server.settles()
        assert network.joined_channels() == ["#tea"]
        assert ear.happened("joined") == [("joined", "#tea")]
        assert ear.happened("left") == []


async def test_channels_are_joined_in_few_lines_and_keys_go_with_their_own() -> None:
    many = [f"#channel-number-{n}" for n in range(30)]
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#a", "#locked s3same", *many, "#shut k2")) as (_, ear),
    ):
        await ear.happens("joined", many[-1])
        joins = [join.split() for join in server.heard("JOIN")]
        first = ["#locked", "#shut", "#a", *many[:20]]
        assert joins == [
            ["JOIN", ",".join(first), "s3same,k2"],
            ["JOIN", ",".join(many[20:])],
        ]


async def test_when_the_server_changes_how_names_compare_a_channel_may_no_longer_be_ours() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#[tea]")) as (network, ear):
        await ear.happens("members_complete", "#[tea]")
        assert network.is_configured("#{TEA}")
        await server.says(":srv 005 Terra CASEMAPPING=ascii :are supported")
        await server.says(":Terra!u@host.example JOIN #{tea}")
        await server.hears("PART #{tea}")
        assert network.is_configured("#[TEA]")
        assert not network.is_configured("#{tea}")


async def test_four_hundred_channels_are_joined_each_with_its_own_key() -> None:
    keys = {f"#room-{n}": f"key-{n}" if n % 3 == 0 else "" for n in range(400)}
    named = [f"{name} {key}".strip() for name, key in keys.items()]
    async with fake_ircd() as server, staying(login(server.port, *named)) as (network, ear):
        await ear.until(lambda: len(ear.happened("joined")) == 400)
        assert sorted(network.joined_channels()) == sorted(keys)
        joins = server.heard("JOIN")
    assert max(map(len, joins)) <= 510
    assert len(joins) < 20
    sent = dict[str, str]()
    for join in joins:
        _, names, *keyed = join.split()
        listed = keyed[0].split(",") if keyed else []
        sent |= dict(zip_longest(names.split(","), listed, fillvalue=""))
    assert sent == keys


async def test_a_server_that_takes_two_joins_at_once_gets_two() -> None:
    async with (
        fake_ircd(isupport="CHANTYPES=# TARGMAX=JOIN:2,KICK:1") as server,
        staying(login(server.port, "#a", "#b", "#c")) as (_, ear),
    ):
        await ear.happens("joined", "#c")
        assert server.heard("JOIN") == ["JOIN #a,#b", "JOIN #c"]


@pytest.mark.parametrize(
    "by", [":ada!a@h KICK #tea Terra :enough", ":Terra!u@h PART #tea :removed"]
)
async def test_after_a_kick_we_come_back_a_few_times_and_then_stay_out(by: str) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        for times in (1, 2, 3):  # two pauses are allowed by this scene's timing
            await ear.happens("members_complete", "#tea", times=times)
            await server.says(by)
            await ear.happens("left", "#tea", times=times)
        await server.settles()
        assert network.joined_channels() == []
        assert len(server.heard("JOIN")) == 3


async def test_looking_round_for_empty_seats_does_not_undo_a_kick() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), rejoin=(), look_round=0.01, silence=0.05) as (
            network,
            ear,
        ),
    ):
        await ear.happens("members_complete", "#tea")
        await server.settles()
        await server.says(":ada!a@h KICK #tea Terra :enough")
        await ear.happens("left")
        await server.hears("PING", times=2)
        assert network.joined_channels() == []


async def test_a_kick_from_where_we_never_were_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":ada!a@h KICK #elsewhere Terra :bye", ":ada!a@h PART #elsewhere")
        await server.settles()
        assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize(
    "numeric",
    [
        *("403", "405", "437", "471", "473", "474", "475", "476", "477", "480", "485"),
        *("489", "495", "500", "520", "926"),
    ],
)
async def test_a_refused_channel_is_asked_again_later(numeric: str) -> None:
    refusals = iter([f":srv {numeric} Terra #tea :Cannot join"] * 2)

    def answer(line: str) -> list[str] | None:
        refusal = next(refusals, None) if line.startswith("JOIN") else None
        return [refusal] if refusal else None

    async with fake_ircd(answer=answer) as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        assert len(server.heard("JOIN")) == 3


async def test_a_channel_that_answers_nothing_is_asked_again_too() -> None:
    silence = iter([[]])  # type: ignore[var-annotated]

    def answer(line: str) -> list[str] | None:
        return next(silence, None) if line.startswith("JOIN") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), look_round=0.05) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")


def taken(*nicks: str) -> Answer:
    def answer(line: str) -> list[str] | None:
        verb, _, nick = line.partition(" ")
        return [f":srv 433 * {nick} :in use"] if verb == "NICK" and nick in nicks else None

    return answer


async def test_a_taken_nick_is_replaced_and_regained_as_soon_as_it_is_free() -> None:
    async with (
        fake_ircd(answer=taken("Terra")) as server,
        staying(login(server.port, "#tea"), regain_nick=3600) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert network.nick.startswith("Terra-")
        server.answer = None
        await server.says(":terra!t@h QUIT :gone")
        await server.hears("NICK Terra", times=3)
        await server.settles()
        assert network.nick == "Terra"
        assert "Terra" in [member.nick for member in network.members("#tea")]


async def test_a_taken_nick_is_asked_for_now_and_then() -> None:
    async with (
        fake_ircd(answer=taken("Terra")) as server,
        staying(login(server.port), regain_nick=0.02) as (network, ear),
    ):
        await ear.happens("connected")
        await server.hears("NICK Terra", times=4)
        server.answer = None
        await ear.until(lambda: network.nick == "Terra")


async def test_a_nick_that_the_server_shortens_is_ours_all_the_same() -> None:
    async with (
        fake_ircd(isupport="NICKLEN=4") as server,
        staying(login(server.port), regain_nick=0.02, silence=0.05) as (network, ear),
    ):
        await ear.happens("connected")
        await server.says(":Terra!u@h NICK Terr")
        await server.hears("PING", times=4)
        assert (network.nick, len(server.heard("NICK"))) == ("Terr", 1)


async def test_when_every_nick_is_taken_the_search_is_short() -> None:
    def answer(line: str) -> list[str] | None:
        return [":srv 433 * x :in use"] if line.startswith("NICK") else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, nick="terrarium")) as (network, _),
    ):
        await server.hears("CAP LS", times=2)
        assert "no nick was accepted" in network.trouble
        tried = server.lines[: server.lines.index("CAP LS 302", 1)]
        nicks = [line.split()[1] for line in tried if line.startswith("NICK")]
        assert len(nicks) == 6
        assert max(map(len, nicks)) <= 9


async def test_a_bot_says_that_it_is_one_where_it_can() -> None:
    async with fake_ircd(isupport="BOT=B") as server, staying(login(server.port)):
        assert await server.hears("MODE") == ["MODE Terra +B"]


@pytest.mark.parametrize(
    ("prefix", "names", "ranks"),
    [
        ("PREFIX=", "ada +bo", {"ada": "", "+bo": "", "Terra": ""}),
        ("PREFIX", "ada", {"ada": "", "Terra": ""}),
        ("PREFIX=(Yqaohv)!~&@%+", "!ada ~&bo %cy", {"ada": "!", "bo": "~", "cy": "%", "Terra": ""}),
        ("PREFIX=(ov", "@ada", {"ada": "@", "Terra": ""}),
    ],
)
async def test_ranks_are_those_that_the_server_names(
    prefix: str, names: str, ranks: dict[str, str]
) -> None:
    def joined(line: str) -> list[str] | None:
        lines = [":Terra!u@h JOIN #tea", f":srv 353 Terra = #tea :Terra {names}"]
        return [*lines, ":srv 366 Terra #tea :End"] if line.startswith("JOIN") else None

    async with (
        fake_ircd(isupport=f"CHANTYPES=# {prefix}", answer=joined) as server,
        staying(login(server.port, "#tea"), mishaps=True) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert {one.nick: one.rank for one in network.members("#tea")} == ranks


@pytest.mark.parametrize(
    "line",
    [
        ":ADA!a@h QUIT :bye",
        ":ADA!a@h PART #tea",
        ":op!o@h KICK #tea ADA",
        ":ADA!a@h NICK Bo",
    ],
)
async def test_who_goes_is_gone_however_the_server_spells_them(line: str) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":ada!a@h PRIVMSG #tea :hello", line)
        await server.settles()
        members = [member.nick for member in network.members("#tea")]
        assert members == (["Bo", "Terra"] if "NICK" in line else ["Terra"])
        assert network.channels_of("ada") == []
        await server.says(":BO!b@h JOIN #tea", ":bo!b@h PART #tea")
        await server.settles()
        assert [member.nick for member in network.members("#tea")] == ["Terra"]


@pytest.mark.parametrize(
    ("others", "pong"),
    [
        ("srv terrarium-joined-0", "srv terrarium-joined-1"),
        (None, "srv"),
        (None, "srv another"),
    ],
)
async def test_what_came_before_our_join_has_come_at_the_pong_behind_it(
    others: str | None, pong: str
) -> None:
    def silent(line: str) -> list[str] | None:
        return [] if line.startswith("PING") else None

    here = fake_ircd(answer=silent)
    async with here as server, staying(login(server.port, "#tea"), confirm=3600) as (_, ear):
        await ear.until(lambda: bool(ear.arrivals))
        await server.says(*([f":srv PONG {others}"] if others else []), "PING settled")
        await server.hears("PONG settled")
        assert ear.arrivals == [("arriving", "#tea")]
        await server.says(f":srv PONG {pong}")
        await ear.until(lambda: ear.arrivals[1:] == [("arrived", "#tea")])

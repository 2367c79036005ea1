"""How the client gets into its channels, and what it does when it is put out of one."""

import logging

import anyio
import pytest

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.autojoin import ChannelState
from terrarium_mcp.settings import ConfiguredChannel
from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import Answer, fake_ircd

KICK = ":ada!a@h KICK #tea Terra :enough"


class Joins:
    """Answers JOINs by a script: lines to send, or None for the usual. Notes when each came."""

    def __init__(self, *script: list[str] | None) -> None:
        self.times: list[float] = []
        self._script = iter(script)

    def __call__(self, line: str) -> list[str] | None:
        if not line.startswith("JOIN"):
            return None
        self.times.append(anyio.current_time())
        return next(self._script, None)

    @property
    def pauses(self) -> list[float]:
        """Seconds from each JOIN to the next."""
        return [later - earlier for earlier, later in zip(self.times, self.times[1:], strict=False)]


def refused(why: str = "Cannot join") -> list[str]:
    return [f":srv 474 Terra #tea :{why}"]


async def test_kicks_of_long_ago_are_forgiven() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), rejoin=(0.01,), forgiven=0) as (_, ear),
    ):
        for times in range(1, 5):  # twice in a row would be once too often
            await ear.happens("members_complete", "#tea", times=times)
            await server.says(KICK)
        await ear.happens("members_complete", "#tea", times=5)


async def test_each_kick_has_its_own_pause() -> None:
    answer = Joins()
    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), rejoin=(0.2, 0.01)) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(KICK)
        await ear.happens("members_complete", "#tea", times=2)
        assert answer.pauses[0] >= 0.2


async def test_staying_out_is_an_error_in_the_log_and_coming_back_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), rejoin=(0.01,)) as (_, ear),
    ):
        for times in (1, 2):
            await ear.happens("members_complete", "#tea", times=times)
            await server.says(KICK)
        await ear.happens("left", times=2)
    told = [(one.levelno, one.message) for one in caplog.records if "#tea" in one.message]
    assert told == [
        (logging.WARNING, "#tea: kicked by ada: enough. Returning later."),
        (logging.ERROR, "#tea: kicked by ada: enough. Staying out until the next connection."),
    ]


async def test_the_next_connection_forgets_the_kicks_of_the_last() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea"), rejoin=()) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(KICK)
        await ear.happens("left")
        await server.drops()
        await ear.happens("members_complete", "#tea", times=2)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (":ada!a@h KICK #tea Terra", "kicked by ada"),
        (":ada!a@h KICK #tea Terra :enough: go", "kicked by ada: enough: go"),
        ("KICK #tea Terra :enough", "kicked by the server: enough"),
        (":ada!a@h KICK #tea Terra :[off] for you alone", "kicked by ada"),
        (":ada!a@h KICK #tea Terra :/msg nickserv identify hunter2", "kicked by ada"),
        (":ada!a@h KICK #tea Terra :\x1b[2Kall is well", "kicked by ada: [2Kall is well"),
        (":Terra!t@h PART #tea :[off] for you alone", "parted"),
        (":Terra!u@h PART #tea", "parted"),
        (":Terra!u@h PART #tea :removed", "parted: removed"),
        (":Terra!u@h PART #tea :removed by", "parted: removed by"),
    ],
)
async def test_the_listener_hears_who_put_us_out_and_why(line: str, why: str) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(line)
        assert await ear.happens("left") == ("left", "#tea", why)


async def test_somebody_elses_kick_or_part_is_not_ours() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea", "#mate")) as (_, ear):
        await ear.happens("members_complete", "#mate")
        await server.says(":bo!b@h KICK #tea ada :x", ":ada!a@h PART #mate")
        await server.says(":bo!b@h KICK #tea Terra :x")
        await ear.happens("left")
        await server.says(":bo!b@h KICK #tea cy :x")
        await server.settles()
        assert ear.happened("left") == [("left", "#tea", "kicked by bo: x")]


async def test_a_channel_that_never_let_us_in_is_not_left() -> None:
    def answer(line: str) -> list[str] | None:
        return refused() if line == "JOIN #tea" else None

    async with (
        fake_ircd(isupport="CHANTYPES=# TARGMAX=JOIN:1", answer=answer) as server,
        staying(login(server.port, "#tea", "#mate"), refused=(3600,), rejoin=()) as (network, ear),
    ):
        await ear.happens("members_complete", "#mate")
        network.change_channels([ConfiguredChannel("#mate")])
        await server.says(":bo!b@h KICK #mate Terra :x")
        await ear.happens("left")
        await server.settles()
        assert ear.happened("left") == [("left", "#mate", "kicked by bo: x")]
        assert server.heard("PART") == []


FORWARD = ":srv 470 Terra #tea ##tea :Forwarding to another channel"


@pytest.mark.parametrize(
    "meanwhile", [(FORWARD,), (":Terra!u@host.example JOIN #tea", KICK)], ids=["forward", "kick"]
)
async def test_a_return_that_was_due_is_none_where_we_are_to_stay_out_by_then(
    meanwhile: tuple[str, ...],
) -> None:
    """The return to #mate begins later, after the same pause."""
    async with (
        fake_ircd(isupport="CHANTYPES=# TARGMAX=JOIN:1") as server,
        staying(login(server.port, "#tea", "#mate"), rejoin=(0.05,)) as (_, ear),
    ):
        for name in ("#tea", "#mate"):
            await ear.happens("members_complete", name)
        await server.says(KICK, *meanwhile, KICK.replace("#tea", "#mate"))
        await server.hears("JOIN #mate", times=2)
        assert server.heard("JOIN #tea") == ["JOIN #tea"]


async def test_we_do_not_return_to_a_channel_that_the_settings_name_no_longer() -> None:
    async with (
        fake_ircd(isupport="CHANTYPES=# TARGMAX=JOIN:1") as server,
        staying(login(server.port, "#tea", "#mate"), rejoin=(0.05,)) as (network, ear),
    ):
        for name in ("#tea", "#mate"):
            await ear.happens("members_complete", name)

        def reload(line: IrcMessage) -> None:
            if line.command == "PRIVMSG":
                network.change_channels([ConfiguredChannel("#mate")])

        ear.at_each_line = reload
        await server.says(KICK, ":bo!b@h PRIVMSG #mate :now", KICK.replace("#tea", "#mate"))
        await server.hears("JOIN #mate", times=2)
        assert server.heard("JOIN #tea") == ["JOIN #tea"]


async def test_a_channel_is_called_as_the_server_spells_it() -> None:
    def answer(line: str) -> list[str] | None:
        return [":Terra!u@h JOIN #Tea", ":srv 366 Terra #TEA :End"] if "JOIN" in line else None

    async with fake_ircd(answer=answer) as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#Tea")
        await server.says(":ada!a@h KICK #TEA Terra :x")
        await ear.happens("left")
        assert ear.events[1:4] == [
            ("joined", "#Tea"),
            ("members_complete", "#Tea"),
            ("left", "#Tea", "kicked by ada: x"),
        ]


async def test_one_join_line_may_name_several_channels() -> None:
    def answer(line: str) -> list[str] | None:
        return [":Terra!u@host JOIN #a,#b,#c"] if line == "JOIN #a,#b" else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#a", "#b")) as (network, ear),
    ):
        await ear.happens("joined", "#b")
        assert await server.hears("PART") == ["PART #c :only here by invitation of my operator"]
        assert ear.happened("joined") == [("joined", "#a"), ("joined", "#b")]
        await server.settles()
        assert network.joined_channels() == ["#a", "#b"]


async def test_the_key_of_a_channel_is_used_again_when_we_return() -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, " #tea  s3same ")) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(KICK)
        await ear.happens("members_complete", "#tea", times=2)
        assert server.heard("JOIN") == ["JOIN #tea s3same"] * 2


async def test_refusals_have_growing_pauses_and_the_last_one_repeats() -> None:
    answer = Joins(refused(), refused(), refused(), refused())
    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), refused=(0.15, 0, 0.15)) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        first, second, third, fourth = answer.pauses
        assert min(first, third, fourth) >= 0.15
        assert second < 0.15


async def test_after_it_let_us_in_a_channels_refusals_start_again() -> None:
    answer = Joins(refused(), None, refused())
    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), refused=(0.15, 0)) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(KICK)
        await ear.happens("members_complete", "#tea", times=2)
        assert answer.pauses[2] >= 0.15


async def test_a_channel_that_refuses_twice_is_asked_once() -> None:
    answer = Joins([*refused("a"), *refused("b")], [])
    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea")) as (_, ear),
    ):
        await ear.happens("connected")
        await server.hears("JOIN", times=2)
        await server.settles()
        assert len(server.heard("JOIN")) == 2


async def test_a_refusal_of_a_channel_that_we_are_in_or_never_wanted_is_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), refused=(0,)) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(*refused(), ":srv 474 Terra #coffee :Cannot join", ":srv 474 Terra")
        await server.settles()
        await server.settles()
        assert server.heard("JOIN") == ["JOIN #tea"]
    assert "474" not in caplog.text
    assert "Cannot join" not in caplog.text


async def test_the_log_says_why_a_channel_refused_and_when_it_is_asked_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = Joins(refused("Cannot join channel (+b)"))
    async with fake_ircd(answer=answer) as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
    assert "#tea refused us: Cannot join channel (+b). Retrying in 0.05 s." in caplog.text


@pytest.mark.parametrize(
    ("refusal", "logged"),
    [
        (
            "475 Terra #tea :Cannot join channel (+k)",
            "Cannot join channel (+k). Check its key in IRC_CHANNELS (#tea KEY). Retrying",
        ),
        (
            "477 Terra #tea :You need to identify to a registered nick.",
            "registered nick. Unless we are logged in, set TERRARIUM_SASL_USERNAME and ",
        ),
    ],
    ids=["a key", "an account"],
)
async def test_the_log_says_which_setting_opens_a_channel_that_refused(
    refusal: str, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = Joins([f":srv {refusal}"])
    async with fake_ircd(answer=answer) as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
    assert logged in caplog.text


async def test_a_channel_that_forwards_us_is_tried_again_after_a_reload_and_not_soon(
    caplog: pytest.LogCaptureFixture,
) -> None:
    forward = [
        ":srv 470 Terra #tea ##tea :Forwarding to another channel",
        ":Terra!u@host.example JOIN ##tea",
    ]

    def answer(line: str) -> list[str] | None:
        """On a slow machine a look round asks again before the first is answered: with nothing."""
        if line != "JOIN #tea":
            return None
        lines, forward[:] = [*forward], []
        return lines

    async with fake_ircd(isupport="CHANTYPES=# TARGMAX=JOIN:1", answer=answer) as server:
        who = login(server.port, "#tea", "#mate", network="labnet")
        async with staying(who, refused=(0,), look_round=0.01) as (network, ear):
            await ear.happens("members_complete", "#mate")
            assert await server.hears("PART") == [
                "PART ##tea :only here by invitation of my operator"
            ]
            await server.settles()  # all that was sent before the forward has arrived
            asked, returns = len(server.heard("JOIN #tea")), len(server.heard("JOIN #mate"))
            await server.says(KICK.replace("#tea", "#mate"))
            await server.hears("JOIN #mate", times=returns + 1)  # in a look round, or later
            assert len(server.heard("JOIN #tea")) == asked
            network.change_channels([ConfiguredChannel("#tea"), ConfiguredChannel("#mate")])
            await server.hears("JOIN #tea", times=asked + 1)
            told = [text for text in caplog.messages if "forwards" in text]
    why = "labnet/#tea forwards us to ##tea: Forwarding to another channel."
    assert told == [f"{why} Retrying in 86400 s, or when the settings are reloaded."]


async def test_a_forward_of_a_channel_that_we_are_in_changes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(FORWARD)
        await server.settles()
        await server.says(KICK)
        await ear.happens("members_complete", "#tea", times=2)  # at once: nothing keeps us away
    assert "forwards" not in caplog.text


async def test_after_the_pause_a_channel_that_forwarded_us_is_tried_again() -> None:
    answer = Joins([":srv 470 Terra #tea :Forwarding"])
    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea"), forwarded=0.15, look_round=0.1) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert answer.pauses[0] >= 0.15


@pytest.mark.parametrize(("length", "lines"), [(200, 1), (201, 2)])
async def test_one_join_holds_four_hundred_bytes_of_names(length: int, lines: int) -> None:
    names = ["#" + "a" * 198, "#" + "b" * (length - 1)]
    async with fake_ircd() as server, staying(login(server.port, *names)) as (_, ear):
        await ear.happens("joined", names[-1])
        assert len(server.heard("JOIN")) == lines


async def test_only_our_channels_are_reported_as_complete() -> None:
    async with (
        fake_ircd(isupport="CHANTYPES=#") as server,
        staying(login(server.port, "#tea")) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(":srv 366 Terra #coffee :End", ":srv 366 Terra", ":srv 366 Terra #Tea :x")
        await ear.happens("members_complete", times=2)
        await server.says(":srv 315 Terra #tea :End", ":srv 315 Terra #coffee :x", ":srv 315 Terra")
        await server.settles()
        assert ear.happened("members_complete") == [("members_complete", "#tea")] * 2


async def test_a_list_is_complete_once_who_has_shown_the_accounts() -> None:
    async with (
        fake_ircd(answer=lambda line: [] if line.startswith("WHO") else None) as server,
        staying(login(server.port, "#tea", "#mate")) as (_, ear),
    ):
        await server.hears("WHO", times=2)
        await server.settles()
        assert ear.happened("members_complete") == []
        await server.says(":srv 315 Terra #MATE :End")
        await ear.happens("members_complete", "#mate")
        await server.says(":srv 315 Terra #tea :End")
        await ear.happens("members_complete", "#tea")


async def test_a_list_is_complete_without_accounts_where_who_is_not_answered() -> None:
    async with (
        fake_ircd(answer=lambda line: [] if line == "WHO #tea %tcuhnfa,542" else None) as server,
        staying(login(server.port, "#tea", "#mate"), accounts=0.1) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert ear.happened("members_complete") == [
            ("members_complete", "#mate"),
            ("members_complete", "#tea"),
        ]


def silent_once(verb: str) -> Answer:
    silence = iter([True])
    return lambda line: [] if line.startswith(verb) and next(silence, False) else None


async def test_a_channel_that_is_there_is_not_joined_again_by_looking_round() -> None:
    async with (
        fake_ircd(isupport="TARGMAX=JOIN:1", answer=silent_once("JOIN #mate")) as server,
        staying(login(server.port, "#mate key", "#tea"), look_round=0.05) as (_, ear),
    ):
        await ear.happens("members_complete", "#mate")
        assert server.heard("JOIN") == ["JOIN #mate key", "JOIN #tea", "JOIN #mate key"]


async def test_a_channel_that_the_settings_no_longer_name_is_left_with_a_word() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#A", "#b")) as (network, ear):
        for name in ("#A", "#b"):
            await ear.happens("members_complete", name)
        network.change_channels([ConfiguredChannel("#a"), ConfiguredChannel("#c", "sesame")])
        await ear.happens("members_complete", "#c")
        assert server.heard("PART") == ["PART #b :no longer in my settings"]
        assert server.heard("JOIN") == ["JOIN #A,#b", "JOIN #c sesame"]
        assert ear.happened("left") == [("left", "#b", "no longer in the settings")]
        assert sorted(network.joined_channels()) == ["#A", "#c"]
        await server.says(":ada!a@h KICK #a Terra :enough")
        assert await ear.happens("left", "#A") == ("left", "#A", "kicked by ada: enough")


async def test_a_new_key_is_used_when_we_return() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea old")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        network.change_channels([ConfiguredChannel("#tea", "new")])
        await server.says(KICK)
        await ear.happens("members_complete", "#tea", times=2)
        assert server.heard("JOIN") == ["JOIN #tea old", "JOIN #tea new"]


async def test_a_new_key_for_a_channel_that_refused_the_old_one_is_tried_at_once() -> None:
    def wrong_key(line: str) -> list[str] | None:
        refusal = ":srv 475 Terra #tea :Cannot join channel (+k)"
        return [refusal] if line.startswith("JOIN") and line != "JOIN #tea new" else None

    async with (
        fake_ircd(answer=wrong_key) as server,
        staying(login(server.port, "#tea old"), refused=(0.05, 3600)) as (network, ear),
    ):
        await server.hears("JOIN #tea old", times=2)
        await server.settles()  # the refusal was read, and the next try is an hour away
        network.change_channels([ConfiguredChannel("#tea", "old")])
        await server.settles()
        assert server.heard("JOIN") == ["JOIN #tea old"] * 2
        network.change_channels([ConfiguredChannel("#tea", "new")])
        await ear.happens("members_complete", "#tea")
        assert server.heard("JOIN")[2:] == ["JOIN #tea new"]


async def test_a_new_key_is_tried_at_once_also_where_a_refusal_was_followed_by_a_forward() -> None:
    answers = iter([":srv 475 Terra #tea :Cannot join channel (+k)", FORWARD])

    def answer(line: str) -> list[str] | None:
        return [next(answers)] if line == "JOIN #tea old" else None

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#tea old"), refused=(0.05,)) as (network, ear),
    ):
        await server.hears("JOIN #tea old", times=2)
        await server.settles()
        network.change_channels([ConfiguredChannel("#tea", "new")])
        await ear.happens("members_complete", "#tea")


async def test_two_names_of_one_channel_may_stay_in_the_settings() -> None:
    """They are one by `rfc1459`, and two on a network that compares by `ascii`."""
    async with (
        fake_ircd(isupport="CASEMAPPING=rfc1459") as server,
        staying(login(server.port, "#t[ one", "#t{ two")) as (network, ear),
    ):
        await ear.happens("members_complete", "#t{")
        both = [ConfiguredChannel("#t[", "one"), ConfiguredChannel("#t{", "two")]
        network.change_channels(both)
        await server.settles()
        assert server.heard("JOIN") == ["JOIN #t[,#t{ one,two"]
        assert server.heard("PART") == []


async def test_a_channel_that_a_reload_makes_room_for_is_joined_at_once() -> None:
    async with (
        fake_ircd(isupport="CHANTYPES=# CHANLIMIT=#:1") as server,
        staying(login(server.port, "#tea", "#mate")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        network.change_channels([ConfiguredChannel("#mate"), ConfiguredChannel("#soup")])
        await ear.happens("members_complete", "#mate")
        await server.settles()
        assert server.heard("JOIN") == ["JOIN #tea", "JOIN #mate"]


async def test_channels_that_change_before_the_welcome_are_joined_with_the_others() -> None:
    def answer(line: str) -> list[str] | None:
        return None if line.startswith("QUIT") else []

    async with fake_ircd(answer=answer) as server:
        who = login(server.port, "#a")
        async with staying(who) as (network, ear):
            await server.hears("USER")
            network.change_channels([ConfiguredChannel("#b")])
            await server.says(
                ":srv 001 Terra :Welcome", ":srv 005 Terra CHANTYPES=# :are supported"
            )
            await server.says(":srv 376 Terra :end")
            await server.hears("JOIN")
            await server.says("PING x")
            await server.hears("PONG x")
            assert server.heard("JOIN") == ["JOIN #b"]
            assert ear.happened("left") == []


async def test_a_forced_channel_and_a_kick_are_named_with_their_network(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with fake_ircd() as server:
        who = login(server.port, "#a", network="labnet")
        async with staying(who) as (_, ear):
            await ear.happens("members_complete", "#a")
            await server.says(
                ":Terra!u@host.example JOIN #x", ":srv 366 Terra", ":srv 366 Terra #x"
            )
            await server.hears("PART #x")
            await server.says(":ada!a@h KICK #a Terra :out")
            await ear.happens("joined", "#a", times=2)
    assert "forced into labnet/#x, which the settings do not name: leaving it" in caplog.messages
    assert "labnet/#a: kicked by ada: out. Returning later." in caplog.messages
    assert not [one for one in caplog.messages if "could not handle" in one]
    assert ear.happened("left")[0] == ("left", "#a", "kicked by ada: out")


async def test_a_channel_that_a_reload_left_out_before_we_were_in_it_was_not_forced_on_us(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def slowly(line: str) -> list[str] | None:
        return [] if line == "JOIN #b" else None

    async with (
        fake_ircd(answer=slowly) as server,
        staying(login(server.port, "#a")) as (network, ear),
    ):
        await ear.happens("members_complete", "#a")
        network.change_channels([ConfiguredChannel("#a"), ConfiguredChannel("#b")])
        await server.hears("JOIN #b")
        network.change_channels([ConfiguredChannel("#a")])
        await server.says(":Terra!u@host.example JOIN #B")
        assert await server.hears("PART") == ["PART #B :no longer in my settings"]
        await server.says(":Terra!u@host.example JOIN #B")
        await server.hears("PART #B :only here")
    assert caplog.text.count("forced into") == 1


def test_the_state_of_a_channel_shows_no_key() -> None:
    assert "sesame" not in repr(ChannelState("#tea", "sesame"))


async def test_more_channels_than_the_server_allows_are_named_in_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wanted = ("#a", "&b", "#c", "#much-too-long", "#d", "+e", "&f")
    isupport = "CHANTYPES=#& CHANLIMIT=#:2,&:1 CHANNELLEN=9"

    def slowly(line: str) -> list[str] | None:
        return [] if line == "JOIN #a,&b,#c" else None  # each is asked for again by itself

    async with (
        fake_ircd(isupport=isupport, answer=slowly) as server,
        staying(login(server.port, *wanted), look_round=0.01) as (network, ear),
    ):
        await ear.happens("joined", times=3)
        await server.hears("WHO", 3)  # which waits for every JOIN
        assert network.joined_channels() == ["#a", "&b", "#c"]
        assert set(server.heard("JOIN")) == {"JOIN #a,&b,#c", "JOIN #a", "JOIN &b", "JOIN #c"}
    named = [text for text in caplog.messages if "Not joined, not recorded" in text]
    limits = "CHANTYPES=#& CHANNELLEN=9 CHANLIMIT=#:2,&:1"
    left_out = "#much-too-long, #d, +e, &f"
    told = f"127.0.0.1: the server does not allow all of IRC_CHANNELS ({limits})."
    way_out = "Name others or fewer, or ask the server's staff to allow more."
    assert named == [f"{told} Not joined, not recorded: {left_out}. {way_out}"]


@pytest.mark.parametrize(
    ("asked", "name", "told"),
    [
        ("#long-t\u00e9a", b"#long-t\xc3\xa9", "its name is too long there"),
        ("#long-t\u00e9a", b"#long-t\xc3", "its name is too long there"),
        ("!Tea", b"!1A2B3tea", "for labnet/!1A2B3tea: IRC_CHANNELS must name it in full"),
    ],
    ids=["cut between", "cut inside", "completed"],
)
async def test_a_channel_whose_name_the_server_changes_is_not_tried_again_and_again(
    asked: str, name: bytes, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    joined = b":Terra!u@host.example JOIN " + name

    def answer(line: str) -> list[str | bytes] | None:
        # The second time as if a look round had asked again before the answer came.
        return [joined] * 2 if line == f"JOIN {asked}" else None

    async with fake_ircd(isupport="CHANTYPES=#! TARGMAX=JOIN:1", answer=answer) as server:
        who = login(server.port, asked, "#mate", network="labnet")
        async with staying(who, look_round=0.01, rejoin=(0.02,) * 9) as (_, ear):
            await ear.happens("members_complete", "#mate")
            await server.hears(f"PART {asked[0]}")
            tried = len(server.heard(f"JOIN {asked}"))  # twice, where a look round was quicker
            for times in range(2, 5):  # in a look round, or after the pause
                await server.says(KICK.replace("#tea", "#mate"))
                await server.hears("JOIN #mate", times=times)
            assert len(server.heard(f"PART {asked[0]}")) == 2 * tried
            assert len(server.heard(f"JOIN {asked}")) == tried
    assert f"takes labnet/{asked} for labnet/{asked[0]}" in caplog.text
    assert told in caplog.text
    assert "forced into" not in caplog.text

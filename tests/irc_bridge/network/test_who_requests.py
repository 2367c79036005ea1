"""Who is in our channels is asked again where the server had no time to say it."""

from collections.abc import Sequence

from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import fake_ircd


async def test_a_who_that_the_server_had_no_time_for_is_asked_again() -> None:
    asked: list[str] = []

    def answer(line: str) -> Sequence[str] | None:
        if not line.startswith("WHO"):
            return None
        channel = line.split()[1]
        asked.append(channel)
        if asked.count(channel) < 3 and channel == "#tea":
            refusal = ":srv 263 Terra WHO :This command could not be completed"
            return [refusal, ":srv 315 Terra * :End of /WHO list."]
        row = f":srv 354 Terra 542 {channel} a host ada H@ ada_account"
        return [row, f":srv 315 Terra {channel} :End of /WHO list."]

    async with (
        fake_ircd(answer=answer) as server,
        staying(login(server.port, "#mate", "#tea"), who_refused=(0.01,)) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert sorted(asked) == ["#mate", "#tea", "#tea", "#tea"]
        assert network.members("#tea")[0].account == "ada_account"


async def test_what_else_the_server_has_no_time_for_is_no_who() -> None:
    async with (
        fake_ircd(answer=lambda line: [] if line.startswith("WHO") else None) as server,
        staying(login(server.port, "#tea"), who_refused=(0,)) as (_, ear),
    ):
        await ear.happens("joined", "#tea")
        await server.hears("WHO #tea")
        await server.says(":srv 263 Terra LIST :Try again", ":srv 263 Terra", ":srv 315 Terra")
        await server.settles()
        assert len(server.heard("WHO")) == 1


async def test_a_channel_that_we_left_meanwhile_is_not_asked_for_again() -> None:
    async with (
        fake_ircd(answer=lambda line: [] if line.startswith("WHO") else None) as server,
        staying(login(server.port, "#tea"), who_refused=(0,), rejoin=(3600,)) as (_, ear),
    ):
        await ear.happens("joined", "#tea")
        await server.hears("WHO #tea")
        await server.says(":srv 263 Terra WHO :Try again", ":op!o@h KICK #tea Terra")
        await server.says(":srv 263 Terra WHO :Try again")
        await server.settles()
        assert len(server.heard("WHO")) == 1

"""Who may tell the bot to stop: the operators of a channel, by the network's own ranks."""

import pytest

from terrarium_mcp.chat.records import Member
from terrarium_mcp.irc_bridge.network.operators import is_operator
from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import fake_ircd
from tests.servers.ircd import Ircd
from tests.servers.person import person

RANKS = {"!": "Y", "~": "q", "&": "a", "@": "o", "%": "h", "+": "v"}


@pytest.mark.parametrize(
    ("rank", "operates"),
    [("!", True), ("~", True), ("&", True), ("@", True), ("%", True), ("+", False), ("", False)],
)
def test_half_operators_and_above_operate_a_channel(rank: str, operates: bool) -> None:
    member = Member("ada", rank)
    assert is_operator(member, RANKS) is operates


def test_a_network_without_operators_has_none() -> None:
    voiced = Member("ada", "+")
    assert not is_operator(voiced, {"+": "v"})
    assert not is_operator(voiced, {"+": "v", "-": "d"})


async def test_ranks_follow_modes_and_names_are_compared_as_the_network_does() -> None:
    async with (
        fake_ircd(isupport="CHANTYPES=# PREFIX=(qohv)~@%+ CHANMODES=b,k,l,nt") as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert network.is_operator("#TEA", "Ada")
        assert not network.is_operator("#tea", "Terra")
        assert not network.is_operator("#tea", "stranger")
        assert not network.is_operator("#mate", "ada")
        await server.says(":ada!u@h MODE #tea -o+h ada Terra")
        await server.settles()
        assert not network.is_operator("#tea", "ada")
        assert network.is_operator("#tea", "Terra")


async def test_the_founder_of_a_real_channel_operates_it(ircd: Ircd) -> None:
    async with person("ada", ircd.port) as ada:
        await ada.joins("#tea")
        async with staying(login(ircd.port, "#tea")) as (network, ear):
            await ear.happens("members_complete", "#tea")
            assert network.is_operator("#tea", "ada")
            await ada.types("MODE #tea -o ada")
            await ear.until(lambda: not network.is_operator("#tea", "ada"))

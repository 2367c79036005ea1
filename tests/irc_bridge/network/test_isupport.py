"""What servers say of themselves, in every form that is allowed and in many that are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import CASEMAPPINGS, CHANNEL_PREFIXES
from terrarium_mcp.irc_bridge.network.isupport import LINE, LONGEST_LINE, Isupport


def after(*tokens: str) -> Isupport:
    return Isupport().after(tokens)[0]


@pytest.mark.parametrize(
    ("token", "attribute", "value"),
    [
        ("CASEMAPPING=ascii", "casemapping", "ascii"),
        ("CASEMAPPING=ASCII", "casemapping", "ascii"),
        ("CASEMAPPING=rfc1459-strict", "casemapping", "strict-rfc1459"),
        ("CASEMAPPING=rfc8265", "casemapping", "rfc7613"),
        ("CHANTYPES=&", "chantypes", "&"),
        ("CHANTYPES=#&!+", "chantypes", "#&!+"),
        ("CHANTYPES=#~", "chantypes", "#"),
        ("PREFIX=(qaohv)~&@%+", "prefix", dict(zip("~&@%+", "qaohv", strict=True))),
        ("PREFIX=(Yqaohv)!~&@%+", "prefix", dict(zip("!~&@%+", "Yqaohv", strict=True))),
        ("PREFIX=", "prefix", {}),
        ("PREFIX", "prefix", {}),
        ("PREFIX=()", "prefix", {}),
        ("nicklen=30", "nicklen", 30),
        ("CHANNELLEN=50", "channellen", 50),
        ("CHANLIMIT=#&:50,+:10", "chanlimit", (("#&", 50), ("+", 10))),
        ("CHANLIMIT=#:", "chanlimit", ()),
        ("CHANLIMIT=#&+:0", "chanlimit", ()),
        ("MAXCHANNELS=20", "chanlimit", (("#&+!", 20),)),
        ("TARGMAX=KICK:1,JOIN:4", "joins_per_line", 4),
        ("TARGMAX=JOIN:", "joins_per_line", None),
        ("TARGMAX", "joins_per_line", None),
        ("LINELEN=2048", "linelen", 2048),
        ("BOT=B", "bot", "B"),
        ("WHOX", "whox", True),
        ("WHOX=", "whox", True),
        ("CLIENTTAGDENY=*,-typing", "clienttagdeny", ("*", "-typing")),
        ("CLIENTTAGDENY=", "clienttagdeny", ()),
        ("CHATHISTORY=100", "chathistory", 100),
        ("CHATHISTORY=0", "chathistory", None),
        ("CHATHISTORY", "chathistory", None),
        (r"NETWORK=Tea\x20House", "network", "Tea House"),
        (r"NETWORK=a\x2eb\x2Ec", "network", "a.b.c"),
        ("NETWORK=" + "x" * 101, "network", "x" * 100),
        ("LINELEN=512", "linelen", 512),
        ("LINELEN=8192", "linelen", 8192),
        ("NICKLEN=1", "nicklen", 1),
        ("NICKLEN=2147483647", "nicklen", 2147483647),
        ("CHANNELLEN=2", "channellen", 2),
        ("CLIENTTAGDENY=" + "a," * 101, "clienttagdeny", ("a",) * 100),
        ("MSGREFTYPES=timestamp,MSGID", "names_messages_by_msgid", True),
        ("MSGREFTYPES=timestamp", "names_messages_by_msgid", False),
    ],
)
def test_a_token_is_read_as_the_specification_means_it(
    token: str, attribute: str, value: object
) -> None:
    known, unusable = Isupport().after([token])
    assert (getattr(known, attribute), unusable) == (value, [])


@pytest.mark.parametrize(
    "token",
    [
        *("LINELEN=0", "LINELEN=\u00b2", "LINELEN=99999999", "LINELEN=-600", "LINELEN=1_000"),
        *("LINELEN", "LINELEN=511", "LINELEN=8193", "LINELEN=600.5", "LINELEN=\u0666\u0660\u0660"),
        *("CHATHISTORY=\u00b2", "CHATHISTORY=-1", "NICKLEN=0", "NICKLEN=\u2461", "CHANNELLEN=1"),
        *("NICKLEN=2147483648", "NICKLEN=99999999999999999999999999"),
        *( "CHANLIMIT=#:-1", "CHANLIMIT=#:5:6", "CHANLIMIT=:9"),
        *("CHANLIMIT", "CHANLIMIT=#:x,&:3", "MAXCHANNELS=many", "TARGMAX=JOIN:0", "TARGMAX=JOIN:x"),
        *("CASEMAPPING", "CASEMAPPING=klingon", "CASEMAPPING=ascii,rfc1459", "CHANTYPES"),
        *("CHANTYPES=", "CHANTYPES=~", "PREFIX=(ov)@", "PREFIX=ov@+", "PREFIX=(oo)@+"),
        *("PREFIX=(ov)@@", "PREFIX=(ov)ab", "PREFIX=(o"),
        *("BOT", "BOT=", "BOT=BB", "BOT=1", "BOT=\u00df", r"NETWORK=a\x0ab"),
    ],
)  # fmt: skip
def test_a_value_that_makes_no_sense_changes_nothing(token: str) -> None:
    known = after("LINELEN=1024", "CHATHISTORY=7", "PREFIX=(o)@", "BOT=Z", "CASEMAPPING=ascii")
    assert known.after([token]) == (known, [token])


def test_what_a_server_does_not_say_is_as_the_rfc_has_it() -> None:
    assert Isupport() == Isupport(
        casemapping="rfc1459",
        chantypes="#&",
        prefix={"@": "o", "+": "v"},
        nicklen=None,
        channellen=None,
        chanlimit=(),
        joins_per_line=None,
        linelen=512,
        clienttagdeny=(),
        bot="",
        whox=False,
        chathistory=None,
        names_messages_by_msgid=True,
        network="",
    )


def test_a_token_taken_back_returns_to_its_default() -> None:
    tokens = ["WHOX", "PREFIX=(o)@", "CASEMAPPING=ascii", "LINELEN=1024", "UTF8ONLY"]
    known = after(*tokens)
    back = [f"-{token.partition('=')[0]}" for token in tokens]
    assert known.after([*back, "-NEVER", "-"]) == (Isupport(), [])


def test_a_bad_token_costs_only_itself() -> None:
    known, unusable = Isupport().after(["NICKLEN=x", "WHOX", "=", "", "PREFIX=?", "NICKLEN=9"])
    assert (known, unusable) == (Isupport(whox=True, nicklen=9), ["NICKLEN=x", "PREFIX=?"])


def test_channels_beyond_a_limit_are_left_out_each_type_by_its_own() -> None:
    known = after("CHANTYPES=#&", "CHANLIMIT=#:2,&:1", "CHANNELLEN=5")
    wanted = ["#a", "&b", "#toolong", "#c", "&d", "+e", "#f"]
    assert known.within_limits(wanted) == (["#a", "&b", "#c"], ["#toolong", "&d", "+e", "#f"])


def test_types_of_channels_may_share_a_limit_or_have_none() -> None:
    known = after("CHANTYPES=#&+", "CHANLIMIT=#&:2,+:")
    wanted = ["#a", "+b", "&c", "+d", "#e"]
    assert known.within_limits(wanted) == (["#a", "+b", "&c", "+d"], ["#e"])


NAMES = st.sampled_from(
    [
        *("BOT", "CASEMAPPING", "CHANLIMIT", "CHANNELLEN", "CHANTYPES", "CHATHISTORY", "LINELEN"),
        *("MAXCHANNELS", "NETWORK", "NICKLEN", "PREFIX", "TARGMAX", "UTF8ONLY", "WHOX"),
    ]
)
VALUES = st.one_of(
    st.text(max_size=40),
    st.integers().map(str),
    st.text("(ov)@+#&:,0123456789\u00b2x\\", max_size=20),
)


@given(st.lists(st.tuples(st.sampled_from(["", "-"]), NAMES, st.sampled_from(["", "="]), VALUES)))
def test_whatever_a_server_says_of_itself_stays_within_bounds(
    said: list[tuple[str, str, str, str]],
) -> None:
    known, _ = Isupport().after(["".join(parts) for parts in said])
    assert LINE <= known.linelen <= LONGEST_LINE
    assert known.casemapping in CASEMAPPINGS
    assert known.chantypes
    assert set(known.chantypes) <= set(CHANNEL_PREFIXES)
    assert len(known.bot) <= 1
    assert all(len(prefix) == len(mode) == 1 for prefix, mode in known.prefix.items())
    for limit in (known.nicklen, known.channellen, known.joins_per_line, known.chathistory):
        assert limit is None or limit >= 1
    assert all(types and limit >= 1 for types, limit in known.chanlimit)


def test_the_length_of_a_channel_is_counted_in_bytes() -> None:
    known = after("CHANNELLEN=6")
    assert known.within_limits(["#th\u00e9s", "#th\u00e9-s"]) == (["#th\u00e9s"], ["#th\u00e9-s"])

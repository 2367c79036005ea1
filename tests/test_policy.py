"""A view can only narrow, and one that is malformed shows nothing."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import Room
from terrarium_mcp.policy import (
    VIEW_KEY,
    VIEW_KEYS,
    BadView,
    RoomDirectory,
    View,
    message_id,
    names_room,
    parse_view,
    split_label,
    view_in,
)

TEA = Room(1, "libera", "#tea")
MATE = Room(2, "libera", "#mate")
MORE_TEA = Room(3, "libera", "##tea")
OTHER_TEA = Room(4, "oftc", "#Tea")
LOCAL = Room(5, "libera", "&tea")
ROOMS = [TEA, MATE, MORE_TEA, OTHER_TEA, LOCAL]
NOON = datetime(2025, 11, 5, 12, tzinfo=UTC)


def shown(raw: object) -> list[Room]:
    return [*parse_view(raw).narrowed(RoomDirectory(ROOMS)).rooms]


def test_no_view_and_an_empty_one_narrow_nothing() -> None:
    assert view_in({}) == view_in({VIEW_KEY: {}}) == view_in({"progressToken": 7}) == View()
    assert View().sees_everything
    assert shown({}) == ROOMS


@pytest.mark.parametrize(
    "raw", [{"channel": "#tea"}, {"channels": []}, {"network": "libera"}, {"as_of": 5}], ids=str
)
def test_a_view_that_hides_anything_does_not_see_everything(raw: object) -> None:
    assert not parse_view(raw).sees_everything
    assert parse_view({"now": "2025-11-05T12:00:00Z", "asker": "ada"}).sees_everything


@pytest.mark.parametrize("key", sorted(VIEW_KEYS))
def test_null_in_a_view_is_refused_rather_than_taken_for_all(key: str) -> None:
    with pytest.raises(BadView) as refused:
        parse_view({key: None})
    assert str(refused.value) == (
        f"The view has null for {key}. Leave a key out to hide nothing by it."
    )


@pytest.mark.parametrize(
    "key",
    [
        "terrarium-mcp/vieu",
        "terrarium-mcp/",
        "Terrarium-MCP/view",
        "terrarium-mcp/view/channel",
        "terrarium_mcp/view",
        "terrarium\u2010mcp/view",
        "terrarium mcp/view",
        "TerrariumMCP/view",
        "terrarium-mcp",
    ],
)
def test_another_key_like_ours_is_refused_beside_a_view_or_alone(key: str) -> None:
    for meta in ({key: {"channel": "#tea"}}, {key: 1, VIEW_KEY: {"channel": "#tea"}}):
        with pytest.raises(BadView) as refused:
            view_in(meta)
        assert str(refused.value) == (
            f"Unknown key in _meta: {key}. Known: terrarium-mcp/view, the view."
        )


@pytest.mark.parametrize(
    ("raw", "rooms"),
    [
        ({"channel": "#tea"}, [TEA, OTHER_TEA]),
        ({"channel": "#TEA", "network": "LIBERA"}, [TEA]),
        ({"channel": "libera/#tea"}, [TEA]),
        ({"channel": "##tea"}, [MORE_TEA]),
        ({"channel": "&tea"}, [LOCAL]),
        ({"channel": "mate"}, [MATE]),
        ({"channel": "#nowhere"}, []),
        ({"channel": "r1"}, []),
        ({"network": "oftc"}, [OTHER_TEA]),
        ({"network": "nowhere"}, []),
        ({"channels": []}, []),
        ({"channels": ["#mate", "oftc/tea"]}, [MATE, OTHER_TEA]),
        ({"channels": ["#tea", "#mate"], "channel": "#mate"}, [MATE]),
        ({"channels": ["#tea"], "channel": "#mate"}, []),
        ({"channels": ["#tea"], "network": "oftc"}, [OTHER_TEA]),
    ],
)
def test_a_view_shows_the_rooms_it_names(raw: object, rooms: list[Room]) -> None:
    assert shown(raw) == rooms


def test_the_rest_of_a_view() -> None:
    view = parse_view(
        {
            "as_of": "2025-11-05T12:00:00Z",
            "now": "2025-11-05T13:00:00+01:00",
            "asker": "ada",
            "max_tokens": 700,
        }
    )
    assert view == View(as_of=NOON, now=NOON, asker="ada", max_tokens=700)
    assert parse_view({"as_of": 184213}).as_of == 184213
    assert parse_view({"as_of": "184213"}).as_of == 184213
    assert parse_view({"as_of": "terrarium://message/184213"}).as_of == 184213
    assert parse_view({"as_of": 2013}).as_of == 2013
    assert parse_view({"as_of": "terrarium://message/2013"}).as_of == 2013
    assert parse_view({"as_of": "2200"}).as_of == 2200


MALFORMED: list[object] = [
    None, "#tea", 5, [], ["channel"], True,
    {"chanel": "#tea"}, {"Channel": "#tea"}, {5: 5},
    {"channel": ""}, {"channel": "  "}, {"channel": 5}, {"channel": ["#tea"]}, {"channel": True},
    {"channels": "#tea"}, {"channels": [""]}, {"channels": [" "]}, {"channels": ["#tea", 5]},
    {"channels": {"#tea": 1}}, {"channels": 5}, {"channels": [None]},
    {"network": 5}, {"network": ""}, {"network": " "}, {"asker": ["ada"]},
    {"as_of": "2013"}, {"as_of": " 1999 "}, {"as_of": "2013-01"},
    {"as_of": "2026-10-24T10:02:00"}, {"as_of": "2026-10-24 10:02"}, {"now": "2026-10-24T10:02:00"},
    {"as_of": ""}, {"as_of": "noon"}, {"as_of": 1.5}, {"as_of": True}, {"as_of": -5}, {"as_of": []},
    {"as_of": 10**19}, {"as_of": "10000000000000000000"}, {"as_of": "0001-01-01T00:00:00+09:00"},
    {"as_of": "terrarium://message/"}, {"as_of": "http://elsewhere/message/5"},
    {"now": "soon"}, {"now": 5}, {"now": 20251105}, {"now": ""},
    {"max_tokens": 0}, {"max_tokens": -1}, {"max_tokens": "many"}, {"max_tokens": 1.5},
    {"max_tokens": True},
]  # fmt: skip


@pytest.mark.parametrize("raw", MALFORMED, ids=str)
def test_a_malformed_view_is_refused(raw: object) -> None:
    with pytest.raises(BadView):
        parse_view(raw)


WRONG: list[tuple[object, str]] = [
    (None, "The view in _meta['terrarium-mcp/view'] must be an object, not null."),
    ("#tea", "The view in _meta['terrarium-mcp/view'] must be an object, not str."),
    (
        {"now": None, "chanel": "#tea", "a": 1},
        (
            "Unknown key in the view: a, chanel."
            " Known: as_of, asker, channel, channels, max_tokens, network, now."
        ),
    ),
    ({"channel": " "}, "The view's channel is empty. Leave it out to show every channel."),
    ({"channel": 5}, "The view's channel must be text."),
    ({"channels": "#tea"}, "The view's channels must be a list of channel names."),
    ({"channels": ["#tea", ""]}, "Each of the view's channels must be a channel name."),
    ({"network": 5}, "The view's network must be text."),
    ({"asker": 5}, "The view's asker must be text."),
    ({"as_of": 1.5}, "The view's as_of must be text."),
    (
        {"as_of": "noon"},
        (
            "The view's as_of must be a time with its offset, such as 2025-11-05T12:00:00Z,"
            " or the id of a message."
        ),
    ),
    (
        {"as_of": "2013"},
        (
            "The view's as_of 2013 may be a year or a message id."
            " Write 2013-01-01T00:00:00Z, or terrarium://message/2013."
        ),
    ),
    ({"network": ""}, "The view's network is empty. Leave it out to show every network."),
    (
        {"now": "soon"},
        "The view's now must be a time with its offset, such as 2025-11-05T12:00:00Z.",
    ),
    ({"max_tokens": 0}, "The view's max_tokens must be a whole number of at least 1."),
]


@pytest.mark.parametrize(("raw", "text"), WRONG, ids=str)
def test_a_refusal_says_which_part_of_the_view_is_wrong(raw: object, text: str) -> None:
    with pytest.raises(BadView) as refused:
        parse_view(raw)
    assert str(refused.value) == text


@pytest.mark.parametrize("key", ["asker", "channel", "network", "as_of", "now"])
def test_a_text_of_a_megabyte_in_a_view_is_refused(key: str) -> None:
    with pytest.raises(BadView) as refused:
        parse_view({key: "a" * 10**6})
    assert str(refused.value) == f"The view's {key} is too long: 4,096 characters at most."


def test_one_token_is_a_budget() -> None:
    assert parse_view({"max_tokens": 1}).max_tokens == 1


def test_a_view_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        parse_view({"network": "libera"}).network = ""  # type: ignore[misc]


ASCII = (Room(1, "net", "#a[", "ascii"), Room(2, "net", "#A{", "ascii"))


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        ({"channel": "#a["}, 1),
        ({"channel": "#a{"}, 2),
        ({"channel": "net/A{"}, 2),
        ({"channels": ["#A["]}, 1),
        ({"channel": "#a[", "channels": ["#a{", "#a["]}, 1),
    ],
)
def test_a_view_of_one_channel_never_shows_the_other_that_differs_by_a_bracket(
    view: dict[str, object], shown: int
) -> None:
    rooms = parse_view(view).narrowed(RoomDirectory(ASCII)).rooms
    assert [room.id for room in rooms] == [shown]


def test_a_view_of_a_channel_and_of_others_shows_none() -> None:
    view = parse_view({"channel": "#a[", "channels": ["#a{"]})
    assert view.narrowed(RoomDirectory(ASCII)).rooms == ()


@pytest.mark.parametrize(
    ("casemapping", "same", "another"),
    [
        ("rfc1459", "#A{}|^", "#b"),
        ("strict-rfc1459", "#A{}|~", "#a{}|^"),
        ("ascii", r"#A[]\~", r"#a{}\~"),
        ("rfc7613", r"#A[]\~", r"#a{}\~"),
    ],
)
def test_names_compare_as_on_the_network_of_the_room(
    casemapping: str, same: str, another: str
) -> None:
    room = Room(1, "net", r"#a[]\~", casemapping)
    directory = RoomDirectory([room])
    assert directory.named(("", same), ("net", same[1:])) == (room,)
    assert directory.named(("", another), ("net", another[1:])) == ()


def test_a_channel_of_other_letters_is_found_in_any_case() -> None:
    directory = RoomDirectory([Room(1, "net", "#Äther", "rfc7613")])
    assert directory.named(("", "#äTHER")) == directory.named(("", "ÄTHER")) == directory.rooms
    assert RoomDirectory([Room(1, "net", "#Äther", "ascii")]).named(("", "#äther")) == ()


def test_no_name_names_no_room() -> None:
    assert not names_room(Room(6, "libera", "#"), "", "")
    assert names_room(Room(6, "libera", "#"), "", "#")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.one_of(JSON, st.dictionaries(st.sampled_from(sorted(VIEW_KEYS)), JSON)))
def test_whatever_is_sent_is_a_view_or_refused_and_only_narrows(raw: object) -> None:
    try:
        view = parse_view(raw)
    except BadView:
        return
    named = raw if isinstance(raw, dict) else {}
    assert (view.as_of is None) == (named.get("as_of") is None)
    assert (view.rooms is None) == (named.get("channel") is None and named.get("channels") is None)


@given(st.text(max_size=12))
def test_a_name_with_a_prefix_names_that_channel_alone(name: str) -> None:
    for room in ROOMS:
        if names_room(room, "", "#" + name):
            assert fold(room.channel) == fold("#" + name)
        if names_room(room, "", name):
            assert fold(room.channel) in {fold(name), fold(room.channel[0] + name)}


@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("libera/#tea", ("libera", "#tea")),
        ("libera/tea", ("libera", "tea")),
        ("#tea", ("", "#tea")),
        ("#tea/mate", ("", "#tea/mate")),
        ("&local/x", ("", "&local/x")),
        ("+tea/x", ("", "+tea/x")),
        ("!12345tea/x", ("", "!12345tea/x")),
        ("libera/#tea/mate", ("libera", "#tea/mate")),
        ("efnet/old/#tea", ("efnet/old", "#tea")),
        ("efnet/old/#tea/#x", ("efnet/old", "#tea/#x")),
        ("/#tea", ("", "#tea")),
        ("/", ("", "/")),
        (" tea ", ("", "tea")),
        ("libera/", ("", "libera/")),
        ("", ("", "")),
    ],
)
def test_a_label_may_name_its_network(label: str, parts: tuple[str, str]) -> None:
    assert split_label(label) == parts


def test_a_message_id_is_a_number_or_a_permalink() -> None:
    assert message_id(" 12 ") == message_id("terrarium://message/12") == 12
    assert message_id("#12") == message_id("(12)") == 12
    assert message_id("\u0661\u0662") == message_id("#\uff11\uff12") == 12  # other digits
    assert message_id("https://logs.example/message/12") == message_id("<message 12>") == 12
    assert message_id("9" * 18) == 10**18 - 1
    for text in ("", "-1", "1.0", "x", "terrarium://message/x", "9" * 19, "12; DROP"):
        assert message_id(text) is None


NAMES = st.sampled_from(["", "#tea", "tea", "TEA", "##tea", "&tea", "mate", "#", "#~t{", "#^T["])
NETWORKS = st.sampled_from(["", "libera", "LIBERA", "oftc"])


@given(st.lists(st.tuples(NETWORKS, NAMES), max_size=3), NETWORKS, NAMES.filter(bool))
def test_a_view_leaves_a_room_that_any_of_its_names_means(
    names: list[tuple[str, str]], network: str, channel: str
) -> None:
    room = Room(1, network, channel if channel.startswith(("#", "&")) else f"#{channel}")
    left = View(rooms=tuple(names)).narrowed(RoomDirectory([room])).rooms
    assert left == ((room,) if any(names_room(room, *pair) for pair in names) else ())


def test_a_view_may_name_a_thousand_channels() -> None:
    assert shown({"channels": ["#tea"] * 1_000}) == [TEA, OTHER_TEA]
    with pytest.raises(BadView, match=r"too many: 1,000 at most"):
        parse_view({"channels": ["#tea"] * 1_001})


SPELLINGS = st.sampled_from(["#tea", "tea", "##tea", "&TEA", "#mate", "mate", "#", "", "x"])
NAMED_NETWORKS = st.sampled_from(["", "libera", "OFTC", "nowhere"])


@given(
    st.permutations(ROOMS),
    st.none() | st.lists(st.tuples(NAMED_NETWORKS, SPELLINGS), max_size=3).map(tuple),
    NAMED_NETWORKS,
)
def test_a_view_narrows_a_directory_to_the_rooms_it_names_in_their_order(
    rooms: list[Room], named: tuple[tuple[str, str], ...] | None, network: str
) -> None:
    view = View(rooms=named, network=network)
    narrowed = view.narrowed(RoomDirectory(rooms))
    assert narrowed.rooms == tuple(
        room
        for room in rooms
        if (named is None or any(names_room(room, *pair) for pair in named))
        and network.lower() in ("", room.network)
    )
    for room in set(rooms) - set(narrowed.rooms):
        assert room not in narrowed.named((room.network, room.channel))


@given(st.permutations(ROOMS), NAMED_NETWORKS, SPELLINGS)
def test_a_directory_finds_each_room_that_a_name_means(
    rooms: list[Room], network: str, name: str
) -> None:
    meant = tuple(room for room in rooms if names_room(room, network, name))
    assert RoomDirectory(rooms).named((network, name)) == meant

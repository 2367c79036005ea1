"""A room whose lines are to be kept for a time, and which nobody knows, is a slip."""

from collections.abc import Sequence

import pytest

from terrarium_mcp.settings import ConfiguredChannel, RoomDays, Settings, rooms_without_lines

TEA = ConfiguredChannel("#tea")
RECORDED = [("libera", "#Mate"), ("oftc", "#dev[x]")]


def slips(
    room: str, recorded: Sequence[tuple[str, str]] = RECORDED, *channels: ConfiguredChannel
) -> list[str]:
    settings = Settings(
        network="libera", irc_channels=channels, retention_by_channel=(RoomDays(room, 30),)
    )
    return list(rooms_without_lines(settings, recorded))


@pytest.mark.parametrize(
    "room", ["#tea", "libera/#TEA", "#mate", "libera/#mate", "#dev{x}", "OFTC/#dev[x]"]
)
def test_a_room_of_the_settings_or_of_the_record_is_meant(room: str) -> None:
    assert slips(room, RECORDED, TEA) == []


@pytest.mark.parametrize(
    ("room", "way_out"),
    [
        ("#tae", "Did you mean libera/#tea?"),
        ("tea", "Did you mean libera/#tea?"),
        ("libra/#tea", "Did you mean libera/#tea?"),
        ("oftc/#mate", "Did you mean libera/#Mate?"),
        ("#left-long-ago", "Correct or remove it."),
    ],
)
def test_any_other_is_named_with_the_nearest(room: str, way_out: str) -> None:
    (told,) = slips(room, RECORDED, TEA)
    assert told == (
        f"{room} of TERRARIUM_RETENTION_BY_CHANNEL is neither in IRC_CHANNELS nor recorded, so it"
        f" limits nothing. {way_out}"
    )


def test_where_no_room_is_known_none_is_missed() -> None:
    assert slips("#tae", []) == []

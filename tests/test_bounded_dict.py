"""A dictionary that forgets what was set longest ago."""

from terrarium_mcp.bounded_dict import BoundedDict


def test_the_item_set_longest_ago_is_forgotten() -> None:
    nicks = BoundedDict[str, int](2)
    nicks["ada"] = 1
    nicks["bo"] = 2
    nicks["ada"] = 3  # the last one then
    nicks["cy"] = 4
    assert list(nicks.items()) == [("ada", 3), ("cy", 4)]


def test_an_update_is_bounded_too() -> None:
    nicks = BoundedDict[int, int](2)
    nicks.update({number: number for number in range(9)})
    assert list(nicks) == [7, 8]

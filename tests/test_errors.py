"""A caller is told what went wrong, and not how many task groups it went through."""

import pytest

from terrarium_mcp.errors import TerrariumError, plainly


def test_one_error_comes_out_of_all_its_groups_with_its_own_cause() -> None:
    error = TerrariumError("no room")
    error.__cause__ = OSError("disk full")
    group = ExceptionGroup("outer", [ExceptionGroup("inner", [error])])
    with pytest.raises(TerrariumError) as told, plainly():
        raise group
    assert told.value is error
    assert isinstance(error.__cause__, OSError)


def test_two_errors_stay_together() -> None:
    with pytest.raises(ExceptionGroup) as told, plainly():
        raise ExceptionGroup("both", [ValueError("one"), KeyError("two")])
    assert len(told.value.exceptions) == 2

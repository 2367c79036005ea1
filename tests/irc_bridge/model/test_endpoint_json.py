"""JSON of an endpoint: whatever it escapes, the text in it can be sent and stored."""

import pytest

from terrarium_mcp.irc_bridge.model.endpoint_json import parsed_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"tea": ["green", 1, null]}', {"tea": ["green", 1, None]}),
        (r'"\ud83c\udf75"', "\U0001f375"),
        (r'"caf\u00e9"', "caf\u00e9"),
        (r'"half a \ud83c cup"', "half a ? cup"),
        (r'{"\udf75": ["\udf75\ud83c", 2]}', {"?": ["??", 2]}),
        (b'"caf\xc3\xa9"', "caf\u00e9"),
    ],
)
def test_half_of_a_surrogate_pair_becomes_a_question_mark_and_a_whole_one_stays(
    text: str | bytes, value: object
) -> None:
    assert parsed_json(text) == value


@pytest.mark.parametrize("text", ["", "tea", '{"tea":', b"\xff", "[" * 100_000])
def test_what_is_no_json_or_nested_too_deeply_is_one_kind_of_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- its words are those of Python's json
        parsed_json(text)

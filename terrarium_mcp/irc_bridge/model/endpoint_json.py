"""JSON that an endpoint sent, as text that UTF-8 can hold, and that every parser reads. Pure.

The escapes of JSON can write one half of a surrogate pair, which nothing can encode again: neither
the next request, nor SQLite. Python also reads NaN and Infinity, which are no JSON (RFC 8259 6): an
endpoint that is stricter fails when they are sent back.
"""

import json
import math
from typing import Any

from terrarium_mcp.chat.irctext import encodable


def parsed_json(text: str | bytes) -> Any:
    """The value of a JSON text, with `?` for each lone surrogate in it.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
    """
    try:
        value = json.loads(text)
        text_again = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    clean = encodable(text_again)
    return value if clean == text_again else json.loads(clean)


def portable_arguments(text: str) -> str:
    """The arguments of a call, with `null` for what is no number, and `?` for lone surrogates.

    Our tools read `null` as absent. Text without either, or that is no JSON, is returned as it was.
    """
    try:
        written = json.dumps(json.loads(text), ensure_ascii=False)
        portable = json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
        clean = encodable(json.dumps(portable, ensure_ascii=False))
    except (ValueError, RecursionError):
        return encodable(text)
    return text if clean == written else clean


def _finite(text: str) -> float | None:
    """A number; None for one that is too large, as `1e999`."""
    number = float(text)
    return number if math.isfinite(number) else None

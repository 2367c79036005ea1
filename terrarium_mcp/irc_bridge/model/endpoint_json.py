"""JSON that an endpoint sent, as text that UTF-8 can hold. Pure.

The escapes of JSON can write one half of a surrogate pair, which nothing can encode again: neither
the next request, nor SQLite.
"""

import json
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

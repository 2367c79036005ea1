"""Puts an entry into JSON with comments, and changes nothing else. Pure.

The text is only read to find where things lie; the entry is then spliced into it. Comments, order,
indentation and trailing commas stay.
"""

import json
import re
from typing import Any

from terrarium_mcp.cli.starting.jsonc import BrokenJson, JsonNode, JsonProperty, parsed, tokens


def with_entry(text: str, section: str, name: str, entry: Any) -> str:
    """The text with `{section: {name: entry}}` merged into it.

    An entry of that name is replaced; a blank text becomes an object.

    Raises:
        BrokenJson: the text is not JSON with comments, or the places are no objects.
    """
    root = parsed(text)
    if not root.end:  # nothing, or comments
        comments = text.strip("\ufeff \t\r\n")
        written = json.dumps({section: {name: entry}}, indent=2, ensure_ascii=False)
        return f"{comments}\n{written}\n".lstrip("\n")
    _require_object(text, root, "the file")
    parent = _member(root, section)
    if not parent:
        return _inserted(text, root, section, {name: entry})
    _require_object(text, parent.node, section)
    present = _member(parent.node, name)
    if not present:
        return _inserted(text, parent.node, name, entry)
    if present.node.value == entry:
        return text
    written = _written(text, entry, _indent_at(text, present.start))
    return text[: present.node.start] + written + text[present.node.end :]


def _member(node: JsonNode, key: str) -> JsonProperty | None:
    """The member of an object; of several with one key the last, which counts for every reader."""
    return next((one for one in reversed(node.members) if one.key == key), None)


def _require_object(text: str, node: JsonNode, name: str) -> None:
    if not isinstance(node.value, dict):
        raise BrokenJson(text, node.start, f"{name} is not an object {{...}}")


def _inserted(text: str, parent: JsonNode, key: str, value: Any) -> str:
    """The text with one member more at the end of an object, after its last comment."""
    outer, newline = _indent_at(text, parent.start), _newline(text)
    last = parent.members[-1] if parent.members else None
    inner = _indent_at(text, last.start) if last and _begins_line(text, last.start) else ""
    inner = inner or outer + _unit(text)
    before, after = _parted(text, parent, last)
    member = f"{json.dumps(key, ensure_ascii=False)}: {_written(text, value, inner)}"
    closing = after if "\n" in after.partition("}")[0] else f"{newline}{outer}{after.lstrip()}"
    return f"{before}{newline}{inner}{member}{closing}"


def _parted(text: str, parent: JsonNode, last: JsonProperty | None) -> tuple[str, str]:
    """The text before a new last member of an object, with a comma, and the text after it."""
    inside = [one for one in tokens(text) if parent.start < one.start < parent.end - 1]
    end = max((one.end for one in inside if one.kind != "blank"), default=parent.start + 1)
    if not last or any(one.text == "," for one in inside if one.start >= last.node.end):
        return text[:end], text[end:]
    return f"{text[: last.node.end]},{text[last.node.end : end]}", text[end:]


def _written(text: str, value: Any, indent: str) -> str:
    """A value as JSON in the style of the text, to stand in a line with this indentation."""
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """One level of the text's indentation: that of its first indented line, else two spaces."""
    found = re.search(r"^([ \t]+)[\"}/]", text, re.MULTILINE)
    return found[1] if found else "  "


def _indent_at(text: str, at: int) -> str:
    """The white space with which the line of this place begins."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t")

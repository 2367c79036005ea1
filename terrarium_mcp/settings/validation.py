"""From the values that were found to settings, or to a sentence about each that cannot be used."""

import re
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from terrarium_mcp.chat.server_address import ServerAddress, parse_server
from terrarium_mcp.settings.addresses import presentable
from terrarium_mcp.settings.channels import channels_of
from terrarium_mcp.settings.declarations import Settings, setting_names
from terrarium_mcp.settings.errors import BadSetting
from terrarium_mcp.wording import did_you_mean, shown


def validated(found: dict[str, object], sources: dict[str, str]) -> Settings:
    """The settings with these values; of what IRC_SERVER implies, value and source are added.

    Raises:
        BadSetting: a value is invalid, or contradicts another.
    """
    _apply_server_address(found, sources)
    try:
        return Settings.model_validate(found)
    except ValidationError as invalid:
        raise BadSetting(_invalid_settings(invalid, sources)) from None


def _apply_server_address(found: MutableMapping[str, object], sources: dict[str, str]) -> None:
    """Take port, TLS and channel out of an IRC_SERVER that names them.

    Raises:
        BadSetting: it is no address, or another setting contradicts it.
    """
    if not isinstance(text := found.get("IRC_SERVER"), str):
        return
    written = f"IRC_SERVER={_without_password(text)!r} (from {sources['IRC_SERVER']})"
    try:
        address = parse_server(text)
    except ValueError as error:
        raise BadSetting(f"{written}: {error}.") from None
    found["IRC_SERVER"] = address.host
    for name, value in _implied_by(address).items():
        typed = found.get(name)
        if typed is None or (name == "IRC_PORT" and str(typed).strip() == "0"):
            found[name], sources[name] = value, sources["IRC_SERVER"]
        elif _contradicts(name, typed, value):
            raise BadSetting(
                f"{written} and {name}={_shown(name, typed)!r} (from {sources[name]})"
                " contradict each other."
                " Remove one of them."
            )


def _implied_by(address: ServerAddress) -> dict[str, object]:
    """The settings that an address names besides the host."""
    implied = {
        "IRC_PORT": address.port,
        "IRC_USE_SSL": address.tls,
        "IRC_CHANNELS": address.channels,
    }
    return {name: value for name, value in implied.items() if value}


def _contradicts(name: str, typed: object, implied: Any) -> bool:
    """Whether a setting as typed is another than the one that IRC_SERVER implies."""
    match name:
        case "IRC_PORT":
            written = str(typed).strip()  # what is no number the validation reports
            return written.isdecimal() and written != str(implied)
        case "IRC_USE_SSL":
            return str(typed).strip().lower() in {"0", "off", "f", "false", "n", "no"}
        case _:
            with suppress(ValueError):  # which the validation reports
                return not _names(implied) <= _names(typed)
            return False


def _names(channels: object) -> set[str]:
    listed = channels_of(channels)
    return {one.name for one in listed} if isinstance(listed, tuple) else set()


def _shown(name: str, value: object) -> object:
    """The value of a setting for a message, without secrets, and a path as text."""
    return str(value) if isinstance(value, Path) else presentable(name, value)


def _without_password(address: str) -> str:
    return shown(re.sub(r"//.*@", "//...@", address))


def _invalid_settings(invalid: ValidationError, sources: Mapping[str, str]) -> str:
    """One sentence for each invalid setting; the value of a secret is not repeated."""
    fields = {field.alias: field for field in Settings.model_fields.values()}
    sentences = []
    for error in invalid.errors(include_url=False):
        name = str(error["loc"][0])
        field = fields.get(name)
        if field is None:
            sentences.append(
                f"{name} is not a setting.{did_you_mean(name.upper(), setting_names())}"
            )
            continue
        value = "" if field.json_schema_extra else f"={_shown(name, error['input'])!r}"
        reason = _reason(error)
        reason += "" if reason.endswith("?") else "."
        sentences.append(
            f"{name}{value} (from {sources.get(name, 'the program')}): {reason}"
            f" Its meaning: {field.description}."
        )
    return " ".join(sentences)


def _reason(error: ErrorDetails) -> str:
    """Why pydantic refuses a value, in words that name what would be accepted."""
    limits = error.get("ctx", {})
    match error["type"]:
        case "int_parsing" | "int_from_float" | "int_type":
            return "not a whole number"
        case "float_parsing" | "float_type":
            return "not a number"
        case "bool_parsing" | "bool_type":
            return "must be on or off"
        case "literal_error":
            return f"must be {limits['expected']}"
        case "greater_than_equal":
            return f"must be {_number(limits['ge'])} or more"
        case "greater_than":
            return f"must be more than {_number(limits['gt'])}"
        case "less_than_equal":
            return f"must be {_number(limits['le'])} or less"
        case _:
            return error["msg"].removeprefix("Value error, ").rstrip(".")


def _number(limit: float) -> str:
    return str(limit).removesuffix(".0")

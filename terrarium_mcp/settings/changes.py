"""What a reload of the settings changes at once, and what it does not. Pure."""

from typing import NamedTuple

from terrarium_mcp.settings.declarations import Settings

LIVE = frozenset(
    {
        "irc_channels",
        "admins",
        "guardians",
        "ignore",
        "private",
        "role",
        "askers",
        "persona",
        "ask_burst",
        "ask_every",
        "channel_questions",
        "command_prefix",
        "max_context_messages",
        "stale_hours",
        "say_trouble",
        "llm_mark",
        "viewer_url",
        "relays",
        "agent_api_url",
        "agent_api_key",
        "agent_model",
        "agent_temperature",
        "agent_max_tokens",
        "agent_timeout",
        "mcp_servers",
        "retention_days",
        "retention_by_channel",
    }
)
"""The fields that a running bridge takes over, as it does the [channel] tables. All others need
another connection to the network, another database, or another MCP server."""


class SettingsChange(NamedTuple):
    """The difference between the settings in use and those that were read again.

    Attributes:
        settings: what to use from now on: the new values where that is possible, else the old ones.
        live: the names of the settings that change at once.
        after_restart: the names of those that change only with a restart.
    """

    settings: Settings
    live: tuple[str, ...]
    after_restart: tuple[str, ...]


def changed(old: Settings, new: Settings) -> SettingsChange:
    """Compare the settings in use with those that were read again."""
    change = _changed_here(old, new)
    if old.networks == (old,) and new.networks == (new,):
        return change
    if [one.network_name for one in old.networks] != [one.network_name for one in new.networks]:
        in_use = change.settings.with_networks(old.networks)
        return SettingsChange(in_use, change.live, (*change.after_restart, "[[network]]"))
    pairs = zip(old.networks, new.networks, strict=True)
    networks = [_changed_here(before, after) for before, after in pairs]
    return SettingsChange(
        change.settings.with_networks([one.settings for one in networks]),
        _each_once(change.live, *(one.live for one in networks)),
        _each_once(change.after_restart, *(one.after_restart for one in networks)),
    )


def _changed_here(old: Settings, new: Settings) -> SettingsChange:
    """Compare two settings without their networks."""
    differing = [
        field for field in Settings.model_fields if getattr(old, field) != getattr(new, field)
    ]
    live = [field for field in differing if field in LIVE]
    in_use = old.model_copy(update={field: getattr(new, field) for field in live})
    channels = () if old.channel_tables == new.channel_tables else ("[channel]",)
    return SettingsChange(
        in_use.with_channel_tables(new.channel_tables),
        (*_names(live), *channels),
        _names([field for field in differing if field not in LIVE]),
    )


def _names(fields: list[str]) -> tuple[str, ...]:
    return tuple(str(Settings.model_fields[field].alias) for field in fields)


def _each_once(*names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for several in names for name in several))

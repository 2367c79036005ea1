"""A slip in the name of a setting is noticed, and other programs' variables are left alone."""

import pytest

from terrarium_mcp.settings import setting_names
from terrarium_mcp.settings.near_misses import near_misses

COMMON = [
    "PATH",
    "HOME",
    "LANG",
    "TERM",
    "USER",
    "SHELL",
    "PWD",
    "OLDPWD",
    "CDPATH",
    "MANPATH",
    "PYTHONPATH",
    "EDITOR",
    "PAGER",
    "MAIL",
    "LOGNAME",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "DISPLAY",
    "XDG_CONFIG_HOME",
    "LD_LIBRARY_PATH",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GITHUB_TOKEN",
    "API_KEY",
    "DATABASE_URL",
    "NO_COLOR",
    "VIRTUAL_ENV",
    "HTTP_PROXY",
    "PORT",
    "USER_AGENT",
    "AGENT_ID",
    "GPG_AGENT_INFO",
    "SEARCH_PATH",
    "HOSTNAME",
    "PS1",
    "CI",
    "TMPDIR",
    "INVOCATION_ID",
]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("IRC_NIK", "IRC_NICK"),
        ("IRC_NICKS", "IRC_NICK"),
        ("irc_nickname", "IRC_NICK"),
        ("IRC_CHANNEL", "IRC_CHANNELS"),
        ("IRC_CHANELS", "IRC_CHANNELS"),
        ("IRC_SEVER", "IRC_SERVER"),
        ("IRC_HOST", "IRC_SERVER"),
        ("IRC_TLS", "IRC_USE_SSL"),
        ("IRC_SSL", "IRC_USE_SSL"),
        ("IRC_USE_TLS", "IRC_USE_SSL"),
        ("AGENT_API_BASE", "AGENT_API_URL"),
        ("AGENT_BASE_URL", "AGENT_API_URL"),
        ("AGENT_URL", "AGENT_API_URL"),
        ("AGENT_KEY", "AGENT_API_KEY"),
        ("AGENT_MODELS", "AGENT_MODEL"),
        ("DBPATH", "DB_PATH"),
        ("COMAND_PREFIX", "COMMAND_PREFIX"),
        ("TERARIUM_CONTACT", "TERRARIUM_CONTACT"),
    ],
)
def test_a_slip_is_known_by_the_setting_that_was_meant(typed: str, meant: str) -> None:
    assert near_misses([typed], setting_names()) == {typed: meant}


def test_settings_and_the_variables_of_other_programs_are_no_slips() -> None:
    assert near_misses([*COMMON, *setting_names()], setting_names()) == {}

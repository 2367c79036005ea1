"""The system message: the persona first, our rules last, and nothing of either is lost."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.irc_bridge.answer.persona import RULES, USUAL_PERSONA, system_text
from terrarium_mcp.settings import read_settings

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "personas.md").read_text("utf-8")
TEA = "the IRC channel #tea"


def test_without_a_persona_the_bot_is_a_helpful_member_of_its_channel() -> None:
    assert system_text("", "Terra", TEA) == (
        "You are Terra, a helpful member of the IRC channel #tea. Answer in the language of the"
        f" question.\n{RULES}"
    )


def test_a_persona_replaces_who_the_bot_is_and_not_the_rules() -> None:
    text = system_text("Du bist {nick}, zu Hause in {channel}.", "Terra", TEA)
    assert text == f"Du bist Terra, zu Hause in the IRC channel #tea.\n\n{RULES}"
    assert "helpful member" not in text


@pytest.mark.parametrize(
    "braces", ["{", "}", "{}", "{0}", "{nick.__class__}", "{nick!r}", "{{nick", "%s", "{Nick}"]
)
def test_other_braces_are_text(braces: str) -> None:
    assert system_text(f"Quote {braces} so.", "Terra", TEA) == f"Quote {braces} so.\n\n{RULES}"


def test_a_name_is_not_replaced_again() -> None:
    assert system_text("{nick} in {channel}", "{channel}", "#{nick}").startswith(
        "{channel} in #{nick}\n"
    )


@given(st.text(min_size=1), st.text(), st.text())
def test_whatever_a_persona_says_the_rules_come_last_and_whole(
    persona: str, nick: str, where: str
) -> None:
    assert system_text(persona, nick, where).endswith(f"\n\n{RULES}")


def test_the_rules_say_what_no_persona_may_leave_out() -> None:
    for rule in ("look it up with your tools", "Never make up a line", "written by strangers"):
        assert rule in RULES


def test_the_page_shows_the_usual_persona_and_settings_that_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"```text\n{USUAL_PERSONA}\n```" in PAGE
    (toml,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "terrarium.toml").write_text(toml)
    settings = read_settings(environ={}).settings
    personas = {
        channel: settings.channel_ways(channel).persona
        for channel in tomllib.loads(toml)["IRC_CHANNELS"]
    }
    assert [text.splitlines()[0].split(",")[0] for text in personas.values()] == [
        "You are {nick}",
        "Du bist {nick} und sorgst als freundlicher Gastgeber dafür",
        "You are {nick}",
    ]
    assert "terse" in personas["#tea"]
    assert "engineer" in personas["#tea-dev"]

"""Questions on the terminal, answered by an option, by a person, or by a default."""

from collections.abc import Mapping
from pathlib import Path

import click

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import (
    BadSetting,
    Settings,
    home_expanded,
    presentable,
    settings_from,
)

NONE = {"none", "no", "-"}
"""Answers that mean: without one."""

OPTIONS = {
    "IRC_SERVER": "--server",
    "IRC_CHANNELS": "--channels",
    "IRC_USE_SSL": "--tls or --no-tls",
    "TERRARIUM_CONTACT": "--contact",
    "TERRARIUM_TLS_CAFILE": "--tls-cafile",
    "AGENT_API_URL": "--model-url",
    "AGENT_API_KEY": "--model-key",
    "AGENT_MODEL": "--model",
    "DB_PATH": "--old-logs",
    "TERRARIUM_SOURCE_TIMEZONE": "--old-zone",
}
"""The option of `terrarium-mcp init` for each setting: what is said of one names both."""

Values = Mapping[str, str]
"""Settings by their names, as they are written to a file; an empty one is not set."""


class Dialogue:
    """Asks for settings by their names.

    Args:
        options: values from the command line, by the name of the setting. Each is used once: when
            it turns out to be wrong, the question is asked after all.
        yes: ask nothing, and use the defaults.
    """

    def __init__(self, options: Values, *, yes: bool) -> None:
        self.yes = yes
        self.usual: Values = {}
        """Defaults that precede those of the questions: what an existing file has."""
        self._options = dict(options)

    def answer(self, name: str, question: str, default: str = "", *, needed: bool = False) -> str:
        """The value of a setting.

        Raises:
            TerrariumError: it is needed, and there is neither an option nor anyone to ask.
        """
        if name in self._options:
            return self._options.pop(name).strip()
        default = self.usual.get(name) or default
        while not self.yes:
            shown = f"{question} [{presentable(name, default)}]" if default else question
            typed = str(click.prompt(shown, default=default, show_default=False)).strip()
            if typed or not needed:
                return typed
        if needed and not default:
            raise TerrariumError(
                f"{name} is not known. Give it as the option {OPTIONS[name]}, or leave --yes out."
            )
        return default

    def option(self, name: str, *, or_usual: bool) -> str:
        """The value given as an option, else perhaps that of the existing file; never asked for."""
        return self._options.pop(name, "") or (self.usual.get(name, "") if or_usual else "")

    def secret(self, question: str) -> str:
        """What is typed, unseen; empty if nobody is asked."""
        if self.yes:
            return ""
        return str(click.prompt(question, default="", show_default=False, hide_input=True)).strip()

    def accepted(self, values: Values) -> Settings | None:
        """The settings with these values; None after saying what is wrong with them.

        Raises:
            BadSetting: nobody can be asked again.
        """
        try:
            return settings_from(values, "your answer")
        except BadSetting as error:
            if self.yes:
                raise
            self.objects(error)
            return None

    def path(self, typed: str) -> Path | None:
        """A path that was typed here, where no shell expands its `~`; None if it cannot be used.

        Raises:
            BadSetting: nobody can be asked again.
        """
        try:
            return Path.cwd() / home_expanded(typed, "your answer")
        except BadSetting as error:
            if self.yes:
                raise
            self.objects(error)
            return None

    def objects(self, problem: object) -> None:
        """Say what is wrong with an answer."""
        text = str(problem)
        if named := [f"{name} is {option}" for name, option in OPTIONS.items() if name in text]:
            text = f"{text.rstrip('.')}. As an option of init, {', '.join(named)}."
        click.secho(f"  {text}", fg="yellow", err=True)

    def agrees(self, question: str) -> bool:
        """Whether to go on; without anyone to ask, yes."""
        return self.yes or click.confirm(question)

    def accepts(self, offer: str) -> bool:
        """Whether to take a risk; without anyone to ask, no."""
        return not self.yes and click.confirm(offer)

"""`terrarium-mcp init`: asks and checks, writes the settings file, and names what comes next."""

from pathlib import Path

import click

from terrarium_mcp.chat.server_address import with_port
from terrarium_mcp.cli.starting.edited_files import show_difference, text_of
from terrarium_mcp.cli.starting.env_file import merged, secrets_hidden
from terrarium_mcp.cli.starting.init_dialogue import Dialogue, Values
from terrarium_mcp.cli.starting.init_history import history_settings
from terrarium_mcp.cli.starting.init_irc import irc_settings
from terrarium_mcp.cli.starting.init_model import model_settings
from terrarium_mcp.cli.starting.path_checks import is_visible
from terrarium_mcp.cli.starting.program import shell_words
from terrarium_mcp.cli.starting.replacing import PRIVATE, replace_file
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import BadSetting, dotenv_in, home_expanded, read_settings


def set_up(dialogue: Dialogue, env_file: Path) -> None:
    """Ask, check, and write `env_file`; then name the commands that come next.

    Raises:
        TerrariumError: an option cannot be used, the file cannot be read or written, or the other
            sources of settings do not go with it.
    """
    old = text_of(env_file, "Move it away, or name another with --env-file.")
    dialogue.usual = _answers_in(old, env_file)
    values = {
        **irc_settings(dialogue),
        **model_settings(dialogue),
        **history_settings(dialogue, env_file.parent),
    }
    new = merged(old, values)
    if new == old:
        click.echo(f"{env_file} has these settings already.")
    elif _may_write(dialogue, env_file, old, new):
        replace_file(env_file, new, mode=PRIVATE)  # it holds keys and passwords
        click.echo(f"Wrote {env_file}, which only this account can read.")
    else:
        click.echo(f"Left {env_file} as it was.")
        return
    _check_with_the_others(env_file)
    _show_next_steps(env_file)


def _answers_in(text: str, env_file: Path) -> Values:
    """The settings in the text of a file, as answers to our questions."""
    values = {name.upper(): value for name, value in dotenv_in(text, env_file).items() if value}
    if "IRC_SERVER" in values:
        values["IRC_SERVER"] = with_port(values["IRC_SERVER"], values.get("IRC_PORT", ""))
    if "IRC_CHANNELS" in values:  # a file may have them on several lines, and an answer not
        values["IRC_CHANNELS"] = " ".join(values["IRC_CHANNELS"].split())
    if "DB_PATH" in values:
        path = env_file.parent / home_expanded(values["DB_PATH"], f"DB_PATH in {env_file}")
        if is_visible(path):
            values["DB_PATH"] = str(path)
    return values


def _may_write(dialogue: Dialogue, env_file: Path, old: str, new: str) -> bool:
    if not old:
        return True
    show_difference(env_file, secrets_hidden(old), secrets_hidden(new))
    return dialogue.agrees(f"Change {env_file} so?")


def _check_with_the_others(env_file: Path) -> None:
    """Load the settings as the next command will: with terrarium.toml and the environment."""
    try:
        read_settings(env_file=env_file)
    except BadSetting as error:
        raise TerrariumError(f"Nothing starts with these settings yet: {error}") from error


def _show_next_steps(env_file: Path) -> None:
    more = [] if env_file == Path.cwd() / ".env" else ["--env-file", str(env_file)]
    click.echo("\nNext:")
    click.echo(f"  {shell_words('up', *more)}")
    click.echo(f"  {shell_words('install', 'claude-desktop', *more)}")
    click.echo(
        "\nThe first records, answers and serves until Ctrl-C. The second shows the history to"
        " Claude Desktop; claude-code, vscode and cursor work too."
    )

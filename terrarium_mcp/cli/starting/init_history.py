"""The database of `terrarium-mcp init`: that of terrarium-irc, to be taken over, or a new one."""

from pathlib import Path

from terrarium_mcp.cli.starting.init_checks import history_problem, is_of_terrarium_irc
from terrarium_mcp.cli.starting.init_dialogue import NONE, Dialogue, Values
from terrarium_mcp.cli.starting.path_checks import is_visible, is_visible_file
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings

_ZONE = "TERRARIUM_SOURCE_TIMEZONE"

_OF_TERRARIUM_IRC = "Database of terrarium-irc to take over (none: start a new history)"
_PRESENT = "Database: the present one, or one of terrarium-irc to take over (none: a new one)"


def history_settings(dialogue: Dialogue, folder: Path) -> Values:
    """Ask for old logs; `folder` is the one of the settings file, from which paths count.

    Raises:
        TerrariumError: an option names a file that cannot be the database, and nobody is asked.
    """
    usual = folder / Settings().db_path
    found = str(usual) if is_visible_file(usual) and is_of_terrarium_irc(usual) else "none"
    while True:
        question = _OF_TERRARIUM_IRC if "DB_PATH" not in dialogue.usual else _PRESENT
        typed = dialogue.answer("DB_PATH", question, found)
        if not typed or typed.lower() in NONE:
            _refuse_zone(dialogue)
            return {"DB_PATH": str(Settings().db_path)}
        if typed == dialogue.usual.get("DB_PATH") and not is_visible(folder / typed):
            _refuse_zone(dialogue)
            return {"DB_PATH": typed}  # of an earlier init, and nothing was recorded yet
        if not (path := dialogue.path(typed)):
            continue
        if problem := history_problem(path):
            dialogue.objects(problem)
            if dialogue.yes:
                raise TerrariumError(f"{path} cannot be the database: {problem}")
            continue
        zone: Values = {}
        if is_of_terrarium_irc(path):
            zone = _zone(dialogue)
        else:
            _refuse_zone(dialogue)
        is_inside = path.is_relative_to(folder)
        return {"DB_PATH": str(path.relative_to(folder) if is_inside else path), **zone}


def _refuse_zone(dialogue: Dialogue) -> None:
    """Say that an option --old-zone has no effect, where no times of terrarium-irc are read.

    Raises:
        BadSetting: it is not a time zone, and nobody is asked.
    """
    zone = dialogue.option(_ZONE, or_usual=False)
    if zone and dialogue.accepted({_ZONE: zone}):
        dialogue.objects("--old-zone is not used: no database of terrarium-irc is taken over")


def _zone(dialogue: Dialogue) -> Values:
    """The zone in which the old local times are read; a wrong one is undone with the kept copy."""
    question = "Time zone in which terrarium-irc ran"
    while True:
        values = {_ZONE: dialogue.answer(_ZONE, question, Settings().source_zone.key)}
        if dialogue.accepted(values):
            return values

"""Where the logs of this account usually are. Only names are looked at, nothing is read."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class FoundLogs(NamedTuple):
    """A folder that holds logs, as an operator would write it: `~/irclogs`."""

    program: str
    folder: str

    @property
    def import_command(self) -> str:
        """The command that would import them, for a shell, which still replaces the `~`."""
        place = self.folder if " " not in self.folder else f"~/'{self.folder[2:]}'"
        return f"terrarium-mcp import {place}"


_PLACES = (
    ("WeeChat", ".weechat/logs"),
    ("WeeChat", ".local/share/weechat/logs"),
    ("irssi", "irclogs"),
    ("ZNC", ".znc/users"),
    ("ZNC", ".znc/moddata/log"),
    ("HexChat", ".config/hexchat/logs"),
    ("XChat", ".xchat2/xchatlogs"),
    ("The Lounge", ".thelounge/logs"),
    ("Quassel", ".config/quassel-irc.org/quassel-storage.sqlite"),
    ("Limnoria", "limnoria/logs/ChannelLogger"),
    ("Textual", "Documents/Textual Logs"),
    ("mIRC", "AppData/Roaming/mIRC/logs"),
    ("ii", "irc"),
    ("Pidgin", ".purple/logs/irc"),
    ("KVIrc", ".config/KVIrc/log"),
    ("LimeChat", "Documents/LimeChat Transcripts"),
    ("Convos", ".local/share/convos"),
    ("rbot", ".rbot/logs"),
    ("catgirl", ".local/share/catgirl/log"),
    ("Srain", ".local/share/srain/logs"),
)
"""By the documentation of each program, for its default settings."""


def usual_logs(home: Path) -> Iterator[FoundLogs]:
    """The usual folders of logs that exist in a home folder, and are not empty."""
    for program, place in _PLACES:
        with suppress(OSError):
            path = home / place
            if path.is_file() or any(path.iterdir()):
                yield FoundLogs(program, f"~/{place}")

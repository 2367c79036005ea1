"""The formats that an export writes: `--format` takes these names."""

from enum import StrEnum


class ExportFormat(StrEnum):
    """What an export writes."""

    JSONL = "jsonl"
    CSV = "csv"
    TEXT = "text"
    WEECHAT = "weechat"
    IRSSI = "irssi"
    ZNC = "znc"
    SQLITE = "sqlite"

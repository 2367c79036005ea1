"""A database of terrarium-irc, the bot that came before: how to recognise one."""

import sqlite3

SOURCE = "terrarium-irc"
COLUMNS = ("id", "timestamp", "channel", "nick", "user", "host", "message", "message_type")


def foreign_tables(connection: sqlite3.Connection) -> list[str]:
    """The tables of an unmarked database that is not terrarium-irc's; none if it is, or empty."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = sorted(row[0] for row in found)
    return [] if not tables or is_present(connection) else tables


def is_present(connection: sqlite3.Connection) -> bool:
    """Whether terrarium-irc's table of messages is there, without the columns added since."""
    columns = [row[1] for row in connection.execute("PRAGMA table_info(messages)")]
    return tuple(columns) == COLUMNS

"""The databases that are read: to add one, write its file and add its line here."""

from collections.abc import Sequence

from terrarium_mcp.logformats.databases.database_format import DatabaseFormat
from terrarium_mcp.logformats.databases.ergo import ERGO
from terrarium_mcp.logformats.databases.quassel import QUASSEL
from terrarium_mcp.logformats.databases.soju import SOJU
from terrarium_mcp.logformats.databases.terrarium_irc import TERRARIUM_IRC
from terrarium_mcp.logformats.databases.thelounge import THE_LOUNGE_DATABASE

DATABASE_FORMATS: Sequence[DatabaseFormat] = (
    QUASSEL,
    THE_LOUNGE_DATABASE,
    SOJU,
    ERGO,
    TERRARIUM_IRC,
)

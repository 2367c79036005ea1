"""The tables of the current schema, for the tests that need a word on each of them."""

import re

from terrarium_mcp.store.sqlite.schema.print_schema import FILE

TABLES = frozenset(
    re.findall(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", FILE.read_text("utf-8"), re.MULTILINE)
)
"""Their names, without the tables in which FTS5 stores its indexes."""

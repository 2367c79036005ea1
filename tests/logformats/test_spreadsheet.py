"""CSV: each message is one row, whatever its cells hold."""

import csv
import io

import pytest

from terrarium_mcp.logformats.spreadsheet import csv_head, csv_line
from terrarium_mcp.store import ArchivedMessage


@pytest.mark.parametrize(
    "text",
    [
        "tea\nat four",
        "tea\rat four",
        "tea\r\nat four",
        "tea at four\r",
        "x\r9,2026-05-01T12:00:00.000Z,libera,#tea,PRIVMSG,bo,,never said",
        "\ttea\t",
        'say "tea"',
        "\u2028tea\x85at\x0bfour\x1c",
        "",
    ],
)
def test_a_message_is_one_row(text: str) -> None:
    message = ArchivedMessage(
        id=7,
        timestamp="2026-05-01 12:00:00.000",
        network="libera",
        channel="#tea",
        nick="ada",
        user="~ada",
        host="host.example",
        message=text,
        message_type="PRIVMSG",
    )
    lines = [csv_head(with_hosts=True), csv_line(message, with_hosts=True)]
    file = io.StringIO("".join(f"{line}\n" for line in lines), newline="")
    (row,) = csv.DictReader(file, strict=True)
    assert (row["nick"], row["text"], row["host"]) == ("ada", text, "host.example")

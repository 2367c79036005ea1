"""Requests are piped into the server as the documentation shows."""

import json
import os
import subprocess
from pathlib import Path

from tests.cli.programs import INSTALLED, environment, ran
from tests.patience import PATIENCE

CLIENTS = Path(__file__).parents[2] / "docs" / "clients.md"


def test_the_command_of_the_documentation_is_answered(tmp_path: Path) -> None:
    ran("terrarium-mcp serve --create --db data/irc_logs.db", at=tmp_path)
    command = CLIENTS.read_text().split("### Without a client")[1].split("```")[1]
    assert "terrarium-mcp serve --db data/irc_logs.db" in command
    path = f"{INSTALLED.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command.removeprefix("sh")],
        cwd=tmp_path,
        env=environment(PATH=path),
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    initialized, tools = map(json.loads, done.stdout.splitlines())
    assert initialized["result"]["serverInfo"]["name"]
    assert "search_irc_history" in {tool["name"] for tool in tools["result"]["tools"]}

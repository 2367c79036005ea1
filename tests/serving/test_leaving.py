"""The end of a process does not wait for its threads."""

import subprocess
import sys

from tests.patience import PATIENCE

A_THREAD_THAT_NEVER_RETURNS = """
import sys, threading
from terrarium_mcp.serving.stdio import leave
threading.Thread(target=threading.Event().wait).start()
sys.stderr.write("last words")
leave(3)
"""


def test_leaving_is_at_once_with_status_and_last_words() -> None:
    done = subprocess.run(
        [sys.executable, "-c", A_THREAD_THAT_NEVER_RETURNS],
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 3
    assert done.stderr == b"last words"

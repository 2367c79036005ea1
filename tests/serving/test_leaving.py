"""The end of a process does not wait for its threads."""

import subprocess
import sys

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
        timeout=10,
    )
    assert done.returncode == 3
    assert done.stderr == b"last words"

"""The processes of a test."""

from pathlib import Path


def children() -> set[int]:
    """The processes that this one has started and that still live."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {int(pid) for task in tasks for pid in task.read_text().split()}

"""Notes: what to know of a question or its answer, marked as our words. Free of the MCP SDK."""


def note(sentence: str) -> str:
    """A sentence as a note: `note: no one called zoe is recorded here`. Programs look for that."""
    return f"note: {sentence}"

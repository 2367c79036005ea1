"""An estimate of the tokens in a text that needs no model's tokenizer."""

FRAME = 4
"""Estimated tokens of a message to a model, or of a call, besides its text."""


def estimated_tokens(text: str) -> int:
    """Estimate: four ASCII characters to a token, two of any other script, rounded up."""
    if text.isascii():
        return -(-len(text) // 4)
    ascii_count = len(text.encode("ascii", "ignore"))
    return -(-(ascii_count + 2 * (len(text) - ascii_count)) // 4)

"""Secrets of the settings that others quote, as an endpoint does with a refused key. Pure."""

from collections.abc import Iterable

MASK = "***"

SHORTEST = 4
"""Characters. Something shorter is as likely to be a word that means nothing of the kind."""


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """`text` with `***` in place of each secret, so that no log and no record shows it."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST:
            text = text.replace(secret, MASK)
    return text

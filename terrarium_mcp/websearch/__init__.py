"""The web as a model sees it."""

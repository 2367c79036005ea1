"""A demonstration: a real IRC server, a sample history, the bridge, and a visitor who asks."""

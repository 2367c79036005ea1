"""The model behind an OpenAI-compatible endpoint."""

"""Paths in settings, where `~` is a home folder."""

from pathlib import Path

from terrarium_mcp.settings.errors import BadSetting


def home_expanded(path: str, what: str) -> Path:
    """A path with the home folder that its `~` or `~name` stands for.

    Raises:
        BadSetting: no such folder is known; the error calls the path `what`.
    """
    if not path.startswith("~"):  # of ./~ pathlib removes the ./
        return Path(path)
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise BadSetting(
            f"{what} is {path}: no home folder is known for {Path(path).parts[0]}."
            f" Write the path in full, or ./{path} for a folder of that name."
        ) from None

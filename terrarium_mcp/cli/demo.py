"""`terrarium-mcp demo`: the main job, shown with nothing installed but this package."""

import logging
import sys

import click

from terrarium_mcp.errors import TerrariumError


@click.command()
@click.option("--once", is_flag=True, help="End after one question was answered.")
def demo(*, once: bool) -> None:
    """Show a question asked in a real IRC channel being answered from its history."""
    # The conversation is the show; what the libraries think of its small server is not.
    logging.disable(logging.WARNING)
    import anyio

    try:
        from terrarium_mcp.demo.show import show
    except ModuleNotFoundError as missing:
        raise TerrariumError(
            f"The demo needs the package {missing.name}. Install: pip install 'terrarium-mcp[demo]'"
        ) from missing
    if not anyio.run(lambda: show(once=once)):
        sys.exit(1)

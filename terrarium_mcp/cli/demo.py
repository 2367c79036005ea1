"""`terrarium-mcp demo`: a question asked and answered, with only this package installed."""

import logging
import sys

import click

from terrarium_mcp.cli.process import require_posix
from terrarium_mcp.errors import TerrariumError


@click.command(short_help="Show a question in a real IRC channel, and its answer.")
@click.option("--once", is_flag=True, help="Exit after one question has been answered.")
def demo(*, once: bool) -> None:
    """Show a question in a real IRC channel answered from its history."""
    require_posix("demo")
    # The output is the conversation, without the libraries' warnings about the small server.
    logging.disable(logging.WARNING)
    import anyio

    try:
        from terrarium_mcp.demo.show import show
    except ModuleNotFoundError as missing:
        raise TerrariumError(
            f"The demo needs the package {missing.name}. In the folder of"
            " the source: pip install '.[demo]'"
        ) from missing
    if not anyio.run(lambda: show(once=once)):
        sys.exit(1)

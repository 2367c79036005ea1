"""The command `terrarium-mcp`, also as `python -m terrarium_mcp`: before anything is loaded."""

import signal


def main() -> None:
    """Run a command. Until it is loaded, SIGINT ends the process without a word.

    Python would print a traceback of whatever is being imported. Where SIGINT is ignored, as behind
    a shell, it stays so.
    """
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from terrarium_mcp.cli import main as run  # noqa: PLC0415 -- this is what may take long

    if is_usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()

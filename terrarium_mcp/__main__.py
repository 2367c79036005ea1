"""`python -m terrarium_mcp` is `terrarium-mcp`."""

from terrarium_mcp.cli import main

if __name__ == "__main__":
    main()

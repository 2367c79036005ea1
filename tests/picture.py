"""`make picture`: docs/demo.svg, the picture in the README, of what the demo prints.

The demo runs with `--once`; what it prints is drawn as a terminal by rich.
"""

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

FILE = Path(__file__).parents[1] / "docs" / "demo.svg"
TITLE = "terrarium-mcp demo"
COLUMNS = 100

STYLES = (
    (r"^-- .*$", "bright_black"),  # what happens outside the channel
    (r"^  #\S+ ", "cyan"),
    (r"<[^<>\s]+>", "bold green"),
    (r"![a-z]+ .*$", "yellow"),
    (r"\[LLM\]", "magenta"),
)


def main() -> int:
    """Draw what the demo prints. 1 if it fails."""
    command = [sys.executable, "-m", "terrarium_mcp", "demo", "--once"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr)
        return 1
    FILE.write_text(drawn(done.stdout), "utf-8")
    sys.stderr.write(f"wrote {FILE}\n")
    return 0


def drawn(printed: str) -> str:
    """An SVG of a terminal that shows what was printed, without this machine's folder."""
    printed = re.sub(r"/\S*/(terrarium-demo-\w+)", r"~/\1", printed)
    console = Console(
        width=COLUMNS, record=True, file=StringIO(), force_terminal=True, color_system="truecolor"
    )
    for line in printed.splitlines():
        text = Text(line)
        for pattern, style in STYLES:
            text.highlight_regex(pattern, style)
        console.print(text)
    # Without a fixed id every drawing would be another text.
    return console.export_svg(title=TITLE, unique_id="demo")


if __name__ == "__main__":
    sys.exit(main())

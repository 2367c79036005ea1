"""How this program is started again: from a shell, and by an MCP host."""

import shlex
import shutil
import sys
from pathlib import Path

NAME = "terrarium-mcp"


def absolute_words() -> list[str]:
    """The program by its absolute path, for hosts that know neither our PATH nor our folder."""
    if (script := shutil.which(sys.argv[0])) and Path(script).stem == NAME:
        return [str(Path(script).absolute())]
    return [sys.executable, "-m", "terrarium_mcp"]


def shell_words(*arguments: str) -> str:
    """A command line to type here: by name if the PATH leads to this program."""
    words = absolute_words()
    on_path = shutil.which(NAME)
    if len(words) == 1 and on_path and Path(on_path).samefile(words[0]):
        words = [NAME]
    if sys.platform == "win32":  # whose shells know no single quotes as shlex writes them
        import subprocess

        return subprocess.list2cmdline([*words, *arguments])
    return shlex.join([*words, *arguments])

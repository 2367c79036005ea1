"""The mutants no test can kill: one TOML file a room, with the reason of each."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutants import Mutant

FOLDER = Path(__file__).parent / "equivalent"
_BLOCK = """[[mutant]]
path = "{path}"
function = "{function}"
before = '''
{before}'''
after = '''
{after}'''
reason = "{reason}"
"""


@dataclass(frozen=True)
class Change:
    """What a mutant changes, told without a line number: it outlives edits elsewhere."""

    path: str
    function: str
    before: str  # the changed lines, each without the space around it
    after: str


def change(mutant: Mutant) -> Change:
    """The change of a mutant."""
    return Change(mutant.path, mutant.function, _bare(mutant.before), _bare(mutant.after))


def read(file: Path) -> dict[Change, str]:
    """The changes of a file and the reason of each, which may be empty.

    Raises:
        ValueError: a block lacks one of its five entries, or says more.
    """
    if not file.exists():
        return {}
    blocks = tomllib.loads(file.read_text("utf-8"))["mutant"]
    found: dict[Change, str] = {}
    for block in blocks:
        if block.keys() != {"path", "function", "before", "after", "reason"}:
            message = f"{file}: a block has the entries {', '.join(block)}"
            raise ValueError(message)
        key = Change(
            block["path"], block["function"], _bare(block["before"]), _bare(block["after"])
        )
        found[key] = block["reason"]
    return found


def written(mutant: Mutant, reason: str = "") -> str:
    """The block of a mutant, as `read` takes it."""
    return _BLOCK.format(
        path=mutant.path,
        function=mutant.function,
        before=mutant.before,
        after=mutant.after,
        reason=reason,
    )


def _bare(lines: str) -> str:
    return "\n".join(line.strip() for line in lines.strip().splitlines())

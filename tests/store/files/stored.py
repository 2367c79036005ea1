"""The stored databases of every version, and the hashes that freeze it: see make.py."""

import gzip
import hashlib
from collections.abc import Mapping
from pathlib import Path

from terrarium_mcp.store.sqlite.schema import versions

FILES = Path(__file__).parent
FROZEN = FILES / "frozen.txt"
STORED = sorted(file.name.removesuffix(".db.gz") for file in FILES.glob("*.db.gz"))


def stored(name: str, file: Path) -> Path:
    """A database as the code of its day left it."""
    file.write_bytes(gzip.decompress((FILES / f"{name}.db.gz").read_bytes()))
    return file


def frozen() -> Mapping[str, str]:
    """The SHA-256 of each frozen text and stored file, by name, as it was when it was made."""
    lines = FROZEN.read_text("utf-8").splitlines()
    return {name: digest for digest, name in map(str.split, lines)}


def digests(version: int) -> Mapping[str, str]:
    """The SHA-256 that the text and the stored files of a version have now, by name."""
    text = Path(versions.__file__).with_name(f"v{version}.sql")
    files = [text, *(FILES / f"v{version}{kind}.db.gz" for kind in ("", "-adopted"))]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

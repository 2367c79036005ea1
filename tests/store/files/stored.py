"""The stored databases of every version: see make.py."""

import gzip
from pathlib import Path

FILES = Path(__file__).parent
STORED = sorted(file.name.removesuffix(".db.gz") for file in FILES.glob("*.db.gz"))


def stored(name: str, file: Path) -> Path:
    """A database as the code of its day left it."""
    file.write_bytes(gzip.decompress((FILES / f"{name}.db.gz").read_bytes()))
    return file

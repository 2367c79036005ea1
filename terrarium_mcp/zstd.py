"""Files compressed with zstd: Python's own module from 3.14 on, before that its backport."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile, compress
else:
    from backports.zstd import ZstdError, ZstdFile, compress

__all__ = ["ZSTD_MAGIC", "ZstdError", "ZstdFile", "compress"]

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
"""How a file begins that is compressed with it (RFC 8878, 3.1.1)."""

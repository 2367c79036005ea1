"""Files compressed with zstd: Python's own module from 3.14 on, before that its backport."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile, compress
else:
    from backports.zstd import ZstdError, ZstdFile, compress

__all__ = ["ZstdError", "ZstdFile", "compress"]

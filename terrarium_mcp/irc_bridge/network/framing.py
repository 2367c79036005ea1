"""Cuts a stream of bytes into lines, whatever comes."""

MAX_LINE = 16_384  # 8,191 bytes of tags (IRCv3 message-tags) and a body far beyond any LINELEN


class Framing:
    """Collects bytes until a line is complete. A line longer than `MAX_LINE` is discarded."""

    def __init__(self) -> None:
        self._rest = b""
        self._discarding = False

    def feed(self, received: bytes) -> list[bytes]:
        """The lines that `received` completes, without blank ones."""
        *lines, self._rest = (self._rest + received).split(b"\n")
        if lines and self._discarding:
            del lines[0]
            self._discarding = False
        if len(self._rest) > MAX_LINE:
            self._rest = b""
            self._discarding = True
        return [line for line in lines if len(line) <= MAX_LINE and line.strip(b"\r ")]

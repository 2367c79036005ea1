"""A real ZNC on loopback, in front of a real IRC server."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import create_connection

from tests.patience import PATIENCE
from tests.servers.ircd import free_port, program_of
from tests.servers.person import Person
from tests.servers.unprivileged import start_unprivileged

LOGIN = "terra/net:letmein"
"""What a client sends as PASS."""

CONFIG = """\
Version = 1.8.2
AnonIPLimit = 100
ConnectDelay = 0
ServerThrottle = 1
<Listener l>
  Port = {port}
  IPv4 = true
  IPv6 = false
  SSL = false
  Host = 127.0.0.1
</Listener>
<User terra>
  Admin = true
  Nick = Terra
  AltNick = Terra_
  Ident = terra
  AutoClearChanBuffer = {clears}
  ChanBufferSize = 500
  <Network net>
    Server = 127.0.0.1 {server_port}
    FloodBurst = 100
    FloodRate = 100
    <Chan #tea>
    </Chan>
  </Network>
  <Pass password>
    Method = plain
    Hash = letmein
  </Pass>
</User>
"""


class Znc:
    """A bouncer that stays on the network while we are away."""

    def __init__(self, home: Path, server_port: int, *, clears: bool) -> None:
        program = program_of("znc")
        if not program:
            raise RuntimeError("znc is not installed: apt-get install znc")
        self.port = free_port()
        (home / "configs").mkdir()
        config = CONFIG.format(port=self.port, server_port=server_port, clears=str(clears).lower())
        (home / "configs" / "znc.conf").write_text(config)
        command = [program, "--foreground", "--datadir", str(home)]
        self._process = start_unprivileged(command, home)  # as root it first sleeps for 30 s
        self._until_it_listens()

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        self._process.wait()

    def _until_it_listens(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError("znc ended while starting")
            with suppress(OSError), create_connection(("127.0.0.1", self.port), 0.2):
                return
            time.sleep(0.01)
        raise TimeoutError(f"znc does not listen on {self.port}")


async def has_kept_for_us(person: Person) -> None:
    """Wait until ZNC, to which no client is attached, has read whatever a person has said.

    It answers a CTCP VERSION by itself while nobody is there who could.
    """
    seen = len(person.lines)
    await person.types("PRIVMSG Terra :\x01VERSION\x01")
    await person.sees_after(seen, f"NOTICE {person.nick} :\x01VERSION ZNC")


@contextmanager
def znc_before(server_port: int, *, clears: bool = True) -> Iterator[Znc]:
    """A ZNC that runs beside the block.

    If it `clears` its buffer, it replays only what was said while no client was there.
    """
    with tempfile.TemporaryDirectory(prefix="znc-") as home:
        znc = Znc(Path(home), server_port, clears=clears)
        try:
            yield znc
        finally:
            znc.kill()

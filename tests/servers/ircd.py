"""Real IRC servers on loopback: start, kill, restart on the same port, leave nothing behind."""

import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.patience import PATIENCE

_RANDOM = random.SystemRandom()  # of no seed: workers must not choose alike

NGIRCD = """\
[Global]
Name = ngircd.test.local
Info = test
Listen = 127.0.0.1
Ports = {port}
MotdPhrase = test
Network = NgTest
{as_nobody}
[Limits]
MaxConnectionsIP = 0
MaxJoins = 0
MaxNickLength = 30
MaxPenaltyTime = 0
[Options]
DNS = no
Ident = no
PAM = no
[SSL]
CertFile = {keys}/cert.pem
KeyFile = {keys}/key.pem
DHFile = {keys}/dh.pem
Ports = {tls_port}
[Operator]
Name = oper
Password = operpw
"""

INSPIRCD = """\
<server name="inspircd.test.local" description="test" network="InspTest">
<admin name="t" nick="t" email="t@localhost">
<bind address="127.0.0.1" port="{port}" type="clients">
<bind address="127.0.0.1" port="{tls_port}" type="clients" sslprofile="tls">
<bind address="127.0.0.1" port="{services_port}" type="servers">
<module name="spanningtree"><module name="services_account"><module name="servprotect">
<module name="deaf"><module name="svshold"><module name="hidechans">
<link name="services.test.local" ipaddr="127.0.0.1" port="{services_port}" allowmask="127.0.0.1"
  sendpass="linkpw" recvpass="linkpw">
<uline server="services.test.local" silent="yes">
<module name="ssl_gnutls">
<sslprofile name="tls" provider="gnutls" certfile="{keys}/cert.pem" keyfile="{keys}/key.pem">
<connect allow="*" timeout="30" pingfreq="120" hardsendq="16M" softsendq="4M" recvq="64K"
  threshold="100000" commandrate="10000000" fakelag="no" localmax="1000" globalmax="1000"
  resolvehostnames="no" useident="no" maxchans="200">
<performance nouserdns="yes" quietbursts="yes">
<options casemapping="rfc1459" defaultmodes="not">
<limits maxnick="30">
<log method="file" type="*" level="default" target="{home}/inspircd.log">
<path configdir="{home}" datadir="{home}" logdir="{home}" runtimedir="{home}"
  moduledir="/usr/lib/inspircd/modules">
<module name="cap"><module name="ircv3"><module name="ircv3_accounttag">
<module name="ircv3_batch"><module name="ircv3_capnotify"><module name="ircv3_chghost">
<module name="ircv3_ctctags"><module name="ircv3_echomessage"><module name="ircv3_invitenotify">
<module name="ircv3_labeledresponse"><module name="ircv3_msgid"><module name="ircv3_servertime">
<module name="namesx"><module name="uhnames"><module name="monitor"><module name="botmode">
<module name="sajoin"><module name="chanhistory"><chanhistory maxlines="200">
<class name="all" commands="*" privs="*" usermodes="*" chanmodes="*">
<type name="Op" classes="all">
<oper name="oper" password="operpw" host="*@*" type="Op">
"""

CONFIGS = {"ngircd": NGIRCD, "inspircd": INSPIRCD}


class Ircd:
    """One server program with its own directory; `cafile` verifies its certificate.

    inspircd lets services in at `services_port`.
    """

    def __init__(
        self, kind: str, program: str, home: Path, keys: Path, without: Sequence[str] = ()
    ) -> None:
        self.kind = kind
        self._home = home
        self.cafile = str(keys / "cert.pem")
        self.port, self.tls_port, self.services_port = free_port(), free_port(), free_port()
        config = home / f"{kind}.conf"
        root = os.geteuid() == 0
        template = CONFIGS[kind]
        for module in without:
            template = template.replace(f'<module name="{module}">', "")
        config.write_text(
            template.format(
                port=self.port,
                tls_port=self.tls_port,
                services_port=self.services_port,
                home=home,
                keys=keys,
                as_nobody="ServerUID = nobody\nServerGID = nogroup" if root else "",
            )
        )
        self._command = {
            "ngircd": [program, "-n", "-f", str(config)],
            "inspircd": [program, f"--config={config}", "--nofork", "--nopid"]
            + ["--runasroot"] * root,
        }[kind]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and return when both ports listen."""
        self._process = subprocess.Popen(
            self._command,
            cwd=self._home,  # where a crash leaves its core
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for port in (self.port, self.tls_port):
            self._until_it_listens(port)

    def kill(self) -> None:
        """End it as a power cut would; at SIGTERM inspircd 3.15 dumps core."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def _until_it_listens(self, port: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                raise RuntimeError(f"{self.kind} ended while starting: {self._command}")
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
                return
            time.sleep(0.01)
        raise TimeoutError(f"{self.kind} does not listen on {port}")


@contextmanager
def running(kind: str, program: str, keys: Path, *, without: Sequence[str] = ()) -> Iterator[Ircd]:
    """A server that runs beside the block, and is gone after it; `without` some of its modules."""
    with tempfile.TemporaryDirectory(prefix=f"{kind}-") as home:
        Path(home).chmod(0o755)  # a server started by root reads as nobody
        ircd = Ircd(kind, program, Path(home), keys, without)
        try:
            ircd.start()
            yield ircd
        finally:
            ircd.kill()


def program_of(kind: str) -> str | None:
    """Where the server is installed, also outside a user's PATH, as on Debian."""
    return shutil.which(kind, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def make_keys(home: Path) -> None:
    """A key, and a self-signed certificate for localhost."""
    home.chmod(0o755)
    _openssl(
        *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
        *("-keyout", home / "key.pem", "-out", home / "cert.pem", "-subj", "/CN=localhost"),
        *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
    )
    # Without them ngircd makes its own at every start, which takes seconds, and also if GnuTLS
    # cannot read them, as those of `openssl dhparam -dsaparam` since OpenSSL 3.
    group = ("-algorithm", "DH", "-pkeyopt", "group:ffdhe2048")
    _openssl("genpkey", "-genparam", *group, "-out", home / "dh.pem")
    for made in home.iterdir():
        made.chmod(0o644)


def free_port() -> int:
    """A port without a listener, and none that the system may give to a client meanwhile.

    Those begin at 32768 on Linux (ip_local_port_range): a server whose port one had taken stood
    there without it.
    """
    while True:
        port = _RANDOM.randrange(10_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)

"""Real services (atheme) for a real inspircd: NickServ and ChanServ."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.ircd import Ircd, program_of
from tests.servers.unprivileged import start_unprivileged

CONFIG = """\
loadmodule "modules/protocol/inspircd";
loadmodule "modules/backend/opensex";
loadmodule "modules/crypto/pbkdf2v2";
loadmodule "modules/nickserv/main";
loadmodule "modules/nickserv/identify";
loadmodule "modules/nickserv/register";
loadmodule "modules/nickserv/help";
loadmodule "modules/chanserv/main";
loadmodule "modules/chanserv/register";
loadmodule "modules/chanserv/set_core";
loadmodule "modules/chanserv/set_guard";
loadmodule "modules/chanserv/set_entrymsg";
serverinfo {{
  name = "services.test.local";
  desc = "services";
  numeric = "00A";
  recontime = 1;
  netname = "InspTest";
  hidehostsuffix = "users.test";
  adminname = "t";
  adminemail = "t@test.local";
  registeremail = "t@test.local";
  mta = "/bin/true";
  loglevel = {{ error; info; }};
  maxcertfp = 0;
  maxlogins = 5;
  maxusers = 5;
  mdlimit = 30;
  emaillimit = 10;
  emailtime = 300;
  auth = none;
  casemapping = rfc1459;
}};
uplink "inspircd.test.local" {{
  host = "127.0.0.1";
  port = {port};
  send_password = "linkpw";
  receive_password = "linkpw";
}};
nickserv {{ nick = "NickServ"; user = "NickServ"; host = "services.test.local"; real = "N"; }};
chanserv {{ nick = "ChanServ"; user = "ChanServ"; host = "services.test.local"; real = "C"; }};
database {{ }};
general {{ join_chans; leave_chans; commit_interval = 5; expiry = 30; }};
"""


@contextmanager
def services_of(ircd: Ircd) -> Iterator[None]:
    """Services that run beside the block. They take a moment to link."""
    program = program_of("atheme-services")
    if not program:
        raise RuntimeError("atheme is not installed: apt-get install atheme-services")
    with tempfile.TemporaryDirectory(prefix="atheme-") as folder:
        home = Path(folder)
        config = home / "atheme.conf"
        config.write_text(CONFIG.format(port=ircd.services_port))
        files = ["-c", str(config), "-D", folder, "-l", str(home / "log"), "-p", str(home / "pid")]
        process = start_unprivileged([program, "-n", *files], home)
        try:
            yield
        finally:
            process.kill()
            process.wait()

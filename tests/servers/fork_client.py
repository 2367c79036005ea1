"""Stands in for a process of `fork_server.py`: ADDRESS, and what `python` would be given.

It passes on its folder, environment, umask and standard streams, then each signal, and ends as the
process ends. It imports little, since that is what a start costs: what `socket`, `signal` and
`json` are made of takes 0.01 s of CPU, they themselves take 0.03.
"""

import _signal as signal  # type: ignore[import-not-found]  # typeshed lacks it
import array
import marshal
import os
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOL_SOCKET, socket

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

address, *arguments = sys.argv[1:]
server = socket(AF_UNIX)
server.connect(address)
folder = os.getcwd()  # noqa: PTH109 -- pathlib takes longer to import than all the others
environment = dict(os.environ)
umask = os.umask(0o077)
order = marshal.dumps(
    {"arguments": arguments, "folder": folder, "environment": environment, "umask": umask}
)
signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
for number in FORWARDED:
    signal.signal(number, lambda sent, _: server.sendall(bytes([sent])))
streams = array.array("i", [0, 1, 2])
server.sendmsg([len(order).to_bytes(4)], [(SOL_SOCKET, SCM_RIGHTS, streams)])
server.sendall(order)
signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
nothing = os.open(os.devnull, os.O_RDWR)
for stream in (0, 1, 2):
    os.dup2(nothing, stream)  # they are the process's alone
status = int(server.recv(10) or -signal.SIGKILL)
if status < 0:
    if status != -signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
sys.exit(status)

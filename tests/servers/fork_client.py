"""Stands in for a process of `fork_server.py`: ADDRESS SCRIPT ARGUMENTS.

It passes on its folder, environment and standard streams, then each signal, and ends as the process
ends. It imports little, since that is what a start costs.
"""

import json
import os
import signal
import socket
import sys

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

address, *arguments = sys.argv[1:]
server = socket.socket(socket.AF_UNIX)
server.connect(address)
folder = os.getcwd()  # noqa: PTH109 -- pathlib takes longer to import than all the others
environment = dict(os.environ)
order = json.dumps({"arguments": arguments, "folder": folder, "environment": environment}).encode()
signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
for number in FORWARDED:
    signal.signal(number, lambda sent, _: server.sendall(bytes([sent])))
socket.send_fds(server, [len(order).to_bytes(4)], [0, 1, 2])
server.sendall(order)
signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
nothing = os.open(os.devnull, os.O_RDWR)
for stream in (0, 1, 2):
    os.dup2(nothing, stream)  # they are the process's alone
status = int(server.recv(10) or -signal.SIGKILL)
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
sys.exit(status)

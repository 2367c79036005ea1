import socket
from collections.abc import MutableSequence
from socketserver import BaseRequestHandler, TCPServer

class IRCClient(BaseRequestHandler):
    nick: str
    server: IRCServer
    request: socket.socket
    send_queue: MutableSequence[str]
    def _handle_one(self) -> None: ...

class IRCServer(TCPServer):
    servername: str

from irc.client import ServerConnection

class AioConnection(ServerConnection):
    async def connect(self, server: str, port: int, nickname: str) -> AioConnection: ...

class AioReactor:
    def server(self) -> AioConnection: ...

from collections.abc import Callable

class NickMask(str):
    @property
    def nick(self) -> str: ...

class Event:
    source: NickMask
    arguments: list[str]

class ServerConnection:
    def add_global_handler(
        self, event: str, handler: Callable[[ServerConnection, Event], None]
    ) -> None: ...
    def join(self, channel: str) -> None: ...
    def privmsg(self, target: str, text: str) -> None: ...
    def disconnect(self, message: str = ...) -> None: ...

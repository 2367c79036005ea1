"""Has terrarium_mcp see what a process on Windows would: for a process with this on its PYTHONPATH.

Its modules find none of POSIX's, and in those of `_NARROWED` only what typeshed says that Windows
has. The libraries see the system that they run on: that they run on Windows is theirs to test.

For the whole process, the event loop takes no signals and no pipes, as that of Windows, and a file
that the process has open can be neither removed, nor renamed, nor replaced.
"""

import ast
import asyncio
import builtins
import errno
import os
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

_ABSENT = {
    "fcntl",
    "grp",
    "posix",
    "pty",
    "pwd",
    "readline",
    "resource",
    "syslog",
    "termios",
    "tty",
}
"""Modules that Windows has not."""


def _names(statements: Sequence[ast.stmt], platform: str) -> Iterator[str]:
    """What the statements of a stub define on a platform."""
    for one in statements:
        match one:
            case ast.If(test=test, body=body, orelse=otherwise):
                asked = compile(ast.Expression(test), "stub", "eval")
                system = SimpleNamespace(platform=platform, version_info=sys.version_info)
                applies = eval(asked, {"sys": system})  # noqa: S307 -- conditions of typeshed
                yield from _names(body if applies else otherwise, platform)
            case (
                ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.AnnAssign(target=ast.Name(id=name))
                | ast.Assign(targets=[ast.Name(id=name)])
            ):
                yield name
            case ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name for alias in names)


def _only_on_posix(module: str) -> set[str]:
    """The names that a module lacks on Windows."""
    mypy = find_spec("mypy")
    assert mypy
    assert mypy.origin
    stubs = Path(mypy.origin).parent / "typeshed" / "stdlib"
    places = [stubs / f"{module}.pyi", stubs / module / "__init__.pyi"]
    stub = next(place for place in places if place.exists())
    statements = ast.parse(stub.read_text("utf-8")).body
    return {*_names(statements, "linux")} - {*_names(statements, "win32")}


class _Narrowed(ModuleType):
    """A module without what it lacks on Windows, and with what is different there."""

    def __init__(self, real: ModuleType, **different: object) -> None:
        super().__init__(real.__name__)
        vars(self).update(different, _real=real, _lacking=_only_on_posix(real.__name__))

    def __getattr__(self, name: str) -> Any:
        if name in vars(self)["_lacking"]:
            raise AttributeError(f"the module {self.__name__} of Windows has no {name}")
        return getattr(vars(self)["_real"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(vars(self)["_real"], name, value)


def _kill(process: int, _: int) -> None:
    raise AssertionError(f"os.kill would have ended process {process}")


def _open(path: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
    if Path(path).is_dir():
        raise PermissionError(errno.EACCES, "Windows opens no folder", os.fspath(path))
    return os.open(path, flags, mode)


def _fsync(descriptor: int) -> None:
    import fcntl

    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "Windows syncs no file that is open for reading")
    os.fsync(descriptor)


_NARROWED: Mapping[str, ModuleType] = {
    "os": _Narrowed(os, name="nt", O_BINARY=0, kill=_kill, open=_open, fsync=_fsync),
    "signal": _Narrowed(signal, SIGBREAK=signal.SIGQUIT),
    "socket": _Narrowed(socket),
    "sys": _Narrowed(sys, platform="win32"),
    "time": _Narrowed(time),
}

_really_import = builtins.__import__


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,  # noqa: A002 -- some name it
    locals: Mapping[str, object] | None = None,  # noqa: A002 -- as above
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    package = str((globals or {}).get("__package__"))
    if level == 0 and package.partition(".")[0] == "terrarium_mcp":
        if name in _ABSENT:
            raise ModuleNotFoundError(f"Windows has no module {name}", name=name)
        if name in _NARROWED:
            return _NARROWED[name]
    return _really_import(name, globals, locals, fromlist, level)


builtins.__import__ = _import


def _unsupported(*_: object, **__: object) -> None:
    raise NotImplementedError


for _method in ("add_signal_handler", "connect_read_pipe", "connect_write_pipe"):
    setattr(asyncio.SelectorEventLoop, _method, _unsupported)


def _check_closed(path: Any, folder: int | None = None) -> None:
    """Refuse what Windows refuses to do with a file, or a folder with one, that is open."""
    place = os.fspath(path)
    if folder is not None:
        place = f"{Path(f'/proc/self/fd/{folder}').readlink()}/{place}"
    place = os.path.realpath(place)
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the listing itself
            found = str(descriptor.readlink())
            if found == place or (found.startswith(f"{place}/") and _is_file(found)):
                raise PermissionError(errno.EACCES, "Windows: it is open", place)


def _is_file(path: str) -> bool:
    return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 -- while pathlib's own are replaced


def _refusing(really: Callable[..., None]) -> Callable[..., None]:
    def remove(path: Any, *, dir_fd: int | None = None) -> None:
        _check_closed(path, dir_fd)
        really(path, dir_fd=dir_fd)

    return remove


_really_replace = os.replace


def _replace(old: Any, new: Any) -> None:
    for one in (old, new):
        _check_closed(one)
    if Path(new).is_dir():
        raise PermissionError(errno.EACCES, "Windows replaces no folder", os.fspath(new))
    _really_replace(old, new)


_unlink = _refusing(os.unlink)
vars(os).update(unlink=_unlink, remove=_unlink, replace=_replace, rename=_replace)

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background ignores

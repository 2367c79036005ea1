"""Tool calls that a model wrote as Python, with literal keyword arguments only. Pure."""

import ast
import re
import warnings

from terrarium_mcp.irc_bridge.model.json_calls import (
    Calls,
    all_or_none,
    described_call,
    written_call,
)

_CALLS = re.compile(r"\[?[A-Za-z_][\w.]*\(.*\)\]?", re.DOTALL)
_NOT_PYTHON = SyntaxError, ValueError, TypeError, RecursionError, MemoryError
"""What Python raises of a text that it cannot read, or only with more memory than it gets."""


def python_calls(text: str) -> Calls:
    """Calls in Python syntax, one in each line, or in a list."""
    if not _CALLS.fullmatch(text):
        return ()
    try:
        with warnings.catch_warnings():
            # About escapes such as "\d" in a pattern.
            warnings.simplefilter("ignore", SyntaxWarning)
            lines = ast.parse(text).body
        return all_or_none([_calls_of_line(line) for line in lines])
    except _NOT_PYTHON:
        return ()


def call_in_python_object(text: str) -> Calls:
    """A call as an object in the quotes of Python."""
    try:
        return described_call(ast.literal_eval(text))
    except _NOT_PYTHON:
        return ()


def _calls_of_line(line: ast.stmt) -> Calls:
    match line:
        case ast.Expr(value=ast.List(elts=calls)):
            return all_or_none([_call(call) for call in calls])
        case ast.Expr(value=call):
            return _call(call)
    return ()


def _call(call: ast.expr) -> Calls:
    """`name(key="value")`, also in `print(...)`, as `default_api.name(...)` or `name.call(...)`.

    Raises:
        ValueError: an argument is no literal.
    """
    match call:
        case ast.Call(func=ast.Name(id="print"), args=[ast.Call() as call], keywords=[]):
            pass
    match call:
        case (
            ast.Call(func=ast.Name(id=name), args=[])
            | ast.Call(func=ast.Attribute(value=ast.Name(id="default_api"), attr=name), args=[])
            | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="call"), args=[])
        ):
            arguments = {key.arg: ast.literal_eval(key.value) for key in call.keywords if key.arg}
            # A keyword without a name is `**rest`, whose value is unknown.
            is_whole = len(arguments) == len(call.keywords)
            return (written_call(name, arguments),) if is_whole else ()
    return ()

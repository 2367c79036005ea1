"""Whether a bridge is alive and well, judged by its heartbeat: for people, and for programs."""

import os
import socket
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.store import Fact, Heartbeat
from terrarium_mcp.wording import and_more, quantity

STALE = timedelta(minutes=3)
"""After this long without a heartbeat (nine of them) a bridge is not well."""

LATE = timedelta(seconds=45)
"""After this long two heartbeats are missing: what the last one said of writing may have changed,
since a bridge that cannot write cannot report it."""

GRACE = timedelta(minutes=2)
"""For this long a bridge may be unconnected or outside a channel: a start, a netsplit, a kick."""

GIVEN_UP = timedelta(days=7)
"""After this long without a heartbeat nobody misses a bridge: its network is no longer recorded."""

_MOST_CHANNELS = 8


def is_current(heartbeat: Heartbeat, now: datetime) -> bool:
    """Whether the bridge may still be expected to run: it was not told to stop, nor given up."""
    return not heartbeat.report.stopped and now - heartbeat.at < GIVEN_UP


def facts_of(heartbeat: Heartbeat, now: datetime) -> list[Fact]:
    """The state of a bridge for its operator; what is not as it should be is marked."""
    report = heartbeat.report
    if report.stopped:
        return [Fact("process", f"stopped at {_time(heartbeat.at)}; start it again", wrong=True)]
    newest = Fact("newest line", _newest(heartbeat, now))
    if process_is_alive(heartbeat.process) is False:  # what it was in by then is no more
        return [_process(heartbeat, now), newest]
    return [
        _process(heartbeat, now),
        _connection(heartbeat, now),
        _channels(heartbeat, now),
        newest,
        _writing(heartbeat, now),
        Fact("model", harmless(report.model_trouble) or "no known problem"),
        Fact("questions", f"{report.questions} in work or waiting"),
    ]


def troubles(heartbeat: Heartbeat, now: datetime) -> list[str]:
    """The facts that are not as they should be at the moment, whether or not that is wrong yet.

    A model counts as well, without which recording goes on.
    """
    report = heartbeat.report
    if report.stopped or process_is_alive(heartbeat.process) is False:
        return []
    found = {
        "connected": not report.connected,
        "channels": bool(report.missing),
        "recording": now - heartbeat.at > LATE,
        "model": bool(report.model_trouble),
    }
    return [name for name, is_so in found.items() if is_so]


def is_well(heartbeat: Heartbeat, now: datetime) -> bool:
    """Whether the bridge records everything that it is meant to."""
    return not any(fact.wrong for fact in facts_of(heartbeat, now))


def health_json(heartbeat: Heartbeat, now: datetime) -> Mapping[str, object]:
    """The state of a bridge for a program: no channel, nick or address is named."""
    report = heartbeat.report
    status = "ok" if is_well(heartbeat, now) else "degraded"
    if not is_current(heartbeat, now):
        status = "stopped"
    return {
        "status": status,
        "version": report.version,
        "heartbeat_age": _seconds(heartbeat.at, now),
        "connected": report.connected,
        "channels": report.wanted,
        "joined": report.joined,
        "newest_line_age": _seconds(report.newest_line, now),
        "can_write": report.unwritable_since is None,
        "waiting": report.waiting,
        "lost": report.lost,
        "model": "trouble" if report.model_trouble else "ok",
        "questions": report.questions,
    }


def process_is_alive(process: str) -> bool | None:
    """Whether a process (`pid@host`) lives; None if that cannot be seen from this machine."""
    pid, _, host = process.partition("@")
    if host != socket.gethostname() or not pid.isdigit():
        return None
    if sys.platform == "win32":  # where `kill` ends any process; and a bridge is one of WSL
        return None
    try:
        os.kill(int(pid), 0)
    except PermissionError:  # another account's
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _process(heartbeat: Heartbeat, now: datetime) -> Fact:
    text = f"{heartbeat.process}, version {heartbeat.report.version}"
    if process_is_alive(heartbeat.process) is False:
        gone = f"{text}: ended unexpectedly after {_time(heartbeat.at)}; start it again"
        return Fact("process", gone, wrong=True)
    if now - heartbeat.at > STALE:
        silent = (
            f"{text}: silent since {_time(heartbeat.at)}. It hangs, or cannot write: see its log"
        )
        return Fact("process", silent, wrong=True)
    return Fact("process", f"{text}, heartbeat {duration(now - heartbeat.at)} ago")


def _connection(heartbeat: Heartbeat, now: datetime) -> Fact:
    report = heartbeat.report
    if report.connected:
        return Fact("connected", f"for {duration(now - report.since)}")
    why = f"not since {_time(report.since)}: {harmless(report.trouble)}"
    return Fact("connected", why, wrong=now - report.since > GRACE)


def _channels(heartbeat: Heartbeat, now: datetime) -> Fact:
    report = heartbeat.report
    text = f"in {report.joined} of {report.wanted}"
    if report.missing:
        text += f", not in {harmless(and_more(report.missing, _MOST_CHANNELS))}"
    wrong = bool(report.missing) and report.connected and now - report.since > GRACE
    return Fact("channels", text, wrong=wrong)


def _newest(heartbeat: Heartbeat, now: datetime) -> str:
    newest = heartbeat.report.newest_line
    return f"{duration(now - newest)} ago" if newest else "none since the start"


def _writing(heartbeat: Heartbeat, now: datetime) -> Fact:
    report = heartbeat.report
    lost = f"; {quantity(report.lost, 'line')} lost since the start" if report.lost else ""
    waiting = f"{quantity(report.waiting, 'line')} waiting"
    if report.unwritable_since is None:
        if (age := now - heartbeat.at) > LATE:
            text = f"worked {duration(age)} ago, {waiting}{lost}; no heartbeat was written since"
            return Fact("recording", text)
        return Fact("recording", f"works, {waiting}{lost}")
    since = f"not since {_time(report.unwritable_since)}, {waiting}{lost}."
    return Fact("recording", f"{since} {report.write_trouble}", wrong=True)


def _seconds(since: datetime | None, now: datetime) -> int | None:
    return None if since is None else max(0, round((now - since).total_seconds()))


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def duration(span: timedelta) -> str:
    """A duration in its two largest units: `3 h 12 min`."""
    seconds = max(0, round(span.total_seconds()))
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    parts = list[str]()
    for unit, size in units:
        count, seconds = divmod(seconds, size)
        if count or parts or unit == "s":
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])

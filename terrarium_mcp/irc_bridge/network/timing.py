"""How long we wait for what, and how fast we speak: all in seconds, all in one place."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Timing:
    """The patience of one connection. The defaults suit public networks; tests are quicker."""

    burst: int = 4
    """Lines that may go out at once ..."""
    per_line: float = 2
    """... and then one in this time: what Libera asks of bots, and half of solanum's own limit."""
    queue: int = 200
    """Lines of speech that may wait; the next one is refused."""

    connect: float = 20
    register: float = 60
    send: float = 30
    silence: float = 120
    """After this long without a word we ask (PING), and after as long again the peer is dead."""
    farewell: float = 2

    backoff: tuple[float, ...] = (5, 10, 20, 40, 80, 160, 300)
    """Pauses before connecting again; solanum throttles at 4 connections in 60 s."""
    jitter: float = 0.25
    settled: float = 60
    """A connection that lived this long makes the pauses start anew."""

    regain_nick: float = 60
    rejoin: tuple[float, ...] = (10, 30, 120, 600)
    """After a kick; kicked once more than that, we stay out: whoever kicks means it."""
    forgiven: float = 3600
    """Who sat this long is no longer somebody who was kicked before."""
    refused: tuple[float, ...] = (60, 300, 900, 1800)
    """After a JOIN that was refused; the last one for ever."""
    look_round: float = 600
    """How often we look for a channel that neither let us in nor said no."""
    ctcp: float = 3

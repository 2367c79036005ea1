"""Every timeout, pause and rate of a connection, in seconds."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """The defaults suit public networks; tests use shorter ones."""

    burst: int = 4
    """Lines that may be sent at once ..."""
    per_line: float = 2
    """... and then one in this time: what Libera asks of bots, and half of solanum's own limit."""
    queue: int = 200
    """Lines of speech that may wait; more are refused."""

    typing_after: float = 1
    """A quick answer needs no sign that we are typing ..."""
    typing: float = 4
    """... and a slow one needs it this often: two are at least 3 s apart, and clients forget one
    after 6 s (IRCv3 typing)."""

    reflex: float = 2
    """Lines to us so soon after one of ours are a program's, if they keep coming; 0: they are
    not."""

    connect: float = 20
    handshake: float = 10
    """A port without TLS may answer a handshake with silence: the operator is told so then."""
    register: float = 60
    send: float = 30
    silence: float = 120
    """We send PING after this long without a line; after as long again the connection is dead."""
    farewell: float = 2
    confirm: float = 5
    """For the network's word that it took a line; after that it is believed to have done so."""

    accounts: float = 120
    """For an answer to our WHO of a channel, once that has left."""
    who_refused: tuple[float, ...] = (10, 30, 60, 300)
    """Pauses after a WHO that the server had no time for; the last one repeats."""
    history: float = 120
    """For an answer to CHATHISTORY, once that has left."""

    backoff: tuple[float, ...] = (5, 10, 20, 40, 80, 160, 300)
    """Pauses before connecting again; solanum throttles at 4 connections in 60 s."""
    jitter: float = 0.25
    settled: float = 60
    """After a connection that lasted this long the pauses start from the first again."""

    logins: int = 3
    """Refused logins in a row after which the next is tried ..."""
    login_again: float = 3600
    """... after this pause: services lock an account at which many wrong passwords arrive."""

    regain_nick: float = 60
    nick_taken: tuple[float, ...] = (300, 900, 3600)
    """Pauses after services or an oper took our nick; the last one repeats."""
    rejoin: tuple[float, ...] = (10, 30, 120, 600)
    """Pauses after a kick. One kick more, and we stay out: the operators mean it."""
    forgiven: float = 3600
    """After this long in a channel, earlier kicks no longer count, and after this long under our
    nick neither does how often it was taken."""
    refused: tuple[float, ...] = (60, 300, 900, 1800)
    """Pauses after a refused JOIN; the last one repeats."""
    forwarded: float = 86_400
    """The pause after a JOIN that brought us into another channel, where everybody sees us come and
    go."""
    look_round: float = 600
    """How often to look for channels that neither let us in nor refused."""
    ctcp: float = 3

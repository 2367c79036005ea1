"""Who opted out of the record, and what may be written of a message because of it. Pure.

Of who opted in again, what they said in between is not written either when it comes later: in a log
or a replay.

People are recognised by their services account, or by a nick together with user@host. Where a line
shows neither, as in a log without hosts or behind a relay, only the nick under which they opted out
is left, and decides: rather a line of a namesake is missing than one of theirs is kept.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, NICK_CHARACTERS, Identity, fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.mentions import mentions
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import TO_THE_MINUTE, to_text
from terrarium_mcp.chat.voices import VoiceRules, rules_on

REMOVED_NAME = "*"
"""Replaces whoever opted out among the arguments of a recorded MODE."""

UNNAMED_REASON = "the channel was left"
"""Replaces the reason of a gap that names whoever opted out."""

_MASK_PARTS = re.compile(r"[!@*?]")
"""What separates nick, user and host in a ban mask, and what stands for any characters."""

_LATER_CALL = re.compile(
    rf"[.!?] ([{NICK_CHARACTERS}]+(?:(?:, | and )[{NICK_CHARACTERS}]+)*)(?: others?)?:"
)
"""The nicks that a later sentence of a line is said to."""

_Sign = tuple[str, ...]
"""A network, and folded names by which a person is recognised there."""


class Decision(NamedTuple):
    """An opt-out: when it was declared, and under which nick. It may hold for several identities.

    No two people of a network opt out at the same moment. `until` is when its person opted in
    again; empty while it holds.
    """

    since: str
    nick: str
    until: str = ""

    def concerns(self, message: NewMessage) -> bool:
        """Whether a message may have been said between the opt-out and the opt-in.

        The stamps of many logs are exact to the minute: what was said right behind an opt-out may
        seem to have been said before it.
        """
        return self.since[:TO_THE_MINUTE] <= to_text(message.said_at) < self.until


@dataclass(frozen=True)
class OptOuts:
    """The people who opted out, on all networks.

    Attributes:
        people: the identities by which they are recognised, each with the decision.
        casemappings: the CASEMAPPING of each network; others have the default.
        rules: the relays of each network, as `rules_on` reads them.
        past: the identities of people who opted in again, with each of their earlier decisions.
        members: the network and nick of each who is in a channel now. Of who is known by an account
            alone, others may name the nick before any line of theirs shows it.
    """

    people: Mapping[Identity, Decision] = field(default_factory=dict)
    casemappings: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, VoiceRules] = field(default_factory=dict)
    past: Sequence[tuple[Identity, Decision]] = ()
    members: Collection[tuple[str, str]] = ()

    def __bool__(self) -> bool:
        return bool(self.people or self.past)

    def casemapping(self, network: str) -> str:
        """How names compare on a network."""
        return self.casemappings.get(network, DEFAULT_CASEMAPPING)

    def covers(self, who: Identity) -> bool:
        """Whether this is a person who opted out."""
        return self.decision(who) is not None

    def decision(self, who: Identity) -> Decision | None:
        """The decision of this person; None if they did not opt out."""
        if who.account and (found := self._accounts.get(self._account(who))):
            return found
        if who.host:
            return self._sightings.get(self._sighting(who))
        return None if who.account else self._declared.get(self._nick(who))

    def has_nick(self, network: str, nick: str) -> bool:
        """Whether a person who opted out had this nick since, or has it."""
        return self._sign(network, nick) in self._nicks

    def may_opt_in(self, who: Identity) -> bool:
        """Whether this person may undo it: if they did it logged in, only with that account."""
        decision = self.decision(who)
        theirs = [one for one, made in self.people.items() if made == decision and one.account]
        return who.is_proven and (
            not theirs or self._account(who) in {self._account(one) for one in theirs}
        )

    def with_identity(self, who: Identity, decision: Decision) -> "OptOuts":
        """These, and one identity more."""
        return replace(self, people={**self.people, who: decision})

    def permitted(self, message: NewMessage) -> NewMessage | None:
        """What may be written of a message: all of it, a part, or None.

        A KICK of a person who opted out is left out, and so is what the bot says to them; in a MODE
        their name becomes `*`. What other people say about them stays.
        """
        allowed = self._permitted_now(message)
        if message.origin is Origin.LIVE:
            return allowed
        for decision, then in self._earlier.items():
            if allowed and decision.concerns(allowed):
                allowed = then.permitted(allowed)
        return allowed

    def _permitted_now(self, message: NewMessage) -> NewMessage | None:
        """What may be written of a message, whenever it was said: without those of the past."""
        if message.network not in self._networks:
            return message
        if self.covers(author(message)) or self._is_relayed(message):
            return None
        if message.own:
            return None if self._is_addressed(message) else message
        if message.kind is MessageType.KICK:
            target = message.text.partition(" ")[0]
            return None if self.has_nick(message.network, target) else message
        if message.kind is MessageType.MODE:
            return message._replace(text=self._without_names(message.network, message.text))
        return message

    def names_one(self, network: str, text: str) -> bool:
        """Whether a text names a person who opted out of this network's record."""
        words, casemapping = plain(text), self.casemapping(network)
        nicks = (nick for home, nick in self._nicks if home == network)
        return any(mentions(words, nick, casemapping) for nick in nicks)

    def permitted_reason(self, network: str, why: str) -> str:
        """What may be kept of why a record ended: not who kicked the bot, if they opted out."""
        return UNNAMED_REASON if self.names_one(network, why) else why

    def new_identity(self, message: NewMessage) -> Identity | None:
        """An identity of a person who opted out that only this message of theirs shows.

        A NICK shows the nick that follows it. None if there is nothing new.
        """
        who = author(message)
        if not (who.is_proven and self.covers(who)):
            return None
        if message.kind is MessageType.NICK:
            who = who._replace(nick=message.text)
        return None if self._recognises(who) else who

    def _recognises(self, who: Identity) -> bool:
        """Whether every sign of a person who opted out is known."""
        knows_account = not who.account or self._account(who) in self._accounts
        return knows_account and (not who.host or self._sighting(who) in self._sightings)

    def _is_addressed(self, message: NewMessage) -> bool:
        """Whether a line of the bot calls a person who opted out in front of its first colon.

        Or further on, as notices for several people do: `bo: that was quick. ada and cy: wait.`
        """
        first, colon, _ = message.text.partition(":")
        called = [first] if colon else []
        called += _LATER_CALL.findall(message.text)
        return any(self.names_one(message.network, names) for names in called)

    def _is_relayed(self, message: NewMessage) -> bool:
        """Whether a relay carried it for somebody with the nick of a person who opted out."""
        rules = rules_on(message.network, self.rules)
        if not rules.relays:
            return False
        voice = rules.voice_of(message.nick, message.text, is_own=message.own, is_message=False)
        speaker = voice.speaker
        return speaker is not None and self.covers(Identity(message.network, speaker))

    def _without_names(self, network: str, modes: str) -> str:
        letters, *arguments = modes.split(" ")
        return " ".join(
            [letters, *(REMOVED_NAME if self._names(network, one) else one for one in arguments)]
        )

    def _names(self, network: str, argument: str) -> bool:
        """Whether an argument of a MODE is the nick, or a mask, of a person who opted out."""
        whole = [part for part in _MASK_PARTS.split(argument) if part]
        # What an extended ban is of, such as an account, is behind a colon; an IPv6 host has some.
        parts = [*whole, *(part.rpartition(":")[2] for part in whole)]
        return not self._mask_parts.isdisjoint(self._sign(network, part) for part in parts)

    def _sign(self, network: str, name: str) -> _Sign:
        return network, fold(name, self.casemapping(network))

    def _account(self, who: Identity) -> _Sign:
        return self._sign(who.network, who.account)

    def _nick(self, who: Identity) -> _Sign:
        return self._sign(who.network, who.nick)

    def _sighting(self, who: Identity) -> _Sign:
        return (*self._nick(who), who.folded_user_host)

    @cached_property
    def _networks(self) -> frozenset[str]:
        return frozenset(who.network for who in self.people)

    @cached_property
    def _earlier(self) -> "Mapping[Decision, OptOuts]":
        """Each decision of the past, as if it alone held."""
        people = defaultdict[Decision, dict[Identity, Decision]](dict)
        for who, made in self.past:
            people[made][who] = made
        return {
            made: replace(self, people=its, past=(), members=()) for made, its in people.items()
        }

    @cached_property
    def _accounts(self) -> Mapping[_Sign, Decision]:
        return {self._account(who): made for who, made in self.people.items() if who.account}

    @cached_property
    def _sightings(self) -> Mapping[_Sign, Decision]:
        return {self._sighting(who): made for who, made in self.people.items() if who.host}

    @cached_property
    def _declared(self) -> Mapping[_Sign, Decision]:
        """By the nicks under which they opted out. Who opted out can take other nicks at will."""
        return {self._sign(who.network, made.nick): made for who, made in self.people.items()}

    @cached_property
    def _nicks(self) -> frozenset[_Sign]:
        members = (self._sign(*member) for member in self.members)
        return frozenset((*map(self._nick, self.people), *members))

    @cached_property
    def _mask_parts(self) -> frozenset[_Sign]:
        hosts = (self._sign(who.network, who.host) for who in self.people if who.host)
        return frozenset((*self._nicks, *self._accounts, *hosts))


NO_OPT_OUTS = OptOuts()
"""Nobody opted out."""


def author(message: NewMessage) -> Identity:
    """Who sent a message, as far as it shows."""
    return Identity(message.network, message.nick, message.user, message.host, message.account)

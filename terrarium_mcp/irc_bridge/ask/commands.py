"""Recognises commands to the bot in IRC messages. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from terrarium_mcp.chat.commands import (
    COMMANDS,
    QUESTIONS,
    addressed_to,
    command_after,
    command_meant,
    may_begin_sentence,
)
from terrarium_mcp.chat.identity import BEHIND_NICK, DEFAULT_CASEMAPPING, Identity
from terrarium_mcp.chat.invisible import INVISIBLE_MARKS
from terrarium_mcp.chat.irc_message import IrcMessage, Source
from terrarium_mcp.chat.irctext import is_ctcp, is_off_record, plain, without_off_record
from terrarium_mcp.irc_bridge.ask.bare_arguments import is_yes, without_courtesy
from terrarium_mcp.irc_bridge.ask.bare_commands import bare_command
from terrarium_mcp.irc_bridge.ask.command_traits import (
    NEAR_MISS,
    TRAITS,
    TRAITS_OF_NEAR_MISS,
    CommandTraits,
)

TOO_OLD = timedelta(seconds=30)
"""Older messages are never answered: a bouncer replays them, or they predate a netsplit."""

_MARKS_BEHIND = re.compile(rf"\A(\S*?)[{INVISIBLE_MARKS}]+(?=\s|\Z|[{BEHIND_NICK}])")

BARE_BEHIND_NICK = tuple(name for name, traits in TRAITS.items() if traits.is_bare_behind_nick)

PersonKey = tuple[str, str]
"""Who a person is on a network, whatever their nick: a services account, or else user@host."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command to the bot: `name` is one of COMMANDS, `rest` the text after it.

    Of a NEAR_MISS `rest` is the word that was typed. `channel` is where the reply goes; "" in a
    private chat, where it goes to `asker`. Who the asker is follows from `source` and `account`
    (the services account that the line has, else ""), and never from the nick alone.
    """

    name: str
    rest: str
    source: Source
    account: str
    channel: str
    off_record: bool = False
    """Whether neither it nor its answer is recorded: `[off]` stood in front of the text."""
    silent_channel: str = ""
    """The channel in which it was given, if nothing is said there: the answer is private."""

    @property
    def said_in(self) -> str:
        """The channel in which it was given, wherever the reply goes; "" in a private chat."""
        return self.channel or self.silent_channel

    @property
    def person(self) -> PersonKey:
        """Who asks: a new nick is the same person."""
        return ("account", self.account.lower()) if self.account else person_at(self.source)

    def exact_person(self, fold: Callable[[str], str]) -> tuple[str, ...]:
        """Who asks, apart from others at the same host: without an account their nick counts."""
        return self.person if self.account else nick_at(self.source, fold)

    @property
    def asker(self) -> str:
        """The nick to answer."""
        return self.source.nick

    def identity(self, network: str) -> Identity:
        """Who asks, as the line itself shows it."""
        return Identity(network, self.source.nick, self.source.user, self.source.host, self.account)

    def answered_privately(self) -> "Command":
        """The same command, whose answer goes to the asker alone."""
        return replace(self, channel="", silent_channel=self.channel)

    @property
    def is_question(self) -> bool:
        """Whether a model answers it."""
        return self.name in QUESTIONS

    @property
    def traits(self) -> CommandTraits:
        """What is particular about commands of this name."""
        return TRAITS_OF_NEAR_MISS if self.name == NEAR_MISS else TRAITS[self.name]

    @property
    def confirms_removal(self) -> bool:
        """Whether its asker confirms that what they said be removed."""
        return self.name == "forget" and is_yes(self.rest)

    @property
    def only_speaks_of_recording(self) -> bool:
        """Whether it is an `!optin` within a sentence: that lets nobody be recorded again."""
        return self.name == "optin" and without_courtesy(self.rest) != ""

    @property
    def target(self) -> str:
        """The channel or nick that the reply goes to."""
        return self.channel or self.asker


@dataclass(frozen=True, slots=True)
class Address:
    """How people address the bot: its nick, as the network compares it, and the command prefix."""

    nick: str
    prefix: str
    casemapping: str = DEFAULT_CASEMAPPING

    def command_in(self, line: IrcMessage, *, is_channel: bool) -> Command | None:
        """The command in a message: `!name text`, `Terra: text`, or a private message.

        In private also `name text` without the prefix, where no sentence begins so, and `Terra:
        name` of BARE_BEHIND_NICK.
        Never a command: notices, CTCP, what other bots say (IRCv3 bot tag). Whether a message comes
        too late to be answered is another question: `is_late`.
        """
        if line.command != "PRIVMSG" or line.source is None or len(line.params) < 2:
            return None
        if "bot" in line.tags:
            return None
        said = _without_marks(plain(line.params[-1]))
        if is_ctcp(line.params[-1]) or not said.strip():
            return None
        channel = line.params[0] if is_channel else ""
        found = self._prefixed(said) or self._spoken_to(said, private=not is_channel)
        if found is None:
            return None
        name, rest = found
        return Command(
            name,
            without_off_record(rest),  # a nick is copied with the joiner we put into it
            line.source,
            line.tags.get("account", ""),
            channel,
            is_off_record(said, self.prefix),
        )

    def _prefixed(self, said: str) -> tuple[str, str] | None:
        """The command or near miss behind the prefix."""
        found = command_after(self.prefix, said)
        if found is None or found[0] in COMMANDS:
            return found
        meant = command_meant(found[0], self.prefix, self.nick, self.casemapping)
        return (NEAR_MISS, found[0]) if meant else None

    def _spoken_to(self, said: str, *, private: bool) -> tuple[str, str] | None:
        """`Terra: text` and the like; in a private chat, any text but an unknown command."""
        text = addressed_to(self.nick, said, self.casemapping)
        if text is None:
            if not private or (
                said.startswith(self.prefix) and not may_begin_sentence(self.prefix)
            ):
                return None
            text = said
        if text and not without_off_record(text):
            return None
        text = without_off_record(text)
        bare = bare_command(text, COMMANDS if private else BARE_BEHIND_NICK, self.prefix)
        return self._prefixed(text) or bare or (QUESTIONS[0], text.strip())


def _without_marks(said: str) -> str:
    """A line without the marks around its first word that cannot be seen.

    Keyboards for Arabic and Hebrew write them on both sides of a word: `Terra`, a mark, `: who?`.
    """
    return _MARKS_BEHIND.sub(r"\1", said.lstrip(INVISIBLE_MARKS))


def person_at(source: Source) -> PersonKey:
    """Who a person is without an account."""
    return "user@host", f"{source.user}@{source.host}".lower()


def nick_at(source: Source, fold: Callable[[str], str]) -> tuple[str, ...]:
    """Who a person is without an account, apart from others at the same host."""
    return fold(source.nick), *person_at(source)


def is_late(line: IrcMessage, now: datetime, ahead: timedelta = timedelta()) -> bool:
    """Whether a message comes too late to be answered: it is replayed, or older than TOO_OLD.

    Its age is by the server's clock, which was `ahead` of ours when last seen, or by ours where it
    is younger by that: ours may have been set since.
    """
    if line.replay or line.sent_at is None:
        return line.replay
    return now - line.sent_at + min(ahead, timedelta()) > TOO_OLD

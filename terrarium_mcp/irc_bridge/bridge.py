"""A bridge records and answers on one IRC network, concurrently; `Bridges` runs one for each.

message -> MessageFilter -> Recorder -> store
message -> Reception -> CommandQueue -> Responder -> reply -> IRC
"""

import logging
from datetime import UTC, datetime, timedelta
from functools import partial

import anyio

from terrarium_mcp.chat.coverage import JOINED
from terrarium_mcp.chat.irc_message import IrcMessage, Source
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.irc_bridge.ask.command_queue import CommandQueue
from terrarium_mcp.irc_bridge.ask.command_views import CommandViews
from terrarium_mcp.irc_bridge.ask.commands import Address, Command, is_late
from terrarium_mcp.irc_bridge.ask.consent import FOLLOWED, Consent
from terrarium_mcp.irc_bridge.ask.introduction import Introducer
from terrarium_mcp.irc_bridge.ask.loop_guard import LoopGuard, reflex_rules
from terrarium_mcp.irc_bridge.ask.question_service import QuestionService
from terrarium_mcp.irc_bridge.ask.quiet_times import QuietTimes
from terrarium_mcp.irc_bridge.ask.reception import MOVEMENTS, Reception
from terrarium_mcp.irc_bridge.ask.responder import Responder
from terrarium_mcp.irc_bridge.ask.speech import ReplySpeech
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summaries import Summarizer
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.chathistory import HistoryPage
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotSaid
from terrarium_mcp.irc_bridge.network.sender import LONGEST_NICK
from terrarium_mcp.irc_bridge.network.server_config import plain_text_warning, server_config
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.record.backfill import Backfill
from terrarium_mcp.irc_bridge.record.clock_difference import ClockDifference
from terrarium_mcp.irc_bridge.record.join_replays import JoinReplays
from terrarium_mcp.irc_bridge.record.message_filter import MessageFilter, said_at
from terrarium_mcp.irc_bridge.record.presence_sync import PRESENCE_COMMANDS, PresenceSync
from terrarium_mcp.irc_bridge.record.recorded_channels import RecordedChannels
from terrarium_mcp.irc_bridge.record.recorder import STOPPED, Recorder
from terrarium_mcp.irc_bridge.record.repeats import Repeats
from terrarium_mcp.irc_bridge.record.trouble_notice import TroubleNotice
from terrarium_mcp.irc_bridge.reporter import Reporter
from terrarium_mcp.irc_bridge.talk_log.writer import TalkLog
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.settings import ChannelWays, Settings, voice_rules_of
from terrarium_mcp.store import BridgeReport, Store

log = logging.getLogger(__name__)


class Bridge:
    """Connects one network, one store and one model. Implements the network's `Listener`.

    The settings may be reloaded. A part that only reads them gets `_settings_in_use`, which returns
    the present ones; one that derives something from them has a method `change_settings`.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        toolbox: Toolbox,
        llm: LLM,
        *,
        home: str = "",
        timeouts: Timeouts | None = None,
        talk_log: TalkLog | None = None,
    ) -> None:
        """A bridge that shares everything but the settings with those of other networks.

        Args:
            store: where to record.
            settings: those of this network.
            toolbox: the history through MCP; its owner runs it.
            llm: the model.
            home: the network of rows stored without one; unset: this network.
            timeouts: those of the connection; unset: for public networks.
            talk_log: where to note the timings of each question; its owner runs it. Unset: nowhere.
        """
        self._settings = settings
        self.name = name = settings.network_name
        timeouts = timeouts or Timeouts()
        self._store = store
        self.network = IrcNetwork(server_config(settings), self, timeouts=timeouts)
        self._filter = MessageFilter(name, self.network, voice_rules_of(settings))
        self._recorder = Recorder(store, name, home, report=self.report)
        self._channels = RecordedChannels(self.network, self._recorder, settings)
        self._repeats = Repeats()
        self._clock_difference = ClockDifference(name)
        self._join_replays = JoinReplays(self._take)
        self._backfill = Backfill(
            store, name, self.network.fetch_history, timedelta(hours=settings.history_hours)
        )
        self._presence = PresenceSync(
            store,
            name,
            self._channels.joined,
            self.network.members,
            self.network.fold,
        )
        self._introducer = Introducer(
            store,
            self._settings_in_use,
            self._announce_surely,
            self.network.is_in,
            self.network.label,
        )
        self._trouble_notice = TroubleNotice(self._recorder, self._announce_everywhere)
        self._quiet = QuietTimes(store, name)
        self._consent = Consent(store, name, self._recorder, self._presence.write_all)
        self._memory = DialogueMemory(store, name, lambda: self._settings.stale_after)
        self._summarizer = Summarizer(self._memory, llm, self._settings_in_use)
        guard = LoopGuard(reflex_rules(timeouts.reflex))
        views = CommandViews(self.network, self._recorder, self._settings_in_use)
        self._speech = ReplySpeech(self.network, guard, self._settings_in_use)
        questions = QuestionService(
            network=self.network,
            views=views,
            speech=self._speech,
            toolbox=toolbox,
            llm=llm,
            memory=self._memory,
            summarizer=self._summarizer,
            talk_log=talk_log or TalkLog(None),
            settings=self._settings_in_use,
        )
        responder = Responder(
            network=self.network,
            views=views,
            speech=self._speech,
            questions=questions,
            toolbox=toolbox,
            consent=self._consent,
            settings=self._settings_in_use,
            report=self.report,
        )
        queue = CommandQueue(responder.serve)
        self._reception = Reception(
            self.network, settings, queue, self._quiet, guard, self._consent, self._speech
        )
        self._reporter = Reporter(self._settings_in_use, self.network, queue, llm)

    async def run(self) -> None:
        """Connect, record and answer until `stop()` or cancellation.

        Either way every recorded message is on disk when this returns.
        """
        if warning := plain_text_warning(self._settings):
            log.warning("%s", warning)
        async with anyio.create_task_group() as recording:
            recording.start_soon(self._recorder.run)
            recording.start_soon(self._memory.run)
            try:
                async with anyio.create_task_group() as self._talking:
                    self._talking.start_soon(self._presence.run)
                    self._talking.start_soon(self._reception.run)
                    self._talking.start_soon(self._trouble_notice.run)
                    self._talking.start_soon(self._summarizer.run)
                    await self._reception.until_ready()
                    await self._join_replays.recall(self._store, self.name, self._channels.includes)
                    await self.network.run()
                    self._talking.cancel_scope.cancel()
            finally:
                self._recorder.finish()
                self._memory.finish()

    def report(self) -> BridgeReport:
        """The state of this bridge now."""
        return self._reporter.report(self._recorder)

    async def flush(self) -> None:
        """Return once everything recorded so far is on disk."""
        await self._recorder.flush()

    def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on; see `terrarium_mcp.settings.changes` for which."""
        self._settings = settings
        self._filter = MessageFilter(
            self.name, self.network, voice_rules_of(settings)
        ).by_casemapping(self.network.casemapping)
        self._channels.change_settings(settings)
        self._reception.change_settings(settings)
        self.network.change_channels(settings.irc_channels)
        self._channels.begin_and_end_by_settings()
        self._presence.schedule_check()
        self._state_changed()

    def stop_now(self) -> None:
        """Stop at once: give up what the network or the disk does not take now."""
        self._recorder.give_up_soon()
        self.network.stop_now()

    @property
    def is_stuck(self) -> bool:
        """Whether the recorder does not even try any more to write what waits."""
        return self._recorder.is_stuck

    @property
    def is_saved(self) -> bool:
        """Whether every recorded message is on disk."""
        return not self._recorder.waiting

    async def stop(self, reason: str = "") -> None:
        """Leave the network and let `run()` return."""
        await self.network.stop(reason)

    def on_casemapping(self, casemapping: str) -> None:
        """Tell rooms and relays apart as the network does, in the store as well."""
        before = self._filter.rules.casemapping
        named = (channel.name for channel in self._settings.irc_channels)
        self._quiet.refold(before, casemapping, [*named, *self.network.joined_channels()])
        self._filter = self._filter.by_casemapping(casemapping)
        self._recorder.set_casemapping(casemapping)
        self._channels.refold()
        self._channels.begin_and_end_by_settings()

    def on_connected(self, nick: str) -> None:
        """Log that registration is complete."""
        log.info("%s: connected to %s as %s", self.name, self._settings.irc_server, nick)
        self._state_changed(connection=True)

    def on_line(self, message: IrcMessage) -> None:
        """Record a message, and receive what is said to us."""
        self._recorder.note_contact()
        self._clock_difference.look(self.network.clock_ahead)
        if not self._join_replays.hold(message):
            self._take(message)

    def _take(self, message: IrcMessage, is_earlier: bool = False) -> None:
        """Record a message, and receive what is said to us unless it `is_earlier`: history."""
        now = datetime.now(UTC)
        self._join_replays.hear(message)
        command = self._command_in(message)
        is_decision = command is not None and command.traits.is_consent
        if is_earlier or is_late(message, now, self.network.clock_ahead):
            if command and is_decision:
                self._decided_earlier(command, message, now)
                return
            command = None
        if message.replay:
            self._replayed(message, now)
            return
        records = () if is_decision else self._records_in(message, now)
        pending = [self._recorder.record(record) for record in records]
        if message.command in PRESENCE_COMMANDS:
            self._presence.schedule_check()
        if message.command in FOLLOWED:
            self._consent.follow(message)
        if message.command in MOVEMENTS:
            self._reception.follow(message)
        if message.command == "NICK" and message.source and message.params:
            self._speech.renamed(message.source, message.params[0])
        self._redact(message)
        if command:
            self._consent.heed(command, said_at(message, now))
            self._reception.hear(command, pending[0] if pending else None, now)

    def on_history_page(self, page: HistoryPage) -> None:
        """A page of history has come in, line by line: the record covers its time."""
        self._repeats.end(page.channel)
        if self._channels.includes(page.channel):
            self._recorder.afterwards(partial(self._backfill.add, page, datetime.now(UTC)))

    def on_joined(self, channel: str) -> None:
        """The bot joined a channel: record it from now on, and what it missed."""
        self._repeats.end(channel)
        is_recorded = self._channels.includes(channel)
        doing = "recording %s/%s" if is_recorded else "answering in %s/%s, and not recording it"
        if not self.network.is_leaving:  # a JOIN may be answered while the server reads our QUIT
            log.info(doing, self.name, channel)
        if is_recorded:
            self._recorder.begin(channel, JOINED)
            self._recorder.afterwards(partial(self._backfill.begin, channel))
        self._state_changed()
        self._presence.channel_joined(channel)
        if self._introducer.take_due(channel):
            self._talking.start_soon(
                self._introducer.introduce, channel, partial(self._ways, channel)
            )

    def on_arriving(self, channel: str) -> None:
        """History may follow that does not say when it was said."""
        self._join_replays.begin(channel)

    def on_arrived(self, channel: str) -> None:
        """No more of it follows."""
        self._join_replays.arrived(channel)

    def on_members_complete(self, channel: str) -> None:
        """The member list is complete."""
        self._presence.members_complete(channel)

    def on_left(self, channel: str, why: str) -> None:
        """The bot is no longer in a channel."""
        self._recorder.end(channel, why)
        self._reception.on_left(channel)
        self._state_changed()

    def on_lost(self, why: str) -> None:
        """The connection is lost, and with it every channel."""
        self._join_replays.lose()
        self._repeats = Repeats()
        self._clock_difference = ClockDifference(self.name)
        # A server repeats the words of our QUIT, which is no loss.
        self._recorder.end_all(STOPPED if self.network.is_leaving else f"connection lost: {why}")
        self._reception.on_lost()
        self._state_changed(connection=True)

    def _settings_in_use(self) -> Settings:
        """The settings, which may be reloaded."""
        return self._settings

    def _state_changed(self, *, connection: bool = False) -> None:
        """Report soon; with `connection`, that was made or lost."""
        if connection:
            self._reporter.connection_changed()
        self._recorder.beat_soon()

    async def _announce(self, channel: str, text: str) -> None:
        """Say what nobody asked for, unless the channel is quiet."""
        if not self._quiet.covers(self.network.fold(channel)):
            await self.network.say(channel, text)

    async def _announce_surely(self, channel: str, text: str) -> None:
        """Announce this, and return when the network has taken it."""
        await self._announce(channel, text)
        await self.network.confirm(channel)

    async def _announce_everywhere(self, text: str) -> None:
        """Announce this where we record, if the settings ask for it; log where it fails."""
        if self._settings.say_trouble == "off":
            return
        for channel in self._channels.joined():
            try:
                await self._announce(channel, text)
            except NotSaid as error:
                label = self.network.label(channel)
                log.warning("could not say in %s that %r: %s", label, text, error)

    def _replayed(self, message: IrcMessage, now: datetime) -> None:
        """Record a replayed message: it changes nothing now, and is not answered."""
        at = said_at(message, now, self.network.clock_ahead)
        for record in self._records_in(message, now):
            self._recorder.record(self._repeats.numbered(record._replace(said_at=at)))
        self._redact(message)

    def _records_in(self, message: IrcMessage, now: datetime) -> list[NewMessage]:
        """What is recorded of a message: one record for each channel."""
        records = self._filter.messages_in(message, now)
        return [record for record in records if self._channels.includes(record.channel)]

    def _decided_earlier(self, command: Command, message: IrcMessage, now: datetime) -> None:
        """Heed a decision that comes too late to be answered. It is not recorded either."""
        at = said_at(message, now, self.network.clock_ahead)
        is_unheard = partial(self._backfill.is_unheard, command.channel, said_at(message, now))
        self._consent.heed_late(command, at, is_unheard)

    def _redact(self, message: IrcMessage) -> None:
        """Remove the text of a line, if that is what the message says: `REDACT #tea msgid`."""
        match message.command, message.params:
            case "REDACT", (channel, msgid, *_) if msgid and self.network.is_configured(channel):
                asked_by = message.source.nick if message.source else ""
                self._recorder.redact(channel, msgid, asked_by)

    def _command_in(self, message: IrcMessage) -> Command | None:
        """The command that a message gives us, whenever it was said."""
        if not self._is_said_to_us(message):
            return None
        network, prefix = self.network, self._settings.command_prefix
        address = Address(network.nick, prefix, network.casemapping)
        return address.command_in(message, is_channel=network.is_channel(message.params[0]))

    def _is_said_to_us(self, message: IrcMessage) -> bool:
        """Whether someone else speaks in a channel of the settings, or in private."""
        if message.command != "PRIVMSG" or not message.params:
            return False
        source = message.source
        if self.network.is_own(source) or _is_endless(source):
            return False
        target = message.params[0]
        is_private = self.network.same_nick(target, self.network.nick)
        return is_private or self.network.is_configured(target)

    def _ways(self, channel: str) -> ChannelWays:
        """How we behave in a channel."""
        return self._settings.channel_ways(channel, self.network.casemapping)


def _is_endless(source: Source | None) -> bool:
    """Whether the sender's nick is too long for anybody to be answered by it."""
    return source is not None and len(source.nick) > LONGEST_NICK

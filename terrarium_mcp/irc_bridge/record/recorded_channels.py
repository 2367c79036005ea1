"""Which channels are recorded: those of the settings, except where the bot only answers."""

from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.record.recorder import Recorder
from terrarium_mcp.settings import Settings


class RecordedChannels:
    """The recorded channels of one network. Those that we are in have an open span each."""

    def __init__(self, network: IrcNetwork, recorder: Recorder, settings: Settings) -> None:
        self._network = network
        self._recorder = recorder
        self._settings = settings
        self._answer_only = self._folded_answer_only()

    def includes(self, channel: str) -> bool:
        """Whether the settings name this channel, and have it recorded."""
        answer_only = self._answer_only and self._network.fold(channel) in self._answer_only
        return self._network.is_configured(channel) and not answer_only

    def joined(self) -> list[str]:
        """The recorded channels that we are in."""
        return [one for one in self._network.joined_channels() if self.includes(one)]

    def refold(self) -> None:
        """Tell the channels apart by the CASEMAPPING that the network has now."""
        self._answer_only = self._folded_answer_only()

    def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on."""
        self._settings = settings
        self._answer_only = self._folded_answer_only()

    def begin_and_end_by_settings(self) -> None:
        """Begin or end recording where the settings in use say so.

        Of what was said while a channel was only answered in, nothing is fetched.
        """
        for channel in self._network.joined_channels():
            if not self.includes(channel):
                self._recorder.end(channel, "no longer recorded, by the settings")
            elif not self._recorder.is_recorded(channel):
                self._recorder.begin(channel, "recorded from now on, by the settings")

    def _folded_answer_only(self) -> frozenset[str]:
        """The channels of the settings that are answered in and not recorded, folded."""
        settings, casemapping = self._settings, self._network.casemapping
        return frozenset(
            self._network.fold(channel.name)
            for channel in settings.irc_channels
            if not settings.channel_ways(channel.name, casemapping).is_recorded
        )

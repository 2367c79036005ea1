"""The text formats that are read: docs/adding-a-format.md has the steps to add one."""

from collections.abc import Sequence

from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.text.bip import BIP
from terrarium_mcp.logformats.text.botbot import BOTBOT
from terrarium_mcp.logformats.text.catgirl import CATGIRL
from terrarium_mcp.logformats.text.chatzilla import CHATZILLA
from terrarium_mcp.logformats.text.circe import CIRCE
from terrarium_mcp.logformats.text.convos import CONVOS
from terrarium_mcp.logformats.text.eggdrop import EGGDROP
from terrarium_mcp.logformats.text.energymech import ENERGYMECH
from terrarium_mcp.logformats.text.hexchat import HEXCHAT
from terrarium_mcp.logformats.text.ii import II
from terrarium_mcp.logformats.text.irccloud import IRCCLOUD
from terrarium_mcp.logformats.text.ircii import IRCII
from terrarium_mcp.logformats.text.irssi import IRSSI
from terrarium_mcp.logformats.text.konversation import KONVERSATION
from terrarium_mcp.logformats.text.konversation_text import KONVERSATION_TEXT
from terrarium_mcp.logformats.text.kvirc import KVIRC
from terrarium_mcp.logformats.text.limechat import LIMECHAT
from terrarium_mcp.logformats.text.limnoria import LIMNORIA
from terrarium_mcp.logformats.text.mirc import MIRC
from terrarium_mcp.logformats.text.pidgin import PIDGIN
from terrarium_mcp.logformats.text.quassel_text import QUASSEL_TEXT
from terrarium_mcp.logformats.text.rbot import RBOT
from terrarium_mcp.logformats.text.rcirc import RCIRC
from terrarium_mcp.logformats.text.srain import SRAIN
from terrarium_mcp.logformats.text.textual import TEXTUAL
from terrarium_mcp.logformats.text.thelounge import THE_LOUNGE
from terrarium_mcp.logformats.text.thelounge_2 import THE_LOUNGE_2
from terrarium_mcp.logformats.text.tiny import TINY
from terrarium_mcp.logformats.text.tunes import TUNES
from terrarium_mcp.logformats.text.twisted import TWISTED
from terrarium_mcp.logformats.text.ubuntu import UBUNTU
from terrarium_mcp.logformats.text.weechat import WEECHAT
from terrarium_mcp.logformats.text.znc import ZNC

TEXT_FORMATS: Sequence[TextFormat] = (
    WEECHAT,
    ZNC,
    LIMNORIA,
    EGGDROP,
    THE_LOUNGE,
    ENERGYMECH,
    II,
    MIRC,
    KONVERSATION,
    UBUNTU,
    CATGIRL,
    IRSSI,
    HEXCHAT,
    IRCCLOUD,
    CHATZILLA,
    KVIRC,
    BIP,
    TUNES,
    PIDGIN,
    TEXTUAL,
    TWISTED,
    RCIRC,
    CIRCE,
    IRCII,
    QUASSEL_TEXT,
    RBOT,
    LIMECHAT,
    CONVOS,
    THE_LOUNGE_2,
    KONVERSATION_TEXT,
    BOTBOT,
    TINY,
    SRAIN,
)
"""Where two formats read a log equally well, the earlier one is taken. irssi's stamps may look like
those of several others, and its logs are more frequent than those that come after it; of HexChat's,
whose user may have put blanks for tabs, other lines tell. catgirl precedes it: both read a day of
talk alone, and one in a file named by catgirl is hardly irssi's.
Twisted's log bot precedes rcirc, which reads `[connected at ...]` as what somebody does."""

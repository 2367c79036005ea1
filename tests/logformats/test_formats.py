"""Each format on lines as its program writes them, above all those with no genuine log at hand."""

from datetime import UTC, date, datetime, time, timedelta
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.on_record import NotRecorded
from terrarium_mcp.chat.records import MessageType, NewMessage
from terrarium_mcp.chat.voices import rules_on
from terrarium_mcp.logformats.decoding import decoded
from terrarium_mcp.logformats.detection import best_fit
from terrarium_mcp.logformats.entries import Boundary, LogEvent, Stamp
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.log_reader import DatedEvent, LogReader, RejectedLine
from terrarium_mcp.logformats.month_names import LANGUAGES, month_number, names_in
from terrarium_mcp.logformats.recordable import recordable

FORMATS = {one.name: one for one in TEXT_FORMATS}

PRIVMSG, NOTICE, ACTION = MessageType.PRIVMSG, MessageType.NOTICE, MessageType.ACTION
JOIN, PART, QUIT, NICK = MessageType.JOIN, MessageType.PART, MessageType.QUIT, MessageType.NICK
KICK, MODE, TOPIC = MessageType.KICK, MessageType.MODE, MessageType.TOPIC

LINES = [
    ("weechat", "2026-10-24 23:57:13\t@bob\thi", PRIVMSG, "bob", "hi"),
    ("weechat", "2026-10-24T21:57:13.123456Z\tbob\t<ada> hi", PRIVMSG, "bob", "<ada> hi"),
    ("weechat", "2026-10-24 23:57:13\t *\tbob waves", ACTION, "bob", "waves"),
    ("weechat", "2026-10-24 23:57:13\t--\tNotice(ada): psst", NOTICE, "ada", "psst"),
    ("weechat", "2026-10-24 23:57:13\t<--\tada has kicked bob (out)", KICK, "ada", "bob out"),
    ("irssi", "23:57 <@bob> hi", PRIVMSG, "bob", "hi"),
    ("irssi", "1792879033 <@bob> hi", PRIVMSG, "bob", "hi"),
    ("irssi", "1792879033 -!- ada [a@home] has quit [bye]", QUIT, "ada", "bye"),
    ("irssi", "23:57 -!- carl [c@h] has joined #tea", JOIN, "carl", ""),
    *(
        ("irssi", f"[23:57] == {body}", *event)
        for body, *event in (
            ("carl [~c@h] has joined #tea", JOIN, "carl", ""),
            ("carl [~c@h] has left #tea []", PART, "carl", ""),
            ("carl [~c@h] has quit [Quit: bye [now]]", QUIT, "carl", "Quit: bye [now]"),
            ("carl was kicked from #tea by ada [out]", KICK, "ada", "carl out"),
            ("carl is now known as carla", NICK, "carl", "carla"),
            ("carl has changed nick to carla", NICK, "carl", "carla"),
            ("mode/#tea [+o carl] by ada", MODE, "ada", "+o carl"),
            ("ada changed the topic of #tea to: cake", TOPIC, "ada", "cake"),
        )
    ),
    (
        "irssi",
        "23:57 -!- carl [c@h] has joined #tea [account carlacc] [realname Carl [C] Real]",
        JOIN,
        "carl",
        "",
    ),
    ("irssi", "23:57 -!- dan [d@h] has joined #tea [realname Dan Real]", JOIN, "dan", ""),
    ("irssi", "23:57 -!- dan [d@h] has joined #tea [realname ]", JOIN, "dan", ""),
    ("irssi", "23:57 -!- Netsplit a.net <-> b.net quits: @bob", QUIT, "bob", "a.net <-> b.net"),
    ("irssi", "23:57 -!- Netsplit over, joins: +bob", JOIN, "bob", ""),
    ("hexchat", "Oct 24 23:57:13 <@bob>\thi", PRIVMSG, "bob", "hi"),
    ("irssi", "2026-10-24T23:57:13 * bob waves", ACTION, "bob", "waves"),
    ("irssi", "2026-10-24T23:57:13 -ada-b- psst", NOTICE, "ada-b", "psst"),
    ("irssi", "23:57 -!- ServerMode/#tea [+nt] by irc.example", MODE, "irc.example", "+nt"),
    ("hexchat", "(23:57) *\tbob (b@h) has joined", JOIN, "bob", ""),
    ("hexchat", "1792879033 <bob>\thi", PRIVMSG, "bob", "hi"),
    ("kvirc", "2 [23:57:13] *bob* psst", NOTICE, "bob", "psst"),
    ("kvirc", "29 [23:57:13] *grace* the build is red", NOTICE, "grace", "the build is red"),
    ("limnoria", "2026-10-24T23:57:13.123456+00:00  <bob> hi", PRIVMSG, "bob", "hi"),
    ("limnoria", "2026-10-24 23:57:13  <bob> hi", PRIVMSG, "bob", "hi"),
    ("limnoria", "2026-10-24T23:57:13  *** bob changed the topic to tea", TOPIC, "bob", "tea"),
    ("weechat", "[2026-10-24 23:57:13]\tbob\thi", PRIVMSG, "bob", "hi"),
    *(
        ("botbot", f"{stamp} {body}", *event)
        for stamp in ("[23:57:13]", "2026-10-24T23:57:13")
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob joined the channel", JOIN, "bob", ""),
            ("* bob has left the channel", PART, "bob", ""),
            ("* bob has quit", QUIT, "bob", ""),
            ("* bob is now known as carl", NICK, "bob", "carl"),
            ("* bob waves", ACTION, "bob", "waves"),
        )
    ),
    ("eggdrop", "[23:57:13] tealeaf joined #tea.", JOIN, "tealeaf", ""),
    ("eggdrop", "[23:57:13] bob (b@h) joined #tea (with +o).", JOIN, "bob", ""),
    ("znc", "[23:57:13] <bob> ", PRIVMSG, "bob", ""),
    ("znc", "[23:57:13] *** Joins: bob (~bob@ )", JOIN, "bob", ""),
    ("znc", "[23:57:13] *** Quits: bob (~bob@ ) (bye)", QUIT, "bob", "bye"),
    ("znc", "[23:57:13] *** Joins: bob", JOIN, "bob", ""),
    ("znc", "[23:57:13] *** Parts: bob (bye)", PART, "bob", "bye"),
    ("znc", "[23:57:13] *** Quits: bob (Quit: ada@home)", QUIT, "bob", "Quit: ada@home"),
    ("znc", "[23:57:13] *** Joins bob", JOIN, "bob", ""),
    ("znc", "[23:57:13] *** Quits bob (bye)", QUIT, "bob", "bye"),
    ("znc", "[23:57:13] *** bob changes topic to 'it's 'on''", TOPIC, "bob", "it's 'on'"),
    ("hexchat", "Oct 24 23:57:13 *\tbob gives voice to ada", MODE, "bob", "+v ada"),
    (
        "hexchat",
        "Oct 24 23:57:13 *\tbob gives channel operator status to ada cid",
        MODE,
        "bob",
        "+oo ada cid",
    ),
    ("hexchat", "Oct 24 23:57:13 ---\tbob removes voice from a b c", MODE, "bob", "-vvv a b c"),
    (
        "hexchat",
        "Oct 24 23:57:13 *\tbob gives voice to his anger",
        ACTION,
        "bob",
        "gives voice to his anger",
    ),
    ("hexchat", "Oct 24 23:57:13 *   bob waves", ACTION, "bob", "waves"),
    ("hexchat", "Oct 24 23:57:13 *   bob (b@h) has joined #x", JOIN, "bob", ""),
    ("hexchat", "Oct 24 23:57:13 *   bob has quit (bye)", QUIT, "bob", "bye"),
    ("hexchat", "Oct 24 23:57:13 <--   bob (b@h) has left #x", PART, "bob", ""),
    ("hexchat", "Oct 24 23:57:13 *\tbob sets quiet on *!*@h", MODE, "bob", "+q *!*@h"),
    ("hexchat", "Oct 24 23:57:13 *\tbob removes quiet on *!*@h", MODE, "bob", "-q *!*@h"),
    ("hexchat", "Oct 24 23:57:13 ---\tbob sets invite on *!*@h", MODE, "bob", "+I *!*@h"),
    ("hexchat", "Oct 24 23:57:13 ---\tbob removes invite on *!*@h", MODE, "bob", "-I *!*@h"),
    ("hexchat", "Oct 24 23:57:13 *\tbob sets modes [#x +ov a b]", MODE, "bob", "+ov a b"),
    ("hexchat", "Oct 24 23:57:13 ---\tbob sets modes [#x -o a]", MODE, "bob", "-o a"),
    (
        "hexchat",
        "Oct 24 23:57:13 *\tbob is already in use of tea",
        ACTION,
        "bob",
        "is already in use of tea",
    ),
    ("hexchat", "Oct 24 23:57:13 *\tbob gives in", ACTION, "bob", "gives in"),
    ("hexchat", "Oct 24 23:57:13 *\tbob (b@h) vient de rentrer", JOIN, "bob", ""),
    ("hexchat", "Oct 24 23:57:13 *\tbob (b@h) a quitt\u00e9 le canal (fin)", PART, "bob", "fin"),
    ("hexchat", "Oct 24 23:57:13 *\tada a expuls\u00e9 bob de #x (non)", KICK, "ada", "bob non"),
    ("hexchat", "Oct 24 23:57:13 *\tbob (b@h) se ha unido", JOIN, "bob", ""),
    ("hexchat", "Oct 24 23:57:13 *\tbob (b@h) ha salido", PART, "bob", ""),
    ("hexchat", "Oct 24 23:57:13 *\tbob se ha marchado (fin)", QUIT, "bob", "fin"),
    ("hexchat", "Oct 24 23:57:13 *\tada ha expulsado a bob de #x (no)", KICK, "ada", "bob no"),
    ("hexchat", "Oct 24 23:57:13 *\tada ha cambiado el tema a: t", TOPIC, "ada", "t"),
    ("hexchat", "Dec 30 12:00:04 -->\tbob (n=bob@host) whatever #x", JOIN, "bob", ""),
    ("hexchat", "Dec 30 12:00:04 <--\tbob (n=bob@host) whatever #x", PART, "bob", ""),
    ("hexchat", "Dec 30 12:00:04 -->\tbob (n=bob@host) has joined #x", JOIN, "bob", ""),
    ("hexchat", "Dec 30 12:00:05 <--\tbob (n=bob@host) has left #x", PART, "bob", ""),
    ("hexchat", "Dec 30 12:00:05 <--\tbob (n=bob@host) has left #x (bye)", PART, "bob", "bye"),
    ("hexchat", "Dec 30 12:00:08 ---\tcarol is now known as carol_", NICK, "carol", "carol_"),
    ("hexchat", "Dec 30 12:00:10 <--\tdave has quit (bye (now))", QUIT, "dave", "bye (now)"),
    ("hexchat", "Dec 30 12:00:10 <--\tdave (~d@host) has quit (bye)", QUIT, "dave", "bye"),
    ("hexchat", "Oct 24 23:57:13 *\tdave (~d@host) has quit (bye)", QUIT, "dave", "bye"),
    ("hexchat", "Dec 30 12:00:10 <--\tada has kicked bob from #x (out)", KICK, "ada", "bob out"),
    ("hexchat", "Dec 30 12:00:10 ---\tada has changed the topic to: tea!", TOPIC, "ada", "tea!"),
    ("hexchat", "Dec 30 12:00:10 ---\tada gives voice to bob", MODE, "ada", "+v bob"),
    ("hexchat", "Dec 30 12:00:10 ---\tada sets mode +m #x", MODE, "ada", "+m"),
    ("hexchat", "Dec 30 12:00:10 ---\tada sets mode +f #x #y", MODE, "ada", "+f #y"),
    ("hexchat", "Dec 30 12:00:10 --b--\tpsst", NOTICE, "-b-", "psst"),
    ("hexchat", "[23:57] <bob>\thi", PRIVMSG, "bob", "hi"),
    ("hexchat", "[11:57:13 PM] <bob>\thi", PRIVMSG, "bob", "hi"),
    ("hexchat", "23:57 *\tbob waves", ACTION, "bob", "waves"),
    ("hexchat", "<bob>\thi", PRIVMSG, "bob", "hi"),
    *(
        ("hexchat", f"Oct 24 23:57:13 {body}", *event)
        for body, *event in (
            ("<@bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("-bob/#tea- psst", NOTICE, "bob", "psst"),
            ("-bob:#tea- psst", NOTICE, "bob", "psst"),
            ("* bob (~b@h) has joined", JOIN, "bob", ""),
            ("--> bob (~b@h) has joined #tea", JOIN, "bob", ""),
            ("* bob has quit (bye)", QUIT, "bob", "bye"),
            ("* Joins: bob (~b@h)", JOIN, "bob", ""),
            ("* Parts: bob (~b@h) (bye)", PART, "bob", "bye"),
            ("* Quits: bob (~b@h) (bye)", QUIT, "bob", "bye"),
            ("* bob was kicked by ada (out)", KICK, "ada", "bob out"),
            ("* bob sets mode: +o ada", MODE, "bob", "+o ada"),
            ("* bob changes topic to 'tea!'", TOPIC, "bob", "tea!"),
            ("--- bob is now known as b", NICK, "bob", "b"),
        )
    ),
    ("limnoria", "2026-10-24T23:57:13  <bob> hi", PRIVMSG, "bob", "hi"),
    ("limnoria", "2026-10-24T23:57:13  -ada-b- hi", NOTICE, "ada-b", "hi"),
    ("limnoria", "2026-10-24T23:57:13+0000  -bob- hi", NOTICE, "bob", "hi"),
    ("eggdrop", "[23:57:13] <bob> hi", PRIVMSG, "bob", "hi"),
    ("eggdrop", "[23:57:13] Action: bob waves", ACTION, "bob", "waves"),
    ("eggdrop", "[23:57] ada (a@home.example) joined #tea.", JOIN, "ada", ""),
    ("eggdrop", "[23:57] ada (a@home.example) left #tea (bye (now)).", PART, "ada", "bye (now)"),
    ("eggdrop", "[23:57] ada (a@home.example) left irc: bye", QUIT, "ada", "bye"),
    ("eggdrop", "[23:57] ada (a@home.example) got netsplit.", QUIT, "ada", ""),
    ("eggdrop", "[23:57] bob kicked from #tea by ada: out", KICK, "ada", "bob out"),
    ("eggdrop", "[23:57] Nick change: ada -> ada_", NICK, "ada", "ada_"),
    ("eggdrop", "[23:57] #tea: mode change '+o bob' by ada!a@home", MODE, "ada", "+o bob"),
    ("eggdrop", "[23:57] Topic changed on #tea by ada!a@home: tea!", TOPIC, "ada", "tea!"),
    ("eggdrop", "[23:57] -ada:#tea- psst", NOTICE, "ada", "psst"),
    ("thelounge", "[2026-10-24T21:57:13.123Z] <@bob> hi", PRIVMSG, "bob", "hi"),
    ("thelounge", "[2026-10-24T21:57:13.123Z] * +bob waves", ACTION, "bob", "waves"),
    ("thelounge", "[2026-10-24T21:57:13.123Z] *** ada (a@home) quit (bye)", QUIT, "ada", "bye"),
    ("thelounge", "[2026-10-24T21:57:13.123Z] *** ada changed nick to b", NICK, "ada", "b"),
    ("thelounge", "[2026-10-24T21:57:13.123Z] *** ada set mode +o bob", MODE, "ada", "+o bob"),
    ("thelounge", "[2026-10-24T21:57:13.123Z] -ada-b- psst", NOTICE, "ada-b", "psst"),
    ("textual", "[2026-10-24T23:57:13+0200] <@bob> hi", PRIVMSG, "bob", "hi"),
    ("textual", "[2026-10-24T23:57:13+0200] -ada-b- psst", NOTICE, "ada-b", "psst"),
    ("textual", "[2026-10-24T23:57:13+0200] \u2022 bob: waves", ACTION, "bob", "waves"),
    ("textual", "[2026-10-24T23:57:13+0200] ada (a@home) joined the channel.", JOIN, "ada", ""),
    ("textual", "[2026-10-24T23:57:13+0200] ada (a@home) left IRC. (bye)", QUIT, "ada", "bye"),
    ("textual", "[2026-10-24T23:57:13+0200] ada is now known as b", NICK, "ada", "b"),
    *(
        ("textual", f"[23:57:13] {body}", *event)
        for body, *event in (
            ("<@bob> hi", PRIVMSG, "bob", "hi"),
            ("@bob: hi", PRIVMSG, "bob", "hi"),
            ("bob: ada: hi", PRIVMSG, "bob", "ada: hi"),
            ("\u2022 bob: waves", ACTION, "bob", "waves"),
            ("\u2022 bob waves", ACTION, "bob", "waves"),
            (" <@bob>\thi", PRIVMSG, "bob", "hi"),
            ("\tada (a@home) joined the channel", JOIN, "ada", ""),
            ("\tada (a@home) left IRC (bye)", QUIT, "ada", "bye"),
            ("ada (a@home) joined the channel.", JOIN, "ada", ""),
            ("ada (a@home) left the channel. (bye: now)", PART, "ada", "bye: now"),
        )
    ),
    *(
        ("catgirl", f"[2026-10-24T23:57:13+0200] {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("-ada-b- psst", NOTICE, "ada-b", "psst"),
            ("ada arrives in #tea", JOIN, "ada", ""),
            ("ada leaves #tea", PART, "ada", ""),
            ("ada leaves #te:a: bye: now", PART, "ada", "bye: now"),
            ("ada leaves", QUIT, "ada", ""),
            ("ada leaves: Ping timeout: 240 seconds", QUIT, "ada", "Ping timeout: 240 seconds"),
            ("ada kicks bob out of #tea", KICK, "ada", "bob"),
            ("ada kicks bob out of #tea: out: now", KICK, "ada", "bob out: now"),
            ("ada is now known as b", NICK, "ada", "b"),
            ("ada places a new sign in #tea: tea: at four", TOPIC, "ada", "tea: at four"),
            ("ada removes the sign in #tea", TOPIC, "ada", ""),
            ("ada sets @bob +o operator in #tea", MODE, "ada", "+o bob"),
            ("ada unsets +bob -v voice in #tea", MODE, "ada", "-v bob"),
            ("ada sets !bob +Y in #tea", MODE, "ada", "+Y bob"),
            ("ada bans +b *!*@spam.example from #tea", MODE, "ada", "+b *!*@spam.example"),
            ("ada unbans -b *!*@spam.example from #tea", MODE, "ada", "-b *!*@spam.example"),
            ("ada adds *!*@home to the #tea +e except list", MODE, "ada", "+e *!*@home"),
            ("ada removes $a:bob from the #tea -q founder list", MODE, "ada", "-q $a:bob"),
            ("ada sets #tea +k key sekrit", MODE, "ada", "+k sekrit"),
            ("ada sets #tea +l client limit 23", MODE, "ada", "+l 23"),
            ("ada sets #tea +f 5:10", MODE, "ada", "+f 5:10"),
            ("ada unsets #tea -l client limit", MODE, "ada", "-l"),
            ("ada sets #tea +t protected topic", MODE, "ada", "+t"),
        )
    ),
    ("energymech", "[Oct 24 2026 23:57:13] <bob> hi", PRIVMSG, "bob", "hi"),
    ("energymech", "[Oct  4 2026 23:57:13] *** Joins: ada (a@home)", JOIN, "ada", ""),
    ("energymech", '[Oct 24 2026 23:57:13] *** ada changes topic to "t"', TOPIC, "ada", "t"),
    ("energymech", "[Oct 24 2026 23:57:13] -ada-b- psst", NOTICE, "ada-b", "psst"),
    ("ii", "1792879033 <bob> hi", PRIVMSG, "bob", "hi"),
    ("ii", "1792879033 <bob> \x01ACTION waves\x01", ACTION, "bob", "waves"),
    ("ii", "1792879033 -!- ada(a@home) has joined #tea", JOIN, "ada", ""),
    ("ii", "1792879033 -!- ada changed nick to b", NICK, "ada", "b"),
    ("ii", "2026-10-24 23:57 <bob> hi", PRIVMSG, "bob", "hi"),
    ("ii", "2026-10-24 23:57 -!- ada(~a@home) has left #tea", PART, "ada", ""),
    ("ii", '2026-10-24 23:57 -!- ada kicked bob ("out")', KICK, "ada", "bob out"),
    (
        "ii",
        '1792969147 -!- ada kicked |pipe|  ("out (you) go")',
        KICK,
        "ada",
        "|pipe| out (you) go",
    ),
    *(
        ("rcirc", f"23:57 {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("[bob waves]", ACTION, "bob", "waves"),
            ("-ada-b- psst", NOTICE, "ada-b", "psst"),
            ("*** ada JOIN ", JOIN, "ada", ""),
            ("*** ada PART #tea bye now", PART, "ada", "bye now"),
            ("*** ada PART #tea ", PART, "ada", ""),
            ("*** ada QUIT Ping timeout: 240 seconds", QUIT, "ada", "Ping timeout: 240 seconds"),
            ("*** ada KICK bob #tea out", KICK, "ada", "bob out"),
            ("*** ada NICK b", NICK, "ada", "b"),
            ("*** ada MODE +o bob", MODE, "ada", "+o bob"),
            ("*** ada TOPIC tea!", TOPIC, "ada", "tea!"),
        )
    ),
    ("rcirc", "2026-10-24 23:57 <bob> hi", PRIVMSG, "bob", "hi"),
    *(
        ("rbot", f"[2026/10/24 23:57:13] {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("<bob(~b@home)> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("* bob(~b@home) waves", ACTION, "bob", "waves"),
            ("-ada-b- psst", NOTICE, "ada-b", "psst"),
            ("-ada(~a@home)- psst", NOTICE, "ada", "psst"),
            ("@ ada joined channel #tea", JOIN, "ada", ""),
            ("@ ada left channel #tea (bye (now))", PART, "ada", "bye (now)"),
            ("@ Quit: ada: Ping timeout: 240 seconds", QUIT, "ada", "Ping timeout: 240 seconds"),
            ("@ bob has been kicked from #tea by ada (out)", KICK, "ada", "bob out"),
            ("@ ada is now known as b", NICK, "ada", "b"),
            ("@ Mode +o bob by ada", MODE, "ada", "+o bob"),
            ('@ ada set topic "tea "at" four"', TOPIC, "ada", 'tea "at" four'),
        )
    ),
    *(
        ("limechat", f"{stamp} {body}", *event)
        for stamp in ("23:57", "23:57:13")
        for body, *event in (
            ("bob: ada: hi", PRIVMSG, "bob", "ada: hi"),
            ("ada has joined (~a@home)", JOIN, "ada", ""),
            ("ada has left (bye: now)", PART, "ada", "bye: now"),
            ("ada has left IRC (Quit: bye)", QUIT, "ada", "Quit: bye"),
            ("ada has kicked bob (out)", KICK, "ada", "bob out"),
            ("ada is now known as b", NICK, "ada", "b"),
            ("ada has changed mode: +o bob", MODE, "ada", "+o bob"),
            ("ada has set topic: tea: now", TOPIC, "ada", "tea: now"),
        )
    ),
    *(
        ("convos", f"2026-10-24T23:57:13 {flags}{body}", *event)
        for flags in ("", "0 ", "1 ", "? ")
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("-ada-b- psst", NOTICE, "ada-b", "psst"),
            ("-!- ada kicked bob. out. now", KICK, "ada", "bob out. now"),
            ("-!- ada changed nick to b", NICK, "ada", "b"),
            ("-!- ada parted. bye", PART, "ada", "bye"),
        )
    ),
    *(
        ("circe", f"[23:57:13] {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("> hi", PRIVMSG, "", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("-ada-b- psst", NOTICE, "ada-b", "psst"),
            ("*** Join: ada (~a@home)", JOIN, "ada", ""),
            ("*** Part: ada (~a@home) left #tea: bye: now", PART, "ada", "bye: now"),
            ("*** Quit: ada (~a@home) left #tea: Quit: bye", QUIT, "ada", "Quit: bye"),
            ("*** Quit: ada (~a@home) left IRC: bye", QUIT, "ada", "bye"),
            ("*** Kick: bob kicked by ada: out", KICK, "ada", "bob out"),
            ("*** Nick change: ada (~a@home) is now known as b", NICK, "ada", "b"),
            ("*** Mode change: +o bob on #tea by ada (~a@home)", MODE, "ada", "+o bob"),
            ("*** Topic change by ada (~a@home): tea!", TOPIC, "ada", "tea!"),
        )
    ),
    *(
        ("ircii", f"[23:57] {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("-ada:#tea- psst", NOTICE, "ada", "psst"),
            ("*** ada (~a@home) has joined channel #tea", JOIN, "ada", ""),
            ("*** ada has left channel #tea", PART, "ada", ""),
            ("*** ada has left channel #tea because (bye)", PART, "ada", "bye"),
            ("*** ada (~a@home) has left channel #tea: bye", PART, "ada", "bye"),
            ("*** Signoff: ada (bye (now))", QUIT, "ada", "bye (now)"),
            ("*** ada (~a@home) has quit: bye", QUIT, "ada", "bye"),
            ("*** bob has been kicked off channel #tea by ada (out)", KICK, "ada", "bob out"),
            ("*** ada (~a@home) has kicked bob off channel #tea: out", KICK, "ada", "bob out"),
            ("*** ada is now known as b", NICK, "ada", "b"),
            ("*** ada (~a@home) is now known as b", NICK, "ada", "b"),
            ('*** Mode change "+o bob" on channel #tea by ada', MODE, "ada", "+o bob"),
            ("*** ada (~a@home) has changed mode for #tea to +o bob", MODE, "ada", "+o bob"),
            ("*** ada has changed the topic on channel #tea to tea!", TOPIC, "ada", "tea!"),
            ('*** ada (~a@home) has set the topic for #tea: "tea!"', TOPIC, "ada", "tea!"),
        )
    ),
    *(
        ("ircii", f"{stamp}{mark} {body}", *event)
        for stamp in ("[23:57] ", "")
        for mark in ("-:-", "***")  # of BitchX
        for body, *event in (
            ("ada [~a@home] has joined #tea", JOIN, "ada", ""),
            ("ada [~a@home] has left #tea [bye]", PART, "ada", "bye"),
            ("ada [~a@home] has left #tea", PART, "ada", ""),
            ("SignOff ada: #tea (bye (now))", QUIT, "ada", "bye (now)"),
            ("SignOff: ada (bye)", QUIT, "ada", "bye"),
            ("bob was kicked off #tea by ada (out)", KICK, "ada", "bob out"),
            ("ada is now known as b", NICK, "ada", "b"),
            ("You(ada) are now known as b", NICK, "ada", "b"),
            ("mode/#tea [+o bob] by ada", MODE, "ada", "+o bob"),
            ("ServerMode/#tea [+nt] by irc.example", MODE, "irc.example", "+nt"),
            ("Topic (#tea): changed by ada: tea: now", TOPIC, "ada", "tea: now"),
            ("Topic (#tea): unset by ada", TOPIC, "ada", ""),
        )
    ),
    *(
        ("thelounge-2", f"[2026-10-24 23:57:13] {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob action waves", ACTION, "bob", "waves"),
            ("* bob notice psst", NOTICE, "bob", "psst"),
            ("* ada (~a@home) join", JOIN, "ada", ""),
            ("* ada join", JOIN, "ada", ""),
            ("* ada (~a@home) part bye now", PART, "ada", "bye now"),
            ("* ada (~a@home) quit Quit: bye", QUIT, "ada", "Quit: bye"),
            ("* ada quit", QUIT, "ada", ""),
            ("* ada nick b", NICK, "ada", "b"),
            ("* ada mode +o bob", MODE, "ada", "+o bob"),
            ("* ada topic tea!", TOPIC, "ada", "tea!"),
        )
    ),
    ("ircii", "<bob> hi", PRIVMSG, "bob", "hi"),
    ("ircii", "11:57pm <bob> hi", PRIVMSG, "bob", "hi"),
    ("ircii", "> hi", PRIVMSG, "", "hi"),
    ("ircii", "11:39:23 #tea> hi -> you", PRIVMSG, "", "hi -> you"),
    ("ircii", "11:39:23 -#tea-> psst", NOTICE, "", "psst"),
    ("ircii", "11:39:23 <bob> #tea> hi", PRIVMSG, "bob", "#tea> hi"),
    *(
        ("quassel-text", f"[23:57:13] {body}", *event)
        for body, *event in (
            ("<@bob> hi", PRIVMSG, "bob", "hi"),
            ("-*- bob waves", ACTION, "bob", "waves"),
            ("[bob] psst", NOTICE, "bob", "psst"),
            ("--> ada (~a@home) has joined #tea", JOIN, "ada", ""),
            ("<-- ada (~a@home) has left #tea (bye)", PART, "ada", "bye"),
            ("<-- ada (~a@home) has quit (Quit: bye)", QUIT, "ada", "Quit: bye"),
            ("<-* ada has kicked bob from #tea (out)", KICK, "ada", "bob out"),
            ("<-> ada is now known as b", NICK, "ada", "b"),
            ("*** Mode #tea +o bob by ada", MODE, "ada", "+o bob"),
            ('* ada has changed topic for #tea to: "tea!"', TOPIC, "ada", "tea!"),
            ("--> ada (~a@home) hat #tea betreten", JOIN, "ada", ""),
            ("<-- ada (~a@home) hat #tea verlassen (bis #bald)", PART, "ada", "bis #bald"),
            ("<-- ada (~a@home) hat das Netzwerk verlassen (bis #bald)", QUIT, "ada", "bis #bald"),
            ("*** Modus #tea +ov bob cid durch ada", MODE, "ada", "+ov bob cid"),
        )
    ),
    ("quassel-text", "(23:57:13) <@bob> hi", PRIVMSG, "bob", "hi"),
    *(
        ("konversation-text", f"[23:57] {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("--> ada has joined this channel (~a@home).", JOIN, "ada", ""),
            ('<-- ada has left this channel ("bye").', PART, "ada", '"bye"'),
            ("<-- ada has left this channel.", PART, "ada", ""),
            ("<-- ada has left this server (bye (now)).", QUIT, "ada", "bye (now)"),
            ("--> ada (~a@home) hat diesen Kanal betreten.", JOIN, "ada", ""),
            ("--> ada a rejoint ce canal (~a@home).", JOIN, "ada", ""),
            ("<-- ada (~a@home) hat diesen Kanal verlassen (bis dann).", PART, "ada", "bis dann"),
            ("<-- ada (~a@home) hat diesen Server verlassen.", PART, "ada", ""),
            ("*** ada is now known as b.", NICK, "ada", "b"),
            ('*** ada sets the channel topic to "tea!".', TOPIC, "ada", "tea!"),
            ("*** ada gives channel operator privileges to bob.", MODE, "ada", "+o bob"),
        )
    ),
    ("weechat", "2026-10-24T23:57:13+0200\tbob\thi", PRIVMSG, "bob", "hi"),
    ("weechat", "2026 Oct 24 23:57\tbob\thi", PRIVMSG, "bob", "hi"),
    ("weechat", "2026/10/24 23:57:13\tbob\thi", PRIVMSG, "bob", "hi"),
    ("weechat", "23:57:13\tbob\thi", PRIVMSG, "bob", "hi"),
    ("irssi", "2026-10-24T23:57:13+0200 <@bob> hi", PRIVMSG, "bob", "hi"),
    ("irssi", "2026-10-24T21:57:13Z  * bob waves", ACTION, "bob", "waves"),
    *(
        ("konversation", f"[Saturday, October 24, 2026] [11:57:13 PM CEST] {body}", *event)
        for body, *event in (
            ("<bob>\thi", PRIVMSG, "bob", "hi"),
            ("\t * bob waves", ACTION, "bob", "waves"),
            ("Join\tada has joined this channel (~a@home).", JOIN, "ada", ""),
            ("Notice\t-bob to #tea- psst", NOTICE, "bob", "psst"),
            ("Join\tada (~a@home) has joined this channel.", JOIN, "ada", ""),
            ("Join\tada has joined this channel. (home)", JOIN, "ada", ""),
            ("Part\tada (~a@home) has left this channel (bye).", PART, "ada", "bye"),
            ("Quit\tada (~a@home) has left this server.", QUIT, "ada", ""),
            ("Part\tada has left this channel.", PART, "ada", ""),
            ("Part\tada has left this channel (bye (now)).", PART, "ada", "bye (now)"),
            ("Quit\tada has left this server (bye).", QUIT, "ada", "bye"),
            ("Nick\tada is now known as b.", NICK, "ada", "b"),
            ("Nick\tYou are now known as b.", NICK, "", "b"),
            ("Kick\tbob has been kicked from the channel by ada.", KICK, "ada", "bob"),
            ("Kick\tbob has been kicked from the channel by ada (out).", KICK, "ada", "bob out"),
            ('Topic\tada sets the channel topic to "tea!".', TOPIC, "ada", "tea!"),
            ("Mode\tada gives channel operator privileges to bob.", MODE, "ada", "+o bob"),
            ("Mode\tada takes channel owner privileges from bob.", MODE, "ada", "-q bob"),
        )
    ),
    *(
        ("irccloud", f"[2026-10-24 23:57:13] {body}", *event)
        for body, *event in (
            ("<@bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("\u2014 bob waves", ACTION, "bob", "waves"),
            ("-ada-b- psst", NOTICE, "ada-b", "psst"),
            ("* ada \u2192 b", NICK, "ada", "b"),
            ("\u2192 ada joined (~a@home)", JOIN, "ada", ""),
            ("\u2190 ada left (~a@home)", PART, "ada", ""),
            ("\u2190 ada left (~a@home): bye (now)", PART, "ada", "bye (now)"),
            ("\u21d0 ada quit (~a@home): bye", QUIT, "ada", "bye"),
            ("\u2014 ada is now known as b", NICK, "ada", "b"),
            ("* bob was kicked by ada (out)", KICK, "ada", "bob out"),
            ("* ada set the topic to [tea!]", TOPIC, "ada", "tea!"),
            ("* ada set the topic to: tea!", TOPIC, "ada", "tea!"),
            ("* ada set +o bob", MODE, "ada", "+o bob"),
        )
    ),
    *(
        ("chatzilla", f"[2026-10-24 23:57:13] {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("-ada-b- psst", NOTICE, "ada-b", "psst"),
            ("-->| ada (~a@home) has joined #tea", JOIN, "ada", ""),
            ("<--| ada has left #tea", PART, "ada", ""),
            ("<--| ada has left #tea (bye (now))", PART, "ada", "bye (now)"),
            ("<--| bob was booted from #tea by ada (out)", KICK, "ada", "bob out"),
            ("|<-- ada has left irc.example.org (bye)", QUIT, "ada", "bye"),
            ("=-= ada has changed the topic to ``it's tea''", TOPIC, "ada", "it's tea"),
            ("=-= ada is now known as b", NICK, "ada", "b"),
            ("=-= Mode #tea +o bob by ada", MODE, "ada", "+o bob"),
            ("=-= ada has changed the topic to \u201ctea!\u201d", TOPIC, "ada", "tea!"),
        )
    ),
    *(
        ("kvirc", f"{stamp}{body}", *event)
        for stamp in (
            "[23:57:13] ",
            "24 [23:57:13] ",
            "2026-10-24T23:57:13",
            "24 2026-10-24T23:57:13.042 ",
            "24 2026-10-24T23:57:13Z ",
        )
        for body, *event in (
            ("<@bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("ada [~a@home] has joined #tea", JOIN, "ada", ""),
            ("ada [~a@home] has left #tea: bye", PART, "ada", "bye"),
            ("ada [~a@home] has quit IRC: bye", QUIT, "ada", "bye"),
            ("ada [~a@home] is now known as b", NICK, "ada", "b"),
            ("bob [b@h] has been kicked from #tea by ada [~a@home]: out", KICK, "ada", "bob out"),
            ('ada [~a@home] has changed topic to "tea!"', TOPIC, "ada", "tea!"),
        )
    ),
    *(
        ("kvirc", f"{number} {stamp}{body}", ACTION, *event)
        for number in (32, 145, 146, 147, 2)
        for stamp in ("[23:57:13] ", "2026-10-24T23:57:13", "2026-10-24T23:57:13.042 ")
        for body, *event in (
            ("bob waves", "bob", "waves"),
            ("[bob] ada [~a@home] has joined #tea", "[bob]", "ada [~a@home] has joined #tea"),
            ("ada [~a@home] has quit IRC: bye", "ada", "[~a@home] has quit IRC: bye"),
        )
    ),
    ("kvirc", "2 [23:57:13] <@bob> ada: hi", PRIVMSG, "bob", "ada: hi"),
    *(
        ("bip", f"24-10-2026 23:57:13 {body}", *event)
        for body, *event in (
            ("< bob!~b@home: hi", PRIVMSG, "bob", "hi"),
            ("> bob: hi: there", PRIVMSG, "bob", "hi: there"),
            ("< * bob!~b@home waves", ACTION, "bob", "waves"),
            ("-!- ada!~a@home has joined #tea", JOIN, "ada", ""),
            ("-!- ada!~a@home has left #tea [bye]", PART, "ada", "bye"),
            ("-!- ada!~a@home has left #tea", PART, "ada", ""),
            ("-!- ada!~a@home has quit [bye]", QUIT, "ada", "bye"),
            ("-!- ada!~a@home is now known as b", NICK, "ada", "b"),
            ("-!- bob has been kicked by ada!~a@home [out]", KICK, "ada", "bob out"),
            ("-!- ada!~a@home changed topic of #tea to: tea!", TOPIC, "ada", "tea!"),
            ("-!- mode/#tea [+o bob] by ada!~a@home", MODE, "ada", "+o bob"),
            # Genuine ones:
            ("< ada!~ada@127.0.0.1: <bob> hi", PRIVMSG, "ada", "<bob> hi"),
            ("< |pipe|!~pipe@127.0.0.1: -!- x", PRIVMSG, "|pipe|", "-!- x"),
            ("< * cat`^_!~cat@127.0.0.1 : x", ACTION, "cat`^_", ": x"),
            ("< * |pipe|!~pipe@127.0.0.1 ", ACTION, "|pipe|", ""),
            ("-!- bob[away]!~bobaway@127.0.0.1 has left #tea []", PART, "bob[away]", ""),
            ("-!- z-e-d is now known as zed|gone", NICK, "z-e-d", "zed|gone"),
            ("-!- ada!~ada@127.0.0.1 changed topic of #tea to: ", TOPIC, "ada", ""),
            ("-!- mode/#tea [+o bob[away]] by ada!~ada@127.0.0.1", MODE, "ada", "+o bob[away]"),
            ("-!- z-e-d has been kicked by ada!~ada@127.0.0.1 []", KICK, "ada", "z-e-d"),
        )
    ),
    *(
        ("srain", f"[23:57:13] {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("<ada*> hi", PRIVMSG, "ada", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("= bob has joined", JOIN, "bob", ""),
            ("= bob has left", PART, "bob", ""),
            ("= bob has left: bye", PART, "bob", "bye"),
            ("= bob has quit: bye: now", QUIT, "bob", "bye: now"),
            ("= bob is now known as b", NICK, "bob", "b"),
            ("= mode #tea +o bob  by ada", MODE, "ada", "+o bob"),
            ("! bob are kicked by ada: out", KICK, "ada", "bob out"),
        )
    ),
    ("tiny", "[23:57:13] ada: hi: bob", PRIVMSG, "ada", "hi: bob"),
    ("tiny", "[23:57:13] ada joined the channel.", JOIN, "ada", ""),
    ("tiny", "[23:57:13] ada left.", PART, "ada", ""),
    ("tiny", "[23:57:13] ada is now known as b.", NICK, "ada", "b"),
    ("twisted", "[23:57:13] <bob> hi", PRIVMSG, "bob", "hi"),
    ("twisted", "[23:57:13] * bob waves", ACTION, "bob", "waves"),
    ("twisted", "[23:57:13] ada is now known as b", NICK, "ada", "b"),
    *(
        ("tunes", f"23:57:13 {body}", *event)
        for body, *event in (
            ("<bob> hi", PRIVMSG, "bob", "hi"),
            ("* bob waves", ACTION, "bob", "waves"),
            ("--- join: ada (~a@home) joined #tea", JOIN, "ada", ""),
            ("--- part: ada left #tea", PART, "ada", ""),
            ("--- quit: ada (bye)", QUIT, "ada", "bye"),
            ("--- nick: ada -> b", NICK, "ada", "b"),
            ("--- kick: bob was kicked by ada (out)", KICK, "ada", "bob out"),
            ("--- mode: ada set +o bob", MODE, "ada", "+o bob"),
        )
    ),
    *(
        ("pidgin", f"{stamp} {body}", *event)
        for stamp in ("(23:57:13)", "(11:57:13 PM)", "(2026-10-24 23:57:13)")
        for body, *event in (
            ("bob: hi: there", PRIVMSG, "bob", "hi: there"),
            ("bob: use <b>, not &lt;b&gt;", PRIVMSG, "bob", "use <b>, not &lt;b&gt;"),
            ("bob: (notice) psst", NOTICE, "bob", "psst"),
            ("***bob waves", ACTION, "bob", "waves"),
            ("ada [~a@home] entered the room.", JOIN, "ada", ""),
            ("ada left the room.", PART, "ada", ""),
            ("ada left the room (bye (now)).", PART, "ada", "bye (now)"),
            ("ada left the room (quit: bye).", QUIT, "ada", "bye"),
            ("ada [~a@home] hat den Raum betreten.", JOIN, "ada", ""),
            ("ada hat den Raum verlassen (quit: bye).", QUIT, "ada", "bye"),
            ("Modus (+o bob) von ada", MODE, "ada", "+o bob"),
            ("bob left the room (Kicked by ada (out)).", KICK, "ada", "bob out"),
            ("ada is now known as b", NICK, "ada", "b"),
            ("mode (+o bob) by ada", MODE, "ada", "+o bob"),
            ("mode (-l ) by ada", MODE, "ada", "-l"),
            ("#tea: mode (+k cup) by ada", MODE, "ada", "+k cup"),
            ("#tea: mode (+nt ) by ada", MODE, "ada", "+nt"),
            ("ada!~a@home: ada has changed the topic to: tea!", TOPIC, "ada", "tea!"),
            ("ada!~a@home: ada has cleared the topic.", TOPIC, "ada", ""),
            ("ada: ada has cleared the topic.", PRIVMSG, "ada", "ada has cleared the topic."),
            ("ada has changed the topic to: tea!", TOPIC, "ada", "tea!"),
            ("ada has cleared the topic.", TOPIC, "ada", ""),
            *(
                (f"ada: {said}", PRIVMSG, "ada", said)
                for said in (
                    "Received CTCP 'VERSION' (to #tea) from bob",
                    "Received CTCP 'VERSION' (to #tea) from ada again",
                )
            ),
        )
    ),
    *(
        ("pidgin", f'<font color="#A82F2F"><font size="2">(23:57:13)</font> {body}<br/>', *event)
        for body, *event in (
            ("<b>bob:</b></font> hi &lt;ada&gt; &amp; all", PRIVMSG, "bob", "hi <ada> & all"),
            ("<b>***bob</b></font> waves", ACTION, "bob", "waves"),
            (
                "<b>bob:</b></font> <a href='http://a.b/'>http://a.b/</a>",
                PRIVMSG,
                "bob",
                "http://a.b/",
            ),
        )
    ),
    (
        "pidgin",
        '<font size="2">(23:57:13)</font><b> ada [<em>~a@home</em>] entered the room.</b><br/>',
        JOIN,
        "ada",
        "",
    ),
    ("ubuntu", "[23:57] <bob> hi", PRIVMSG, "bob", "hi"),
    ("ubuntu", "[23:57]  * bob waves", ACTION, "bob", "waves"),
    ("ubuntu", "[23:57] -bob:#tea- psst", NOTICE, "bob", "psst"),
    ("ubuntu", "=== ada [~a@home]  has joined #tea", JOIN, "ada", ""),
    ("ubuntu", '=== ada [~a@home]  has left #tea ["bye"]', PART, "ada", "bye"),
    ("ubuntu", "=== ada [~a@home]  has left #tea []", PART, "ada", ""),
    ("ubuntu", "=== ada [~a@home]  has quit [bye]", QUIT, "ada", "bye"),
    ("ubuntu", "=== ada is now known as b", NICK, "ada", "b"),
    ("ubuntu", "=== ada[1]  is now known as b]", NICK, "ada[1]", "b]"),
    ("ubuntu", "=== ada[1]  [~a@home]  has joined #tea", JOIN, "ada[1]", ""),
    ("ubuntu", "=== ada[1]  nods", ACTION, "ada[1]", "nods"),
    ("ubuntu", "=== bob was kicked off #tea by ada (out)", KICK, "ada", "bob out"),
    ("ubuntu", "=== a[1]  was kicked off #tea by b[2]  (out)", KICK, "b[2]", "a[1] out"),
    ("ubuntu", "=== mode/#tea [+o bob]  by ada", MODE, "ada", "+o bob"),
    ("ubuntu", "=== mode/#tea [+o bob[1] ]  by ada[1] ", MODE, "ada[1]", "+o bob[1]"),
    ("ubuntu", "=== ada changed the topic of #tea to: cake", TOPIC, "ada", "cake"),
    ("ubuntu", "=== ada[1]  changed the topic of #tea to: cake", TOPIC, "ada[1]", "cake"),
    ("ubuntu", "=== ..[topic/#tea:ada] : cake", TOPIC, "ada", "cake"),
    ("ubuntu", "=== ..[topic/#tea:ada[1] ] : cake", TOPIC, "ada[1]", "cake"),
    ("ubuntu", "=== bob is fond of [tea@home]", ACTION, "bob", "is fond of [tea@home]"),
    ("mirc", "[23:57] <@bob> hi", PRIVMSG, "bob", "hi"),
    ("mirc", "[11:57pm] * bob waves", ACTION, "bob", "waves"),
    ("mirc", "[23:57:13] * ada (a@home) has joined #tea", JOIN, "ada", ""),
    ("mirc", "[23:57] * Joins: ada (a@home)", JOIN, "ada", ""),
    ("mirc", "\x0302[23:57] * ada (a@home) Quit (bye)", QUIT, "ada", "bye"),
    ("mirc", "[23:57] \x0302* ada (a@home) Quit (bye)\x03", QUIT, "ada", "bye"),
    ("mirc", "[23:57] * ada has quit IRC (bye)", QUIT, "ada", "bye"),
    ("mirc", "[23:57] * ada has quit (bye)", QUIT, "ada", "bye"),
    ("mirc", "[23:57] * ada has quit smoking", ACTION, "ada", "has quit smoking"),
    ("mirc", "[23:57] * ada sets mode: +o bob", MODE, "ada", "+o bob"),
    ("mirc", "[23:57] * bob was kicked by ada (out)", KICK, "ada", "bob out"),
    ("mirc", "<bob> no stamp", PRIVMSG, "bob", "no stamp"),
    ("mirc", "\x0301[23:57] <\x0303@bob\x0f> hi", PRIVMSG, "bob", "hi"),
    ("mirc", "[23:57] <\x034,12bob\x03> \x0313hi", PRIVMSG, "bob", "\x0313hi"),
    ("mirc", "01[23:57] <@bob> hi", PRIVMSG, "bob", "hi"),
    ("mirc", "06[23:57] * bob waves", ACTION, "bob", "waves"),
    ("mirc", "[23:57] ** bob waves", ACTION, "bob", "waves"),
    ("mirc", "[23:57] *** bob sets mode: +o ada", MODE, "bob", "+o ada"),
    ("mirc", "[23:57] *** ada has joined #tea", JOIN, "ada", ""),
    ("mirc", "[23:57] *** ada joined", JOIN, "ada", ""),
    ("mirc", "[23:57] * ada joined", ACTION, "ada", "joined"),
    ("mirc", "[23:57] *** ada left", PART, "ada", ""),
    ("mirc", "[23:57] *** ada changes topic to: tea!", TOPIC, "ada", "tea!"),
    ("mirc", "[23:57] * @ada has left #tea", PART, "ada", ""),
    ("mirc", "[23:57] * ada has left #tea (bye)", PART, "ada", "bye"),
    ("mirc", "[23:57] * ada has left the building", ACTION, "ada", "has left the building"),
    ("mirc", "[23:57] -bob:@#tea- psst", NOTICE, "bob", "psst"),
    ("irssi", "23:57 -!- mode/#tea [+oo a b] by bob, cid", MODE, "bob", "+oo a b"),
    ("weechat", "2026-10-24 23:57:13\t<--\tada has kicked bob", KICK, "ada", "bob"),
    ("irssi", "23:57 -!- bob was kicked from #tea by ada []", KICK, "ada", "bob"),
    ("eggdrop", "[23:57] bob kicked from #tea by ada:", KICK, "ada", "bob"),
    ("limnoria", "2026-10-24T23:57:13  *** bob has joined #tea", JOIN, "bob", ""),
    ("limnoria", "2026-10-24T23:57:13  *** bob has left #tea", PART, "bob", ""),
    ("limnoria", "2026-10-24T23:57:13  *** bob has quit IRC", QUIT, "bob", ""),
]


def events_of(name: str, text: str) -> tuple[LogEvent, ...]:
    line = FORMATS[name].read(text)
    assert line, text
    return line.events


@pytest.mark.parametrize("name", sorted({name for name, *_ in LINES}))
def test_a_line_says_who_what_and_how(name: str) -> None:
    for _, text, kind, nick, said in [line for line in LINES if line[0] == name]:
        (event,) = events_of(name, text)
        assert (event.kind, event.nick, event.text) == (kind, nick, said), text


def test_a_forged_line_inside_a_message_remains_a_message() -> None:
    for name, begin in [
        ("weechat", "2026-10-24 23:57:13\tbob\t"),
        ("irssi", "23:57 < bob> "),
        ("znc", "[23:57:13] <bob> "),
        ("mirc", "[23:57] <bob> "),
    ]:
        for forged in (
            "[12:34:56] <alice> hi",
            "--- Day changed Sun Oct 25 2026",
            "*** Quits: alice (a@b) (x)",
            "-!- alice [a@b] has quit [x]",
            "Session Close: Sun Oct 25 02:59:43 2026",
        ):
            (event,) = events_of(name, begin + forged)
            assert (event.kind, event.nick, event.text) == (PRIVMSG, "bob", forged)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "tiny",
            [
                "*** Logging started at 2026-10-24 23:57:00",
                "[23:57:13] ada: one",
                "[00:02:13] ada: two",
                "*** Logging ended at 2026-10-25 00:03:00",
                "*** Logging started at 2026-10-31 09:00:00",
                "[09:00:13] ada: three",
            ],
        ),
        (
            "twisted",
            [
                "[23:57:00] [connected at Sat Oct 24 23:57:00 2026]",
                "[23:57:01] [I have joined #tea]",
                "[23:57:13] <ada> one",
                "[00:02:13] <ada> two",
                "[00:03:00] [disconnected at Sun Oct 25 00:03:00 2026]",
                "[09:00:00] [connected at Sat Oct 31 09:00:00 2026]",
                "[09:00:13] <ada> three",
            ],
        ),
    ],
)
def test_a_log_that_says_when_it_was_begun_needs_no_day(name: str, lines: list[str]) -> None:
    reader = LogReader(FORMATS[name], UTC, channel="#tea")
    items = reader.read(line.encode() for line in lines)
    assert [
        (f"{item.said_at:%m-%d}", item.event.text) for item in items if isinstance(item, DatedEvent)
    ] == [("10-24", "one"), ("10-25", "two"), ("10-31", "three")]
    assert reader.counts.rejected == 0


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("irssi", "1792879033 <@ada!~a@home.example> hi"),
        ("irssi", "1792879033 -ada!~a@home.example- hi"),
        ("znc", "[23:57:13] * ada!~a@home.example hi"),
        ("limnoria", "2026-10-24T23:57:13  <ada!~a@home.example> hi"),
    ],
)
def test_a_log_may_show_the_whole_mask_of_who_speaks(name: str, line: str) -> None:
    (event,) = events_of(name, line)
    assert (event.nick, event.user, event.host) == ("ada", "~a", "home.example")


def test_a_netsplit_stands_for_each_person_in_it() -> None:
    events = events_of("irssi", "23:57 -!- Netsplit a.example <-> b.example quits: ada, bob")
    assert [(one.kind, one.nick, one.text) for one in events] == [
        (QUIT, "ada", "a.example <-> b.example"),
        (QUIT, "bob", "a.example <-> b.example"),
    ]


def test_hexchat_is_certain_of_a_join_only() -> None:
    (joins,) = events_of("hexchat", "Oct 24 23:57:13 *\tada (a@home) has joined")
    (quits,) = events_of("hexchat", "Oct 24 23:57:13 *\tada has quit (bye)")
    assert (joins.certain, quits.certain) == (True, False)


def test_xchat_is_certain_of_what_follows_an_arrow() -> None:
    (quits,) = events_of("hexchat", "Dec 30 12:00:10 <--\tdave has quit (bye)")
    (joins,) = events_of("hexchat", "Dec 30 12:00:10 -->\tbob (n=bob@host) has joined #x")
    assert quits.certain
    assert (joins.certain, joins.user, joins.host, joins.channel) == (True, "n=bob", "host", "#x")
    for said in (
        "-->\tYou are now talking on #x",
        "---\tTopic for #x set by ada at Mon Dec 29 18:07:11",
        "<--\tYou have been kicked from #x by ada (out)",
    ):
        assert events_of("hexchat", f"Dec 30 12:00:10 {said}") == ()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("hexchat", "Oct 24 23:57:13 ---\thi"),
        ("znc", "[23:57:13] --- hi"),
        ("limnoria", "2026-10-24T23:57:13  ----- hi"),
        ("thelounge", "[2026-10-24T21:57:13.123Z] --- hi"),
    ],
)
def test_dashes_alone_are_nobodys_notice(name: str, line: str) -> None:
    read = FORMATS[name].read(line)
    assert read is None or read.events == ()


@pytest.mark.parametrize(
    "line",
    [
        "[23:57] *** ada (~a@home) has joined channel #tea",
        '[23:57] *** Mode change "+o bob" on channel #tea by ada',
        "[23:57:13] *** Nick change: ada (~a@home) is now known as b",
        "[23:57:13] *** Join: ada (~a@home)",
    ],
)
def test_what_happens_in_a_log_of_another_client_is_no_action_in_mirc(line: str) -> None:
    read = FORMATS["mirc"].read(line)
    assert read is None or read.events == ()


@pytest.mark.parametrize(
    "line",
    [
        "22:02 * bob (~b@home) has joined #tea",
        "22:02 * bob (~b@home) has left #tea (bye)",
        "22:02 * bob (~b@home) Quit (bye)",
        "22:02 * bob (~b@home) has joined",
        "22:02 * Joins: bob (~b@home)",
    ],
)
def test_what_happens_in_mirc_is_no_action_in_irssi(line: str) -> None:
    """It would show where people come from."""
    assert FORMATS["irssi"].read(line) is None


def test_a_log_of_mirc_without_a_session_is_told_from_irssi_by_what_happens() -> None:
    log = [
        "[22:01:03] * Now talking in #tea",
        "[22:01:09] <ada> hi",
        "[22:03:00] * ada sets mode: +o bob",
    ]
    assert best_fit("libera/#tea.20261024.log", log).format.name == "mirc"


@pytest.mark.parametrize(
    ("name", "path", "log"),
    [
        (
            "ii",
            "127.0.0.1/#tea/out",
            [
                "1792889950 -!- ada(~ada@127.0.0.1) has joined #tea",
                "1792889953 <ada> <bob> hi",
                "1792889966 <ada> \x01ACTION sets mode: +o x\x01",
            ],
        ),
        (
            "znc",
            "users/owner/moddata/log/lab/#tea/2026-10-25.log",
            [
                "[02:59:10] *** Joins: ada (~ada@127.0.0.1)",
                "[02:59:13] <ada> <bob> hi",
                "[02:59:26] * ada sets mode: +o x",
            ],
        ),
    ],
)
def test_what_somebody_does_makes_no_other_log_of_one_with_events(
    name: str, path: str, log: list[str]
) -> None:
    """Genuine lines: anybody may do what mIRC writes where a mode is set."""
    assert best_fit(path, log).format.name == name


def test_a_log_of_hexchat_may_have_blanks_for_tabs() -> None:
    """Of which irssi reads what people say and do, but not when the log was opened."""
    opened = "**** BEGIN LOGGING AT Sat Oct 24 22:00:50 2026"
    said = [f"Oct 24 23:57:13 {body}" for body in ("* Now talking on #tea", *["<ada> hi"] * 400)]
    for lines in ([opened, *said[:2]], [opened, *said]):
        assert best_fit("libera/#tea.log", lines).format.name == "hexchat"
    assert best_fit("libera/#tea.log", said[1:]).format.name == "irssi"


@pytest.mark.parametrize("name", ["irssi", "mirc"])
def test_what_is_said_behind_a_tab_is_another_clients(name: str) -> None:
    assert FORMATS[name].read("[22:01] <ada>\thi") is None


@pytest.mark.parametrize(
    "body",
    ["#ada# +ban", "<<ada>> !ada! op", "(ada!u@home) !ada! OP", "-ada (u@home)- psst"],
)
def test_what_is_said_to_an_eggdrop_alone_is_read_and_not_recorded(body: str) -> None:
    assert events_of("eggdrop", f"[22:16:03] {body}") == ()


def test_what_several_clients_mark_alike_is_nobodys_notice() -> None:
    for name in ("znc", "textual", "eggdrop"):
        read = FORMATS[name].read("[23:57:13] -*- bob waves")
        assert read is None or read.events == ()


def test_what_somebody_does_in_catgirl_is_no_chatter_of_textual() -> None:
    for stamp in ("[2026-10-24T23:57:13+0200]", "[23:57:13]"):
        assert FORMATS["textual"].read(f"{stamp} * bob waves") is None


@pytest.mark.parametrize(
    "body",
    [
        "The sign in #tea reads: tea: at four",
        "ada invites cy to #tea",
        "bob is away: asleep",
    ],
)
def test_what_catgirl_tells_its_user_is_read_and_not_recorded(body: str) -> None:
    assert events_of("catgirl", f"[2026-10-24T23:57:13+0200] {body}") == ()


def test_a_clock_of_twelve_hours_is_read() -> None:
    for written, half, hour in (
        ("12:05", "am", 0),
        ("11:05", "AM", 11),
        ("12:05", "pm", 12),
        ("1:05", "PM", 13),
        ("11:05", "pm", 23),
    ):
        for name, text in (
            ("mirc", f"[{written}{half}] <bob> hi"),
            ("irssi", f"{written} {half} < bob> hi"),
            ("irssi", f"{written:>5}{half} <@bob> hi"),
        ):
            line = FORMATS[name].read(text)
            assert line
            assert (line.stamp, line.events[0].text) == (Stamp(hour, 5), "hi")


def test_a_log_of_irssi_with_a_clock_of_twelve_hours_is_recognised() -> None:
    log = ["--- Log opened Sat Oct 24 11:50:20 2026", "11:51 am < ada> hi", "11:52 am  * ada waves"]
    fit = best_fit("libera/#tea.log", log)
    assert (fit.format.name, fit.read) == ("irssi", 1)


def test_a_zone_a_day_from_utc_is_not_read() -> None:
    assert FORMATS["textual"].read("[2026-10-24T23:57:13+2359] <bob> hi")
    assert FORMATS["textual"].read("[2026-10-24T23:57:13+2400] <bob> hi") is None


def test_a_month_of_an_unknown_language_is_not_read() -> None:
    assert FORMATS["hexchat"].read("Zzz 24 23:57:13 <bob>\thi") is None


@pytest.mark.parametrize("month", ["Oct", "Okt", "oct.", "ott", "loka", "\u043e\u043a\u0442"])
def test_a_month_may_be_written_in_many_languages(month: str) -> None:
    line = FORMATS["hexchat"].read(f"{month} 24 23:57:13 <bob>\thi")
    opened = FORMATS["irssi"].read(f"--- Log opened la {month} 24 23:51:20 2026")
    assert line
    assert line.stamp
    assert line.stamp.month == 10
    assert opened
    assert opened.dated == datetime(2026, 10, 24, 23, 51, 20)  # noqa: DTZ001 -- naive


@pytest.mark.parametrize(
    "months",
    [  # as the C library abbreviates them
        "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
        "janv. févr. mars avril mai juin juil. août sept. oct. nov. déc.",
        "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",
        "sty lut mar kwi maj cze lip sie wrz paź lis gru",
        "led úno bře dub kvě čen čec srp zář říj lis pro",
        "Jän Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
        "Ιαν Φεβ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ",  # noqa: RUF001 -- Greek
        "яну фев мар апр май юни юли авг сеп окт ное дек",
        "јан феб мар апр мај јун јул авг сеп окт нов дец",
        "jan feb mar apr maj jun jul avg sep okt nov dec",
        "сту лют сак кра май чэр ліп жні вер кас ліс сне",
        "saus. vas. kov. bal. geg. birž. liep. rugp. rugs. spal. lapkr. gruod.",
        "jan feb mar apr mai jūn jūl aug sep okt nov dec",
        "jaan veebr märts apr mai juuni juuli aug sept okt nov dets",
        "jan feb mar apr maí jún júl ágú sep okt nóv des",
        "gen. febr. març abr. maig juny jul. ag. set. oct. nov. des.",
        "Xan Feb Mar Abr Mai Xuñ Xul Ago Set Out Nov Dec",
        "urt ots mar api mai eka uzt abu ira urr aza abe",
        "Jan Feb Mar Apr Mei Jun Jul Agu Sep Okt Nov Des",
        "ינו פבר מרץ אפר מאי יונ יול אוג ספט אוק נוב דצמ",
        "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
        "1월 2월 3월 4월 5월 6월 7월 8월 9월 10월 11월 12월",
    ],
)
def test_each_month_of_a_language_is_known(months: str) -> None:
    assert [month_number(name) for name in months.split()] == [*range(1, 13)]
    lines = [FORMATS["hexchat"].read(f"{name} 24 23:57:13 <bob>\thi") for name in months.split()]
    assert [line and line.stamp and line.stamp.month for line in lines] == [*range(1, 13)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_of_a_month_is_read_as_the_stamp_of_a_line(language: str) -> None:
    for name, number in names_in(language):
        if len(name) > 1:  # a Roman number in Hungarian
            line = FORMATS["hexchat"].read(f"{normalize('NFC', name)} 24 23:57:13 <bob>\thi")
            assert (name, line and line.stamp and line.stamp.month) == (name, number)


@pytest.mark.parametrize(
    "day",
    [  # as glibc writes them in Croatian
        *("pon sij 05", "pon velj 02", "pon ožu 02", "sri tra 01", "pet svi 01", "pet lip 26"),
        *("sri srp 01", "sub kol 01", "uto ruj 01", "sub lis 24", "uto stu 24", "čet pro 24"),
    ],
)
def test_a_weekday_tells_months_in_croatian_from_those_in_polish_and_czech(day: str) -> None:
    line = FORMATS["irssi"].read(f"--- Day changed {day} 2026")
    assert line
    assert isinstance(line.dated, date)
    weekdays = ("pon", "uto", "sri", "čet", "pet", "sub", "ned")
    assert weekdays[line.dated.weekday()] == day[:3]
    months = ("sij", "velj", "ožu", "tra", "svi", "lip", "srp", "kol", "ruj", "lis", "stu", "pro")
    assert months[line.dated.month - 1] == day[4:-3]


@pytest.mark.parametrize(
    ("day", "month"),
    [
        *(("wto lis 24", 11), ("pon lis 23", 11), ("pt lip 24", 7), ("pią lip 24", 7)),
        *(("Út lis 24", 11), ("Pá srp 28", 8), ("čtvrtek srp 27", 8)),
    ],
)
def test_months_in_polish_and_czech_are_none_in_croatian(day: str, month: int) -> None:
    line = FORMATS["irssi"].read(f"--- Day changed {day} 2026")
    assert line
    assert isinstance(line.dated, date)
    assert line.dated.month == month


@pytest.mark.parametrize(
    "month",
    ["\u03bf\u03ba\u03c4", "10\u6708", "10\uc6d4", "d\u2019oct.", "spal.", "\u05d0\u05d5\u05e7"],
)
def test_a_stamp_and_a_day_have_months_of_any_language(month: str) -> None:
    for name, text in (
        ("hexchat", f"{month} 24 23:57:13 <bob>\thi"),
        ("irssi", f"{month} 24 23:57:13 < bob> hi"),
    ):
        line = FORMATS[name].read(text)
        assert line
        assert line.stamp
        assert (line.stamp.month, line.stamp.day) == (10, 24)
    changed = FORMATS["irssi"].read(f"--- Day changed \u571f {month} 24 2026")
    assert changed
    assert changed.dated == date(2026, 10, 24)


def test_a_month_of_one_digit_may_be_padded() -> None:
    for text in (" 1\u6708 24 23:57:13 <bob>\thi", "1\u6708 24 23:57:13 <bob>\thi"):
        line = FORMATS["hexchat"].read(text)
        assert line
        assert line.stamp
        assert line.stamp.month == 1


def test_november_in_finnish_is_not_march() -> None:
    line = FORMATS["irssi"].read("--- Day changed ti marras 24 2026")
    assert line
    assert line.dated == date(2026, 11, 24)


@pytest.mark.parametrize("weekday", ["v", "sze", "Sun", "su", "dg.", "\u65e5", "\u05d0'", "P\xa0"])
def test_a_day_of_irssi_may_be_of_any_language(weekday: str) -> None:
    line = FORMATS["irssi"].read(f"--- Day changed {weekday} okt 25 2026")
    assert line
    assert (line.boundary, line.dated) == (Boundary.DAY, date(2026, 10, 25))


@pytest.mark.parametrize(
    "months",
    [
        "sij velj ožu tra svi lip srp kol ruj lis stu pro",
        "sty lut mar kwi maj cze lip sie wrz paź lis gru",
        "led úno bře dub kvě čen čec srp zář říj lis pro",
    ],
)
def test_the_days_before_it_tell_a_month_whose_name_is_another_in_another_language(
    months: str,
) -> None:
    """Lip, srp and lis are June, July and October in Croatian, not in Polish or Czech."""
    names = months.split()
    opened = "**** BEGIN LOGGING AT Sat Jan  3 09:00:00 2026"
    days = [date(2026, 1, 3) + timedelta(days=9 * n) for n in range(40)]
    said = [f"{names[day.month - 1]} {day.day:02} 23:57:03 <ada>\thi" for day in days]
    reader = LogReader(FORMATS["hexchat"], UTC, channel="#tea")
    items = reader.read(line.encode() for line in [opened, *said])
    assert [one.said_at.date() for one in items if isinstance(one, DatedEvent)] == days
    assert reader.counts.rejected == 0


FOREIGN_DAYS = [
    "--- Log opened Sat Oct 24 23:50:20 2026",
    "23:50 < ada> one",
    "--- Day changed v zzz 25 2026",
    "23:51 < ada> two",
    "--- Day changed 26/10",
    "23:52 < ada> three",
    "--- Day changed Tue Oct 27 2026",
    "23:53 < ada> four",
]


def test_lines_after_a_day_that_cannot_be_read_are_of_no_day_until_the_next() -> None:
    reader = LogReader(FORMATS["irssi"], UTC, channel="#tea")
    items = list(reader.read(line.encode() for line in FOREIGN_DAYS))
    assert [
        (f"{item.said_at:%m-%d}", item.event.text) for item in items if isinstance(item, DatedEvent)
    ] == [("10-24", "one"), ("10-27", "four")]
    rejected = [item for item in items if isinstance(item, RejectedLine)]
    assert [one.number for one in rejected] == [3, 4, 5, 6]
    assert rejected[0].why.startswith("its date cannot be read")
    assert reader.counts.rejected == 4


def test_where_the_first_day_is_given_a_day_that_cannot_be_read_is_the_next() -> None:
    reader = LogReader(FORMATS["irssi"], UTC, channel="#tea", day=date(2026, 10, 24))
    items = list(reader.read(line.encode() for line in FOREIGN_DAYS[1:]))
    assert [
        (f"{item.said_at:%m-%d}", item.event.text) for item in items if isinstance(item, DatedEvent)
    ] == [("10-24", "one"), ("10-25", "two"), ("10-26", "three"), ("10-27", "four")]
    assert reader.counts.rejected == 0


@pytest.mark.parametrize(
    "written",
    [
        "[Saturday, October 24, 2026] [11:57:13\u202fPM CEST]",
        "[Saturday, 24 October 2026] [23:57:13 CEST]",
        "[Saturday 24 October 2026] [23:57:13]",
        "[Samstag, 24. Oktober 2026] [23:57:13 MESZ]",
        "[samedi 24 octobre 2026] [23:57:13 CEST]",
        "[s\u00e1bado, 24 de octubre de 2026] [23:57:13 CEST]",
        "[subota, 24. listopada 2026] [23:57:13 CEST]",
    ],
)
def test_konversation_dates_its_lines_in_the_language_of_its_user(written: str) -> None:
    line = FORMATS["konversation"].read(f"{written} <bob>\thi")
    assert line
    assert line.stamp == Stamp(23, 57, 13, 0, 2026, 10, 24)


@pytest.mark.parametrize(
    "word", ["Notice", "Hinweis", "Aviso", "Notifica", "Powiadomienie", "Ozn\u00e1men\u00ed"]
)
def test_weechat_names_a_notice_in_the_language_of_its_user(word: str) -> None:
    (event,) = events_of("weechat", f"2026-10-24 23:57:13\t--\t{word}(ada): psst")
    assert (event.kind, event.nick, event.text, event.private) == (NOTICE, "ada", "psst", False)
    (sent,) = events_of("weechat", f"2026-10-24 23:57:13\t--\t{word} -> #tea: psst")
    assert (sent.kind, sent.channel, sent.text, sent.own) == (NOTICE, "#tea", "psst", True)


def test_what_precedes_a_nick_in_parentheses_is_nobodys_nick() -> None:
    for said in ("MSG(bob): psst", "SNotice(irc.example): psst", "\u901a\u77e5(bob): psst"):
        assert events_of("weechat", f"2026-10-24 23:57:13\t--\t{said}") == ()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("weechat", "2026-10-24 23:57:13\t--\tPvNotice(bob): my number is 555"),
        ("weechat", "2026-10-24 23:57:13\t--\tbob: my number is 555"),
        ("hexchat", "Oct 24 23:57:13 -bob-\tmy number is 555"),
        ("mirc", "[23:57] -bob- my number is 555"),
        ("kvirc", "79 [23:57:13] *bob* my number is 555"),
    ],
)
def test_a_notice_to_the_owner_is_private_where_a_client_shows_it_in_a_channel(
    name: str, line: str
) -> None:
    read = FORMATS[name].read(line)
    assert read
    (event,) = read.events
    now = datetime(2026, 10, 24, tzinfo=UTC)
    rules = rules_on("libera", {})
    assert (event.nick, event.text) == ("bob", "my number is 555")
    assert recordable(event, "libera", "#tea", now, rules) is NotRecorded.PRIVATE
    assert isinstance(recordable(event, "libera", "bob", now, rules), NewMessage)


@pytest.mark.parametrize(
    ("name", "line", "kind"),
    [
        ("irssi", "23:57 -bob:@#tea- ops", NOTICE),
        ("irssi", "23:57 -bob:+#tea- ops", NOTICE),
        ("irssi", "23:57 < bob:@#tea> ops", PRIVMSG),
        ("irssi", "23:57 <@bob:@#tea> ops", PRIVMSG),
        ("irssi", "23:57  * bob:@#tea ops", ACTION),
        ("eggdrop", "[23:57] -bob:@#tea- ops", NOTICE),
        ("ubuntu", "[23:57] -bob:~&@#tea- ops", NOTICE),
        ("ircii", "-bob:@#tea- ops", NOTICE),
        ("hexchat", "Oct 24 23:57:13 -bob/@#tea-\tops", NOTICE),
        ("hexchat", "Oct 24 23:57:13 -bob/+#tea-\tops", NOTICE),
        ("weechat", "2026-10-24 23:57:13\t--\tNotice:@(bob): ops", NOTICE),
        ("weechat", "2026-10-24 23:57:13\t--\tHinweis:@(bob): ops", NOTICE),
        ("weechat", "2026-10-24 23:57:13\t--\tMsg:@(bob): ops", PRIVMSG),
        ("mirc", "[23:57] -bob:@#tea- ops", NOTICE),
        ("mirc", "[23:57] -bob:%&tea- ops", NOTICE),
        ("mirc", "[23:57] <bob:@#tea> ops", PRIVMSG),
        ("mirc", "\x0301[23:57] <\x0303@bob:@#tea\x0f> ops", PRIVMSG),
    ],
)
def test_what_goes_to_operators_only_is_private(name: str, line: str, kind: MessageType) -> None:
    (event,) = events_of(name, line)
    assert (event.kind, event.nick, event.text, event.private) == (kind, "bob", "ops", True)


@pytest.mark.parametrize(
    "said",
    [
        "<bob:#mate> hi",
        "<bob/#mate> hi",
        "<bob:@#tea> ops",
        "<bob:~&@#tea> ops",
        "* bob/#mate waves",
        "* bob:#mate waves",
        "* bob:@#tea waves",
        "* bob/@#tea waves",
        "[bob(~b@home)] psst",
        "[msg(bob)] psst",
    ],
)
def test_what_was_said_elsewhere_is_left_out_where_ircii_has_one_log_for_all(said: str) -> None:
    for stamp in ("[23:57] ", ""):
        assert events_of("ircii", stamp + said) == ()


@pytest.mark.parametrize(
    "said", ["(~b@home) join", "(~b@home) part time", "mode +1 for that", "mode -i is mine"]
)
@pytest.mark.parametrize(
    "name", ["irssi", "znc", "mirc", "ircii", "irccloud", "chatzilla", "circe"]
)
def test_an_action_is_read_that_old_logs_of_the_lounge_have_for_an_event(
    name: str, said: str
) -> None:
    (action,) = events_of(name, f"[2026-10-24 23:57:13] * bob {said}")
    assert (action.kind, action.nick, action.text) == (ACTION, "bob", said)


@pytest.mark.parametrize("name", ["irssi", "mirc", "eggdrop", "znc", "limnoria", "circe"])
def test_what_bitchx_tells_of_people_is_no_notice_of_a_nick(name: str) -> None:
    for stamp in ("[23:57] ", "[23:57:13] ", "23:57 ", ""):
        assert FORMATS[name].read(f"{stamp}-:- bob [~b@home] has joined #tea") is None


@pytest.mark.parametrize(
    ("name", "line", "channel"),
    [
        ("irssi", "23:57 -bob:#tea- hi", "#tea"),
        ("irssi", "23:57 -bob:+tea- hi", "+tea"),
        ("irssi", "23:57 < bob:#tea> hi", "#tea"),
        ("irssi", "23:57  * bob:#tea hi", "#tea"),
        ("mirc", "[23:57] -bob:&tea- hi", "&tea"),
        ("mirc", "[23:57] <@bob:#tea> hi", "#tea"),
        ("hexchat", "Oct 24 23:57:13 -bob/!tea-\thi", "!tea"),
    ],
)
def test_what_goes_to_a_channel_is_public(name: str, line: str, channel: str) -> None:
    (event,) = events_of(name, line)
    assert (event.nick, event.channel, event.text, event.private) == ("bob", channel, "hi", False)


WEECHAT_SAID = "2026-10-24 23:57:13\t--\t"
OF_TOPIC, OF_NICK = 'has changed topic for #tea to "my secret"', "is now known as bob"


@pytest.mark.parametrize(
    ("name", "before", "text", "kind", "private"),
    [
        ("weechat", f"{WEECHAT_SAID}PvNotice(ada): ", OF_TOPIC, NOTICE, True),
        ("weechat", f"{WEECHAT_SAID}Notice:@(ada): ", OF_TOPIC, NOTICE, True),
        ("weechat", f"{WEECHAT_SAID}Msg:@(ada): ", "has unset topic for #tea", PRIVMSG, True),
        ("weechat", f"{WEECHAT_SAID}ada: ", OF_TOPIC, NOTICE, True),
        ("weechat", f"{WEECHAT_SAID}Notice(ada): ", OF_NICK, NOTICE, False),
        ("kvirc", "79 [23:57:13] *ada* ", '[x@y] has changed topic to "secret"', NOTICE, True),
        ("kvirc", "29 [23:57:13] *ada* ", "[x@y] is now known as bob", NOTICE, False),
        ("textual", "[23:57:13] ada: ", OF_NICK, PRIVMSG, False),
        ("textual", "[23:57:13] ada: ", "changed the topic to free beer", PRIVMSG, False),
        ("textual", "[23:57:13] ada: ", "sets mode +o bob", PRIVMSG, False),
        ("textual", "[23:57:13] ada: ", "kicked bob from the channel.", PRIVMSG, False),
        ("textual", "[23:57:13] ada: ", "(a@home) joined the channel", PRIVMSG, False),
        ("textual", "[23:57:13] ada: ", "(a@home) left IRC (bye)", PRIVMSG, False),
    ],
)
def test_what_is_said_in_the_words_of_an_event_is_none(
    name: str, before: str, text: str, kind: MessageType, *, private: bool
) -> None:
    (event,) = events_of(name, before + text)
    said = (event.kind, event.nick, event.text, event.private)
    assert said == (kind, "ada", text, private)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("weechat", f"2026-10-24 23:57:13\t>>\tPvNotice(ada): {OF_TOPIC}"),
        ("weechat", f"2026-10-24 23:57:13\t>>\tada: {OF_NICK}"),
        ("eggdrop", "[23:57] [ada!a@home] joined #tea."),
        ("eggdrop", "[23:57] (ada!a@home) joined #tea."),
        ("eggdrop", "[23:57] [ada!a@home] kicked from #tea by bob: my secret"),
        ("ii", '1792879033 -!- "ada changed nick to bob")'),
        ("ii", '1792879033 -!- "ada(a@home) has joined #tea")'),
        ("ii", '1792879033 -!- "ada changed mode/#tea -> +o bob")'),
        ("ii", '1792879033 -!- "ada kicked bob ("out")'),
    ],
)
def test_what_names_its_sender_otherwise_than_events_do_is_none(name: str, line: str) -> None:
    read = FORMATS[name].read(line)
    assert read is None or read.events == ()


@pytest.mark.parametrize(
    "said",
    [
        "Channel #tea url: https://tea.example",
        "Channel #tea modes: +nt",
        "Notify: bob is online (Libera)",
        "bob has been invited to #tea by ada (irc.example)",
        "You've invited bob to #tea (irc.example)",
        "No ping reply for 90 seconds, disconnecting.",
        "Connection failed (Connection refused)",
        "Authenticating via SASL as ada (PLAIN)",
        "Found your IP: [192.0.2.7]",
        "bob is already in use. Retrying with bob_...",
        "b:b is erroneous. Retrying with bb...",
        "Nickname is erroneous or already in use. Use /NICK to try another.",
        "bob added to notify list.",
        "Offering 'tea.txt' to bob",
        "Offering DCC CHAT to bob",
        "Received 'DCC SEND x' from bob",
        "bob has offered 'tea.txt' (7 bytes)",
        "bob has requested to resume 'tea.txt' from 7.",
        "The file 'tea.txt' already exists, saving it as 'tea.txt.1' instead.",
        "[bob] is away (gone)",
        "ada sets modes [ada +i]",
        "[bob] (~bob@host.example): Bob Smith",
    ],
)
def test_what_hexchat_says_to_its_user_is_nobodys_action(said: str) -> None:
    line = FORMATS["hexchat"].read(f"Oct 24 23:57:13 *\t{said}")
    assert line
    assert line.is_chatter


@pytest.mark.parametrize(
    "said",
    [
        "/msg: insufficient parameters",
        "/join: not connected to server",
        "No such nick/channel",
        "Connect cancelled",
        "Timer 1 activated",
        "Timer tea halted",
        "Loaded script 'x.mrc'",
        "Unloaded script 'x.mrc'",
        "Your nick is now bob",
        "Unable to connect to server",
        "Unable to connect to server (Connection refused)",
        "Unable to resolve server",
    ],
)
def test_what_mirc_says_to_its_user_is_nobodys_action(said: str) -> None:
    for begin, end in (("[23:53] * ", ""), ("\x0302[23:53] * ", "\x03"), ("*** ", "")):
        line = FORMATS["mirc"].read(f"{begin}{said}{end}")
        assert line
        assert line.is_chatter


@pytest.mark.parametrize(
    "done",
    [
        "No one knows",
        "No such luck",
        "Your mother laughs",
        "Your nick is now on my list",
        "Connect cancelled the order",
        "Timer 1 activated the bomb",
        "Loaded script kiddies",
        "Unable to sleep",
    ],
)
def test_what_begins_as_mirc_talks_to_its_user_may_be_an_action(done: str) -> None:
    nick, _, text = done.partition(" ")
    (event,) = events_of("mirc", f"[23:53] * {done}")
    assert (event.kind, event.nick, event.text) == (ACTION, nick, text)


def test_the_key_of_a_channel_is_left_out_of_modes_as_they_came() -> None:
    (event,) = events_of("hexchat", "Oct 24 23:57:13 *\tada sets modes [#tea +ik sekrit]")
    now = datetime(2026, 10, 24, tzinfo=UTC)
    message = recordable(event, "libera", "#tea", now, rules_on("libera", {}))
    assert isinstance(message, NewMessage)
    assert (message.kind, message.nick) == (MODE, "ada")
    assert message.text.startswith("+ik")
    assert "sekrit" not in message.text


def test_prefixes_of_weechat_that_its_user_chose_are_nobodys_nick() -> None:
    for said in ("\u25b6\tbob is somewhere", "\u26a1\tada waves", "\u2139\tbob is away", ">>\tbob"):
        assert FORMATS["weechat"].read(f"2026-10-24 23:57:13\t{said}") is None
    line = FORMATS["weechat"].read("2026-10-24 23:57:13\t\u00e4da\thi")
    assert line
    assert line.events[0].nick == "\u00e4da"


@pytest.mark.parametrize("sign", ["\u25b6", "\u2139", "\u2139\ufe0f", ">>", "+", "<-"])
def test_what_happens_in_weechat_is_known_behind_a_sign_that_its_user_chose(sign: str) -> None:
    for said, kind in (
        ("bob (~bob@h) has joined #tea", JOIN),
        ("bob (~bob@h) has left #tea (bye)", PART),
        ("bob (~bob@h) has quit (bye)", QUIT),
        ("bob is now known as ada", NICK),
        ("bob has kicked ada (out)", KICK),
        ("Mode #tea [+o ada] by bob", MODE),
        ('bob has changed topic for #tea to "tea"', TOPIC),
    ):
        (event,) = events_of("weechat", f"2026-10-24 23:57:13\t{sign}\t{said}")
        assert (event.kind, event.nick) == (kind, "bob")
        assert not event.certain  # the sign may be that of actions


def test_who_says_what_happens_does_not_make_it_happen_in_weechat() -> None:
    assert FORMATS["weechat"].read("2026-10-24 23:57:13\t*\tbob (~bob@h) has quit (bye)") is None
    for nick in ("ada", "[]", "{^}", "|", "_"):
        for column in (nick, f"<{nick}>"):
            said = "bob (~bob@h) has quit (bye)"
            (event,) = events_of("weechat", f"2026-10-24 23:57:13\t{column}\t{said}")
            assert (event.kind, event.nick, event.text) == (PRIVMSG, nick, said)


def test_people_come_and_go_in_weechat_without_the_host_that_its_user_left_out() -> None:
    for said, kind, text in (
        ("-->\tbob has joined #tea", JOIN, ""),
        ("-->\tbob [account] (Bob (B.) Real) has joined #tea", JOIN, ""),
        ("<--\tbob has left #tea (bye (now))", PART, "bye (now)"),
        ("<--\tbob has quit (bye)", QUIT, "bye"),
    ):
        (event,) = events_of("weechat", f"2026-10-24 23:57:13\t{said}")
        assert (event.kind, event.nick, event.text, event.host) == (kind, "bob", text, "")
    for who in ("bob", "bob [account]", "bob [account] (Bob (B.) Real)"):
        said = f"-->\t{who} (~bob@h) has joined #tea"
        (event,) = events_of("weechat", f"2026-10-24 23:57:13\t{said}")
        assert (event.nick, event.user, event.host) == ("bob", "~bob", "h")


def test_weechat_may_say_where_its_log_begins_and_ends() -> None:
    for words, boundary in (
        ("Beginning of log", Boundary.OPENED),
        ("End of log", Boundary.CLOSED),
        ("D\u00e9but du log", None),
    ):
        line = FORMATS["weechat"].read(f"2026-10-24 23:57:13\t****  {words}  ****")
        assert line
        assert (line.boundary, line.events) == (boundary, ())


def test_lines_of_weechat_may_be_coloured_for_a_terminal() -> None:
    for said, kind, text in (
        ("\x1b[93m@\x1b[38;5;13mbob\t\x1b[0m\x1b[1mhi\x1b[0m", PRIVMSG, "hi"),
        ("\x1b[97m *\t\x1b[0m\x1b[38;5;13mbob\x1b[39m waves", ACTION, "waves"),
        ("\x1b[31m<--\t\x1b[0mbob\x1b[32m (\x1b[36m~b@h\x1b[32m) has quit (bye)", QUIT, "bye"),
        ("bob\t\x1b[31mred\t\x1b[0m as typed", PRIVMSG, "\x1b[31mred\t\x1b[0m as typed"),
    ):
        (event,) = events_of("weechat", f"2026-10-24 23:57:13\t{said}")
        assert (event.kind, event.nick, event.text) == (kind, "bob", text)


def test_irssi_may_keep_the_colours_of_its_lines() -> None:
    for stamp in ("11:46 ", "2026-11-28 11:46:17 ", "Nov 28 11:46:17 ", "11:46 am "):
        for said, kind, nick, text in (
            (
                "\x048/<\x04g@\x04gada\x04g\x048/>\x04g \x04egood evening",
                PRIVMSG,
                "ada",
                "good evening",
            ),
            ("\x04c * cy|tea\x04g pours", ACTION, "cy|tea", "pours"),
            ("\x048/-\x04=/dee\x048/:\x045/#tea\x048/-\x04g hot", NOTICE, "dee", "hot"),
            (
                "\x049/-\x04g!\x049/-\x04g \x04;/cy|tea\x04g [\x043/~u@h\x04g] has joined #tea",
                JOIN,
                "cy|tea",
                "",
            ),
            ("\x048/<\x04g \x04#abcd\x04.;ada\x04g> hi", PRIVMSG, "ada", "hi"),
            ("< ada> \x04FF0000as typed", PRIVMSG, "ada", "\x04FF0000as typed"),
            (" * ada types 5 \x04c", ACTION, "ada", "types 5 \x04c"),
        ):
            (event,) = events_of("irssi", stamp + said)
            assert (event.kind, event.nick, event.text) == (kind, nick, text)


def test_a_mode_is_known_in_weechat_in_any_language() -> None:
    (event,) = events_of("weechat", "2026-10-24 23:57:13\t--\tModus #tea [+o ada] durch bob")
    assert (event.kind, event.nick, event.text, event.channel) == (MODE, "bob", "+o ada", "#tea")


@pytest.mark.parametrize("column", ["<@ada>", "<ada>", "ada:", "+ada:", "@ada"])
def test_nicks_of_weechat_may_have_signs_around_them(column: str) -> None:
    lines = [f"2026-10-24 23:57:13\t{column}\thi"]
    fit = best_fit("irc.libera.#tea.weechatlog", lines)
    assert (fit.format.name, fit.read) == ("weechat", 1)
    (event,) = events_of("weechat", *lines)
    assert (event.kind, event.nick, event.text) == (PRIVMSG, "ada", "hi")


@pytest.mark.parametrize(
    ("line", "kind", "channel", "text"),
    [
        ("-->\tbob (~bob@h) hat den Channel #tea betreten", JOIN, "#tea", ""),
        ("-->\tbob [account] (Bob B) (~bob@h) est entr\u00e9 dans #tea", JOIN, "#tea", ""),
        ("<--\tbob (~bob@h) a quitt\u00e9 #tea (\u00e0 plus (tard) #mate)", PART, "#tea", None),
        ("<--\tbob (~bob@h) verlie\u00df #tea (bye)", PART, "#tea", "bye"),
        ("<--\tbob (~bob@h) verlie\u00df #tea", PART, "#tea", ""),
        ("<--\tbob (~bob@h) a quitt\u00e9 (#tea)", QUIT, "", "#tea"),
        ("<--\tbob (~bob@h) hat den IRC verlassen (bye)", QUIT, "", "bye"),
        ("<--\tbob (~bob@h) hat den IRC verlassen", QUIT, "", ""),
    ],
)
def test_who_comes_and_goes_in_weechat_is_known_in_any_language(
    line: str, kind: MessageType, channel: str, text: str | None
) -> None:
    (event,) = events_of("weechat", f"2026-10-24 23:57:13\t{line}")
    assert (event.kind, event.nick, event.host, event.channel) == (kind, "bob", "h", channel)
    assert event.text == ("\u00e0 plus (tard) #mate" if text is None else text)


def test_the_number_of_a_line_of_kvirc_tells_what_somebody_does() -> None:
    log = """\
15 [23:57:00] You have joined channel #tea
25 [23:57:13] <@bob> hi
24 [23:57:14] <ada> hi, bob
32 [23:57:15] bob waves
146 [23:57:16] ada waves too
2 [23:57:17] <@bob> ada: tea?
2 [23:57:18] bob nods at ada
20 [23:57:19] cy [~c@home.example] has joined #tea
32 [23:57:20] CTCP ACTION from dora [~d@home.example]: whispers
37 [23:57:21] cy [~c@home.example] is now known as cyd
32 [23:57:22] cyd has quit smoking"""
    said = [event for line in log.splitlines() for event in events_of("kvirc", line)]
    assert [(one.kind, one.nick, one.text) for one in said] == [
        (PRIVMSG, "bob", "hi"),
        (PRIVMSG, "ada", "hi, bob"),
        (ACTION, "bob", "waves"),
        (ACTION, "ada", "waves too"),
        (PRIVMSG, "bob", "ada: tea?"),
        (ACTION, "bob", "nods at ada"),
        (JOIN, "cy", ""),
        (NICK, "cy", "cyd"),
        (ACTION, "cyd", "has quit smoking"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "[23:57:13] bob waves",  # without a number nothing tells it from what the client says
        "25 [23:57:13] bob waves",
    ],
)
def test_what_no_number_says_is_an_action_is_none_in_kvirc(line: str) -> None:
    assert FORMATS["kvirc"].read(line) is None


@pytest.mark.parametrize(
    ("line", "kind", "nick", "text"),
    [
        ("25 [23:57:13] <\x02@bob\x02> \x0304hi\x03", PRIVMSG, "bob", "\x0304hi\x03"),
        ("25 [23:57:13] <\x02\x033,1+bob\x03\x02> hi", PRIVMSG, "bob", "hi"),
        ("77 [23:57:13] *\x02@bob\x02* hi", NOTICE, "bob", "hi"),
        (
            '23 [23:57:13] bob [~b@h] has changed topic to "tea \x02now\x02\x0f"',
            TOPIC,
            "bob",
            "tea \x02now\x02",
        ),
    ],
)
def test_a_log_of_kvirc_may_hold_the_codes_that_it_shows_lines_with(
    line: str, kind: MessageType, nick: str, text: str
) -> None:
    (said,) = events_of("kvirc", line)
    assert (said.kind, said.nick, said.text) == (kind, nick, text)


@pytest.mark.parametrize(
    ("happens", "mode"),
    [
        ("has set mode +o bob", "+o bob"),
        ("has set mode -b *!*@h", "-b *!*@h"),
        ("has set channel mode +mnt", "+mnt"),
        ('has set channel key to "sekrit"', "+k sekrit"),  # cut where it is recorded
        ("has unset the channel key", "-k *"),
        ("has set channel limit to 55", "+l 55"),
        ("has unset the channel limit", "-l"),
    ],
)
def test_a_mode_of_a_channel_is_read_in_kvirc(happens: str, mode: str) -> None:
    (event,) = events_of("kvirc", f"38 [23:57:13] ada [~a@home] {happens}")
    assert (event.kind, event.nick, event.text) == (MODE, "ada", mode)


@pytest.mark.parametrize("body", ["= You have joined", "! You are kicked by bob: out"])
def test_what_srain_tells_its_user_of_themselves_is_read_and_not_recorded(body: str) -> None:
    assert events_of("srain", f"[23:57:13] {body}") == ()


@pytest.mark.parametrize(
    "body",
    [
        "You have joined",
        "Topic: tea",
        "Topic:",
        "ada set the topic at: Oct 24, 2026, 11:57 PM",
        "Mode: +nt",
        "Created at: Oct 24, 2026, 11:57 PM",
        "Names: @ada bob",
        "Disconnected",
    ],
)
def test_what_limechat_shows_whoever_joins_is_said_by_nobody(body: str) -> None:
    assert events_of("limechat", f"23:57 {body}") == ()


def test_what_circe_tells_of_people_is_no_action_in_kvirc() -> None:
    assert FORMATS["kvirc"].read("[23:50:00] *** Join: ada (~ada@host.example)") is None


def test_comings_and_goings_of_konversation_in_another_form_are_no_chatter() -> None:
    for body in ("Join\tada came in.", "Part\tada went.", "Quit\tada is gone."):
        line = f"[Saturday, October 24, 2026] [11:57:13 PM CEST] {body}"
        assert FORMATS["konversation"].read(line) is None


def test_a_log_of_konversation_is_recognised_with_its_channel() -> None:
    fit = best_fit(
        "logs/libera_#tea.log",
        [
            "*** Logfile started",
            "*** on Sat Oct 24 23:57:00 2026",
            '[Saturday, 24 October 2026] [23:57:03 CEST] Topic\tThe channel topic is "tea!".',
            "[Saturday, 24 October 2026] [23:57:13 CEST] <bob>\thi",
        ],
    )
    assert (fit.format.name, fit.read) == ("konversation", 1)
    assert (fit.origin.network, fit.origin.target) == ("libera", "#tea")


@pytest.mark.parametrize(
    ("name", "path", "lines", "origin"),
    [
        (
            "irccloud",
            "export/1-libera/12-#tea.txt",
            ["[2026-10-24 23:57:13] <bob> hi", "[2026-10-24 23:57:14] \u2192 ada joined (a@home)"],
            ("libera", "#tea", None),
        ),
        (
            "chatzilla",
            "logs/libera/channels/#tea.2026-10-24.log",
            [
                "[2026-10-24 23:57:13] [INFO] Channel view for \u201c#tea\u201d opened.",
                "[2026-10-24 23:57:14] -->| YOU (a@home) have joined #tea",
                "[2026-10-24 23:57:15] <bob> hi",
            ],
            ("libera", "#tea", date(2026, 10, 24)),
        ),
        (
            "kvirc",
            "log/channel_#te.a.libera_2026.10.24.log",
            [
                "### Log session started at Sat Oct 24 23:57:12 2026 ###",
                "[23:57:13] <bob> hi",
                "[23:57:14] You have joined channel #te.a",
                "[23:57:15] b [b@h] has joined #te.a",
            ],
            ("libera", "#te.a", date(2026, 10, 24)),
        ),
        (
            "kvirc",
            "log/channel_#tea%2dc%2b%2b.libera_2026.10.24.log",
            ["### Log session started at Sat Oct 24 23:57:12 2026 ###", "[23:57:13] <bob> hi"],
            ("libera", "#tea-c++", date(2026, 10, 24)),
        ),
        (
            "kvirc",
            "log/channel_#tea.libera_2026.10.24.log",
            ["[23:57:13] <bob> hi", "[23:57:14] <ada> hi, bob"],
            ("libera", "#tea", date(2026, 10, 24)),
        ),
        (
            "kvirc",
            "log/query_bob.libera_2026.10.24.log",
            ["[23:57:13] <bob> hi", "[23:57:14] <ada> hi, bob"],
            ("libera", "bob", date(2026, 10, 24)),
        ),
        (
            "mirc",
            "logs/bob.Undernet.log",
            ["Session Start: Sat Oct 24 23:57:12 2026", "Session Ident: bob", "[23:57] <bob> hi"],
            ("Undernet", "bob", None),
        ),
        (
            "irssi",
            "irclogs/libera/#tea.log",
            [
                "--- Log opened Sat Oct 24 23:57:12 2026",
                "1792879033 < bob> hi",
                "1792879034 -!- Irssi: x",
            ],
            ("libera", "#tea", None),
        ),
        (
            "bip",
            "logs/libera/2026-10/#tea.24.log",
            ["24-10-2026 23:57:13 < bob!b@home: hi", "24-10-2026 23:57:13 -!- Connected to ..."],
            ("libera", "#tea", date(2026, 10, 24)),
        ),
        (
            "bip",
            "logs/owner/lab/2026-10/#mix/ed.25.log",
            [
                "25-10-2026 02:59:12 -!- ada!~ada@127.0.0.1 has joined #Mix/Ed",
                "25-10-2026 02:59:24 < ada!~ada@127.0.0.1: #Mix/Ed line 0",
            ],
            ("lab", "#mix/ed", date(2026, 10, 25)),
        ),
        (
            "tunes",
            "logs/tea/26.10.24",
            ["00:00:00 --- log: started tea/26.10.24", "23:57:13 <bob> hi"],
            ("", "tea", date(2026, 10, 24)),
        ),
        (
            "ii",
            "irc/irc.example.org/#tea/out",
            ["2026-10-24 23:57 <bob> hi", "2026-10-24 23:57 -!- b(~b@h) has joined #tea"],
            ("irc.example.org", "#tea", None),
        ),
        (
            "ii",
            "irc/irc.example.org/out",
            ["1792879033 <bob> hi", '1792879034 -!- changed nick to "bob"'],
            ("", "", None),
        ),
        (
            "rcirc",
            ".emacs.d/rcirc-log/#tea@irc.example.org",
            ["23:57 <bob> hi", "23:57 *** ada JOIN ", "23:58 [bob waves]"],
            ("irc.example.org", "#tea", None),
        ),
        (
            "rcirc",
            "irc_logs/#tea@irc.example.org_2026-10-24.log",
            ["23:57 <bob> hi", "23:57 *** ada JOIN ", "23:58 [bob waves]"],
            ("irc.example.org", "#tea", date(2026, 10, 24)),
        ),
        (
            "rbot",
            "home/.rbot/logs/#tea",
            [
                "[2026/10/24 23:57:13] @ Log started by tearbot",
                "[2026/10/24 23:57:13] @ Joined channel #tea",
                "[2026/10/24 23:57:14] <bob> hi",
            ],
            ("", "#tea", None),
        ),
        (
            "limechat",
            "LimeChat Transcripts/#tea/2026-10-24_libera.txt",
            ["23:57 bob: hi", "23:57 ada has joined (~a@home)", "23:58 bob: ada: hello"],
            ("libera", "#tea", date(2026, 10, 24)),
        ),
        (
            "convos",
            "convos/ada@example.org/irc-libera/2026/10/#t%2Fea.log",
            ["2026-10-24T23:57:13 0 <bob> hi", "2026-10-24T23:57:14 1 <bob> ada: hi"],
            ("libera", "#t/ea", None),
        ),
        (
            "srain",
            "srain/logs/libera/2026-10-24.#tea.log",
            ["[23:57:12] = You have joined", "[23:57:13] <bob> hi", "[23:57:14] <ada*> hi, bob"],
            ("libera", "#tea", date(2026, 10, 24)),
        ),
        (
            "srain",
            "srain/logs/libera/2026-10-24.bob.log",
            ["[23:57:13] <bob> psst", "[23:57:14] <ada*> yes?"],
            ("libera", "bob", date(2026, 10, 24)),
        ),
        (
            "tiny",
            "tiny_logs/irc.example.org_#tea_pot.txt",
            ["*** Logging started at 2026-10-24 23:57:12", "", "[23:57:13] bob: hi"],
            ("irc.example.org", "#tea_pot", None),
        ),
        (
            "tiny",
            "tiny_logs/irc.example.org_bob.txt",
            ["*** Logging started at 2026-10-24 23:57:12", "", "[23:57:13] bob: psst"],
            ("irc.example.org", "bob", None),
        ),
        *(
            (
                "twisted",
                path,
                ["[23:57:12] [connected at Sat Oct 24 23:57:12 2026]", "[23:57:13] <bob> hi"],
                origin,
            )
            for path, origin in (
                ("logs/libera/#tea.log", ("libera", "#tea", None)),
                ("tea.log", ("", "", None)),
            )
        ),
        (
            "textual",
            "Textual Logs/libera (A1B2C)/Channels/#tea/2026-10-24.txt",
            ["[2026-10-24T23:57:13+0200] <bob> hi"],
            ("libera", "#tea", date(2026, 10, 24)),
        ),
        *(
            (
                "catgirl",
                path,
                [f"[2026-10-24T23:57:13+0200] {body}" for body in bodies],
                origin,
            )
            for path, origin in (
                (
                    ".local/share/catgirl/log/Libera.Chat/#tea/2026-10-24.log",
                    ("Libera.Chat", "#tea", date(2026, 10, 24)),
                ),
                ("logs/libera/bob/2026-10-24.log", ("libera", "bob", date(2026, 10, 24))),
                ("log/libera/<network>/2026-10-24.log", ("libera", "", date(2026, 10, 24))),
            )
            for bodies in (
                ["<bob> hi", "<ada> hi, bob"],
                ["<bob> hi", "* ada waves", "* ada waves at bob"],
                ["<bob> hi", "* ada waves", "-bob- psst", "cy arrives in #tea", "cy leaves: bye"],
                ["The sign in #tea reads: tea!", "ada invites cy to #tea", "<bob> hi"],
            )
        ),
        (
            "textual",
            "Textual Logs/freenode/Channels/#tea/2012-10-24.txt",
            ["[23:57:13] bob: hi", "[23:57:14] ada (a@home) joined the channel.", "[23:57:14]  "],
            ("freenode", "#tea", date(2012, 10, 24)),
        ),
        (
            "circe",
            ".emacs.d/.lui-logs/#tea@libera_2026-10-24.txt",
            ["[23:57:13] *** Join: ada (~a@home)", "[23:57:14] <bob> hi"],
            ("libera", "#tea", date(2026, 10, 24)),
        ),
        (
            "ircii",
            "irclogs/#tea!ada@irc.example.org:6667.txt",
            ["[23:57] <bob> hi", "[23:58] *** ada (~a@home) has joined channel #tea"],
            ("irc.example.org", "#tea", None),
        ),
        *(
            ("ircii", f"irclogs/#tea!ada@{server}.txt", lines, ("irc.example.org", "#tea", None))
            for server in ("irc.example.org:6697", "irc.example.org!6697", "irc.example.org")
            for lines in (
                ["[23:57] <bob> hi", "[23:58] <ada> hi, bob"],
                ["[23:57] <bob> hi", "[23:57] * ada waves"],
                ["[2026-10-24 23:57:13] <bob> hi", "[2026-10-24 23:57:14] * ada waves"],
            )
        ),
        (
            "ircii",
            "IrcLog",
            [
                "IRC log started Sat Oct 24 23:57:00 2026",
                '*** Mode change "+o b" on channel #tea by a',
                "<bob> hi",
            ],
            ("", "", None),
        ),
        *(
            (
                "thelounge-2",
                path,
                [
                    "[2026-10-24 23:57:13] * ada (~a@home) join",
                    "[2026-10-24 23:57:14] * ada mode +k sekrit",
                    "[2026-10-24 23:57:15] * ada action waves",
                    "[2026-10-24 23:57:16] <bob> hi",
                ],
                origin,
            )
            for path, origin in (
                ("logs/ada/irc.example.org/#tea.log", ("irc.example.org", "#tea", None)),
                ("ada/libera-f-f2f2-b7c8-4181-ff0e56144acc/#tea.log", ("libera", "#tea", None)),
                ("old/#tea.log", ("", "", None)),
            )
        ),
        (
            "ircii",
            "BitchX.log",
            [
                "IRC log started Sat Oct 24 23:50:00 2026",
                "[23:57] -:- bob [~b@h] has joined #tea",
                "[23:58] <bob> hi",
                "[23:58] -:- mode/#tea [+k sekrit] by ada",
                "IRC log ended Sat Oct 24 23:59:00 2026",
            ],
            ("", "", None),
        ),
        (
            "konversation-text",
            "notes/tea.txt",
            [
                "[23:57] --> You have joined the channel #tea (~b@h).",
                '[23:57] *** The channel topic is "tea!".',
                "[23:57] *** This channel was created on 10/24/26 11:22 AM.",
                "[23:57] <bob> hi",
                "[23:58] * bob waves",
                "[23:58] <-- ada has left this server (bye).",
            ],
            ("", "", None),
        ),
        (
            "quassel-text",
            "notes/tea.txt",
            [
                "(23:57:13) <bob> hi",
                "(23:57:14) --> ada (~a@home) hat #tea betreten",
                "(23:57:15) * Chat #tea wurde am Sa 24. Okt 23:57:12 2026 erzeugt",
            ],
            ("", "", None),
        ),
        (
            "irssi",
            "notes/tea.txt",
            ["[23:57] <bob> hi", "[23:57] == ada [~a@home] has quit [Quit: Page closed]"],
            ("", "", None),
        ),
        (
            "quassel-text",
            "notes/tea.txt",
            ["[23:57:13] <bob> hi", "[23:57:14] -*- bob waves", "[23:57:14] * Topic for #tea is"],
            ("", "", None),
        ),
        (
            "hexchat",
            "logs/libera/#tea.log",
            [
                "**** BEGIN LOGGING AT Sat Oct 24 23:52:57 2026",
                "[23:57] <bob>\thi",
                "[23:58] *\tx y",
            ],
            ("libera", "#tea", None),
        ),
        (
            "hexchat",
            "xchatlogs/FreeNode-#tea.xchatlog",
            ["**** BEGIN LOGGING AT Sun Oct 24 23:52:57 2004", "Oct 24 23:57:13 <bob>\thi"],
            ("FreeNode", "#tea", None),
        ),
        (
            "irssi",
            "irclogs/2026/libera.#tea.10-24.log",
            ["--- Log opened Sat Oct 24 23:57:12 2026", "23:57 <@bob> hi"],
            ("libera", "#tea", date(2026, 10, 24)),
        ),
        (
            "mirc",
            "logs/Undernet/#tea.20261024.log",
            ["Session Start: Sat Oct 24 23:57:12 2026", "[23:57:13] <@bob> hi"],
            ("Undernet", "#tea", date(2026, 10, 24)),
        ),
        (
            "pidgin",
            "logs/irc/ada@irc.example.org/#tea.chat/2026-10-24.235713+0200CEST.html",
            [
                "<html><head><title>Conversation with #tea at ...</title></head><body><h3>Con</h3>",
                '<font color="#A82F2F"><font size="2">(23:57:13)</font> <b>bob:</b></font> hi<br/>',
                "</body></html>",
            ],
            ("irc.example.org", "#tea", date(2026, 10, 24)),
        ),
        (
            "pidgin",
            "logs/irc/ada@irc.example.org/bob/2026-10-24.235713+0200CEST.txt",
            ["Conversation with bob at Sat on ada@irc.example.org (irc)", "(23:57:13) bob: hi"],
            ("irc.example.org", "bob", date(2026, 10, 24)),
        ),
        (
            "pidgin",
            "logs/irc/finb@irc.example.org/bo%5bx%5d/2026-11-28.113908+0100CET.txt",
            ["(11:39:08) bo[x]: private hello from bo"],
            ("irc.example.org", "bo[x]", date(2026, 11, 28)),
        ),
        (
            "pidgin",
            "logs/irc/finb@irc.example.org/#t%c3%a9a%2fb.chat/2026-11-28.113908+0100CET.txt",
            ["(11:39:08) bo[x]: hello"],
            ("irc.example.org", "#t\u00e9a/b", date(2026, 11, 28)),
        ),
    ],
)
def test_a_log_known_by_documentation_is_recognised_with_its_origin(
    name: str, path: str, lines: list[str], origin: tuple[str, str, date | None]
) -> None:
    fit = best_fit(path, lines)
    assert (fit.format.name, fit.read) == (name, 1)
    assert fit.origin[:3] == origin


DAY = ("2026", "10", "24")


@pytest.mark.parametrize(
    ("name", "text", "day"),
    [
        ("irssi", "2026-10-24 23:57:13 < bob> hi", DAY),
        ("irssi", "[2026-10-24 23:57:13] <@bob> hi", DAY),
        ("irssi", "24.10.2026 23:57:13 < bob> hi", DAY),
        ("irssi", "[24.10.2026 23:57:13] <@bob> hi", DAY),
        ("irssi", "2026/10/24 23:57:13 < bob> hi", DAY),
        ("irssi", "23:57:13< bob> hi", ("None", "0", "0")),
        ("irssi", "Oct 24 23:57:13 < bob> hi", ("None", "10", "24")),
        ("irssi", "[23:57:13] < bob> hi", ("None", "0", "0")),
        ("weechat", "24.10.2026 23:57:13\tbob\thi", DAY),
        ("weechat", "[24.10.2026 23:57:13]\tbob\thi", DAY),
        ("weechat", "Sat 24 Oct 2026 23:57:13\tbob\thi", DAY),
        ("weechat", "Oct 24 23:57:13\tbob\thi", ("None", "10", "24")),
        ("weechat", "2026-10-24 23:57:13 +0200\tbob\thi", DAY),
        ("weechat", "2026-10-24 11:57:13 PM\tbob\thi", DAY),
        ("weechat", "11:57:13pm\tbob\thi", ("None", "0", "0")),
        ("znc", "[2026-10-24 23:57:13] <bob> hi", DAY),
        ("znc", "[2026-10-24 23:57:13 +0200] <bob> hi", DAY),
        ("znc", "[24.10.2026 23:57:13] <bob> hi", DAY),
        ("limnoria", "[2026-10-24 23:57:13]  <bob> hi", DAY),
        ("limnoria", "[24-Oct-2026 23:57:13]  <bob> hi", DAY),
        ("limnoria", "24.10.2026 23:57:13  <bob> hi", DAY),
        ("limnoria", "[23:57:13]  <bob> hi", ("None", "0", "0")),
        ("eggdrop", "[2026-10-24 23:57:13] <bob> hi", DAY),
        ("eggdrop", "[2026-10-24T23:57:13] <bob> hi", DAY),
        ("eggdrop", "[2026-10-24 23:57:13 +0200] <bob> hi", DAY),
        ("eggdrop", "[24.10.2026 23:57:13] <bob> hi", DAY),
        ("mirc", "[2026-10-24 23:57:13] <bob> hi", DAY),
        ("mirc", "[24.10.2026 23:57:13] <bob> hi", DAY),
        ("mirc", "(23:57:13) <bob> hi", ("None", "0", "0")),
        ("hexchat", "[2026-10-24 23:57:13] <bob>\thi", DAY),
        ("hexchat", "2026-10-24T23:57:13+0200 <bob>\thi", DAY),
        ("hexchat", "23:57:13 <bob>\thi", ("None", "0", "0")),
        ("hexchat", "24.10.2026 23:57:13 <bob>\thi", DAY),
        ("hexchat", "[24.10.2026 23:57:13] <bob>\thi", DAY),
        ("hexchat", "[24.10. 23:57:13] <bob>\thi", ("None", "10", "24")),
        ("hexchat", "24.10.1999 23:57:13 <bob>\thi", ("1999", "10", "24")),
        ("hexchat", "[2026/10/24 23:57:13] <bob>\thi", DAY),
        ("hexchat", "2026.10.24 23:57:13 <bob>\thi", DAY),
        ("hexchat", "24 Oct 23:57:13 <bob>\thi", ("None", "10", "24")),
        ("hexchat", "[24 Okt. 2026 23:57:13] <bob>\thi", DAY),
        ("hexchat", "24-Oct-2026 23:57:13 <bob>\thi", DAY),
        ("hexchat", "24/Oct/2026 11:57:13 PM <bob>\thi", DAY),
        ("hexchat", "Sat Oct 24 23:57:13 <bob>\thi", ("None", "10", "24")),
        ("hexchat", "Sat, 24 Oct 2026 23:57:13 +0200 <bob>\thi", DAY),
        ("hexchat", "[Sat Oct 24 2026 23:57:13] <bob>\thi", DAY),
        ("hexchat", "[Sat Oct 24 23:57:13 2026] <bob>\thi", DAY),
        ("kvirc", "24 2026-10-24T23:57:13Z <bob> hi", DAY),
        ("hexchat", "sub 24 lis 2026 23:57:13 <bob>\thi", DAY),
    ],
)
def test_a_user_may_have_another_stamp(name: str, text: str, day: tuple[str, str, str]) -> None:
    line = FORMATS[name].read(text)
    assert line
    assert line.stamp
    assert (line.events[0].nick, line.events[0].text) == ("bob", "hi")
    assert line.stamp.clock.replace(tzinfo=None) == time(23, 57, 13)
    assert (str(line.stamp.year), str(line.stamp.month), str(line.stamp.day)) == day


@pytest.mark.parametrize("day", ["24/10/26", "10/24/2026", "24-10-2026", "24/10", "26.10.24"])
def test_a_day_whose_month_is_not_certain_is_not_read_in_hexchat(day: str) -> None:
    assert FORMATS["hexchat"].read(f"[{day} 23:57:13] <bob>\thi") is None


def test_the_unit_of_stamps_that_a_user_changed_is_told_from_them() -> None:
    for stamp, unit in (("24.10.2026 23:57:13", 1), ("24.10.2026 23:57", 60)):
        assert FORMATS["hexchat"].resolution([f"{stamp} <bob>\thi"]).total_seconds() == unit


def test_a_line_of_znc_that_says_nothing_does_not_make_its_log_that_of_another() -> None:
    for path in ("libera/#tea/2026-10-24.log", "notes/tea.txt"):
        lines = ["[23:57:13] *** Server sets mode: + ", "[23:57:14] *** Joins: ada (~a@home)"]
        assert best_fit(path, lines).format.name == "znc"


@pytest.mark.parametrize("stamp", ["[23:57:13]", "2026-10-24T23:57:13"])
@pytest.mark.parametrize("path", ["tea/2026/tea-2026-10-24.log", "2026-10-24.txt", "libera/#a.log"])
def test_comings_and_goings_tell_logs_of_botbot_from_those_with_actions(
    stamp: str, path: str
) -> None:
    said = ["* ada joined the channel", "<ada> hi", "* bob has quit", "* ada waves"]
    assert best_fit(path, [f"{stamp} {one}" for one in said]).format.name == "botbot"


@pytest.mark.parametrize("jest", ["has quit", "joined the channel", "is now known as b"])
@pytest.mark.parametrize(
    ("name", "path"), [("znc", "libera/#tea/2026-10-24.log"), ("mirc", "libera/#tea.log")]
)
def test_one_action_in_the_words_of_botbot_does_not_make_a_log_its(
    name: str, path: str, jest: str
) -> None:
    lines = [f"[23:57:13] {one}" for one in ("<ada> hi", f"* bob {jest}", "* bob waves")]
    assert best_fit(path, lines).format.name == name


def test_the_words_of_botbot_behind_other_stamps_than_its_are_actions() -> None:
    lines = [f"[23:57] {one}" for one in ("<ada> hi", "* bob has quit", "* ada has quit")]
    assert best_fit("libera/#tea.log", lines).format.name == "mirc"


@pytest.mark.parametrize("stamp", ["[23:57]", "[23:57:13]", "(23:57)"])
@pytest.mark.parametrize("path", ["notes/tea.txt", "libera/#tea.log", "#tea.libera.log"])
@pytest.mark.parametrize(
    "happens", ["(~a@home) hat #tea betreten", "(a@home) est parti de #tea (a+)", "(a@h) Fin (bye)"]
)
def test_comings_and_goings_of_mirc_in_another_language_are_no_actions_of_others(
    stamp: str, path: str, happens: str
) -> None:
    lines = [f"{stamp} {one}" for one in ("<bob> hi", f"* ada {happens}", "* bob waves")]
    assert best_fit(path, lines).format.name == "mirc"


def test_a_published_log_of_znc_may_not_tell_where_people_come_from() -> None:
    lines = ["[23:57:13] *** Joins: ada", "[23:57:14] <ada> hi", "[23:57:15] *** Quits: bob (bye)"]
    fit = best_fit("2026/10/24.log", lines)
    assert (fit.format.name, fit.events) == ("znc", 1)


@pytest.mark.parametrize(
    ("path", "lines", "name"),
    [
        (
            "libera/#tea.log",
            ["[23:57:13] < ada> hi", "[23:57:14] -!- b [b@h] has quit [x]"],
            "irssi",
        ),
        ("libera/#tea/2026-10-24.log", ["[23:57:13] <ada> hi", "[23:57:14] * b waves"], "znc"),
        ("logs/#tea.libera.log", ["[23:57] <@ada> hi", "[23:57] <bob> hi"], "mirc"),
        ("2026/10/24/#tea.txt", ["[23:57] <ada> hi", "[23:57] <bob> hi"], "ubuntu"),
        ("2026/10/24/#tea.txt", ["=== ada is now known as b", "[23:57] <b> hi"], "ubuntu"),
        ("tea.log.24Oct2026", ["[23:57] <ada> hi", "[23:58] <bob> hi"], "eggdrop"),
        ("libera/#tea.log", ["23:57 <@ada> hi", "23:58 -!- b [b@h] has quit [x]"], "irssi"),
    ],
)
def test_stamps_that_look_alike_do_not_decide(path: str, lines: list[str], name: str) -> None:
    fit = best_fit(path, lines)
    assert (fit.format.name, fit.read, fit.events) == (name, 1, 1)


@pytest.mark.parametrize(
    ("said", "nick"),
    [
        ("     ada | hi", "ada"),
        ("@ada \u2502 hi", "ada"),
        ("ada|tea | hi", "ada|tea"),
        ("ada> hi", "ada"),
        ("+ada\u276f hi", "ada"),
        *(
            (f"{nick}{mark} hi", nick)
            for nick in ("[ada]", "]ada", "{ada}", "\\ada", "`ada", "^ada", "|ada", "[ada]|tea")
            for mark in (">", " |")
        ),
        ("   @[ada]^ | hi", "[ada]^"),
        ("[ada(a@home)] | hi", ""),
        ("[ada(a@home)]> hi", ""),
        ("[msg(ada)] | hi", ""),
        ("[ctcp(#tea)] > hi", ""),
        ("[23:57] <ada> hi", ""),
        ("| > hi", ""),
        ("!irc.example | hi", ""),
        ("> hi", ""),
        ("ada says: hi", ""),
        ("ada: hi", ""),
    ],
)
def test_a_theme_of_irssi_is_read_if_it_cannot_be_mistaken(said: str, nick: str) -> None:
    line = FORMATS["irssi"].read(f"23:57 {said}")
    events = line.events if line else ()
    assert [(one.kind, one.nick, one.text) for one in events] == (
        [(PRIVMSG, nick, "hi")] if nick else []
    )


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("mirc", "\x0303[23:57] * Now talking in #tea"),
        ("mirc", "[23:57] *** Now talking in #tea"),
        ("mirc", "[23:57] *** Topic is 'tea'"),
        ("mirc", "[23:57] * You were kicked by ada (out)"),
        ("mirc", "[23:57] * You're not channel operator"),
        ("mirc", "[23:57] * Retrieving #tea modes..."),
        ("mirc", "[23:57] * Joins: ada"),
        ("mirc", "[23:57] * ada (~a@home) hat #tea betreten"),
        ("mirc", "[23:57] * ada (~a@home) ha salido de #tea (adios)"),
        ("mirc", "[23:57] * ada (~a@home) Beendet (Quit: bye)"),
        ("mirc", "[23:57] * Attempting to rejoin channel #tea"),
        ("mirc", "[23:57] #tea created on Fri Jan 02 22:56:14 2026"),
        ("mirc", "-"),
        ("hexchat", "Oct 24 23:57:13 *\tada (a@home) whatever"),
        ("hexchat", "Oct 24 23:57:13 *\t*** Notice -- TS for #tea changed from 2 to 1"),
        ("hexchat", "Oct 24 23:57:13 *\t#tea :You're not a channel operator"),
        ("hexchat", "Oct 24 23:57:13 * Now talking on #tea"),
        ("hexchat", "Oct 24 23:57:13 * Topic is 'tea'"),
        ("hexchat", "Oct 24 23:57:13 * Joins: bob"),
        ("hexchat", "Oct 24 23:57:13 *\tJoins: bob (~b@h)"),
        ("eggdrop", "[23:57] Last message repeated 2 time(s)."),
        ("irssi", "23:57 !irc.example Highest connection count: 7 (6 clients)"),
        ("znc", "[23:57:13] *** Server sets mode: + "),
        ("thelounge-2", "[2026-10-24 23:57:13] * undefined topic tea!"),
        ("thelounge-2", "[2026-10-24 23:57:13] *  topic_set_by"),
        ("thelounge-2", "[2026-10-24 23:57:13] * ada kick out"),
        ("ircii", "11:39:09 *> bo[x] waves in private"),
        ("ircii", "11:39:24 *ada*> in private"),
        ("ircii", "11:39:24 *nickserv*> identify secret"),
        ("ircii", "11:39:24 -ada-> in private"),
        ("ircii", "-:- [Users(#tea:2/3)] bob"),
        ("ircii", "-:- NetSplit: a.example split from b.example [11:57pm]"),
        ("ircii", ">>> ada [~a@home] requested PING from #tea"),
        ("pidgin", "(23:57:13) ada: Received CTCP 'VERSION' (to #tea) from ada"),
        ("pidgin", "(23:57:13) ada: (notice) Received CTCP 'VERSION 1 'a'' (to bob) from ada"),
        ("pidgin", '<span style="font-size: smaller">(23:57:13)</span><b> List of 2 users:'),
        ("pidgin", "(23:57:13) List of 1 user:"),
        ("pidgin", "(11:35:28) List of 3 users: [ ada ][ bo[x] ][ cy|tea ]"),
        ("pidgin", "[ ada ][ [bob]^ ]</b><br>"),
        ("pidgin", "[ ada ]"),
    ],
)
def test_what_a_client_says_to_its_user_is_no_event(name: str, line: str) -> None:
    assert events_of(name, line) == ()


IRCII_CUT = [
    "IRC log started Thu Dec 31 23:44",
    "*** ada (~a@home) has joined channel #tea",
    "<ada> hi",
    "IRC log ended Thu Dec 31 23:49",
    "IRC log started Fri Jan  1 11:50",
    "<ada> again",
]


def test_the_day_that_is_given_tells_the_year_of_a_log_that_is_opened_without() -> None:
    """As ircII cuts the moment."""
    assert best_fit("irc.log", IRCII_CUT).format.name == "ircii"
    reader = LogReader(FORMATS["ircii"], UTC, channel="#tea", day=date(2026, 12, 31))
    assert [
        (f"{item.said_at:%Y-%m-%d %H:%M}", item.event.text)
        for item in reader.read(line.encode() for line in IRCII_CUT)
        if isinstance(item, DatedEvent)
    ] == [("2026-12-31 23:44", ""), ("2026-12-31 23:44", "hi"), ("2027-01-01 11:50", "again")]
    assert reader.counts.rejected == 0


def test_a_log_that_is_opened_without_a_year_has_no_date_until_one_is_given() -> None:
    items = [*LogReader(FORMATS["ircii"], UTC, channel="#tea").read([IRCII_CUT[0].encode()])]
    assert [isinstance(item, RejectedLine) and item.why for item in items] == [
        "its date is unknown; --date names the day of the first line"
    ]


def test_a_log_in_another_language_is_opened_and_goes_on() -> None:
    line = FORMATS["hexchat"].read("**** ABCD EFGH AM Sat Oct 24 23:57:13 2026")
    assert line
    assert (line.boundary, line.dated) == (
        Boundary.OPENED,
        datetime(2026, 10, 24, 23, 57, 13),  # noqa: DTZ001 -- naive
    )


@pytest.mark.parametrize(
    "words",
    [
        "ENDING LOGGING AT",
        "BEENDE LOGBUCH UM",
        "FIN DU JOURNAL \u00c0",
        "FINALIZANDO CONEXI\u00d3N EN",
        "ZAKO\u0143CZ LOGOWANIE O",
    ],
)
def test_a_log_of_hexchat_is_closed_in_the_language_of_its_user(words: str) -> None:
    line = FORMATS["hexchat"].read(f"**** {words} Sun Oct 25 02:58:53 2026")
    assert line
    assert line.boundary is Boundary.CLOSED


def test_boundaries_name_their_moment() -> None:
    opened = FORMATS["irssi"].read("--- Log opened Sat Oct 24 23:51:20 2026")
    closed = FORMATS["hexchat"].read("**** ENDING LOGGING AT Sun Oct 25 02:58:53 2026")
    session = FORMATS["mirc"].read("Session Start: Sat Oct 24 23:51:20 2026")
    assert opened
    assert opened.boundary is Boundary.OPENED
    assert str(opened.dated)[:10] == "2026-10-24"
    assert closed
    assert closed.boundary is Boundary.CLOSED
    assert session
    assert session.boundary is Boundary.OPENED


OWN = [
    (
        "hexchat",
        "**** BEGIN LOGGING AT Sat Oct 24 23:51:20 2026",
        "Oct 24 23:57:13 ->#tea<-\thi",
        "Oct 24 23:57:14 *\tYou are now known as {}",
    ),
    (
        "hexchat",
        "**** BEGIN LOGGING AT Sat Oct 24 23:51:20 2026",
        "Oct 24 23:57:13 ->#tea<-\thi",
        "Oct 24 23:57:14 ---\tYou are now known as {}",
    ),
    (
        "weechat",
        "",
        "2026-10-24 23:57:13\t--\tNotice -> #tea: hi",
        "2026-10-24 23:57:14\t--\tYou are now known as {}",
    ),
    (
        "irssi",
        "--- Log opened Sat Oct 24 23:51:20 2026",
        "23:57 [notice(#tea)] hi",
        "23:57 -!- You're now known as {}",
    ),
]


@pytest.mark.parametrize("zone", ["", "Z"])
@pytest.mark.parametrize("day", ["0000-00-00", "0000-01-01", "2026-00-01", "2026-02-30"])
def test_a_day_that_there_is_not_is_rejected(day: str, zone: str) -> None:
    lines = ["2026-10-24 23:57:13\tbob\thi", f"{day} 00:00:00{zone}\tbob\tlost"]
    reader = LogReader(FORMATS["weechat"], UTC, channel="#tea")
    _, lost = reader.read(line.encode() for line in lines)
    assert isinstance(lost, RejectedLine)
    assert lost.why == "there is no such day"


@pytest.mark.parametrize(("name", "first", "notice", "renamed"), OWN)
def test_what_the_owner_sent_has_no_sender_until_the_log_names_its_owner(
    name: str, first: str, notice: str, renamed: str
) -> None:
    lines = [first, notice, renamed.format("ada"), notice, renamed.format("ada_"), notice]
    reader = LogReader(FORMATS[name], UTC, channel="#tea")
    items = list(reader.read(line.encode() for line in lines))
    assert [
        (one.event.kind, one.event.nick, one.event.text)
        for one in items
        if isinstance(one, DatedEvent)
    ] == [
        (NOTICE, "", "hi"),
        (NICK, "", "ada"),
        (NOTICE, "ada", "hi"),
        (NICK, "ada", "ada_"),
        (NOTICE, "ada_", "hi"),
    ]
    assert (reader.counts.messages, reader.counts.rejected) == (5, 0)


@given(st.sampled_from(sorted(FORMATS)), st.lists(st.binary(max_size=80), max_size=20))
def test_a_reader_survives_any_bytes(name: str, lines: list[bytes]) -> None:
    reader = LogReader(FORMATS[name], UTC, channel="#tea")
    items = list(reader.read(lines))
    counts = reader.counts
    assert counts.lines == len(lines)
    assert len(items) >= counts.rejected


@pytest.mark.parametrize(
    ("whole", "kinds"),
    [
        (" <b>bob:</b></font> hi &lt;ada&gt; &amp; <a href='http://a.b/'>all</a><br/>", {PRIVMSG}),
        (" <b>***bob</b></font> waves at <em>all</em><br/>", {ACTION}),
        ("<b> bob left the room (quit: bye (now)).</b><br/>", {QUIT}),
        ("<b> bob left the room (bye (now)).</b><br/>", {PART}),
        ("<b> bob left the room.</b><br/>", {PART}),
    ],
)
def test_the_half_of_a_line_of_pidgin_says_no_more_than_its_beginning(
    whole: str, kinds: set[MessageType]
) -> None:
    """So that it goes when the whole line comes."""
    stamp = '<font color="#A82F2F"><font size="2">(23:57:13)</font>'
    (event,) = events_of("pidgin", stamp + whole)
    cuts = [FORMATS["pidgin"].read(stamp + whole[:end]) for end in range(len(whole))]
    halves = [one for line in cuts if line for one in line.events]
    assert {event.kind, *(one.kind for one in halves)} == kinds
    assert all(event.text.startswith(one.text) for one in halves)


@given(
    st.sampled_from(sorted(FORMATS)),
    st.sampled_from([text for _, text, *_ in LINES]),
    st.data(),
)
def test_a_reader_survives_a_line_that_is_cut_or_changed(
    name: str, text: str, data: st.DataObject
) -> None:
    """From one character to all of them; digits may become others that are no time or day."""
    cut = text[: data.draw(st.integers(0, len(text)))]
    changed = "".join(
        data.draw(st.sampled_from("0123456789")) if one.isdigit() else one for one in cut
    )
    reader = LogReader(FORMATS[name], UTC, channel="#tea")
    list(reader.read([cut.encode(), changed.encode()]))
    assert reader.counts.lines == 2


def test_a_line_is_decoded_as_utf_8_else_as_windows_did_else_as_latin_1() -> None:
    assert decoded("caf\u00e9".encode()) == ("caf\u00e9", "utf-8")
    assert decoded(b"caf\xe9 \x80") == ("caf\u00e9 \u20ac", "cp1252")
    assert decoded(b"caf\xe9 \x81") == ("caf\u00e9 \x81", "latin-1")
    assert decoded("\u043f\u0440\u0438\u0432\u0435\u0442".encode("cp1251"), "cp1251") == (
        "\u043f\u0440\u0438\u0432\u0435\u0442",
        "cp1251",
    )


@pytest.mark.parametrize("said", ["un caf\u00e9", "voil\u00e0", "Spa\u00df", "\u00e0"])
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_letter_at_the_end_of_a_line_is_none_that_was_cut(said: str, encoding: str) -> None:
    assert decoded(said.encode(encoding), encoding) == (said, encoding)
    reader = LogReader(FORMATS["irssi"], UTC, day=date(2026, 10, 24), encoding=encoding)
    (item,) = reader.read([f"23:57 < bob> {said}".encode(encoding)])
    assert isinstance(item, DatedEvent)
    assert item.event.text == said


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("iso-2022-jp", "\u304a\u8336\u306f\u56db\u6642"),
        ("ISO2022_JP_2", "\u304a\u8336\u306f\u56db\u6642"),
        ("iso2022_kr", "\ub124 \uc2dc\uc5d0 \ucc28"),
        ("hz", "\u56db\u70b9\u559d\u8336"),
        ("utf-7", "caf\u00e9"),
    ],
)
def test_an_encoding_of_seven_bits_comes_before_utf_8(encoding: str, said: str) -> None:
    assert decoded(said.encode(encoding), encoding) == (said, encoding)
    assert decoded(b"tea at four", encoding) == (b"tea at four".decode(), "utf-8")
    assert decoded(said.encode(), encoding) == (said, "utf-8")


@pytest.mark.parametrize("encoding", ["cp1252", "cp1251"])
def test_a_line_with_other_characters_of_utf_8_may_be_cut_within_its_last(encoding: str) -> None:
    raw = "\u043f\u0440\u0438\u0432\u0435\u0442".encode()
    assert decoded(raw[:-1], encoding) == ("\u043f\u0440\u0438\u0432\u0435", "utf-8")

"""Codes go, actions are told, and what is off the record or secret is seen."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.irctext import (
    action,
    harmless,
    harmless_nick,
    is_ctcp,
    is_off_record,
    is_secret,
    is_service,
    plain,
    without_keys,
    without_off_record,
)


def test_plain_text_has_no_formatting_and_keeps_every_word() -> None:
    assert plain("\x0304,12red\x03 \x02b\x0f \x04ff0000,00ff00hex \x1d\x1f\x1e\x11\x16i") == (
        "red b hex i"
    )
    assert plain("\x03,5 no colour") == ",5 no colour"
    assert plain("a\x0312345") == "a345"


@given(st.text())
def test_harmless_text_is_one_line_without_control_or_direction(text: str) -> None:
    clean = harmless(text)
    assert len(clean.splitlines()) <= 1
    assert not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in clean)
    assert not any(unicodedata.bidirectional(char) in BIDI for char in clean)
    assert harmless(clean) == clean


BIDI = {"LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.mark.parametrize(
    "char", "\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\u202e\u200f\u061c\u206a\ufeff\U000e0041"
)
def test_no_character_that_forges_a_line_stays(char: str) -> None:
    assert char not in harmless(f"a{char}b")


def test_line_breaks_become_a_space_and_joiners_stay() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert harmless(f"a\r\nb\tc\u2028d {family} \u0645\u06cc\u200c\u062e") == (
        f"a b c d {family} \u0645\u06cc\u200c\u062e"
    )


def test_an_action_is_told_from_other_ctcp_and_from_talk() -> None:
    assert action("\x01ACTION waves\x01") == "waves"
    assert action("\x01action waves") == "waves"
    assert action("\x01ACTION\x01") == ""
    assert action("\x01VERSION\x01") is None
    assert action("\x01ACTIONS speak\x01") is None
    assert action("ACTION waves") is None
    assert (is_ctcp("\x01PING 1\x01"), is_ctcp("ping")) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "[off] hush",
        "[NoLog]hush",
        "  [OFF]",
        "\x02[off]\x02 hush",
        "\x01ACTION [off] hides\x01",
        "[o\x0304ff] x",
    ],
)
def test_a_line_that_begins_with_off_is_off_the_record(text: str) -> None:
    assert is_off_record(text)


@pytest.mark.parametrize(
    "text", ["take [off] your hat", "off", "[offer]", "(off)", "", "\x01ACTION x [off]\x01"]
)
def test_any_other_line_is_on_the_record(text: str) -> None:
    assert not is_off_record(text)


@pytest.mark.parametrize(
    "text",
    [
        "/msg NickServ identify hunter2",
        "/msg NickServ IDENTIFY ada hunter2",
        "msg nickserv identify hunter2",
        " /ns id hunter2",
        "/quote PRIVMSG NickServ :IDENTIFY hunter2",
        "/msg NickServ@services.example.org identify hunter2",
        "/nickserv ghost ada hunter2",
        "/msg Q@CServe.quakenet.org AUTH ada hunter2",
        "/msg X@channels.undernet.org login ada hunter2",
        "NickServ set password hunter2",
        "/cs register #tea hunter2",
        "\x02/msg NickServ identify hunter2",
        "/oper ada hunter2",
        "/quote PASS hunter2",
        "/identify hunter2",
        "/q NickServ@services. identify hunter2",
        "/query NickServ identify hunter2",
        "/squery NickServ :identify hunter2",
        ".msg NickServ GHOST erin hunter2",
        "!msg NickServ REGAIN erin hunter2",
        "> /msg NickServ RECOVER erin hunter2",
        "/^msg NickServ RELEASE erin hunter2",
        "//msg NickServ@services.example.org SETPASS erin key hunter2",
        "/m ChanServ SET PASSWORD hunter2",
        ".ns register hunter2 erin@mail.example",
        "/msg -libera NickServ identify hunter2",
        "/msg -server libera NickServ identify hunter2",
        "NickServ: identify hunter2",
        "!quote PASS hunter2",
        ".identify hunter2",
        "/id hunter2",
        " /ID hunter2 ",
        ".id hunter2",
        "/quote id hunter2",
        "/auth ada hunter2",
    ],
)
def test_a_password_in_the_wrong_window_is_seen(text: str) -> None:
    assert is_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "how do I identify with NickServ?",
        "nickserv is down",
        "nickserv is down again",
        "NickServ: still no answer, can you identify?",
        "ask NickServ to identify you",
        "I have to identify with NickServ@services. first",
        "/q ada register now",
        "q: nickserv or chanserv? both ask for a password",
        "...login works again",
        "identify the problem first",
        "login works again",
        "pass the milk",
        "/msg ada identify yourself",
        "ns1 identify failed",
        "/id is a command",
        "/id",
        "id hunter2",
        "!id ada",
        "/ideas welcome",
        "/auth",
        "/auth works",
        "/auth is down again",
        "/authors of it",
        "",
    ],
)
def test_talk_about_passwords_is_none(text: str) -> None:
    assert not is_secret(text)


@pytest.mark.parametrize(
    ("modes", "told"),
    [
        (["+k", "secret"], "+k *"),
        (["-k", "secret"], "-k *"),
        (["-k"], "-k"),
        (["+ok", "ada", "secret"], "+ok ada *"),
        (["+kl", "secret", "20"], "+kl * 20"),
        (["+k-l+o", "secret", "ada"], "+k-l+o * ada"),
        (["+lk-o", "20", "secret", "ada"], "+lk-o 20 * ada"),
        (["+b", "*!*@spam.example"], "+b *!*@spam.example"),
        (["+nt"], "+nt"),
        (["+Hk", "10:5", "secret"], "+Hk * *"),  # +H may take an argument, or not
        (["+kX", "secret", "secret"], "+kX * *"),
        ([], ""),
    ],
)
def test_a_channels_key_is_never_told(modes: list[str], told: str) -> None:
    assert without_keys(modes) == told


@given(st.text("+-kobvlfjLHXeIaqntimspr", min_size=1), st.integers(0, 6))
def test_no_mode_string_tells_the_key(letters: str, extra: int) -> None:
    told = without_keys([letters, *(f"argument{n}" for n in range(extra))])
    keys = letters.count("k")
    assert told.count("argument") + told.split()[1:].count("*") == extra
    if keys and extra:
        assert "*" in told


@pytest.mark.parametrize(
    "nick",
    [
        *["NickServ", "nickserv", "nickserv@services.example", "ChanServ", "OperServ", "HistServ"],
        *["Q@CServe.quakenet.org", "x@channels.undernet.org", "BouncerServ", "*status", "*sasl"],
        *["_status", "_sasl"],
    ],
)
def test_services_are_known_by_their_nick(nick: str) -> None:
    assert is_service(nick)


@pytest.mark.parametrize(
    "nick", ["ada", "q", "X", "serv", "observer", "Nickserva", "server", "_ada", ""]
)
def test_who_has_another_nick_may_be_a_person(nick: str) -> None:
    assert not is_service(nick)


SERVICES = [
    *["nickserv", "ChanServ", "authserv", "userserv", "operserv"],
    *["ns", "cs", "q@x", "X@y", "nickserv@z"],
]
SUBCOMMANDS = [
    "auth",
    "ghost",
    "id",
    "identify",
    "login",
    "newpass",
    "pass",
    "recover",
    "regain",
    "register",
    "release",
    "setpass",
    "set pass",
]


CLIENTS = [
    *["", "/", ".", "!", "/msg ", "msg ", "/q ", "/squery ", "query "],
    *["/quote privmsg ", "raw notice "],
]


@pytest.mark.parametrize("subcommand", [*SUBCOMMANDS, "set password", "SET  PASSWORD"])
def test_every_command_with_a_password_is_secret(subcommand: str) -> None:
    for service in SERVICES:
        for before in CLIENTS:
            assert is_secret(f"{before}{service} {subcommand} x")
        assert is_secret(f"{service} :{subcommand} x")
        assert not is_secret(f"{service} {subcommand} ")


def test_a_line_full_of_words_of_commands_is_soon_seen_to_be_none() -> None:
    began = time.process_time()
    assert not is_secret("/" + "msg -server msg " * 2_000)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("command", ["identify", "login", "oper", "pass"])
def test_a_client_command_is_secret_only_with_a_slash_or_what_stands_for_it(command: str) -> None:
    assert is_secret(f" /{command} x")
    assert is_secret(f".{command} x")
    assert is_secret(f"!{command} x")
    assert is_secret(f"/quote {command} x")
    assert is_secret(f"/raw {command.upper()} x")
    assert not is_secret(f"{command} x")
    assert not is_secret(f"/{command}")


@pytest.mark.parametrize(
    "text", ["!identify | ada", "!login| ada", " !pass | [eve] ", "!IDENTIFY |  x"]
)
def test_what_a_bot_shall_tell_somebody_of_a_word_is_no_password(text: str) -> None:
    assert not is_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        *["!identify ada hunter2", "!identify ada | hunter2", "!identify hunter2 | ada"],
        *["!identify | ada hunter2", "!identify |hunter2", "!identify | hunter2!", "!identify |"],
        *["/identify | hunter2", ".identify | hunter2", "!raw pass | hunter2"],
        *["/msg NickServ identify | hunter2", "!identify | ada\n!identify hunter2"],
    ],
)
def test_whatever_is_not_quite_that_may_hold_one(text: str) -> None:
    assert is_secret(text)


@pytest.mark.parametrize("letter", "ohvaqbeI")
def test_a_mode_that_takes_an_argument_takes_it_added_and_removed(letter: str) -> None:
    assert without_keys([f"+{letter}k", "x", "secret"]) == f"+{letter}k x *"
    assert without_keys([f"-{letter}k", "x", "secret"]) == f"-{letter}k x *"


@pytest.mark.parametrize("letter", "lfjL")
def test_a_limit_takes_an_argument_only_where_it_is_set(letter: str) -> None:
    assert without_keys([f"+{letter}k", "5", "secret"]) == f"+{letter}k 5 *"
    assert without_keys([f"-{letter}+k", "secret"]) == f"-{letter}+k *"
    assert without_keys([f"-{letter}+k-o", "secret", "ada"]) == f"-{letter}+k-o * ada"


def test_where_a_network_has_modes_of_its_own_no_argument_beside_a_key_is_shown() -> None:
    assert without_keys(["+yk", "ada", "secret"]) == "+yk * *"
    assert without_keys(["+X", "ada"]) == "+X ada"


@pytest.mark.parametrize("code", ["\x02", "\x0f", "\x11", "\x16", "\x1d", "\x1e", "\x1f", "\x03"])
def test_every_formatting_code_goes(code: str) -> None:
    assert plain(f"a{code}b") == "ab"


def test_colours_take_their_digits_along_and_no_more() -> None:
    assert plain("\x031x") == plain("\x0312,3x") == plain("\x0312,13x") == "x"
    assert plain("\x03123") == "3"
    assert plain("\x031,234") == "4"
    assert plain("\x04ff00AAx") == plain("\x04ff00AA,001122x") == "x"
    assert plain("\x04ff00Ax") == "ff00Ax"
    assert plain("\x07") == "\x07"


@pytest.mark.parametrize(
    "text",
    [
        *("Terra: [off] hush", "Terra, [OFF] hush", "bo[1]:  [nolog] hush", "!ask [off] hush"),
        *("!terrarium   [off] hush", "Terra: !search [off] hush", "\x01ACTION bo: [off] hides\x01"),
        *("\x02Terra:\x02 [off]", "Terra:[off] hush"),
        *("Terra\uff1a[off] hush", "bo\uff0c [off]", "@Terra [off] hush", "@bo: [nolog] x"),
        *("!ask\u3000[off] hush", "Terra:\u00a0[off]", "!ask\t[off] hush"),
        *("Terra : [off] hush", "bo :[off] hush", "\u00c9lodie\u3000\uff1a [off]", "@bo ,[off]"),
        *("bo\u060c [off] hush", "bo \u060c[off]", "\u0905\u092e\u093f\u0924: [off] hush"),
        *("\U0001f98a: [off] hush", "\u0639\u200c\u0631: [off] hush"),
    ],
)
def test_off_record_also_after_an_address_and_after_a_command(text: str) -> None:
    assert is_off_record(text, "!")


@pytest.mark.parametrize("mark", "\u200e\u200f\u061c\u202b\u2067\u200b\ufeff\u00ad\u3164")
def test_what_cannot_be_seen_keeps_nothing_on_the_record(mark: str) -> None:
    assert is_off_record(f"{mark}[off]{mark} hush")
    assert is_off_record(f"[{mark}off] hush")
    assert is_off_record(f"{mark}Terra{mark}: {mark}[off] hush")
    assert is_off_record(f"!ask {mark}[off] hush", "!")
    assert without_off_record(f"{mark}[off]{mark} hush") == "hush"


@pytest.mark.parametrize(
    "text",
    [
        *(" " * 20_000 + "[", "x" * 20_000 + "[", "@x" + " " * 20_000 + "["),
        *(":" * 20_000 + "[", "x" + " " * 20_000 + ":" + " " * 20_000 + "[", "@x " * 20_000 + "["),
        "!ask " + " " * 20_000 + "[",
    ],
)
def test_a_long_line_is_soon_seen_to_be_on_the_record(text: str) -> None:
    began = time.process_time()
    assert not is_off_record(text, "!")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "text", ["Terra [off] hush", "so: take [off]", "! [off]", "?ask [off] x", "!ask me [off]"]
)
def test_off_record_elsewhere_is_a_word(text: str) -> None:
    assert not is_off_record(text, "!")


def test_a_command_counts_only_with_the_prefix_of_the_bot() -> None:
    assert not is_off_record("!ask [off] hush")
    assert is_off_record("..ask [off] hush", "..")
    assert not is_off_record("xxask [off] hush", "..")


@pytest.mark.parametrize(
    ("text", "rest"),
    [(" [off] hush", "hush"), ("[NoLog]hush", "hush"), ("hush [off]", "hush [off]"), ("", "")],
)
def test_without_the_mark_the_text_is_left(text: str, rest: str) -> None:
    assert without_off_record(text) == rest


@pytest.mark.parametrize(
    ("nick", "shown"),
    [
        ("alice", "alice"),
        ("zoë", "zoë"),
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),
        ("ali\u200bce", "ali\ufffdce"),
        ("alice\u202e", "alice\ufffd"),
        ("\x02alice", "\ufffdalice"),
        ("alice\u2028> hi", "alice\ufffd> hi"),
        ("", ""),
    ],
)
def test_a_nick_with_what_cannot_be_seen_does_not_look_like_another(nick: str, shown: str) -> None:
    assert harmless_nick(nick) == shown
    assert harmless(shown) == shown

"""Who is covered by an opt-out, and what may be written of a line because of it."""

import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.opt_outs import Decision, OptOuts
from terrarium_mcp.chat.records import MessageType, NewMessage
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.voices import VoiceRules
from tests.store.scene import line_of

ADA = Identity("net", "ada", "~ada", "host.example")
COUNTESS = ADA._replace(account="countess")


def out(*people: Identity, **more: object) -> OptOuts:
    made = {who: Decision(str(number), who.nick) for number, who in enumerate(people)}
    return OptOuts(made, **more)  # type: ignore[arg-type]  # as above


def event(kind: MessageType, text: str, nick: str = "op") -> NewMessage:
    return line_of(nick, text, kind=kind)


@pytest.mark.parametrize(
    ("who", "covered"),
    [
        (ADA, True),
        (ADA._replace(nick="ADA"), True),
        (ADA._replace(account="somebody"), True),
        (ADA._replace(host="HOST.example"), True),
        (ADA._replace(user="~ADA"), False),
        (ADA._replace(nick="eve"), False),
        (ADA._replace(host="elsewhere"), False),
        (ADA._replace(user="~eve"), False),
        (ADA._replace(network="other"), False),
        (Identity("net", "ada"), True),
        (Identity("net", "eve"), False),
        (Identity("net", "ada", account="somebody"), False),
    ],
)
def test_without_an_account_it_takes_the_nick_and_the_same_host(
    who: Identity, covered: bool
) -> None:
    assert out(ADA).covers(who) is covered


@pytest.mark.parametrize(
    ("who", "covered"),
    [
        (COUNTESS, True),
        (Identity("net", "zoe", "~z", "elsewhere", "Countess"), True),
        (ADA, True),
        (Identity("net", "ada", "~eve", "elsewhere"), False),
        (Identity("net", "ada", "~eve", "elsewhere", "eve"), False),
        (Identity("other", "ada", "~ada", "host.example", "countess"), False),
    ],
)
def test_an_account_covers_every_nick_and_host(who: Identity, covered: bool) -> None:
    assert out(COUNTESS).covers(who) is covered


def test_a_host_that_was_stored_in_capitals_matches_too() -> None:
    assert out(ADA._replace(host="HOST.EXAMPLE")).covers(ADA)


def test_names_compare_as_the_network_does() -> None:
    brackets = Identity("net", "a[b]", "u", "h")
    assert out(brackets).covers(brackets._replace(nick="A{B}"))
    assert not out(brackets, casemappings={"net": "ascii"}).covers(brackets._replace(nick="a{b}"))


def test_only_the_account_with_which_they_opted_out_may_undo_it() -> None:
    assert out(COUNTESS).may_opt_in(COUNTESS)
    assert not out(COUNTESS).may_opt_in(ADA)
    assert out(ADA).may_opt_in(ADA)
    assert not out(ADA).may_opt_in(Identity("net", "ada"))


@pytest.mark.parametrize("kind", list(MessageType))
def test_no_line_or_event_of_theirs_is_permitted(kind: MessageType) -> None:
    assert out(ADA).permitted(event(kind, "bo text", nick="ada")) is None
    assert out(ADA).permitted(event(kind, "bo text", nick="bo")) == event(kind, "bo text", "bo")


@pytest.mark.parametrize(
    ("modes", "written"),
    [
        ("+o ada", "+o *"),
        ("+ov bo ADA", "+ov bo *"),
        ("+b ada!*@*", "+b *"),
        ("+b *!*@host.example", "+b *"),
        ("+b ada*!*@*", "+b *"),
        ("+b *!*onion@host.example*", "+b *"),
        ("+b $a:countess", "+b *"),
        ("+b ~quiet:?ada!*@*", "+b *"),
        ("+m", "+m"),
        ("+o adalbert", "+o adalbert"),
    ],
)
def test_a_mode_of_others_is_written_without_their_name(modes: str, written: str) -> None:
    permitted = out(COUNTESS).permitted(event(MessageType.MODE, modes))
    assert permitted
    assert permitted.text == written


def test_a_mode_of_others_is_written_without_an_ipv6_host_of_theirs() -> None:
    opt_outs = out(ADA._replace(host="2001:db8::7"))
    modes = event(MessageType.MODE, "+bbb *!*@2001:db8::7 ~quiet:*!*@2001:DB8::7 *!*@2001:db8::8")
    permitted = opt_outs.permitted(modes)
    assert permitted
    assert permitted.text == "+bbb * * *!*@2001:db8::8"


def test_a_kick_of_them_is_not_written_and_one_of_others_is() -> None:
    assert out(ADA).permitted(event(MessageType.KICK, "Ada enough")) is None
    kept = event(MessageType.KICK, "bo ada complained")
    assert out(ADA).permitted(kept) == kept


def test_what_the_bot_says_to_them_is_not_written_and_what_others_say_is() -> None:
    for nick, own in (("Terra", True), ("bo", False)):
        said = line_of(nick, "Ada: tea at four")._replace(own=own)
        assert (out(ADA).permitted(said) is None) is own
    for text in (
        *("adalbert: tea", "bo: as ada says: tea", "ada came and went"),
        *("bo: wait. As ada says: tea", "bo: one moment. adalbert and cy: wait."),
    ):
        to_others = line_of("Terra", text)._replace(own=True)
        assert out(ADA).permitted(to_others) == to_others
    for text in (
        "bo and ada: one moment",
        "bo: one moment. cy, ada and dee: that was quick. eve: wait.",
        "bo: one moment. ada and 2 others: that was quick.",
    ):
        to_several = line_of("Terra", text)._replace(own=True)
        assert out(ADA).permitted(to_several) is None


def test_a_nick_that_they_took_later_silences_no_namesake_elsewhere() -> None:
    """Somebody could else opt out, and take the nicks of those behind a relay one by one."""
    rules = {"net": VoiceRules(relays=(Relay("tele", "net"),))}
    made = Decision("0", "ada")
    opted = OptOuts({ADA: made, ADA._replace(nick="zoe"): made}, rules=rules)
    assert opted.permitted(line_of("tele", "<zoe> tea"))
    assert opted.permitted(line_of("zoe", "tea")._replace(user="", host=""))
    assert opted.permitted(event(MessageType.KICK, "zoe enough")) is None
    assert opted.has_nick("net", "Zoe")


def test_what_a_relay_carries_for_their_name_is_not_written() -> None:
    rules = {"net": VoiceRules(relays=(Relay("bridge", "net", "[m] NAME |"), Relay("tele", "net")))}
    opted = out(ADA, rules=rules)
    assert opted.permitted(line_of("tele", "<Ada> tea")) is None
    assert opted.permitted(line_of("bridge", "[m] ada | tea")) is None
    for nick, text in (("tele", "<bo> tea"), ("bo", "<ada> tea"), ("tele", "ada is here")):
        assert opted.permitted(line_of(nick, text))


def test_a_message_of_theirs_shows_a_new_nick_host_or_account_once() -> None:
    opted = out(COUNTESS)
    said = line_of("ada", "tea")
    assert opted.new_identity(said) is None
    elsewhere = said._replace(host="elsewhere", account="countess")
    found = opted.new_identity(elsewhere)
    assert found == Identity("net", "ada", "~ada", "elsewhere", "countess")
    assert opted.with_identity(found, Decision("0", "ada")).new_identity(elsewhere) is None
    renamed = said._replace(kind=MessageType.NICK, text="zoe")
    assert opted.new_identity(renamed) == ADA._replace(nick="zoe")
    assert opted.new_identity(line_of("bo", "tea")) is None


def test_two_identities_are_one_person_by_account_else_by_nick_and_host() -> None:
    assert COUNTESS.is_same(COUNTESS._replace(nick="zoe", host="elsewhere"))
    assert not COUNTESS.is_same(ADA)
    assert ADA.is_same(ADA._replace(nick="Ada", host="Host.Example"))
    for other in (ADA._replace(host="x"), ADA._replace(nick="eve"), ADA._replace(network="other")):
        assert not ADA.is_same(other)
    assert not Identity("net", "ada").is_same(Identity("net", "ada"))

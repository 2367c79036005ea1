"""SASL step by step: what is sent, and when the connection has to end."""

import base64

import pytest

from terrarium_mcp.chat.irc_message import parse_line
from terrarium_mcp.irc_bridge.network.sasl import Sasl
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig

WELCOME = parse_line(b":srv 001 Terra :Welcome")
SUCCESS = parse_line(b":srv 903 Terra :ok")
REFUSED = parse_line(b":srv 904 Terra :no")
CHALLENGE = parse_line(b"AUTHENTICATE +")

AWAY_OR_NEVER = " Are its services away? If it never has it, remove"
CERTIFICATE = "TERRARIUM_TLS_CERT"
ACCOUNT = "TERRARIUM_SASL_USERNAME, TERRARIUM_SASL_PASSWORD"


class Scene:
    """A login, what it sent, and why it ended the connection."""

    def __init__(
        self,
        username: str = "ada",
        password: str = "hunter2",  # noqa: S107 - of no one
        *,
        tls: bool = True,
        certificate: str = "",
    ) -> None:
        self.sent: list[tuple[str, ...]] = []
        self.ended: list[str] = []
        config = ServerConfig(
            host="h",
            port=1,
            tls=tls,
            tls_certfile=certificate,
            nick="Terra",
            realname="r",
            sasl_username=username,
            sasl_password=password,
        )
        self.sasl = Sasl(config, lambda *words: self.sent.append(words), self.ended.append)


@pytest.mark.parametrize(
    ("mechanisms", "accepted"),
    [
        (None, True),
        ("", True),
        ("PLAIN", True),
        ("external,plain", True),
        ("EXTERNAL,SCRAM-SHA-256", False),
        ("PLAINER", False),
    ],
)
def test_sasl_is_requested_where_plain_is_offered_or_nothing_is_named(
    mechanisms: str | None, accepted: bool
) -> None:
    assert Scene().sasl.accepts(mechanisms) is accepted


@pytest.mark.parametrize("scene", [Scene("", ""), Scene(tls=False)], ids=["no account", "no TLS"])
def test_without_an_account_or_without_tls_nothing_is_sent(scene: Scene) -> None:
    assert not scene.sasl.accepts("PLAIN")
    assert scene.sasl.begin() is False
    scene.sasl.on_authenticate(CHALLENGE)
    assert (scene.sent, scene.ended) == ([], [])


def test_the_account_and_its_password_follow_the_servers_plus() -> None:
    scene = Scene()
    assert scene.sasl.begin() is True
    assert scene.sent == [("AUTHENTICATE", "PLAIN")]
    scene.sasl.on_authenticate(CHALLENGE)
    verb, answer = scene.sent[-1]
    assert (verb, base64.b64decode(answer)) == ("AUTHENTICATE", b"\0ada\0hunter2")


def test_without_an_account_name_the_nick_is_used() -> None:
    scene = Scene(username="")
    scene.sasl.begin()
    scene.sasl.on_authenticate(CHALLENGE)
    assert base64.b64decode(scene.sent[-1][1]) == b"\0Terra\0hunter2"


@pytest.mark.parametrize(
    ("base64_length", "pieces"),
    [(396, [396]), (400, [400, 1]), (404, [400, 4]), (800, [400, 400, 1])],
)
def test_a_long_answer_is_cut_and_a_full_last_piece_is_followed_by_a_plus(
    base64_length: int, pieces: list[int]
) -> None:
    scene = Scene(password="x" * (base64_length // 4 * 3 - len("\0ada\0")))
    scene.sasl.begin()
    scene.sasl.on_authenticate(CHALLENGE)
    sent = [piece for _, piece in scene.sent[1:]]
    assert [len(piece) for piece in sent] == pieces
    assert (sent[-1] == "+") is (base64_length % 400 == 0)


def test_a_challenge_that_plain_does_not_have_ends_the_connection() -> None:
    scene = Scene()
    scene.sasl.begin()
    scene.sasl.on_authenticate(parse_line(b"AUTHENTICATE Zm9v"))
    assert scene.sent == [("AUTHENTICATE", "PLAIN")]
    assert scene.ended == [
        "SASL login failed: the server sent a challenge, which PLAIN does not have"
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [(b":srv 904 Terra :wrong password", "wrong password"), (b":srv 904", "")],
)
def test_a_refusal_ends_the_connection_with_the_servers_words(line: bytes, why: str) -> None:
    scene = Scene()
    scene.sasl.begin()
    scene.sasl.on_refused(parse_line(line))
    assert scene.sasl.refused
    assert scene.ended == [f"SASL login failed: {why}"]


def test_after_the_login_we_may_register_and_later_numerics_mean_nothing() -> None:
    scene = Scene()
    scene.sasl.begin()
    scene.sasl.on_authenticate(CHALLENGE)
    scene.sasl.on_success(SUCCESS)
    sent = [*scene.sent]
    scene.sasl.require_login(WELCOME)
    scene.sasl.on_refused(parse_line(b":srv 904 Terra :late"))
    scene.sasl.on_authenticate(CHALLENGE)
    scene.sasl.on_mechanisms(parse_line(b":srv 908 Terra EXTERNAL :late"))
    assert not scene.sasl.accepts("PLAIN")
    assert (scene.sent, scene.ended) == (sent, [])


@pytest.mark.parametrize(
    ("scene", "why"),
    [
        (Scene(), f"the server has no SASL PLAIN.{AWAY_OR_NEVER} {ACCOUNT}"),
        (Scene(tls=False), "it needs TLS"),
        (Scene(password=""), f"the server has no SASL PLAIN.{AWAY_OR_NEVER} {ACCOUNT}"),
        (Scene(username=""), f"the server has no SASL PLAIN.{AWAY_OR_NEVER} {ACCOUNT}"),
        (
            Scene(certificate="cert.pem"),
            f"the server has no SASL EXTERNAL or PLAIN.{AWAY_OR_NEVER} {CERTIFICATE}, {ACCOUNT}",
        ),
    ],
    ids=["no SASL", "no TLS", "only a name", "only a password", "a certificate, too"],
)
def test_a_welcome_without_the_login_ends_the_connection(scene: Scene, why: str) -> None:
    scene.sasl.require_login(WELCOME)
    assert scene.ended == [f"SASL login failed: {why}"]


def test_without_an_account_every_welcome_is_fine() -> None:
    scene = Scene("", "")
    scene.sasl.require_login(WELCOME)
    assert scene.ended == []


@pytest.mark.parametrize("begun", [False, True])
def test_a_success_without_an_answer_of_ours_is_refused(begun: bool) -> None:
    scene = Scene()
    if begun:
        scene.sasl.begin()
    scene.sasl.on_success(SUCCESS)
    assert not scene.sasl.logged_in
    assert scene.ended == [
        "SASL login failed: the server accepted it without having asked for our account"
    ]


def test_a_success_that_nobody_asked_for_means_nothing() -> None:
    scene = Scene("", "")
    scene.sasl.on_success(SUCCESS)
    scene.sasl.require_login(WELCOME)
    assert (scene.sasl.logged_in, scene.ended) == (False, [])


def test_a_certificate_is_tried_first_and_names_no_account() -> None:
    scene = Scene("", "", certificate="cert.pem")
    assert scene.sasl.accepts("PLAIN,EXTERNAL")
    scene.sasl.begin()
    scene.sasl.on_authenticate(CHALLENGE)
    scene.sasl.on_success(SUCCESS)
    scene.sasl.require_login(WELCOME)
    assert scene.sent == [("AUTHENTICATE", "EXTERNAL"), ("AUTHENTICATE", "+")]
    assert (scene.sasl.logged_in, scene.ended) == (True, [])


def test_after_a_refused_certificate_the_password_is_tried() -> None:
    scene = Scene(certificate="cert.pem")
    scene.sasl.begin()
    scene.sasl.on_authenticate(CHALLENGE)
    scene.sasl.on_refused(REFUSED)
    assert (scene.sent[-1], scene.ended) == (("AUTHENTICATE", "PLAIN"), [])
    scene.sasl.on_success(SUCCESS)  # it answers nothing that we sent
    assert scene.ended
    scene = Scene(certificate="cert.pem")
    scene.sasl.begin()
    scene.sasl.on_refused(REFUSED)
    scene.sasl.on_authenticate(CHALLENGE)
    assert base64.b64decode(scene.sent[-1][1]) == b"\0ada\0hunter2"
    scene.sasl.on_refused(REFUSED)
    assert (scene.sasl.refused, scene.ended) == (True, ["SASL login failed: no"])


def test_only_what_the_server_offers_is_tried() -> None:
    scene = Scene(certificate="cert.pem")
    assert scene.sasl.accepts("plain,SCRAM-SHA-256")
    scene.sasl.begin()
    assert scene.sent == [("AUTHENTICATE", "PLAIN")]
    only_external = Scene("", "", certificate="cert.pem")
    assert not only_external.sasl.accepts("PLAIN")
    only_external.sasl.require_login(WELCOME)
    why = f"the server has no SASL EXTERNAL.{AWAY_OR_NEVER} {CERTIFICATE}"
    assert only_external.ended == [f"SASL login failed: {why}"]


def test_a_list_of_mechanisms_leaves_out_the_others() -> None:
    scene = Scene(certificate="cert.pem")
    scene.sasl.begin()
    scene.sasl.on_mechanisms(parse_line(b":srv 908 Terra PLAIN,SCRAM :are available"))
    assert scene.ended == []  # the refusal itself follows
    scene.sasl.on_refused(REFUSED)
    assert scene.sent[-1] == ("AUTHENTICATE", "PLAIN")
    scene.sasl.on_mechanisms(parse_line(b":srv 908 Terra SCRAM :are available"))
    assert scene.ended == ["SASL login failed: are available"]
    scene = Scene(certificate="cert.pem")
    scene.sasl.begin()
    scene.sasl.on_mechanisms(parse_line(b":srv 908 Terra SCRAM"))
    assert scene.ended == ["SASL login failed: SCRAM"]
    scene = Scene(certificate="cert.pem")
    scene.sasl.begin()
    scene.sasl.on_mechanisms(parse_line(b":srv 908 Terra"))
    assert scene.ended == []


def test_an_account_name_beside_a_certificate_is_no_login_without_a_password() -> None:
    scene = Scene("ada", "", certificate="cert.pem")
    scene.sasl.begin()
    scene.sasl.on_refused(REFUSED)
    assert scene.sent == [("AUTHENTICATE", "EXTERNAL")]
    assert scene.ended == ["SASL login failed: no"]

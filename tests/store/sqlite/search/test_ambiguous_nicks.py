"""Plain questions with a word that is also a nick: neither the word nor the person is lost."""

from collections.abc import AsyncIterator

import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Search
from tests.store.beginnings import holding
from tests.store.scene import NOON, chat, texts

FILLER = "<cy> hm\n<dan> well\n<cy> so it goes\n<dan> right\n<cy> fine\n<dan> bye\n<cy> hi\n"


def talk_of(nick: str) -> str:
    """Lines by a nick, and more that call it: nothing that a question asks for."""
    called = f"<{nick}> can someone help\n" + f"<dan> {nick}: ok, hang on\n" * 2
    return f"{called}{FILLER}" * 4


async def found(store: Store, question: str, *, visible_only: bool = False) -> list[str]:
    """The texts of the lines that a question finds, the best first."""
    search = Search(
        query=parse_query(question, now=NOON),
        rooms=await store.rooms.all(),
        limit=20,
        now=NOON,
        visible_only=visible_only,
    )
    return texts((await store.search(search, question)).messages)


@pytest.mark.parametrize(
    ("nick", "question", "answer"),
    [
        ("chroot", "how do I mount a disk into a chroot?", "bind /dev in the chroot, mount it"),
        ("toshiba", "who has a toshiba laptop without sound?", "no sound on this toshiba"),
        (
            "colors",
            "how do I change the terminal colors?",
            "the terminal has its colors in the preferences",
        ),
        (
            "knoppix",
            "what is the difference between knoppix and plan9",
            "knoppix boots from a cd, no other difference",
        ),
        ("encrypt", "how do I encrypt my home folder?", "the installer can encrypt your home"),
        ("gdb", "how do I run gdb on a crashed program?", "run gdb with the core"),
        ("pizza", "who ordered pizza", "we ordered pizza with olives"),
    ],
)
async def test_a_word_that_is_a_nick_is_still_searched_for(
    store: Store, nick: str, question: str, answer: str
) -> None:
    await store.messages.append(chat(f"<ada> {answer}\n{FILLER}{talk_of(nick)}"))
    for visible_only in (False, True):
        assert answer in (await found(store, question, visible_only=visible_only))[:3]


async def test_what_a_person_said_about_a_word_that_is_a_nick(store: Store) -> None:
    await store.messages.append(
        chat(
            f"<bo> alien makes a deb of an rpm\n{FILLER}{talk_of('bo')}{talk_of('alien')}"
            f"<ada> what about alien?\n{FILLER}"
        )
    )
    said = await found(store, "what did bo say about alien?")
    assert said[0] == "alien makes a deb of an rpm"
    said = await found(store, "what did bo say about the alien?")
    assert said[0] == "alien makes a deb of an rpm"


@pytest.fixture(scope="module", params=[2, 40])
async def about_printers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Store]:
    """A store for tests that only ask; others say gina's nick so often."""
    talk = (
        f"<gina> my printer eats paper\n{FILLER}<gina> hm, no idea\n"
        f"<dan> a printer costs forty\n{FILLER}<gina> tea is at five\n{FILLER}"
    )
    called = "<dan> gina: see you\n" * request.param
    file = tmp_path_factory.mktemp("printers") / "irc_logs.db"
    async with holding(file, chat(talk + called)) as store:
        yield store


@pytest.mark.parametrize(
    "question",
    [
        *["what did gina say about the printer", "when was gina last talking about the printer"],
        *["gina and the printer", "gina's printer", "what is wrong with gina and the printer?"],
        *["does gina have a printer?", "who has spoken of a printer to gina or to bo?"],
    ],
)
async def test_a_person_asked_by_name_is_found(about_printers: Store, question: str) -> None:
    """However often others say the nick."""
    assert "my printer eats paper" in (await found(about_printers, question))[:2]


async def test_of_a_nick_that_nobody_says_the_lines_are_found(store: Store) -> None:
    await store.messages.append(chat("<toshiba> hi all\n<toshiba> my fan is loud\n<ada> well"))
    assert set(await found(store, "how do I reach toshiba")) >= {"hi all", "my fan is loud"}

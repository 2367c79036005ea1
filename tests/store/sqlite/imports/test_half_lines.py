"""A log that was imported while its program wrote: the half of its last line goes when it grew."""

from dataclasses import replace
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.decoding import decoded
from terrarium_mcp.store import LogSource, Store
from terrarium_mcp.store.sqlite.imports.half_lines import StoredText, is_half_line, is_half_of
from terrarium_mcp.store.sqlite.ingest import bulk
from tests.store.scene import chat, check_index, differences, find
from tests.store.sqlite.imports.logs import bring, log_of, logged, words_in

TEA = logged(chat("<ada> is there tea\n<bo> there is jasmine tea\n<ada> lovely"))
HALF = [TEA[0], TEA[1]._replace(text="there is jas")]
WHOLE = [("ada", "is there tea"), ("bo", "there is jasmine tea"), ("ada", "lovely")]


def reading(size: int, path: str = "tea.log") -> LogSource:
    return replace(log_of(path, contents=f"{path} {size}"), size=size)


async def test_the_half_goes_when_the_whole_line_comes(store: Store, file: Path) -> None:
    await bring(store, HALF, reading(40))
    await bring(store, TEA, reading(80))
    assert words_in(file) == sorted(WHOLE)
    (found,) = (await find(store, "jas")).messages
    assert found.text == "there is jasmine tea"
    assert await differences(store) == []
    check_index(file)


@pytest.mark.parametrize("grown", [80, 120])
async def test_the_half_goes_though_the_import_of_the_whole_line_was_interrupted(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch, grown: int
) -> None:
    """And also if the log grew further before the import was repeated."""
    for name in ("SMALLEST", "USUAL", "LARGEST"):
        monkeypatch.setattr(bulk, name, 1)

    def die(_: int) -> None:
        raise KeyboardInterrupt

    await bring(store, HALF, reading(40))
    with pytest.raises(KeyboardInterrupt):
        await bring(store, TEA, reading(80), die)
    await bring(store, TEA, reading(grown))
    assert words_in(file) == sorted(WHOLE)


@pytest.mark.parametrize(
    ("half", "whole"),
    [
        ("ada gives channel opera", (MessageType.MODE, "ada", "+o bo")),
        ("bo (~b@h.exam", (MessageType.JOIN, "bo", "")),
        ("bo was kicked b", (MessageType.KICK, "ada", "bo no tea")),
        ("bo was kicked b", (MessageType.KICK, "ada", "bo")),
    ],
)
async def test_an_event_that_was_read_as_an_action_until_it_was_whole_is_one(
    store: Store, file: Path, half: str, whole: tuple[MessageType, str, str]
) -> None:
    nick, _, text = half.partition(" ")
    action = TEA[1]._replace(kind=MessageType.ACTION, nick=nick, text=text)
    kind, who, what = whole
    event = TEA[1]._replace(kind=kind, nick=who, text=what)
    await bring(store, [TEA[0], action], reading(40))
    await bring(store, [TEA[0], event, TEA[2]], reading(80))
    assert words_in(file) == sorted([WHOLE[0], (who, what), WHOLE[2]])


@pytest.mark.parametrize(
    ("half", "whole"),
    [
        (("ACTION", "dan|aw", ""), ("ACTION", "dan|away", "waves")),
        (("ACTION", "dan|aw", ""), ("QUIT", "dan|away", "bye")),
        (("ACTION", "dan|away", ""), ("JOIN", "dan|away", "")),
        (("ACTION", "b", ""), ("KICK", "ada", "bo no tea")),
        (("KICK", "a", "bo"), ("KICK", "ada", "bo no tea")),
        (("MODE", "ad", "+o bo"), ("MODE", "ada", "+o bo")),
        (("TOPIC", "ad", ""), ("TOPIC", "ada", "tea at four")),
    ],
)
def test_a_line_that_was_cut_within_a_nick_is_half_of_the_whole(
    half: tuple[str, str, str], whole: tuple[str, str, str]
) -> None:
    assert is_half_line(StoredText(*half), StoredText(*whole))
    assert not is_half_line(StoredText(*whole), StoredText(*half))


@pytest.mark.parametrize(
    ("line", "other"),
    [
        (("ACTION", "bo", "waves"), ("ACTION", "bobby", "waves at all")),
        (("ACTION", "bo", "waves"), ("QUIT", "bobby", "waves")),
        (("PRIVMSG", "bo", ""), ("PRIVMSG", "bobby", "hi")),
        (("JOIN", "bo", ""), ("JOIN", "bobby", "")),
        (("KICK", "a", "cy"), ("KICK", "ada", "bo no tea")),
    ],
)
def test_a_line_of_somebody_with_a_shorter_nick_is_no_half_of_another(
    line: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    assert not is_half_line(StoredText(*line), StoredText(*other))


async def test_an_action_beside_an_event_of_somebody_else_stays(store: Store, file: Path) -> None:
    """The log is another one, of that name: what it had is not in it."""
    action = TEA[1]._replace(kind=MessageType.ACTION, nick="bo", text="waves")
    event = TEA[1]._replace(kind=MessageType.KICK, nick="ada", text="bobby no tea")
    await bring(store, [TEA[0], action], reading(40))
    await bring(store, [TEA[0], event, TEA[2]], reading(80))
    assert ("bo", "waves") in words_in(file)


async def test_a_line_that_the_log_still_has_stays(store: Store, file: Path) -> None:
    said = [*logged(chat("<ada> tea\n<bo> hi")), TEA[1]._replace(text="tea?")]
    await bring(store, said[:1], reading(10))
    await bring(store, [said[0], said[0]._replace(text="tea for two"), *said[1:]], reading(80))
    assert [text for _, text in words_in(file)] == ["tea", "tea for two", "hi", "tea?"]


async def test_a_line_of_another_log_of_that_name_stays(store: Store, file: Path) -> None:
    await bring(store, HALF, reading(40))
    await bring(store, logged(chat("<cy> a new file\n<cy> of that name")), reading(80))
    assert ("bo", "there is jas") in words_in(file)


async def test_a_half_that_another_log_has_too_stays(store: Store, file: Path) -> None:
    await bring(store, HALF, reading(40))
    await bring(store, HALF, reading(40, "copy.log"))
    await bring(store, TEA, reading(80))
    assert words_in(file) == sorted([*WHOLE, ("bo", "there is jas")])


async def test_a_half_that_was_cut_within_its_first_character_beyond_ascii_goes(
    store: Store, file: Path
) -> None:
    cut = decoded("there is caf\u00e9 and tea".encode()[:-9])[0]
    assert cut == "there is caf\u00c3"
    await bring(store, [TEA[0], TEA[1]._replace(text=cut)], reading(40))
    whole = TEA[1]._replace(text="there is caf\u00e9 and tea")
    await bring(store, [TEA[0], whole, TEA[2]], reading(80))
    assert words_in(file) == sorted([WHOLE[0], ("bo", whole.text), WHOLE[2]])


@pytest.mark.parametrize(
    "whole", ["tea \u00e9", "\u20ac 2", "fine \U0001f600!", "\u65e5\u672c tea"]
)
def test_every_beginning_of_a_line_is_half_of_it_wherever_it_was_cut(whole: str) -> None:
    raw = whole.encode()
    assert all(is_half_of(decoded(raw[:end])[0], whole) for end in range(1, len(raw)))


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("caf\u00e9", "caf\u00e9"),
        ("caf\u00e9", "cafe"),
        ("caf\u00e9", "caf"),
        ("caf\u00e9", "tea \u00e9"),
        ("na\u00efve caf\u00e9", "na\u00efve caf\u00ea!"),
        ("tea", "ten"),
    ],
)
def test_a_line_that_another_does_not_continue_is_no_half_of_it(line: str, other: str) -> None:
    assert not is_half_of(line, other)

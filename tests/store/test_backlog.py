"""The backlog: one markdown file for each idea, written by this bot or by terrarium-irc."""

import json
import re
import stat
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import thread_time
from typing import Any

import anyio
import frontmatter
import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.store import (
    Backlog,
    BacklogBusy,
    BacklogFailed,
    BacklogFull,
    Enhancement,
    UnknownEnhancement,
)
from terrarium_mcp.store import backlog as backlog_module
from tests.patience import PATIENCE
from tests.servers.forked import forked
from tests.store.children import ROOT, SUGGESTED, child

ABOUT = {"author": "ada", "network": "net", "channel": "#tea"}
AT = datetime(2026, 5, 1, 12, 30, 5, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "enhancements"


@pytest.fixture
def backlog(folder: Path) -> Backlog:
    return Backlog(folder)


async def write(
    backlog: Backlog, title: str, summary: str = "because", lines: Sequence[str] = ()
) -> Enhancement:
    one, is_new = await backlog.create(title, summary, about=ABOUT, lines=lines, at=AT)
    assert is_new
    return one


def put(folder: Path, name: str, text: str | bytes) -> None:
    """Somebody else writes a file."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


async def test_an_idea_is_one_markdown_file(backlog: Backlog, folder: Path) -> None:
    one = await write(backlog, "Brew Green Tea!", "We want *tea*.", ["7 12:00 <bo> tea?"])
    assert one.filename == "20260501-123005-brew-green-tea.md"
    assert (folder / one.filename).read_text() == (
        "---\n"
        "title: Brew Green Tea!\n"
        "status: open\n"
        "author: ada\n"
        "network: net\n"
        "channel: '#tea'\n"
        "created: '2026-05-01T12:30:05.000Z'\n"
        "---\n\n"
        "We want *tea*.\n\n"
        "## The talk it came from\n\n"
        "    7 12:00 <bo> tea?\n"
    )


async def test_what_was_written_is_read_again(backlog: Backlog) -> None:
    one = await write(backlog, "Brew green tea")
    assert (await backlog.read(one.filename)).startswith("---\ntitle: Brew green tea\n")
    assert await backlog.all() == [one]
    assert (one.title, one.status, one.network, one.channel) == (
        "Brew green tea",
        "open",
        "net",
        "#tea",
    )
    assert one.written_at == AT


@pytest.mark.parametrize(
    "again", ["Brew green tea", "brew GREEN tea", " Brew green\u3000\uff34ea "]
)
async def test_the_same_title_gives_the_file_that_is_there(backlog: Backlog, again: str) -> None:
    one = await write(backlog, "Brew green tea")
    assert await backlog.create(again, "else", about=ABOUT, lines=[]) == (one, False)


async def test_long_titles_that_differ_at_the_end_are_two_ideas(backlog: Backlog) -> None:
    long = "brew green tea at four in the afternoon for everybody who is in the channel"
    await write(backlog, f"{long} on mondays")
    await write(backlog, f"{long} on fridays")


@pytest.mark.parametrize(
    "titles",
    [
        ("Support C++", "Support C#", "Support C"),
        ("Show -1 day", "Show 1 day"),
        ("\u4e8b\u5b9e", "\u5b9e\u65bd"),
        ("R\u00e9sum\u00e9", "Resume"),
    ],
)
async def test_titles_that_share_a_file_name_are_ideas_of_their_own(
    backlog: Backlog, titles: tuple[str, ...]
) -> None:
    ideas = [await write(backlog, title) for title in titles]
    assert [one.title for one in ideas] == list(titles)
    assert len({one.filename for one in await backlog.all()}) == len(titles)
    for one in ideas:
        assert await backlog.create(one.title, "", about=ABOUT, lines=[]) == (one, False)


async def test_titles_without_letters_are_compared_by_their_signs(backlog: Backlog) -> None:
    first = await write(backlog, "🍵")
    other = await write(backlog, "☕")
    assert (first.filename, other.filename) == (
        "20260501-123005-idea.md",
        "20260501-123005-idea-2.md",
    )
    assert await backlog.create("🍵", "", about=ABOUT, lines=[]) == (first, False)


async def test_an_idea_that_the_caller_may_not_see_is_not_taken_for_the_same(
    backlog: Backlog,
) -> None:
    await write(backlog, "Brew green tea")
    other = {**ABOUT, "channel": "#mate"}
    one, is_new = await backlog.create(
        "Brew green tea", "x", about=other, lines=[], may_name=lambda one: one.channel == "#mate"
    )
    assert is_new
    assert one.channel == "#mate"


async def test_the_eleventh_is_refused_with_the_way_to_close_the_oldest(backlog: Backlog) -> None:
    for number in range(10):
        await write(backlog, f"idea {number}")
    oldest = "20260501-123005-idea-0.md"
    with pytest.raises(BacklogFull) as refused:
        await write(backlog, "one more")
    assert str(refused.value) == (
        "The backlog holds 10 open ideas, the maximum, and no tool closes one. The operator of this"
        f" server must do so first, for example the oldest, {oldest}: by `status: closed` in the"
        " front matter of its file."
    )


async def test_of_ideas_of_the_same_second_the_oldest_is_the_one_that_came_first(
    backlog: Backlog,
) -> None:
    titles = [f"idea {10 - number}" for number in range(10)]
    for number, title in enumerate(titles):
        at = AT + timedelta(milliseconds=number)
        await backlog.create(title, "x", about=ABOUT, lines=[], at=at)
    assert [one.title for one in await backlog.all()] == titles
    with pytest.raises(BacklogFull, match=r"the oldest, 20260501-123005-idea-10\.md"):
        await write(backlog, "one more")


async def test_the_refusal_names_no_idea_that_the_caller_may_not_see(backlog: Backlog) -> None:
    for number in range(10):
        await write(backlog, f"idea {number}")
    with pytest.raises(BacklogFull) as refused:
        await backlog.create("more", "x", about=ABOUT, lines=[], may_name=lambda _: False)
    assert "idea-" not in str(refused.value)


async def test_the_same_title_is_found_in_a_full_backlog_too(backlog: Backlog) -> None:
    ideas = [await write(backlog, f"idea {number}") for number in range(10)]
    assert await backlog.create("idea 7", "x", about=ABOUT, lines=[]) == (ideas[7], False)


@pytest.mark.parametrize("closed", ["closed", "Closed", "'closed '"])
async def test_a_closed_idea_frees_its_place_and_its_title(
    backlog: Backlog, folder: Path, closed: str
) -> None:
    ideas = [await write(backlog, f"idea {number}") for number in range(10)]
    file = folder / ideas[0].filename
    file.write_text(file.read_text().replace("status: open", f"status: {closed}"))
    again = await write(backlog, "idea 0")
    assert again.filename == "20260501-123005-idea-0-2.md"
    assert [one.filename for one in await backlog.all()][-1] == file.name


async def test_a_file_saved_with_a_byte_order_mark_keeps_its_front_matter(
    backlog: Backlog, folder: Path
) -> None:
    one = await write(backlog, "Rain, please")
    file = folder / one.filename
    closed = file.read_text().replace("status: open", "status: closed")
    file.write_bytes(closed.replace("\n", "\r\n").encode("utf-8-sig"))
    assert await backlog.all() == [one._replace(status="closed")]


async def test_many_at_once_are_ten_at_most_and_each_title_once(backlog: Backlog) -> None:
    made: list[bool] = []
    refused: list[str] = []

    async def create(title: str) -> None:
        try:
            _, is_new = await backlog.create(title, "x", about=ABOUT, lines=[], at=AT)
            made.append(is_new)
        except BacklogFull as error:
            refused.append(str(error))

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for number in range(24):
                tasks.start_soon(create, f"idea {number // 2}")
    assert (made.count(True), made.count(False), len(refused)) == (10, 10, 4)
    assert len(await backlog.all()) == 10


async def test_several_processes_keep_to_ten_and_to_one_file_for_each_title(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    async with AsyncExitStack() as running:
        children = [await running.enter_async_context(child("suggest", file)) for _ in range(3)]
        for one in children:
            await one.go()
        told = [json.loads(await one.says()) for one in children]
    assert Counter(what for outcomes in told for what in outcomes) == {
        "new": 10,
        "known": 20,
        "full": 6,
    }
    ideas = await Backlog(tmp_path / "enhancements").all()
    assert sorted(one.title for one in ideas) == sorted(SUGGESTED[:10])


async def test_the_lock_is_private_and_beside_the_folder(backlog: Backlog, folder: Path) -> None:
    one = await write(backlog, "an idea")
    lock = folder.parent / "enhancements.lock"
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    assert sorted(folder.parent.rglob("*")) == [folder, folder / one.filename, lock]


async def test_whoever_gets_no_turn_is_told_so_and_nothing_is_written(
    backlog: Backlog, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog_module, "_PATIENCE", 0.0)
    with (
        FileLock(folder.parent / "enhancements.lock"),
        pytest.raises(BacklogBusy, match=r"Nothing was saved: try again in a moment\.$"),
    ):
        await write(backlog, "an idea")
    assert await backlog.all() == []
    await write(backlog, "an idea")


async def test_the_earlier_bots_plain_files_are_listed_and_readable(
    backlog: Backlog, folder: Path
) -> None:
    put(folder, "20251105-120000-search-by-date.md", "# Search by date\n\nPlease.\n")
    (one,) = await backlog.all()
    assert (one.title, one.status, one.channel) == ("search by date", "open", "")
    assert one.written_at == datetime(2025, 11, 5, 12, tzinfo=UTC)
    assert (await backlog.text(one)).endswith("Please.\n")
    same, is_new = await backlog.create("Search by date", "x", about=ABOUT, lines=[])
    assert (same, is_new) == (one, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n",
        "---\ntitle: [unclosed\n---\n",
        "---\ntitle: !!timestamp x\n---\n",
        "---\ntitle: !!bool x\n---\n",
        "---\njust words\n---\n",
        "---\n- a\n- list\n---\n",
        "---\ntitle:\nstatus:\n---\n",
        "---\n? {a: b}\n: c\n---\n",
        "{}",
        "\ufeff---\ntitle: x\n---",
        "---\n" + "[" * 5_000 + "\n---\n",
        f"---\ntitle: 0x{'f' * 9_000}\n---\n",
    ],
)
async def test_a_file_edited_into_nonsense_is_still_shown(
    backlog: Backlog, folder: Path, text: str
) -> None:
    put(folder, "20251105-120000-some-idea.md", text)
    (one,) = await backlog.all()
    assert one.is_open
    assert await backlog.text(one) == text


NOT_YAML = b"---\nstatus: closed\ntitle: Tea: at four\n---\n"


@pytest.mark.parametrize(
    ("contents", "why"),
    [
        (NOT_YAML, "its front matter is not valid YAML (line 3). Put quotes around its values."),
        (
            NOT_YAML.replace(b"Tea: ", b"!!bool "),
            "its front matter is not valid YAML. Put quotes around its values.",
        ),
        (NOT_YAML.decode().encode("utf-16"), "it is not encoded as UTF-8. Save it as UTF-8."),
    ],
)
async def test_an_idea_that_counts_as_open_since_it_is_not_understood_is_logged_once(
    backlog: Backlog, folder: Path, contents: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    put(folder, "mine.md", contents)
    for _ in range(2):
        (one,) = await backlog.all()
        assert one.is_open
    assert [record.message for record in caplog.records] == [
        f"{folder / 'mine.md'} counts as open, and as of no channel: {why}"
    ]
    assert await backlog.unreadable() == []


async def test_who_mends_the_first_of_two_faults_of_an_idea_is_told_the_second(
    backlog: Backlog, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for title in (b"Tea: at four", b"'Tea: at four'"):
        put(folder, "mine.md", b"---\ntitle: %b\nauthor: ada: me\n---\n" % title)
        await backlog.all()
    found = [re.findall(r"\(line \d\)", one) for one in caplog.messages]
    assert found == [["(line 2)"], ["(line 3)"]]


async def test_whatever_a_summary_holds_its_idea_keeps_its_front_matter(
    backlog: Backlog, caplog: pytest.LogCaptureFixture
) -> None:
    one = await write(backlog, "an idea", "\0\ufffd\ufffd---\nstatus: [closed")
    assert await backlog.all() == [one]
    assert caplog.records == []


async def test_bytes_that_are_no_text_are_shown_as_far_as_they_can_be(
    backlog: Backlog, folder: Path
) -> None:
    put(folder, "20251105-120000-old.md", b"caf\xe9\n")
    (one,) = await backlog.all()
    assert await backlog.text(one) == "caf\ufffd\n"


async def test_dates_that_a_person_wrote_are_understood(backlog: Backlog, folder: Path) -> None:
    put(folder, "mine.md", "---\ncreated: 2026-05-01 12:30:05\nstatus: no\n---\nx")
    (one,) = await backlog.all()
    assert one.written_at == AT
    assert one.title == "mine"


@pytest.mark.parametrize(
    "name",
    [
        "../irc_logs.db",
        "../secret.md",
        "/etc/passwd",
        "..",
        "",
        ".",
        "a\0b.md",
        "x" * 5_000 + ".md",
        "%2e%2e/secret.md",
        "sub/idea.md",
    ],
)
async def test_no_name_leads_out_of_the_folder(backlog: Backlog, folder: Path, name: str) -> None:
    await write(backlog, "an idea")
    (folder / "../secret.md").write_text("secret")
    (folder / "sub").mkdir()
    (folder / "sub/idea.md").write_text("secret")
    with pytest.raises(UnknownEnhancement) as refused:
        await backlog.read(name)
    assert len(str(refused.value)) < 200


async def test_an_endless_name_is_compared_with_no_title(backlog: Backlog) -> None:
    for number in range(10):
        await write(backlog, f"idea {number}")
    began = thread_time()
    with pytest.raises(UnknownEnhancement):
        await backlog.read("\u4e8b" * 100_000)
    assert thread_time() - began < 0.5  # 1.3 s, if it is


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"---\r\nnetwork: 'irc' \r\n---\r\nhi \xff", b'---\r\nnetwork: "net" \r\n---\r\nhi \xff'),
        (b"---\nnetwork: irc2\n---\nnetwork: irc\n", None),
        (b"network: irc\n", None),
    ],
)
async def test_of_an_idea_whose_network_is_renamed_nothing_else_changes(
    backlog: Backlog, folder: Path, before: bytes, after: bytes | None
) -> None:
    put(folder, "idea.md", before)
    await backlog.rename_network("irc", "net")
    assert (folder / "idea.md").read_bytes() == (after or before)


async def test_what_is_no_idea_is_passed_over(backlog: Backlog, folder: Path) -> None:
    one = await write(backlog, "an idea")
    (folder / "folder.md").mkdir()
    (folder / "notes.txt").write_text("x")
    (folder / ".hidden.md").write_text("x")
    (folder / "dangling.md").symlink_to(folder / "nowhere")
    assert await backlog.all() == [one]


async def test_without_a_folder_there_are_no_ideas(backlog: Backlog) -> None:
    assert await backlog.all() == []


async def test_a_folder_that_cannot_be_made_is_explained(backlog: Backlog, folder: Path) -> None:
    put(folder.parent, folder.name, "a file is in the way")
    with pytest.raises(BacklogFailed, match=r"The backlog in \S*enhancements cannot be used: "):
        await write(backlog, "an idea")
    assert await backlog.all() == []


async def test_a_full_disk_is_explained_and_leaves_no_half_idea(
    backlog: Backlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(BacklogFailed, match="No space left on device"):
        await write(backlog, "an idea")
    assert await backlog.all() == []
    assert list(backlog.folder.iterdir()) == []


CUT_SHORT = """
import resource, signal, sys, anyio
from pathlib import Path
from terrarium_mcp.store import Backlog
async def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    await Backlog(Path(sys.argv[1])).create("an idea", "because " * 100, about={}, lines=[])
anyio.run(main)
"""
"""Writes an idea, and is killed at its hundredth byte."""


async def test_a_process_killed_while_it_writes_leaves_no_half_idea(
    backlog: Backlog, folder: Path
) -> None:
    killed = await anyio.run_process(forked("-c", CUT_SHORT, folder), cwd=ROOT, check=False)
    assert killed.returncode != 0
    assert killed.stderr == b""
    assert await backlog.all() == []
    await write(backlog, "an idea")


async def test_a_file_that_may_not_be_read_is_left_out_and_logged_once(
    backlog: Backlog,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    secret, readable = await write(backlog, "a secret"), await write(backlog, "an idea")
    opens = Path.open

    def opens_others(file: Path, *args: Any, **options: Any) -> Any:
        if file.name == secret.filename:
            raise PermissionError(13, "Permission denied")
        return opens(file, *args, **options)

    monkeypatch.setattr(Path, "open", opens_others)
    assert await backlog.all() == [readable]
    assert await backlog.unreadable() == [secret.filename]
    assert (await write(backlog, "another idea")).is_open
    told = f"{folder / secret.filename} cannot be read, and no list shows it: Permission denied."
    assert [one.message.startswith(told) for one in caplog.records] == [True]
    monkeypatch.undo()
    assert await backlog.unreadable() == []
    assert len(await backlog.all()) == 3


TRICKS = st.sampled_from(
    [
        "---",
        "---\nstatus: closed\n---",
        "# x",
        "'",
        '"',
        ": ",
        "{a: b}",
        "|",
        "&a *a",
        "!!str",
        "no",
    ]
)
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)


@given(
    title=st.lists(TRICKS | WORDS, min_size=1, max_size=4).map(" ".join),
    summary=st.lists(TRICKS | WORDS, max_size=4).map("\n".join),
)
@settings(deadline=None, max_examples=30)
async def test_neither_title_nor_summary_can_change_the_head(
    tmp_path_factory: pytest.TempPathFactory, title: str, summary: str
) -> None:
    folder = tmp_path_factory.mktemp("enhancements")
    one = await write(Backlog(folder), title or "x", summary)
    head = frontmatter.loads((folder / one.filename).read_text("utf-8")).metadata
    assert head == {
        "title": title or "x",
        "status": "open",
        **ABOUT,
        "created": "2026-05-01T12:30:05.000Z",
    }
    assert re.fullmatch(r"20260501-123005-[a-z0-9-]{1,60}\.md", one.filename)
    assert summary.strip() in (folder / one.filename).read_text("utf-8")

"""Finding and opening the files of an import: folders, archives, hostile ones."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from terrarium_mcp.logformats.files import FileReading, LogFile, UnusableFile, lines_of
from terrarium_mcp.logformats.log_reader import LONGEST_LINE
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.zstd import compress

LINE = b"[23:57:13] <bob> hi\n"


def read(*paths: Path | str, scratch: Path) -> dict[str, bytes]:
    """What the files at the paths hold, by name."""
    found = {}
    for file in log_files(map(str, paths), scratch):
        assert isinstance(file, LogFile), file
        with file.opened() as stream:
            found[file.name] = stream.read()
    return found


@pytest.fixture
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path, scratch: Path) -> None:
    for name in ("b/2.log", "a/10.log", "a/1.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(LINE)
    names = [
        Path(name).relative_to(tmp_path).as_posix() for name in read(tmp_path, scratch=scratch)
    ]
    assert names == ["a/1.log", "a/10.log", "b/2.log"]


def test_a_pattern_names_files_and_a_name_may_look_like_one(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "#tea[1].log").write_bytes(b"1")
    (tmp_path / "#tea1.log").write_bytes(b"2")
    assert list(read(tmp_path / "#tea[1].log", scratch=scratch).values()) == [b"1"]
    assert list(read(tmp_path / "#tea?.log", scratch=scratch).values()) == [b"2"]


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".xz", lzma.compress),
        (".bz2", bz2.compress),
        (".zst", compress),
    ],
)
def test_a_compressed_file_has_the_name_that_it_had(
    suffix: str, pack: "type[bytes]", tmp_path: Path, scratch: Path
) -> None:
    (tmp_path / f"#tea.log{suffix}").write_bytes(pack(LINE))
    assert read(tmp_path, scratch=scratch) == {(tmp_path / "#tea.log").as_posix(): LINE}


def test_a_rotated_file_may_be_packed(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "#tea.log.1.gz").write_bytes(gzip.compress(LINE))
    assert read(tmp_path, scratch=scratch) == {(tmp_path / "#tea.log.1").as_posix(): LINE}


def test_archives_hold_files(tmp_path: Path, scratch: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("labnet/#tea.log", LINE)
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as tar:
        member = tarfile.TarInfo("labnet/#mate.log")
        member.size = len(LINE)
        tar.addfile(member, io.BytesIO(LINE))
    assert read(tmp_path, scratch=scratch) == {"labnet/#tea.log": LINE, "labnet/#mate.log": LINE}


def test_files_in_an_archive_may_be_packed(tmp_path: Path, scratch: Path) -> None:
    (inside := tmp_path / "labnet").mkdir()
    (inside / "#tea.log.1.gz").write_bytes(gzip.compress(LINE))
    (inside / "#mate.log.XZ").write_bytes(lzma.compress(LINE))
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.add(inside, "labnet")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for file in inside.iterdir():
            archive.write(file, f"zipped/{file.name}")
    names = ("labnet/#tea.log.1", "labnet/#mate.log", "zipped/#tea.log.1", "zipped/#mate.log")
    packed = (tmp_path / "a.tar", tmp_path / "b.zip")
    assert read(*packed, scratch=scratch) == dict.fromkeys(names, LINE)


def test_names_in_a_zip_are_read_as_their_packer_meant_them(tmp_path: Path, scratch: Path) -> None:
    """Of Windows, with backslashes; of macOS, in UTF-8 without its flag; of Unix, as they are."""
    names = {
        r"irclogs\labnet\#tea.log": (0, "irclogs/labnet/#tea.log"),
        "labnet/#café.log": (19, "labnet/#café.log"),
        r"labnet/#a\b.log": (3, r"labnet/#a\b.log"),
    }
    for name, (system, _) in names.items():
        packed = zipfile.ZipInfo(name)
        packed.create_system = system
        with zipfile.ZipFile(tmp_path / f"{system}.zip", "w") as archive:
            archive.writestr(packed, LINE)
    for path in tmp_path.glob("*.zip"):
        path.write_bytes(without_utf_8_flag(path.read_bytes()))
    assert read(tmp_path, scratch=scratch) == {read_as: LINE for _, read_as in names.values()}


def without_utf_8_flag(packed: bytes) -> bytes:
    """A zip of one file, without the flag in its local and its central header (APPNOTE.TXT 4.3)."""
    changed = bytearray(packed)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[packed.index(mark) + flags + 1] &= ~0x08 & 0xFF
    return bytes(changed)


def test_names_that_are_not_utf_8_are_read_as_lines_are(tmp_path: Path, scratch: Path) -> None:
    folder = tmp_path / "k\u00fcche"
    folder.mkdir()
    for name in (b"#caf\xe9.log", b"#caf\xe8.log", b"#\x81.log", "#caf\u00ea.log".encode()):
        (folder / os.fsdecode(name)).write_bytes(LINE)
    with tarfile.open(tmp_path / "packed.tar", "w") as archive:
        archive.add(folder / os.fsdecode(b"#caf\xe8.log"), os.fsdecode(b"#th\xe9.log"))
    expected = ["#caf\u00e8", "#caf\u00e9", "#caf\u00ea", "#\x81"]
    found = [Path(name) for name in read(folder, scratch=scratch)]
    assert sorted(path.stem for path in found) == expected
    assert {path.parent for path in found} == {folder}
    assert list(read(tmp_path / "packed.tar", scratch=scratch)) == ["#th\u00e9.log"]
    russian = log_files([str(folder)], scratch, "koi8-r")
    assert "#caf\u0418.log" in {Path(one.name).name for one in russian if isinstance(one, LogFile)}


def test_two_names_that_differ_in_their_encoding_alone_are_not_put_together(
    tmp_path: Path, scratch: Path
) -> None:
    names = [tmp_path / "#caf\u00e9.log", tmp_path / os.fsdecode(b"#caf\xe9.log")]
    for name in names:
        name.write_bytes(LINE)
    for order in (names, names[::-1]):
        first, second = log_files(map(str, order), scratch)
        assert isinstance(first, LogFile)
        assert isinstance(second, UnusableFile)
        assert str(second) == (
            f"{names[0]}: there is another file of this name, spelt in another encoding. Import one"
            " of them alone, and say whose it is: --channel '#tea'"
        )


def test_an_archive_of_tar_may_be_packed_by_zstd(tmp_path: Path, scratch: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        member = tarfile.TarInfo("labnet/#mate.log")
        member.size = len(LINE)
        tar.addfile(member, io.BytesIO(LINE))
    (tmp_path / "b.tar.zst").write_bytes(compress(packed.getvalue()))
    assert read(tmp_path, scratch=scratch) == {"labnet/#mate.log": LINE}


def test_an_archive_cannot_write_outside(tmp_path: Path, scratch: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as tar:
        for name in ("../../evil.log", "/evil.log"):
            member = tarfile.TarInfo(name)
            member.size = len(LINE)
            tar.addfile(member, io.BytesIO(LINE))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert set(read(tmp_path, scratch=scratch)) == {"../../evil.log", "/evil.log"}
    assert not list(tmp_path.parent.glob("evil.log"))


def test_a_file_that_grows_beyond_measure_is_not_read_to_its_end(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.logformats.unpacking.ALWAYS_ALLOWED", 1_000_000)
    (tmp_path / "bomb.log.gz").write_bytes(gzip.compress(bytes(10_000_000)))
    (file,) = log_files([str(tmp_path)], scratch)
    assert isinstance(file, LogFile)
    with pytest.raises(UnusableFile, match="far more than its size"), file.opened() as stream:
        stream.read()


@pytest.mark.parametrize("packed", ["tar.xz", "tar.xz of gz files", "zip", "zip of gz files"])
def test_all_that_an_archive_gives_has_one_limit(
    packed: str, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of ten members each alone would be allowed; nothing of the archive is left behind."""
    monkeypatch.setattr("terrarium_mcp.logformats.unpacking.ALWAYS_ALLOWED", 1_000_000)
    content = bytes(900_000)
    files = {f"labnet/#tea{number}.log": content for number in range(10)}
    path = tmp_path / f"bomb.{packed.partition(' ')[0]}"
    if "gz files" in packed:
        files = {f"{name}.gz": gzip.compress(content) for name in files}
    if packed.startswith("zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    else:
        with tarfile.open(path, "w:xz") as tar:
            for name, text in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text))
    (found,) = log_files([str(path)], scratch)
    assert isinstance(found, UnusableFile)
    assert str(found).startswith(
        f"{path}: It holds more than 0 MiB, far more than its size suggests"
    )
    assert not list(scratch.iterdir())


def test_a_header_of_an_archive_does_not_fill_the_memory(tmp_path: Path, scratch: Path) -> None:
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 50_000_000
    with lzma.open(tmp_path / "pax.tar.xz", "wb", preset=0) as packed:
        packed.write(header.tobuf() + bytes(header.size) + tarfile.TarInfo("#tea.log").tobuf())
    tracemalloc.start()
    try:
        (found,) = log_files([str(tmp_path)], scratch)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(found, UnusableFile)
    assert "it has a header of 50,000,384 bytes" in str(found)
    assert most < 10_000_000


def test_years_of_logs_in_one_archive_are_read(tmp_path: Path, scratch: Path) -> None:
    """Text of a log shrinks to a tenth or a twentieth: what was given is far from the limit."""
    lines = [b"[23:57:%02d] <ada> line %d" % (n % 60, n * n) for n in range(20_000)]
    text = b"\n".join(lines)
    with tarfile.open(tmp_path / "years.tar.xz", "w:xz") as tar:
        for day in range(5):
            member = tarfile.TarInfo(f"labnet/#tea/2026-10-0{day}.log.gz")
            packed = gzip.compress(text)
            member.size = len(packed)
            tar.addfile(member, io.BytesIO(packed))
    found = read(tmp_path, scratch=scratch)
    assert list(found.values()) == [text] * 5


def test_a_file_without_a_name_is_none(tmp_path: Path, scratch: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in ("", "labnet/", "labnet/#tea.log"):
            archive.writestr(zipfile.ZipInfo(name), LINE)
    assert read(tmp_path, scratch=scratch) == {"labnet/#tea.log": LINE}


def test_a_damaged_file_in_an_archive_is_left_out_alone(tmp_path: Path, scratch: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("#mate.log.gz", gzip.compress(LINE)[:-9])
        archive.writestr("#tea.log.gz", gzip.compress(LINE))
    damaged, whole = log_files([str(tmp_path)], scratch)
    assert isinstance(damaged, UnusableFile)
    assert str(damaged).startswith(f"{tmp_path}/a.zip/#mate.log.gz: ")
    assert isinstance(whole, LogFile)
    with whole.opened() as stream:
        assert stream.read() == LINE


def test_links_that_lead_back_end(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "a.log").write_bytes(LINE)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "same.log").symlink_to(tmp_path / "a.log")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    found = list(log_files([str(tmp_path)], scratch))
    assert [Path(one.path).name for one in found if isinstance(one, LogFile)] == ["a.log"]
    assert ["nowhere" in str(one) for one in found if isinstance(one, UnusableFile)] == [True]


@pytest.mark.parametrize("named", [["logs"], ["logs/current.log", "logs/z"]])
def test_a_file_has_its_own_name_and_not_that_of_a_link_to_it(
    tmp_path: Path, scratch: Path, named: list[str]
) -> None:
    (tmp_path / "logs" / "z" / "libera").mkdir(parents=True)
    (tmp_path / "logs" / "z" / "libera" / "#tea.log").write_bytes(LINE)
    (tmp_path / "logs" / "current").symlink_to("z/libera")
    (tmp_path / "logs" / "current.log").symlink_to("z/libera/#tea.log")
    found = read(*(tmp_path / one for one in named), scratch=scratch)
    assert list(found) == [(tmp_path / "logs/z/libera/#tea.log").as_posix()]


def test_a_link_to_what_is_elsewhere_is_read_behind_all_else(tmp_path: Path, scratch: Path) -> None:
    (elsewhere := tmp_path / "elsewhere" / "oftc").mkdir(parents=True)
    (elsewhere / "#mate.log").write_bytes(LINE)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "more").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "logs" / "z.log").write_bytes(LINE)
    (tmp_path / "also").symlink_to(tmp_path / "logs")
    names = [
        name.removeprefix(tmp_path.as_posix()) for name in read(tmp_path / "also", scratch=scratch)
    ]
    assert names == ["/also/z.log", "/also/more/oftc/#mate.log"]


def test_what_cannot_be_read_is_named(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "broken.zip").write_bytes(b"PK\3\4 not a zip")
    (tmp_path / "cut.log.gz").write_bytes(gzip.compress(LINE * 100)[:-20])
    errors = []
    for file in log_files([str(tmp_path), str(tmp_path / "gone.log")], scratch):
        try:
            if isinstance(file, UnusableFile):
                raise file
            with file.opened() as stream:
                stream.read()
        except UnusableFile as error:
            errors.append(str(error))
    assert [Path(error.split(":")[0]).name for error in errors] == [
        "broken.zip",
        "cut.log.gz",
        "gone.log",
    ]


def test_an_encrypted_or_damaged_file_of_an_archive_is_named(tmp_path: Path, scratch: Path) -> None:
    text = b"".join(b"23:57 < bob> line %d\n" % number for number in range(2_000))
    closed, broken = tmp_path / "closed.zip", tmp_path / "broken.gz"
    with zipfile.ZipFile(closed, "w") as archive:
        archive.writestr("#tea.log", text)
    packed = bytearray(closed.read_bytes())
    packed[6] |= 1  # both headers say that it is encrypted
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    closed.write_bytes(packed)
    damaged = bytearray(gzip.compress(text))
    damaged[2_000:2_100] = b"\xff" * 100
    broken.write_bytes(damaged)
    told = []
    for file in log_files([str(closed), str(broken)], scratch):
        assert isinstance(file, LogFile)
        with pytest.raises(UnusableFile) as error, file.opened() as stream:
            stream.read()
        told.append(str(error.value))
    assert "is encrypted, password required for extraction. Unpack it first." in told[0]
    assert told[1].startswith(f"{broken}: Error -3 while decompressing data")


def test_a_pipe_or_a_device_is_no_log(tmp_path: Path, scratch: Path) -> None:
    """Opening a pipe that nobody writes to would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    (found,) = log_files([str(tmp_path)], scratch)
    assert isinstance(found, UnusableFile)


def test_a_log_that_grew_and_then_was_emptied_while_it_was_read_became_shorter(
    tmp_path: Path, scratch: Path
) -> None:
    log = tmp_path / "#tea.log"
    log.write_bytes(b"one\n")
    (found,) = log_files([str(log)], scratch)
    assert isinstance(found, LogFile)
    log.write_bytes(b"one\ntwo\nthr")
    with found.opened() as stream:
        reading = FileReading(found, stream)
        lines = reading.lines()
        assert next(lines) == b"one"
        log.write_bytes(b"")
        assert list(lines) == [b"two"]
        assert reading.became_shorter


def test_what_precedes_the_text_of_a_line_is_none_of_it() -> None:
    """A byte order mark, zeros after a crash: also more of them than the longest line has bytes."""
    zeros, mark = bytes(LONGEST_LINE * 3 - 5), b"\xef\xbb\xbf"
    parts = (mark, b"first\n", zeros, b"second\n", mark, b"third\0\n", b"\0\0\n", zeros)
    assert list(lines_of(io.BytesIO(b"".join(parts)))) == [b"first", b"second", b"third\0", b""]


@pytest.mark.parametrize("count", [2, LONGEST_LINE])
def test_a_carriage_return_alone_ends_a_line_as_on_a_classic_mac(count: int) -> None:
    stream = io.BytesIO(b"hi\r" * count + b"x" * (LONGEST_LINE * 3) + b"\rbehind\r\rlast")
    *lines, long, behind, blank, last = lines_of(stream)
    assert lines == [b"hi"] * count
    assert (long[:1], behind, blank, last) == (b"x", b"behind", b"", b"last")


def test_what_a_click_does_in_kvirc_is_no_part_of_its_line_and_breaks_none() -> None:
    stream = io.BytesIO(b"1 <\x02@\r!nc\rada\r\x02> hi, \r!n\rbo\r\n2 in \r!c\r#tea\r\r\n3 x\ry\n")
    assert list(lines_of(stream)) == [b"1 <\x02@ada\x02> hi, bo", b"2 in #tea", b"3 x", b"y"]


def test_a_line_break_that_was_converted_twice_is_one() -> None:
    assert list(lines_of(io.BytesIO(b"hi\r\r\nho\r\n"))) == [b"hi", b"ho"]


def test_a_line_of_any_length_takes_the_memory_of_a_short_one() -> None:
    stream = io.BytesIO(b"first\r\n" + b"x" * (LONGEST_LINE * 40) + b"\nlast")
    first, long, last = lines_of(stream)
    assert (first, last) == (b"first", b"last")
    assert len(long) == LONGEST_LINE + 1

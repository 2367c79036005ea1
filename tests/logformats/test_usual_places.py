"""Where the logs of an account usually are."""

from pathlib import Path

from terrarium_mcp.logformats.usual_places import usual_logs


def test_logs_in_the_usual_places_are_named_with_the_command(tmp_path: Path) -> None:
    for file in (
        ".weechat/logs/irc.libera.#tea.weechatlog",
        "Documents/Textual Logs/a/b.txt",
        ".local/share/srain/logs/libera/2026-10-24.#tea.log",
    ):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_bytes(b"")
    (tmp_path / "irclogs").mkdir()  # empty
    assert [(found.program, found.import_command) for found in usual_logs(tmp_path)] == [
        ("WeeChat", "terrarium-mcp import ~/.weechat/logs"),
        ("Textual", "terrarium-mcp import ~/'Documents/Textual Logs'"),
        ("Srain", "terrarium-mcp import ~/.local/share/srain/logs"),
    ]


def test_a_home_without_logs_has_none(tmp_path: Path) -> None:
    assert list(usual_logs(tmp_path)) == []
    assert list(usual_logs(tmp_path / "gone")) == []

"""The picture in the README is of a demo that answered."""

import html
import re

from tests.picture import FILE, drawn

PRINTED = """\
-- wrote a history of 2 lines to /var/folders/x/terrarium-demo-a1b2/irc_logs.db
  #terrarium <wren> !terrarium who fixed the gate?
"""


def words(svg: str) -> str:
    """The text of a drawing, without its markup; its blanks do not break."""
    return html.unescape(re.sub(r"<[^>]*>", "", svg)).replace("\xa0", " ")


def test_a_drawing_shows_what_was_printed() -> None:
    text = words(drawn(PRINTED))
    assert "!terrarium who fixed the gate?" in text
    assert "<wren>" in text


def test_a_drawing_names_no_folder_of_the_machine_it_was_made_on() -> None:
    text = words(drawn(PRINTED))
    assert "~/terrarium-demo-a1b2/irc_logs.db" in text
    assert "/var/folders" not in text


def test_the_same_output_is_drawn_the_same_way() -> None:
    assert drawn(PRINTED) == drawn(PRINTED)


def test_the_picture_in_the_docs_shows_an_answer() -> None:
    text = words(FILE.read_text("utf-8"))
    assert "the answer arrived in the channel" in text
    assert "I fixed the garden gate" in text

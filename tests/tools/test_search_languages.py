"""Searching in languages that fold letters otherwise, or write without spaces."""
# ruff: noqa: RUF001  # letters of other alphabets are what is searched for

import pytest

from tests.tools.scene import House

TONGUES = """
12:00 <ada> пью чай с лимоном
<bo> всё хорошо, ёлка стоит
<cy> wir treffen uns in der Straße am Bahnhof
<dee> πάω για καφέ, καλημέρα
<eve> 한국 음식은 서울에서 맛있다
<fay> قال أحمد إن الخادم توقف
<gus> がぎぐ、東京タワーに行った
<hal> यह सर्वर ज़रूर बंद हो गया
<ivy> 钥匙在会议室门口
<jan> KIRMIZI kablo dışarıda
<kim> Łódź jest ładna, żółć i Đà Nẵng
<leo> ＰＣ と ｻｰﾊﾞｰ
<max> мій об'єкт, العـــربية لُغَة
<nia> चाबी मेज़ पर है, पानी की कमी हो गई
<oda> ม้ากินน้ำ
<pim> ﾃﾞｰﾀﾍﾞｰｽの ﾊﾟｽﾜｰﾄﾞ
<qin> کلید ۱۲۰ تومان است
<rui> சாவி மொழி
"""


async def test_of_a_time_in_another_language_a_note_names_the_query(house: House) -> None:
    view = {"now": "2026-05-14T09:30:00Z"}
    await house.hears("<bo> das Tor klemmt seit gestern")
    for query in ("was hat bo gestern gesagt?", "gestern"):
        told = await house.learns("search_irc_history", view, query=query)
        assert told.ids == [1]
        assert (
            "note: gestern is searched for as words; for the lines of yesterday:"
            " after:2026-05-13 before:2026-05-14\n"
        ) in told.outside
    told = await house.learns("search_irc_history", view, query="was sagte bo am 13 May, gestern?")
    assert "as words" not in told.outside


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("кто пьёт чай?", 1),
        ("кто заварил чаи\u0306?", 1),  # as a Mac may type it
        ("все хорошо", 2),
        ("елка", 2),
        ("wo ist die Straße?", 3),
        ("strasse", 3),
        ("ποιος ήπιε ΚΑΦΕ;", 4),
        ("서울에서 뭐 먹어?", 5),
        ("متى توقف أحمد؟", 6),
        ("東京タワーがある？", 7),
        ("か\u3099き\u3099く\u3099", 7),
        ("सर्वर ज़रूर कब?", 8),
        ("谁有会议室的钥匙？", 9),
        ("kırmızı", 10),
        ("DIŞARIDA", 10),
        ("lodz", 11),
        ("da nang", 11),
        ("pc", 12),
        ("サーバー", 12),
        ("обʼєкт", 13),
        ("العربية لغة", 13),
        ("चाबी", 14),
        ("मेज", 14),
        ("चा*", 14),
        ("ม้า", 15),
        ("データベース", 16),
        ("パスワード", 16),
        ("كليد", 17),
        ("120", 17),
        ("மொழி", 18),
    ],
)
async def test_a_question_finds_its_words_in_every_language(
    house: House, query: str, found: int
) -> None:
    await house.hears(TONGUES)
    told = await house.learns("search_irc_history", query=query)
    assert told.ids[0] == found


@pytest.mark.parametrize(
    "query", ["wann Straßenfest?", "gdzie klucze?", "когда релиз?", "πού κλειδιά;", "أين المفتاح؟"]
)
async def test_no_line_has_to_hold_a_question_word(house: House, query: str) -> None:
    *_, word = query.rstrip("?;؟").split()
    await house.hears(f"<ada> {word} heute um 5")
    told = await house.learns("search_irc_history", query=query)
    assert told.ids == [1]
    assert "weak" not in told.text


@pytest.mark.parametrize("query", ["कम", "च", "มา", "นำ", "ம"])
async def test_no_line_holds_a_word_by_its_consonants(house: House, query: str) -> None:
    await house.hears(TONGUES)
    told = await house.learns("get_channel_stats", channel="#tea", query=query)
    assert "\n0 lines\n" in told.text


@pytest.mark.parametrize(
    "query", ["¿Bahnhof?", "الخادم؟", "「钥匙」", "（会议室）", "会议室：", "चाबी।"]
)
async def test_punctuation_around_a_word_need_not_be_in_the_line(house: House, query: str) -> None:
    await house.hears(TONGUES)
    told = await house.learns("search_irc_history", query=query)
    assert "1 of 1 hit in #tea (all words" in told.text


async def test_a_word_said_instead_is_named_as_it_is_written(house: House) -> None:
    await house.hears(TONGUES)
    told = await house.learns("search_irc_history", query="चाब")
    assert "no line searched holds चाब; instead: चाबी" in told.text

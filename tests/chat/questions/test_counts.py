"""Which questions ask for a count, and of what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.questions.counts import CountQuestion, count_question

EVERYTHING = CountQuestion()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("who spoke most?", EVERYTHING),
        ("who talks the most here", EVERYTHING),
        ("who spoke here?", EVERYTHING),
        ("who else was active", EVERYTHING),
        ("who has said something?", EVERYTHING),
        ("Who has posted most messages?", EVERYTHING),
        ("who's the most active?", EVERYTHING),
        ("who are the top talkers", EVERYTHING),
        ("how many lines are there", EVERYTHING),
        ("how many messages were posted here?", EVERYTHING),
        ("how often did ada say hello?", CountQuestion("ada", "hello")),
        ("how many times has ada mentioned green tea", CountQuestion("ada", "green tea")),
        ("how often was the gate mentioned?", CountQuestion(words="the gate")),
        ("how many messages did ada write?", CountQuestion("ada")),
        ("how many messages did ada send?", CountQuestion("ada")),
        ("how many messages has ada sent here", CountQuestion("ada")),
        ("how many messages were sent", EVERYTHING),
        ("how many lines have been written?", EVERYTHING),
        ("who talks most about deploy?", CountQuestion(words="deploy")),
        ("who has talked about green tea the most", CountQuestion(words="green tea")),
        ("who said tea most often?", CountQuestion(words="tea")),
        ("how many links did eve post?", CountQuestion("eve", only_links=True)),
        ("how many URLs has eve shared here?", CountQuestion("eve", only_links=True)),
        ("how many links were shared?", CountQuestion(only_links=True)),
        ("how many people talked?", EVERYTHING),
        ("how many different users have spoken here?", EVERYTHING),
        ("how many people were active", EVERYTHING),
        ("which day was busiest?", CountQuestion(per="day")),
        ("what is the busiest month in this channel?", CountQuestion(per="month")),
        ("which hour is the most active?", EVERYTHING),
        ("at what hour is the channel busiest?", EVERYTHING),
        ("busiest day", CountQuestion(per="day")),
        ("the most active day", CountQuestion(per="day")),
        ("busiest hour", EVERYTHING),
        ("on which day was busiest?", CountQuestion(per="day")),
        ("on which day did people talk most?", CountQuestion(per="day")),
        ("which day do people talk most", CountQuestion(per="day")),
        ("on what weekday is it busiest?", CountQuestion(per="day", of_weekdays=True)),
        (
            "on which day of the week does ada write most?",
            CountQuestion("ada", per="day", of_weekdays=True),
        ),
        ("how often did ada say weekday?", CountQuestion("ada", "weekday")),
        ("in which month did everybody write the most messages", CountQuestion(per="month")),
        ("who posted most links?", CountQuestion(only_links=True)),
        ("who has shared the most urls here", CountQuestion(only_links=True)),
        ("top talkers", EVERYTHING),
        ("on which day was this channel most active", CountQuestion(per="day")),
        ("on what day did june talk most?", CountQuestion("june", per="day")),
        ("which month did ada speak the most", CountQuestion("ada", per="month")),
        ("how often did ada speak?", CountQuestion("ada")),
        ("how many messages about green tea?", CountQuestion(words="green tea")),
        ("how many lines mention tea", CountQuestion(words="tea")),
        ("how many people talked about wireless?", CountQuestion(words="wireless")),
        ("how many people mentioned wine", CountQuestion(words="wine")),
        ("how many different people have asked about wireless", CountQuestion(words="wireless")),
        ("how many unique users said hello here?", CountQuestion(words="hello")),
        ("how many folks have been talking about tea", CountQuestion(words="tea")),
        ("how many people ever said anything about tea?", CountQuestion(words="tea")),
        ("how many members brought up systemd", CountQuestion(words="systemd")),
        ("how often was tea mentioned per month?", CountQuestion(words="tea", per="month")),
        ("how many messages per month about tea?", CountQuestion(words="tea", per="month")),
        ("how many links each week were posted here", CountQuestion(only_links=True, per="week")),
        (
            "how often did ada say green tea each week",
            CountQuestion("ada", "green tea", per="week"),
        ),
        ("how many messages did ada write every day?", CountQuestion("ada", per="day")),
        ("how many links were shared by month here?", CountQuestion(only_links=True, per="month")),
        ("how many links per month?", CountQuestion(only_links=True, per="month")),
        ("how many lines did ada write in total?", CountQuestion("ada")),
        ("how many messages per day?", CountQuestion(per="day")),
        ("how many lines per weekday?", CountQuestion(per="day", of_weekdays=True)),
        (
            "how many lines did ada write on each weekday",
            CountQuestion("ada", per="day", of_weekdays=True),
        ),
        ("what is the number of messages per month?", CountQuestion(per="month")),
        (
            "how often was tea mentioned per month, and by whom most?",
            CountQuestion(words="tea", per="month"),
        ),
        ("how often was tea mentioned, and who mentioned it most?", CountQuestion(words="tea")),
        ("how often did ada say weekday per month", CountQuestion("ada", "weekday", per="month")),
        ("how often did ada say weekday per day", CountQuestion("ada", "weekday", per="day")),
        (
            "how often did ada say tea per weekday",
            CountQuestion("ada", "tea", per="day", of_weekdays=True),
        ),
        ("how many times did anyone mention tea?", CountQuestion(words="tea")),
        ("how often did we talk about green tea", CountQuestion(words="green tea")),
        ("how often does tea come up?", CountQuestion(words="tea")),
        ("how many mentions of tea", CountQuestion(words="tea")),
        ("who are the top 5 talkers?", EVERYTHING),
        ("who is the most active user", EVERYTHING),
        ("how many lines?", EVERYTHING),
        ("who talks most at night?", CountQuestion(of_part_of_days=True)),
        ("how much does ada talk in the morning", CountQuestion("ada", of_part_of_days=True)),
        ("how many lines about the owl at night", CountQuestion(words="the owl at night")),
    ],
)
def test_what_is_to_be_counted_is_named(text: str, meant: CountQuestion) -> None:
    assert count_question(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        *["who spoke most of the truth", "how often did they say so", "how often does it rain"],
        *["how many people are here?", "who said tea?", "how much is the tea", "most", ""],
        *["how many lines fit on a page", "who drinks most", "how many people drink tea"],
        *["how many people use wine", "which day is it", "how many links are broken"],
        *["how many people wrote code", "how many people asked for help", "how many people think"],
        *["who talks most per week", "how often does it rain each day", "how much tea per day"],
        *["how often did they each day say tea", "how many lines per day fit on a page"],
        *["how often does it come up", "how often did anyone mention it?", "the biggest person"],
        *["how many people heard about tea", "how many people talked about it?"],
    ],
)
def test_other_questions_ask_for_no_count_of_lines(text: str) -> None:
    assert count_question(text) is None


@given(st.text(max_size=80))
def test_any_text_may_be_asked(text: str) -> None:
    for asked in (text, f"how often did {text} say {text}"):
        meant = count_question(asked)
        assert meant is None or meant.words in asked

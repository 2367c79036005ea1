"""No request exceeds its budget, whatever tools and channels say; what matters most stays."""

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.irc_bridge.answer.budget import (
    AGENT_HISTORY,
    HARD_LIMIT,
    MIN_RESULT,
    SOFT_LIMIT,
    fitted,
    limit_for,
    raised_answer_limit,
    result_share,
    size,
    truncated,
)
from terrarium_mcp.irc_bridge.answer.fenced_logs import FencedLogs, fenced_logs
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
)

SYSTEM = ChatMessage("system", "You are Terra.")
QUESTION = '<question from="ada">who?</question>'
HUGE = "word " * 20_000

texts = st.text(max_size=40) | st.integers(1, 20_000).map(lambda n: "line of words\n" * n)
log_lines = st.lists(
    st.just("-- 2026-11-05 Thu --") | st.text(min_size=1, max_size=600), max_size=60
)


@st.composite
def rounds(draw: st.DrawFn) -> list[TalkMessage]:
    names = draw(st.lists(texts, min_size=1, max_size=4))
    calls = tuple(ToolCall(str(n), "search", name) for n, name in enumerate(names))
    results = [ToolResult(call.id, call.name, draw(texts)) for call in calls]
    return [AssistantToolCalls(ModelMessage(draw(texts), calls)), *results]


@st.composite
def talks(draw: st.DrawFn) -> list[TalkMessage]:
    talk: list[TalkMessage] = [SYSTEM, fenced_logs(draw(log_lines), after=QUESTION)]
    for one in draw(st.lists(rounds(), max_size=9)):
        talk += one
    return talk


def called(text: str = "{}") -> AssistantToolCalls:
    return AssistantToolCalls(ModelMessage("", (ToolCall("1", "search", text),)))


def result(text: str) -> ToolResult:
    return ToolResult("1", "search", text)


def texts_of(talk: list[TalkMessage]) -> list[str]:
    return [message.text for message in talk if isinstance(message, ToolResult)]


@given(talks(), st.integers(60, 6_000))
def test_a_fitted_talk_keeps_to_its_limit_and_keeps_the_question(
    talk: list[TalkMessage], limit: int
) -> None:
    fitting = fitted(talk, limit)
    assert size(fitting) <= limit
    assert fitting[0] == SYSTEM
    assert isinstance(fitting[1], FencedLogs)
    assert fitting[1].text.endswith(QUESTION)


@given(talks(), st.integers(60, 6_000))
def test_a_call_and_its_results_stay_together(talk: list[TalkMessage], limit: int) -> None:
    fitting = fitted(talk, limit)
    open_calls: list[str] = []
    for message in fitting:
        if isinstance(message, AssistantToolCalls):
            assert not open_calls
            open_calls = [call.id for call in message.said.calls]
        elif isinstance(message, ToolResult):
            assert message.call_id == open_calls.pop(0)
    assert not open_calls


@given(talks())
def test_what_fits_is_left_alone(talk: list[TalkMessage]) -> None:
    assert fitted(talk, size(talk)) == talk
    once = fitted(talk, HARD_LIMIT)  # where lines are cut, each time with a fence of its own
    assert fitted(once, HARD_LIMIT) == once


@given(st.lists(texts, max_size=8), st.integers(1, 6))
def test_the_results_of_a_round_fit_beside_all_before_it(found: list[str], calls: int) -> None:
    talk: list[TalkMessage] = [SYSTEM, fenced_logs(["a line"] * 20, after=QUESTION)]
    for text in [*found, HUGE]:
        talk = fitted(talk, HARD_LIMIT)
        talk.append(
            AssistantToolCalls(
                ModelMessage("", tuple(ToolCall(str(n), "s", "{}") for n in range(calls)))
            )
        )
        room = result_share(talk, calls)
        assert room >= MIN_RESULT - 4
        answers = [truncated(text, room)] * calls
        talk += [ToolResult(str(n), "s", answer) for n, answer in enumerate(answers)]
        assert texts_of(fitted(talk, HARD_LIMIT))[-calls:] == answers


def test_older_results_shrink_first_to_their_first_line() -> None:
    old, new = "found 3 hits\n" + HUGE[:8_000], "found 1 hit\n" + HUGE[:8_000]
    talk: list[TalkMessage] = [
        SYSTEM,
        fenced_logs(["a line"], after=QUESTION),
        called(),
        result(old),
    ]
    fitting = fitted([*talk, called(), result(new)], 3_000)
    assert texts_of(fitting) == ["found 3 hits (shortened)", new]
    again = fitted(fitting, 2_500)
    assert texts_of(again)[0] == "found 3 hits (shortened)"


def test_then_the_oldest_log_lines_go_but_not_the_day_of_those_that_stay() -> None:
    logs = [
        "-- Mon --",
        *("monday " * 100 for _ in range(9)),
        "-- Tue --",
        "tuesday 1",
        "tuesday 2",
    ]
    fitting = fitted([SYSTEM, fenced_logs(logs, after=QUESTION)], 600)
    assert isinstance(fitting[1], FencedLogs)
    assert fitting[1].lines[0] == "-- Mon --"
    assert fitting[1].lines[1].startswith("monday")
    assert fitting[1].lines[-3:] == ("-- Tue --", "tuesday 1", "tuesday 2")
    fitting = fitted(fitting, 60)
    assert isinstance(fitting[1], FencedLogs)
    assert fitting[1].lines == ("-- Tue --", "tuesday 1", "tuesday 2")
    (_, last) = fitted([SYSTEM, fenced_logs(["-- Tue --", HUGE], after=QUESTION)], 60)
    assert isinstance(last, FencedLogs)
    assert last.text == QUESTION


def test_then_older_rounds_go_whole_and_what_was_quoted_between_them_stays() -> None:
    beforehand = fenced_logs([], before="Found in the log: nothing")
    newest: list[TalkMessage] = [called(), result("b")]
    talk: list[TalkMessage] = [SYSTEM, called("x" * 4_000), result("a"), beforehand, *newest]
    assert fitted(talk, 100) == [SYSTEM, beforehand, *newest]


def test_a_newest_result_that_is_too_long_says_that_it_was_cut() -> None:
    (_, _, cut_one) = fitted([SYSTEM, called(), result(HUGE)], 500)
    assert isinstance(cut_one, ToolResult)
    assert cut_one.text.endswith("(cut: the rest did not fit)")


@given(st.text(max_size=400), st.integers(0, 120))
def test_a_cut_text_keeps_to_its_tokens_and_begins_as_it_did(text: str, tokens: int) -> None:
    short = truncated(text, tokens)
    assert estimated_tokens(short) <= tokens
    assert short == text or text.startswith(short.removesuffix("\n(cut: the rest did not fit)"))


def test_a_longer_answer_leaves_less_for_the_history_since_the_agent_would_cut_the_question() -> (
    None
):
    assert limit_for(512) == HARD_LIMIT
    assert limit_for(2_048) == AGENT_HISTORY - 2_048
    assert limit_for(4_096) == AGENT_HISTORY - 4_096
    assert limit_for(100_000) == HARD_LIMIT  # no terrarium-agent could answer that
    assert SOFT_LIMIT < HARD_LIMIT < AGENT_HISTORY


@given(st.integers(1, 5_000))
def test_a_second_answer_may_be_longer_and_still_leaves_room_for_the_question(first: int) -> None:
    assert raised_answer_limit(first) >= first
    assert limit_for(raised_answer_limit(first)) + raised_answer_limit(first) <= AGENT_HISTORY
    assert raised_answer_limit(512) == 2_048

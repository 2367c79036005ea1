"""No request exceeds its budget, whatever tools and channels say; what matters most stays."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.irc_bridge.answer.budget import (
    AGENT_HISTORY,
    ALLOTMENTS,
    HARD_LIMIT,
    LONGEST_AGENT_ANSWER,
    MIN_RESULT,
    SOFT_LIMIT,
    Part,
    answer_limit,
    first_request,
    fitted,
    raised_answer_limit,
    request_limit,
    result_share,
    tokens_of,
    truncated,
)
from terrarium_mcp.irc_bridge.answer.model_request import (
    ModelRequest,
    PastTurn,
    ToolRound,
    cost,
    quoted_newest,
    quoted_older,
)
from terrarium_mcp.irc_bridge.answer.past_turns import past_turn
from terrarium_mcp.irc_bridge.model.chat_request import MAX_MENTIONED
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
)
from terrarium_mcp.store import DialogueTurn, ToolStep, TurnState

SYSTEM = "You are Terra."
QUESTION = '<question from="ada">who?</question>'
HUGE = "word " * 20_000
ADA = Identity("local", "ada", "ada", "example.org", "")

texts = st.text(max_size=40) | st.integers(1, 2_000).map(lambda n: "line of words\n" * n)
"""Each is short, or takes up to 7,000 tokens: more than any limit that these tests set."""
log_lines = st.lists(
    st.just("-- 2026-11-05 Thu --") | st.text(min_size=1, max_size=600), max_size=60
)


def request(**parts: object) -> ModelRequest:
    whole = ModelRequest(SYSTEM, QUESTION, quoted_older("k", []), quoted_newest("k", []))
    return replace(whole, **parts)  # type: ignore[arg-type]


@st.composite
def rounds(draw: st.DrawFn) -> ToolRound:
    names = draw(st.lists(texts, min_size=1, max_size=4))
    calls = tuple(ToolCall(str(n), "search", name) for n, name in enumerate(names))
    results = tuple(ToolResult(call.id, call.name, draw(texts)) for call in calls)
    said = ModelMessage(draw(texts), calls, reasoning={"reasoning": draw(texts)})
    return ToolRound(AssistantToolCalls(said), results)


def turn(number: int, question: str = "who?", answer: str = "bo", result: str = "") -> PastTurn:
    steps = (ToolStep(1, "search_irc_history", "{}", result),) if result else ()
    at = datetime(2026, 11, 5, tzinfo=UTC)
    done = DialogueTurn(number, 1, at, ADA, question, 0, steps, answer, TurnState.DONE)
    return past_turn(done, UTC)


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    turns = [
        turn(number, *draw(st.tuples(texts, texts, texts)))
        for number in range(1, draw(st.integers(0, 5)) + 1)
    ]
    return request(
        older=quoted_older("k", draw(log_lines)[:5]),
        newest=quoted_newest("k", draw(log_lines)),
        summary=draw(texts),
        turns=tuple(turns),
        rounds=tuple(draw(st.lists(rounds(), max_size=9))),
    )


def called(text: str = "{}") -> AssistantToolCalls:
    return AssistantToolCalls(ModelMessage("", (ToolCall("1", "search", text),)))


def round_of(result: str, arguments: str = "{}") -> ToolRound:
    return ToolRound(called(arguments), (ToolResult("1", "search", result),))


def results_of(asked: ModelRequest) -> list[str]:
    return [result.text for one in asked.rounds for result in one.results]


@given(requests(), st.integers(60, 6_000))
def test_a_fitted_request_keeps_to_its_limit_and_keeps_the_question(
    asked: ModelRequest, limit: int
) -> None:
    for fitting in (fitted(asked, limit), first_request(asked, limit)):
        assert fitting.size <= limit
        assert fitting.talk[0] == fitting.system_message
        assert fitting.system_message.text.startswith(SYSTEM)
        assert fitting.user_message.text.endswith(QUESTION)
        assert fitting.user_message in fitting.talk


@given(requests(), st.integers(60, 6_000))
def test_every_result_follows_its_call_and_every_turn_is_whole(
    asked: ModelRequest, limit: int
) -> None:
    talk: list[TalkMessage] = fitted(asked, limit).talk
    open_calls: list[str] = []
    for message in talk:
        if isinstance(message, AssistantToolCalls):
            assert not open_calls
            open_calls = [call.id for call in message.said.calls]
        elif isinstance(message, ToolResult):
            assert message.call_id == open_calls.pop(0)
        else:
            assert not open_calls
    assert not open_calls
    kept = fitted(asked, limit).turns
    assert kept == asked.turns[len(asked.turns) - len(kept) :]


@given(requests())
def test_what_fits_is_left_alone(asked: ModelRequest) -> None:
    assert fitted(asked, asked.size) == asked
    assert first_request(asked, asked.size) == asked
    once = fitted(asked, HARD_LIMIT)
    assert fitted(once, HARD_LIMIT) == once


def test_what_fits_is_weighed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: list[ModelRequest] = []

    def weigh(one: ModelRequest) -> int:
        weighed.append(one)
        return SOFT_LIMIT

    monkeypatch.setattr(ModelRequest, "size", property(weigh))
    asked = request()
    assert first_request(asked) is asked
    assert weighed == [asked]


def test_the_shares_are_the_whole_budget_and_give_way_one_after_the_other() -> None:
    assert sum(one.share for one in ALLOTMENTS) == SOFT_LIMIT
    assert {one.part for one in ALLOTMENTS} == set(Part)
    order = sorted(one.gives_way for one in ALLOTMENTS if one.gives_way)
    assert order == [1, 2, 3, 4]


def test_a_chatty_channel_does_not_push_the_dialogue_out_of_its_share() -> None:
    turns = tuple(turn(n, f"question {n}", "an answer of some words " * 20) for n in range(1, 7))
    lines = [f"{n} 14:23 <bo> {'chatter ' * 30}" for n in range(60)]
    fitting = first_request(request(turns=turns, newest=quoted_newest("k", lines)))
    assert fitting.turns == turns
    assert fitting.newest.lines[-1] == lines[-1]
    assert len(fitting.newest.lines) < 60


def test_what_a_part_leaves_of_its_share_the_others_use() -> None:
    lines = [f"{n} 14:23 <bo> {'chatter ' * 15}" for n in range(60)]
    alone = first_request(request(newest=quoted_newest("k", lines)))
    share = next(one.share for one in ALLOTMENTS if one.part is Part.NEWEST)
    assert tokens_of(alone, Part.NEWEST) > 1.5 * share


@given(st.lists(texts, max_size=8), st.integers(1, 6))
def test_the_results_of_a_round_fit_beside_all_before_it(found: list[str], calls: int) -> None:
    asked = request(newest=quoted_newest("k", ["a line"] * 20))
    for text in [*found, HUGE]:
        asked = fitted(asked, HARD_LIMIT)
        said = ModelMessage("", tuple(ToolCall(str(n), "s", "{}") for n in range(calls)))
        pending = replace(asked, rounds=(*asked.rounds, ToolRound(AssistantToolCalls(said))))
        room = result_share(pending)
        assert room >= MIN_RESULT - 4
        answers = tuple(ToolResult(str(n), "s", truncated(text, room)) for n in range(calls))
        whole = ToolRound(AssistantToolCalls(said), answers)
        asked = replace(asked, rounds=(*asked.rounds, whole))
        shown = results_of(fitted(asked, HARD_LIMIT))
        assert shown[-calls:] == [answer.text for answer in answers]


def test_reasoning_goes_first_the_oldest_before_the_newest() -> None:
    thought = ModelMessage("", called().said.calls, reasoning={"reasoning": HUGE[:6_000]})
    one = ToolRound(AssistantToolCalls(thought), (ToolResult("1", "search", "found"),))
    asked = request(newest=quoted_newest("k", ["a line"]), rounds=(one, one, one))
    fitting = fitted(asked, asked.size - 1)
    assert fitting.rounds == asked.rounds
    kept = [bool(each.calls.said.reasoning) for each in fitting.rounds]
    assert kept == [False, True, True]
    unreasoned = replace(asked, rounds=(one.without_reasoning,) * 3)
    assert result_share(asked) == result_share(unreasoned)


AROUND = request(
    older=quoted_older("k", ["older"] * 5),
    turns=(turn(1), turn(2)),
    newest=quoted_newest("k", ["3 14:23 <bo> the key is under the pot"] * 10),
    summary="we talked",
)


def test_arguments_of_a_call_are_counted_as_they_are_sent_once_whole_and_once_mentioned() -> None:
    long, short = "x" * 12_000, "x" * MAX_MENTIONED
    assert cost(called(long)) - cost(called(short)) == (12_000 - MAX_MENTIONED) // 4 + 1
    asked = AROUND.with_round(round_of("hit", long))
    assert fitted(asked, HARD_LIMIT) == asked


def test_long_words_and_arguments_of_a_call_go_before_anything_around_it() -> None:
    call = ToolCall("1", "search", '{"query": "' + "x" * 22_000 + '"}')
    results = (ToolResult("1", "search", "hit"),)
    for said in (ModelMessage("", (call,)), ModelMessage(HUGE, called().said.calls)):
        asked = AROUND.with_round(ToolRound(AssistantToolCalls(said), results))
        fitting = fitted(asked, HARD_LIMIT)
        assert replace(fitting, rounds=()) == AROUND
        assert results_of(fitting) == ["hit"]
        assert fitting.rounds[0].calls.said.calls[0].arguments == "{}"


def test_for_a_round_that_would_not_fit_even_alone_nothing_else_is_given_up() -> None:
    calls = tuple(ToolCall(str(n), "search", "ж" * 300) for n in range(16))
    results = tuple(ToolResult(call.id, "search", "hit") for call in calls)
    hopeless = ToolRound(AssistantToolCalls(ModelMessage("", calls)), results)
    before = AROUND.with_round(round_of("found"))
    assert fitted(before.with_round(hopeless), HARD_LIMIT // 2) == before


def test_older_results_shrink_then_to_their_first_line() -> None:
    old, new = "found 3 hits\n" + HUGE[:8_000], "found 1 hit\n" + HUGE[:8_000]
    newest = quoted_newest("k", ["a line"])
    asked = request(newest=newest, turns=(turn(1),), rounds=(round_of(old), round_of(new)))
    fitting = fitted(asked, 3_000)
    assert results_of(fitting) == ["found 3 hits (shortened)", new]
    assert (fitting.newest, fitting.turns) == (newest, asked.turns)
    assert results_of(fitted(fitting, 2_500))[0] == "found 3 hits (shortened)"


def test_then_the_parts_give_way_in_the_order_of_the_table() -> None:
    asked = request(
        older=quoted_older("k", ["older " * 40, "least " * 40]),
        turns=(turn(1, answer="a " * 200), turn(2, answer="b " * 200)),
        newest=quoted_newest("k", ["-- Tue --", "new " * 100, "newer " * 100]),
        summary="we talked " * 40,
    )
    seen: list[tuple[int, int, int, bool]] = []
    for limit in range(asked.size, 30, -10):
        fitting = fitted(asked, limit)
        state = (
            len(fitting.older.lines),
            len(fitting.turns),
            len(fitting.newest.lines),
            bool(fitting.summary),
        )
        if state not in seen:
            seen.append(state)
    assert seen == [
        (2, 2, 3, True),
        (1, 2, 3, True),
        (0, 2, 3, True),
        (0, 1, 3, True),
        (0, 0, 3, True),
        (0, 0, 2, True),
        (0, 0, 0, True),
        (0, 0, 0, False),
    ]


def test_the_oldest_log_lines_go_but_not_the_day_of_those_that_stay() -> None:
    logs = [
        "-- Mon --",
        *("monday " * 100 for _ in range(9)),
        "-- Tue --",
        "tuesday 1",
        "tuesday 2",
    ]
    fitting = fitted(request(newest=quoted_newest("k", logs)), 600)
    assert fitting.newest.lines[0] == "-- Mon --"
    assert fitting.newest.lines[1].startswith("monday")
    assert fitting.newest.lines[-3:] == ("-- Tue --", "tuesday 1", "tuesday 2")
    fitting = fitted(fitting, 80)
    assert fitting.newest.lines == ("-- Tue --", "tuesday 1", "tuesday 2")
    last = fitted(request(newest=quoted_newest("k", ["-- Tue --", HUGE])), 60)
    assert last.user_message.text == QUESTION


def test_then_older_rounds_go_whole() -> None:
    alone = request(rounds=(round_of("b"),))
    asked = replace(alone, rounds=(round_of("a"), *alone.rounds))
    assert fitted(asked, alone.size) == alone


def test_a_newest_result_that_is_too_long_says_that_it_was_cut() -> None:
    (text,) = results_of(fitted(request(rounds=(round_of(HUGE),)), 500))
    assert text.endswith("(cut: the rest did not fit)")


@given(st.text(max_size=400), st.integers(0, 120))
def test_a_cut_text_keeps_to_its_tokens_and_begins_as_it_did(text: str, tokens: int) -> None:
    short = truncated(text, tokens)
    assert estimated_tokens(short) <= tokens
    assert short == text or text.startswith(short.removesuffix("\n(cut: the rest did not fit)"))


def room(wanted: int, *, may_cut: bool = True) -> tuple[int, int]:
    """What a request and its answer may have."""
    answer = answer_limit(wanted, may_cut=may_cut)
    return request_limit(answer, may_cut=may_cut), answer


def test_a_longer_answer_leaves_less_for_the_history_since_the_agent_would_cut_the_question() -> (
    None
):
    assert room(512) == (HARD_LIMIT, 512)
    assert room(2_048) == (AGENT_HISTORY - 2_048, 2_048)
    assert room(100_000) == (HARD_LIMIT // 2, LONGEST_AGENT_ANSWER)
    assert SOFT_LIMIT < HARD_LIMIT < AGENT_HISTORY


@given(st.integers(1, 10_000), st.integers(0, 500))
def test_a_little_more_of_an_answer_costs_the_request_no_more_than_that(
    wanted: int, more: int
) -> None:
    (before, _), (after, answer) = room(wanted), room(wanted + more)
    assert 0 <= before - after <= more
    assert after + answer <= AGENT_HISTORY


@given(st.integers(1, 100_000))
def test_an_endpoint_that_cuts_nothing_gets_whole_requests_and_is_asked_for_whole_answers(
    wanted: int,
) -> None:
    assert room(wanted, may_cut=False) == (HARD_LIMIT, wanted)


@given(st.integers(1, 5_000))
def test_a_second_answer_may_be_longer_and_still_leaves_room_for_the_question(first: int) -> None:
    assert raised_answer_limit(first) >= first
    assert sum(room(raised_answer_limit(first))) <= AGENT_HISTORY
    assert raised_answer_limit(512) == 2_048

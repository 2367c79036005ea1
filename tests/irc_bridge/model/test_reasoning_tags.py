"""The part of a model's answer that its reader sees, whatever the endpoint lets through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.irc_bridge.model.reasoning_tags import without_reasoning

TAGS = (
    *("think", "thinking", "thought", "thoughts", "thin", "reason", "reasoning", "reflection"),
    *("scratchpad", "scratch_pad", "analysis", "antthinking", "ant_thinking"),
    *("seed:think", "mm:think"),
)
PAIRS = (
    *((f"<{tag}>", f"</{tag}>") for tag in TAGS),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("< think >", "</ think >"),
    ("<THINK>", "< /Think>"),
    ('<think effort="low">', "</think>"),
)
ENDS = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>", "<|end|>"),
    *("<|EOT|>", "<end_of_turn>", "<|end_of_turn|>", "<|END_OF_TURN_TOKEN|>", "<eos>", "</s>"),
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
)
HARMONY = "<|start|>assistant<|channel|>{}<|message|>{}"


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_every_form_of_reasoning_is_removed(opening: str, closing: str) -> None:
    for written in (
        f"{opening}hm, `x` or\n```\ny\n```{closing}Ada did.",
        f"{opening}a{opening}b{closing}c{closing}Ada did.",
        f"{opening}a{opening}b{closing}Ada did.",
        f"so it was\nAda{closing}Ada did.",
        f"{opening}a{closing}so it was Ada{closing}Ada did.",
        f"Ada did.{opening}or did she",
        f"Ada did.\n{opening}or did she{closing}",
        f"{opening}{closing}Ada did.",
    ):
        assert without_reasoning(written).strip() == "Ada did.", written
    assert without_reasoning(f"{opening}only this") == ""
    assert without_reasoning(f"only this{closing}") == ""


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("<THINKING>\nhm\n</THINKING>Ada did.", "Ada did."),
        (
            "<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>Ada did.<|END_RESPONSE|>",
            "Ada did.",
        ),
        ("Thinking...\nWho did?\n...done thinking.\n\nAda did.", "Ada did."),
        ("Thinking... it was Ada.", "Thinking... it was Ada."),
        ("<|message|>Ada did.", "Ada did."),
        ("It was <|begin_of_box|>Ada<|end_of_box|>.", "It was Ada."),
        ("`<|begin_of_box|>` begins it", "`<|begin_of_box|>` begins it"),
        ("<thought>a</thought>Ada <thin>b</thin>did.", "Ada did."),
        ("<think/>Ada did. < think / >", "Ada did. "),
        ("<think>a<think/>b</think>Ada did.", "Ada did."),
        ("Hm. <think>a</think>so it was Ada</think>Ada did.", "Ada did."),
        ("Well <think> hm, it may\nbe</think>Ada did.", "Well Ada did."),
        ("I think <think> hm, it may be so </think>Ada did.", "I think Ada did."),
        ("so it was `Ada` </think> Ada did.", "Ada did."),
        ("```\nx\n</think>\nAda did.", "Ada did."),
        ("it is `a</think>The `b` function", "The `b` function"),
    ],
)
def test_reasoning_ends_where_the_answer_begins(written: str, meant: str) -> None:
    assert without_reasoning(written) == meant


@pytest.mark.parametrize(
    "answer",
    [
        "I think <b>Ada</b> did, 1 < 2",
        "<thinker> said it, and <think-aloud> too",
        "[think] of the <analyst>",
        "use the <thinking> tag for it",
        "use the <think> and </think> tags.",
        "It is called <think>.",
        "(<think>) begins it",
        "The <thinking> tag opens it. Much follows. Close it with </thinking>.",
        "The </think> tag ends it",
        "`<think>` begins it and `</think>` ends it",
        "Write `<think>so</think>` there",
        "```xml\n<think>\n  so\n</think>\n```\nThat is how.",
        "`<|channel|>analysis<|message|>` begins it",
        "`<|start|>assistant<|channel|>final<|message|>` begins the answer",
        "use the <|im_end|> token, or `</s>`",
        "<s>struck</s> is old HTML",
        "analysis of the log: Ada did",
    ],
)
def test_an_answer_may_mention_a_tag(answer: str) -> None:
    assert without_reasoning(answer) == answer


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (HARMONY.format("analysis", "hm<|end|>") + HARMONY.format("final", "Ada did."), "Ada did."),
        (
            "<|channel|>analysis<|message|>hm<|end|>" + HARMONY.format("final", "Ada<|return|>"),
            "Ada",
        ),
        ("<|channel|>final <|constrain|>text<|message|>Ada did.<|end|>x", "Ada did."),
        ("<|channel|>analysis<|message|>hm", ""),
        ("hm, it was Ada<|end|>" + HARMONY.format("final", "Ada did."), "Ada did."),
        ("analysisWe need to say who.assistantfinalAda did.", "Ada did."),
        ("assistantfinalAda did.", "Ada did."),
    ],
)
def test_of_harmony_only_the_final_channel_is_said(written: str, meant: str) -> None:
    assert without_reasoning(written) == meant


@pytest.mark.parametrize("element", ["answer", "output", "response", "Answer"])
def test_an_answer_is_said_without_the_element_around_it(element: str) -> None:
    whole = f"<{element}>\nAda did.\n</{element}>"
    for written in (whole, f"<think>\nhm\n</think>\n\n{whole}\n", whole.partition("</")[0]):
        assert without_reasoning(written).strip() == "Ada did."
    assert without_reasoning(f"<{element}>Ada did.</{element}>") == "Ada did."
    for mention in (f"<{element}> is a tag", f"<{element}>a</{element}>, or so", f"a <{element}>"):
        assert without_reasoning(mention) == mention


@pytest.mark.parametrize("end", ENDS)
def test_an_answer_ends_with_its_turn(end: str) -> None:
    assert without_reasoning(f"Ada did.{end}") == "Ada did."
    assert without_reasoning(f"Ada did.{end}\n<|im_start|>user\nthanks{end}") == "Ada did."
    assert without_reasoning(f"{end}\nAda did.{end * 50}") == "Ada did."


@pytest.mark.parametrize(
    "begin",
    [
        "<|im_start|>assistant\n",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
        "<start_of_turn>model\n",
        "<|begin_of_text|>",
        "<bos>",
        "<s> ",
        "[/INST] ",
        "<|assistant|>\n",
    ],
)
def test_what_begins_a_turn_is_not_said(begin: str) -> None:
    assert without_reasoning(f"{begin}Ada did.") == "Ada did."


def test_the_solution_is_said_without_its_tokens() -> None:
    written = (
        "<|begin_of_thought|>hm<|end_of_thought|>\n<|begin_of_solution|>Ada<|end_of_solution|>"
    )
    assert without_reasoning(written) == "Ada"


def test_a_model_that_repeats_tags_for_ever_has_said_nothing() -> None:
    assert without_reasoning("<think>a</think>" * 1000) == ""


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Thought: I know it.\nAll of it.\nFinal Answer: Ada did.\nOn Tuesday.", None),
        ("\nThought:\nFinal Answer:\nAda did.\nOn Tuesday.", None),
        ("**Thought:** I know it.\n**Final Answer:** Ada did.\nOn Tuesday.", None),
        ("**Thought**: I know it.\n**Final Answer**: Ada did.\nOn Tuesday.", None),
        ("thought: I know it.\nFinal answer: Ada did.\nOn Tuesday.", None),
        ("Thought: I know it.\n**Action:** None\nFinal Answer: Ada did.\nOn Tuesday.", None),
        ("Thought: hm\nfinal answer: Bo?\nFinal Answer: Ada did.\nOn Tuesday.", None),
        ("**Thought:** hm\n**Final Answer: Ada did.**\nOn Tuesday.", None),
        ("Thought: Ada did, I think.", "Thought: Ada did, I think."),
        (
            "They write:\nThought: hm\nFinal Answer: tea",
            "They write:\nThought: hm\nFinal Answer: tea",
        ),
    ],
)
def test_of_a_thought_and_a_final_answer_only_the_answer_is_meant(
    written: str, meant: str | None
) -> None:
    assert without_reasoning(written).strip() == (meant or "Ada did.\nOn Tuesday.")


def test_a_final_answer_below_a_call_is_made_up() -> None:
    written = "Thought: hm\nAction: search\nAction Input: {}\nObservation: Bo.\nFinal Answer: Bo."
    assert without_reasoning(written) == written


@given(st.text(st.characters(exclude_characters="<[◁`~")), st.sampled_from(PAIRS))
def test_nothing_before_a_closing_tag_is_said(reasoning: str, pair: tuple[str, str]) -> None:
    assert without_reasoning(f"{reasoning}{pair[1]}Ada did.") == "Ada did."
    assert without_reasoning(f"{pair[0]}{reasoning}{pair[1]}Ada did.") == "Ada did."


@given(st.text(st.characters(exclude_characters="<[◁")).map(str.strip))
def test_words_without_tags_are_all_said(words: str) -> None:
    assert without_reasoning(words) == words or words.startswith(("analysis", "assistantfinal"))

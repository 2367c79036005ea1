"""Questions for what somebody said, whatever it was about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.person_questions import WhatSomebodySaid, what_somebody_said

ADA = WhatSomebodySaid("ada")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("what did ada say?", ADA),
        ("What has ada been saying", ADA),
        ("what else did ada write  ?", ADA),
        ("what was ada talking about?", ADA),
        ("what did ada say to bo", WhatSomebodySaid("ada", "bo")),
        ("what did nacc answer to ph88^?", WhatSomebodySaid("nacc", "ph88^")),
        ("what did ada tell bo?", WhatSomebodySaid("ada", "bo")),
        ("what link did ada paste", WhatSomebodySaid("ada", only_links=True)),
        ("which links has ada shared?", WhatSomebodySaid("ada", only_links=True)),
        ("show me the links from ada", WhatSomebodySaid("ada", only_links=True)),
        ("what was the last thing ada said?", WhatSomebodySaid("ada", is_for_last=True)),
        ("the latest message from ada", WhatSomebodySaid("ada", is_for_last=True)),
        ("everything ada said", ADA),
        ("show messages by ada", ADA),
        ("what did ada say about the deploy?", WhatSomebodySaid("ada", about="the deploy")),
        ("what does ada think of green tea", WhatSomebodySaid("ada", about="green tea")),
    ],
)
def test_the_person_is_who_said_it(text: str, meant: WhatSomebodySaid) -> None:
    assert what_somebody_said(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "what did ada drink?",
        "what did they say?",
        "what did ada tell us?",
        "who said tea?",
        "ada",
        "what does it say",
        "",
    ],
)
def test_another_verb_or_nobody_in_particular_makes_it_another_question(text: str) -> None:
    assert what_somebody_said(text) is None


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    what_somebody_said(text)
    what_somebody_said(f"what did {text} say")

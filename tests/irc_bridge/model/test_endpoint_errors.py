"""What an endpoint means by its error is recognised by its words, in whatever form they come."""

import pytest

from terrarium_mcp.irc_bridge.model.endpoint_errors import error_text, hint_for, says_too_long


@pytest.mark.parametrize(
    "words",
    [
        "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
        "input length and `max_tokens` exceed context limit: 7959 + 512 > 8192",
        "This model's maximum prompt length is 8192 but the request contains 9000 tokens.",
        "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 6000]",
        "Prompt exceeds max length",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1512.",
        "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
        "Invalid request: Your request exceeded model token limit: 8192",
        "Input length (9000 tokens) exceeds the maximum allowed length (8191 tokens).",
        "prompt token count of 9000 exceeds the limit of 8192",
        "Prompt length 9000 is greater than max_seq_len 8192",
        "Prompt too long",
        "The number of input tokens should not exceed max_num_tokens (8192)",
        "Prompt length exceeds model maximum",
        "Request too large for gpt-4o: the input or output tokens must be reduced.",
        "The decoder prompt (length 5012) is longer than the maximum model length of 4096.",
        "Prompt length of 5016 is longer than the maximum model length of 4096.",
        "The engine prompt length 5012 exceeds the max_model_len 4096. Please reduce prompt.",
        "Input tokens exceed the configured limit of 272000 tokens.",
        "The input token count is 32825 but model only supports up to 32768. Reduce it.",
        "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
        "Upstream error: Requested input length 35327 exceeds maximum input length 32767",
        "Total tokens of image and text exceed max message tokens.",
        "Prompt tokens too long",
        "Request prompt has 2015 tokens in total, larger than the model input length limit 1416.",
        "Prompt sequence length is greater than 4096, perhaps consider using `truncate_sequence`?",
        "the prompt is longer than the context length currently available to the model",
        "litellm.ContextWindowExceededError: OpenAIException - the input is longer",
        "Cannot truncate prompt with n_keep (5055) >= n_ctx (4096)",
    ],
)
def test_a_request_that_is_too_long_is_recognised_in_the_words_of_each_endpoint(words: str) -> None:
    assert says_too_long(400, words)
    assert says_too_long(500, words)
    assert not says_too_long(429, words)


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 32000. This model supports at most 16384 completion tokens.",
        "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens",
        "max_tokens is less than the minimum value of 16",
        "too many tokens: max tokens must be less than or equal to 4096, the maximum output",
        "Your rate of input tokens per minute exceeds the limit of your organization.",
        "The input exceeded our content policy.",
        "The model has been decommissioned",
    ],
)
def test_another_limit_than_that_of_the_request_is_not_taken_for_it(words: str) -> None:
    assert not says_too_long(400, words)


def test_nothing_that_cannot_be_seen_is_quoted_of_an_error() -> None:
    assert error_text('{"error": "no\\u001b[2J tea\\u202e\\nat four"}') == "no[2J tea at four"


@pytest.mark.parametrize(
    ("status", "words", "setting"),
    [
        (401, "Unauthorized", "AGENT_API_KEY"),
        (400, "API key not valid. Please pass a valid API key.", "AGENT_API_KEY"),
        (400, "Invalid API Key provided", "AGENT_API_KEY"),
        (402, "Insufficient Balance", "credit"),
        (429, "You exceeded your current quota, please check your plan", "credit"),
        (400, "max_tokens: 8 is less than the minimum value of 16", "AGENT_MAX_TOKENS"),
        (400, "too many tokens: max tokens must be less than or equal to 4096", "AGENT_MAX_TOKENS"),
        (400, "The model `llama2-70b` has been decommissioned", "AGENT_MODEL"),
        (404, "Not Found", "AGENT_API_URL and AGENT_MODEL"),
        (500, "The model runner has unexpectedly stopped", "in a minute"),
        (400, "Provider returned error", "in a minute"),
        (200, "Provider returned error", "in a minute"),
        (200, "Invalid API Key provided", "AGENT_API_KEY"),
        (200, "You exceeded your current quota, please check your plan", "credit"),
    ],
)
def test_the_way_out_is_that_of_the_cause(status: int, words: str, setting: str) -> None:
    assert setting in hint_for(status, words)


@pytest.mark.parametrize(
    ("pause", "when"), [(None, "a minute"), (21, "a minute"), (61, "61 s"), (86_400, "900 s")]
)
def test_a_pause_that_was_asked_for_is_named_as_it_is_kept(pause: float | None, when: str) -> None:
    assert hint_for(429, "Rate limit reached", pause).endswith(f"ry again in {when}.")

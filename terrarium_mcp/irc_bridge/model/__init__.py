"""The model behind an OpenAI-compatible endpoint.

- chat_types: messages of a talk; openai_format, content_parts, event_stream, endpoint_json: the
  same as the endpoint has them
- client: asks for the next message; endpoint, retries: over HTTP
- adaptations, learned: the form in which an endpoint accepts a request
- endpoint_errors, errors, breaker, condition: what goes wrong, when to stop asking, what to log
- check, health: whether it works, at the start and later; token_usage: what a request cost
- model_queue: whose turn it is
- reasoning_tags, harmony, template_tokens, code_spans: what is part of no answer,
  and of no request
- text_tool_calls, token_tool_calls, legacy_tools: tool calls in other forms
- react: calls and answers behind the labels of ReAct prompts
"""

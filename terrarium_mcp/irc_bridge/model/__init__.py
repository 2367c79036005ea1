"""The model behind an OpenAI-compatible endpoint.

- chat_types: messages of a talk; chat_request: writes them for the endpoint; chat_completion: reads
  its answer, with content_parts, event_stream and endpoint_json
- client: asks for the next message; endpoint, retries: over HTTP
- adaptations, learned: the form in which an endpoint accepts a request
- endpoint_errors, errors, breaker, condition: what goes wrong, when to stop asking, what to log
- check, health: whether it works, at the start and later; token_usage: what a request cost
- model_queue: whose turn it is
- reasoning_tags, harmony, template_tokens, code_spans: what is part of no answer,
  and of no request
- text_tool_calls: tool calls that a model wrote as text; call_tags: where a template puts them;
  json_calls, xml_calls, python_calls, token_calls: in which forms; legacy_tools: under older names
- react: calls and answers behind the labels of ReAct prompts
"""

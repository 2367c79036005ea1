"""How an `MCPServer` reaches its clients: over stdio, or over HTTP.

- stdio, pipes, lines, unreadable: over pipes
- http, application, address, absolute_form, host_check: over HTTP
- connections, strict_requests, joined_writes, uploads, handshakes, posted_messages,
  direct_answers, session_calls, session_room, resumption, returning: what one client may send, and
  how it is served
- bounded_calls, open_calls, slots: how many calls are in work; relayed_messages: read through these
- tracked_response: how far a response got; shutdown: how all of it ends
"""

"""From an IRC message to a command, its queue, and its reply.

In the order in which a command passes through:

- commands, bare_commands, bare_arguments: recognise it; command_traits: the table of all of them
- reception: decides whether it is served, with ignored, askers, guardians, limits, loop_guard and
  quiet_times; notices says why not, repeat_limit how often; moderation: `!stop` and `!quiet`
- command_queue: where it waits; host_cycles: whose asker is back with another host
- command_views: what it may see of the history
- responder: serves it. A question goes to question_service, any other command through handlers to
  short_commands/, help, suggestions, dialogue_commands or consent_commands, with a command_context
- speech, floors, kept_replies: say the reply
- consent, admins: who asks, and what they decided; introduction: what is said unasked
"""

"""What chat is, without any I/O: values and pure functions, imported by every other package.

- records, identity, coverage, recorded_times, cursors: the values that all layers exchange
- irc_message, irctext, splitting, server_address, masks: IRC's own forms
- on_record, opt_outs, followed_nicks: what may be recorded
- commands: what is said to the bot; near_misses: slips in that and in queries; voices, relays: who
  speaks
- query/: the query language; terms: what it searches for
- question, questions/, named_channels, named_people, mentions, english/: what a plain question asks
- times/, durations: moments, as they are stored, typed and meant, and how long something lasts
- transcript, fence, tokens, urls, invisible, defusing, quoted_secrets: chat as text for readers;
  quoted_lines: the messages that such a text quotes
- scripts: which letters are written without blanks between words; question_marks: those of any
- disentanglement/: which line answers which
- absence, digest, open_questions, opening_line: what happened meanwhile; nick_history,
  similar_nicks: who was who
"""

"""From an IRC message to the store.

- message_filter: what of a message is recorded; repeats: equal lines of one replay;
  join_replays: a replay that says of nothing when it was said
- recorder: writes it, in batches; outage, trouble_notice: while that fails
- server_contact: until when that is certain to be all that was said
- clock_difference: what the log says of a server whose time is not ours
- recorded_channels: of which channels, and since when
- backfill: closes gaps with what is replayed
- presence_sync: who is in them
"""

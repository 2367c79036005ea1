"""How long a test waits for what must come."""

PATIENCE = 60.0
"""Seconds. Only a test that would hang waits so long: it bounds a wait and asserts nothing, so that
neither a machine that pauses for ten seconds nor one that is four times as slow fails a test."""

PATIENCE_OF_THE_PRODUCT = PATIENCE / 3
"""Seconds that its own waits take in tests: longer than a pause, over before a test gives up."""

WAITS_OF_THE_PRODUCT = dict.fromkeys(
    (
        "irc_bridge.answer.gathering.SEARCHED_WITHIN",
        "irc_bridge.ask.command_views.FLUSH_WITHIN",
        "irc_bridge.ask.consent.SETTLED_WITHIN",
        "irc_bridge.ask.question_service.THINKING_AFTER",
        "irc_bridge.ask.reception.READY_WITHIN",
        "irc_bridge.dialogue.memory.READ_WITHIN",
        "irc_bridge.dialogue.unwritten.AT_THE_END",
        "irc_bridge.model.client.HEALTH_SECONDS",
        "irc_bridge.model.endpoint.CONNECT_SECONDS",
        "irc_bridge.record.recorder.IN_A_HURRY",
        "irc_bridge.talk_log.writer.AT_THE_END",
        "irc_bridge.toolbox.connection.BROKEN_SECONDS",
        "irc_bridge.toolbox.connection.CALL_SECONDS",
        "serving.bounded_calls.WAIT_SECONDS",
        "store.backlog._PATIENCE",
        "store.sqlite.claims._PATIENCE",
        "store.sqlite.engine.database.DEADLINE",
        "store.sqlite.index.indexer.PATIENCE",
        "store.sqlite.opening.PATIENCE",
        "store.sqlite.search.message_search.DEADLINE",
        "store.sqlite.search.scope_stats.DEADLINE",
        "websearch.search.TIMEOUT",
    ),
    PATIENCE_OF_THE_PRODUCT,
) | {"store.sqlite.engine.database.BUSY_MS": 1000 * PATIENCE_OF_THE_PRODUCT}
"""What people who wait are spared: the product gives up, or says something, after a few seconds.
Tests on a machine that pauses are not; one about such a wait sets its own."""

"""A polite client is served among hostile ones, in memory that is bounded: the short form."""

from pathlib import Path

from tests.serving.crowd import among_hostile_clients
from tests.serving.patient import running


async def test_a_polite_client_is_served_among_hostile_ones(tmp_path: Path) -> None:
    async with running(tmp_path, 5_000) as patient:
        outcome = await among_hostile_clients(
            patient.process.pid, patient.urls["mcp"], posts=500, seconds=8
        )
    print(outcome)  # noqa: T201 -- seen where it fails
    assert outcome.crowd["sessions"] == 200
    assert outcome.crowd["halves"] >= 600
    assert outcome.crowd["answers unread"] >= 5
    assert outcome.crowd["posts"] >= 5
    assert len(outcome.waits) >= 50
    assert outcome.megabytes < 200

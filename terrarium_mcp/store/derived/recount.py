"""Recounts: whether a derived table holds what its messages say."""

# ruff: noqa: S608 -- every statement is made of constants

from terrarium_mcp.store.database import Params, Writer


async def difference(
    writer: Writer, what: str, kept: str, anew: str, params: Params = ()
) -> list[str]:
    """Compare the rows of two statements; one sentence if they differ, none if not."""
    rows = await writer.rows(
        f"""
WITH kept AS ({kept}), anew AS MATERIALIZED ({anew})
SELECT count(*) OVER (), * FROM (
  SELECT * FROM (SELECT * FROM kept EXCEPT SELECT * FROM anew)
  UNION ALL SELECT * FROM (SELECT * FROM anew EXCEPT SELECT * FROM kept)
) LIMIT 1""",
        params,
    )
    if not rows:
        return []
    count, *example = rows[0]
    return [f"{what}: {count} rows differ from a recount, such as {example}."]

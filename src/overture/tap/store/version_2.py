"""Version 2: calls as they were on the wire. Calls of before have none."""

from ..databases.database import Database

STATEMENTS = (
    # `number` is the call's. `head` is the wire as JSON without its bodies, as zlib packs it with the text `base` for
    # its dictionary. `request` is a list of numbers of texts, with how each is written in the body; empty: not kept.
    # `response` is the answer as it came, with its times; empty: nobody asked for it.
    "CREATE TABLE wires (number {number}, base BIGINT NOT NULL, head {bytes} NOT NULL, request {bytes} NOT NULL, "
    "response {bytes} NOT NULL)",
)


def version_2(database: Database) -> None:
    """Make the table."""
    for statement in STATEMENTS:
        database.run(statement.format(**database.words))

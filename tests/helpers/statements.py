"""The statements that a database gets."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from fuel_app.kit.db import session


@contextmanager
def noted() -> Iterator[list[str]]:
    """Note the statements of a block, in order."""
    statements: list[str] = []

    def note(*given: object) -> None:
        statements.append(str(given[2]))

    engine = session.engine().sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)

"""Runs the migrations on the database of the settings (or one that a test hands in)."""

import asyncio
from typing import Any

from alembic import context
from sqlalchemy import event
from sqlalchemy.engine import Connection

from fuel_app.kit.db.session import make_engine
from fuel_app.settings import settings
from fuel_app.tables import has_no_model, metadata


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        compare_type=True,
        include_name=lambda name, _kind, _parents: not has_no_model(name),
        user_module_prefix="tables.",
        render_as_batch=connection.dialect.name == "sqlite",
        # A table that is changed is locked until the commit: not longer than its own migration.
        transaction_per_migration=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def let_tables_be_rebuilt(connection: Any, _record: object) -> None:
    """Turn foreign keys off: SQLite changes a table by a copy that takes its place."""
    connection.execute("PRAGMA foreign_keys = OFF").close()


def check_foreign_keys(connection: Connection) -> None:
    """Raise if a row points to one that is not there."""
    if found := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(10):
        raise RuntimeError(f"Rows without what they point to: {found}")


async def main() -> None:
    url: Any = context.config.attributes.get("url", settings.database_url)
    engine = make_engine(url, statement_timeout_s=None)  # an index of a million rows takes a while
    is_sqlite = engine.dialect.name == "sqlite"
    if is_sqlite:
        event.listen(engine.sync_engine, "connect", let_tables_be_rebuilt)
    try:
        async with engine.connect() as connection:
            await connection.run_sync(migrate)
            if is_sqlite:
                await connection.run_sync(check_foreign_keys)
            await connection.commit()
    finally:
        await engine.dispose()


asyncio.run(main())

"""Check of a PostgreSQL role's right to make tables, before a migration.

PostgreSQL's own answer to a migration without that right is a statement and a traceback.
"""

import asyncpg
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from fuel_app.kit.db.session import make_engine

_RIGHTS = text("""
SELECT current_user AS role, current_database() AS name,
    has_schema_privilege('public', 'CREATE') AS makes_tables,
    has_database_privilege(current_database(), 'CREATE')
        OR EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')
        OR NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')
        AS makes_extensions,
    (SELECT tableowner FROM pg_tables
        WHERE schemaname = 'public' AND tablename = 'alembic_version'
            AND NOT pg_has_role(tableowner, 'USAGE')) AS stranger
""")


class NotOurs(Exception):  # noqa: N818 (an outcome, worded for the reader)
    """The database does not answer us, or not let us make or change its tables; says why."""


async def check(url: str) -> None:
    """Check that the role of a PostgreSQL address may make tables, and change those that are there.

    Raises:
        NotOurs: If it may not, or if the database does not answer.
    """
    engine = make_engine(url)
    try:
        async with engine.connect() as connection:
            rights = (await connection.execute(_RIGHTS)).mappings().one()
    except (OSError, asyncpg.PostgresError, DBAPIError) as error:
        said = str(getattr(error, "orig", error)) or "no answer"
        raise NotOurs(f"it does not let us in: {said}") from error
    finally:
        await engine.dispose()
    if rights["stranger"]:
        raise NotOurs(f"its tables belong to {rights['stranger']}, not to {rights['role']}")
    if not (rights["makes_tables"] and rights["makes_extensions"]):
        raise NotOurs(
            f"{rights['role']} may not make tables in it. Make {rights['role']} its owner:"
            f' sudo -u postgres psql -c \'ALTER DATABASE "{rights["name"]}"'
            f' OWNER TO "{rights["role"]}"\''
        )

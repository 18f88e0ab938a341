"""Comparison of the database with the migrations of this code."""

from functools import cache

from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.settings import ROOT

_CURRENT = text("SELECT version_num FROM alembic_version")


@cache
def _known() -> tuple[str | None, frozenset[str]]:
    """Return the newest migration of this code, and all of them."""
    scripts = ScriptDirectory(str(ROOT / "alembic"))
    return scripts.get_current_head(), frozenset(one.revision for one in scripts.walk_revisions())


async def at_head(session: AsyncSession) -> bool:
    """Return whether no migration is missing.

    A database that is ahead of us has none missing either: during an upgrade the old processes
    serve on while the new ones come up.
    """
    current = await session.scalar(_CURRENT)
    head, ours = _known()
    return current is not None and (current == head or current not in ours)

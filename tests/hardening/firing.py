"""Events fired without a browser, and all that is stored."""

import asyncio
import inspect
from collections.abc import Collection
from contextlib import aclosing, suppress
from typing import Any

import reflex as rx
import sqlalchemy as sa
from reflex.state import BaseState
from reflex_base.event import EventHandler

from fuel_app.kit.db.session import reading
from fuel_app.kit.db.tables import metadata
from tests.helpers.tabs import run

FOLLOWED_S = 0.2


async def fire(
    tab: rx.State, state: type[BaseState], event: EventHandler, payload: dict[str, Any]
) -> str:
    """Fire an event. Return its answers; one in the background goes on until its tab is closed."""
    running = event.fn(await tab.get_state(state), **payload)
    with suppress(TimeoutError):
        async with asyncio.timeout(FOLLOWED_S if event.is_background else None):
            if not inspect.isasyncgen(running):
                return repr(await run(running))
            async with aclosing(running):
                return repr(await run(running))
    return ""


async def stored_rows(*, without: Collection[str] = ()) -> dict[str, list[str]]:
    """Return the rows of every table but those."""
    async with reading() as session:
        return {
            table.name: sorted(map(repr, await session.execute(sa.select(table))))
            for table in metadata.sorted_tables
            if table.name not in without
        }

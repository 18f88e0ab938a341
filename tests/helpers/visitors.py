"""Visitors of the waitlist."""

from typing import Any

from sqlalchemy import func, select

from fuel_app.joining import service as neighborhoods
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.db.session import reading
from fuel_app.kit.ui.toast import ToastState
from fuel_app.neighborhoods.rules import NeighborhoodSummary
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.factories import waitlist_form
from tests.helpers.leads import joined
from tests.helpers.tabs import run, tab_at


async def opened_at(address: str) -> WaitlistState:
    state = await tab_at(address).get_state(WaitlistState)
    await run(state.arrive())
    return state


async def on_the_list(address: str = "/", **differs: Any) -> WaitlistState:
    """Return the state of a visitor at the picker."""
    state = await opened_at(address)
    await run(state.submit(waitlist_form(**differs)))
    assert state.stage == "picker"
    return state


async def a_neighborhood(name: str = "Palm Grove", zip_code: str = "34236") -> NeighborhoodSummary:
    return await neighborhoods.create(await joined(), name, zip_code)


async def stored() -> list[WaitlistSubmission]:
    async with reading() as session:
        return list(await session.scalars(select(WaitlistSubmission)))


async def count() -> int:
    async with reading() as session:
        return await session.scalar(select(func.count()).select_from(WaitlistSubmission)) or 0


async def toasts_of(state: WaitlistState) -> list[str]:
    return [toast.text for toast in (await state.get_state(ToastState)).toasts]

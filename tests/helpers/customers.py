"""Customers of the open company in their tabs."""

from typing import Any

import reflex as rx
from sqlalchemy import update

from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from fuel_app.accounts.tables import StoredSession
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.tables import StoredCustomer
from fuel_app.dashboard.state import MonthState
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ui.toast import ToastState
from fuel_app.plans.tables import Subscription
from tests.helpers.people import EMAIL, a_person
from tests.helpers.signed_in import cookie_for
from tests.helpers.tabs import answer, redirected, run, tab_at


async def cookie_of(email: str = EMAIL, **more: Any) -> str:
    person = await a_person(email=email, phone="9415550123", **more)
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code="34236"))
        session.add(Subscription(person_id=person.id, plan_id="family"))
    return f"{COOKIE}={await cookie_for(person.id)}"


async def at(address: str, cookie: str = "") -> rx.State:
    """Open a customer's page in a tab."""
    tab = tab_at(address, cookie=cookie)
    first = MonthState if address == routes.DASHBOARD else CustomerState
    await run((await tab.get_state(first)).arrive())
    return tab


async def month(tab: rx.State) -> MonthState:
    """Return the month that the tab's dashboard shows."""
    return await tab.get_state(MonthState)


async def card(tab: rx.State) -> Any:
    return (await tab.get_state(CustomerState)).card


async def said(tab: rx.State) -> list[str]:
    return [toast.text for toast in (await tab.get_state(ToastState)).toasts]


async def arrived(tab: rx.State) -> str | None:
    return redirected(await answer((await tab.get_state(CustomerState)).arrive()))


async def stale(tab: rx.State) -> None:
    """Let the proof of the session be some time ago."""
    async with transaction() as session:
        await session.execute(update(StoredSession).values(proved_at=None))

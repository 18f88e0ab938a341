"""Billing History of a signed-in customer."""

from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.tables import Person
from fuel_app.billing.rules.invoices import OPEN
from fuel_app.billing.state.receipts import HistoryState
from fuel_app.billing.ui import history
from tests.billing.receipts import PLAN, an_invoice
from tests.helpers.customers import at, cookie_of
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def opened(cookie: str) -> HistoryState:
    state = await (await at(routes.BILLING, cookie)).get_state(HistoryState)
    await run(state.arrive())
    return state


async def test_history_is_empty_at_first():
    await open_area()
    state = await opened(await cookie_of())
    assert (state.loading, state.lines, state.has_more) == (False, [], False)
    assert "No charges yet" in str(history())


async def test_history_shows_own_opened_invoices_with_their_receipts():
    await open_area()
    cookie, _ = await cookie_of(), await cookie_of("bea@example.com")
    ada, bea = sorted(await rows(Person), key=lambda person: person.email)
    await an_invoice(bea.id)
    plan = await an_invoice(ada.id, lines=PLAN)
    fill = await an_invoice(ada.id, state=OPEN)
    await an_invoice(ada.id, state="draft")
    lines = (await opened(cookie)).lines
    shown = [(line.description, line.status, line.amount, line.address) for line in lines]
    assert shown == [
        ("Fill-up, 2020 Toyota Camry", "Open", "$54.37", routes.receipt(fill)),
        ("Family plan", "Paid", "$44.00", routes.receipt(plan)),
    ]


async def test_show_more_turns_to_older_invoices_and_a_new_visit_begins_anew():
    await open_area()
    cookie = await cookie_of()
    (ada,) = await rows(Person)
    ids = [await an_invoice(ada.id, lines=PLAN) for _ in range(14)]
    state = await opened(cookie)
    assert (len(state.lines), state.has_more) == (12, True)
    await run(state.show_more())
    await run(state.show_more())  # the second press of a double click
    assert [line.id for line in state.lines] == ids[::-1]
    assert not state.has_more
    await run(state.arrive())
    assert len(state.lines) == 12


async def test_preview_has_no_history():
    state: Any = await opened("")
    assert (state.loading, state.lines) == (True, [])
    await run(state.show_more())
    assert state.lines == []

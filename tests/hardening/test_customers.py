"""A signed-in customer fires every event of customers' screens, with another customer's ids.

Events are discovered, so that a new one is tried here from its first day.
"""

import inspect
import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
import sqlalchemy as sa
from reflex.state import BaseState

from fuel_app.accounts.state.session import COOKIE, OwnScreen
from fuel_app.billing.rules.invoices import LATE_FEE, Line
from fuel_app.billing.service import invoices
from fuel_app.billing.tables import Checkout
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.customers.tables import CustomerNote, StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.kit import outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import metadata
from fuel_app.kit.money import dollars
from fuel_app.plans.tables import LedgerEntry, Subscription
from tests.hardening.firing import fire
from tests.hardening.nasty import NASTY
from tests.helpers.cards import with_card
from tests.helpers.customers import at
from tests.helpers.open_area import open_area
from tests.helpers.people import a_person
from tests.helpers.signed_in import cookie_for, seen
from tests.helpers.staff_access import STATES

pytestmark = pytest.mark.usefixtures("sqlite_database")

SECRET, EMAIL = "Zebulon", "zebulon@example.com"
OWNERS = ("id", "person_id", "payer_id", "invoice_id")
KEPT_MAX = 250_000  # characters of one tab
OWN_STATES = [state for state in STATES if issubclass(state, CustomerScreen | OwnScreen)]


async def victim() -> list[str]:
    """Store another customer with all that customers have. Return the ids."""
    person = await a_person(email=EMAIL, first_name=SECRET, phone="9415550177")
    session = await seen(await cookie_for(person.id))
    async with transaction() as writing:
        writing.add(StoredCustomer(person_id=person.id, address=SECRET))
        writing.add(Subscription(person_id=person.id, plan_id="solo"))
        entry = {"key": f"grant:{person.id}", "kind": "granted", "fills": 2, "actor": "x"}
        period = {"person_id": person.id, "period": date(2026, 11, 1), "bucket": "plan"}
        writing.add(LedgerEntry(**entry, **period, reason=SECRET))
        car = {"make": "Ford", "model": "Edge", "year": "2022", "color": SECRET, "grade": "plus"}
        plate: Any = {"license_plate": "ABC 123", "plate_state": "FL", "fuel_door": "Key"}
        vehicle = StoredVehicle(person_id=person.id, tank_tenths=185, **car, **plate)
        where: Any = {"zip_code": "34236", "spot": "Driveway", "lat": 27.3, "lng": -82.5}
        postal: Any = {"street": SECRET, "city": "Sarasota", "state": "FL", "is_approximate": True}
        place = StoredAddress(person_id=person.id, **where, **postal)
        writing.add_all([vehicle, place])
        note = CustomerNote(person_id=person.id, author="x", text=SECRET)
        writing.add(note)
        await outbox.add(writing, "new_sign_in", person_id=person.id, payload={"device": SECRET})
    return [person.id, session.id, EMAIL, vehicle.id, place.id, *await money_of(person.id)]


async def money_of(person_id: str) -> list[str]:
    """Store a card, a visit to the provider's page and an unpaid invoice. Return their ids."""
    async with transaction() as session:
        payer = with_card(await invoices.payer_of_person(session, person_id))
        visit = Checkout(payer_id=payer.id, session_id=f"cs_test_{person_id}")
        session.add(visit)
        fee = Line("late_fee", SECRET, dollars(15))
        bill = {"key": f"late_fee:{person_id}", "kind": LATE_FEE, "payer": payer, "lines": [fee]}
        invoice = await invoices.draft_invoice(session, **bill)
        await invoices.open_invoice(session, invoice)
    return [payer.id, f"cs_test_{person_id}", invoice.id]


async def rows_of(ids: list[str]) -> dict[str, list]:
    """Return everything that is stored about a person, of whom these are the ids."""
    found = {}
    async with reading() as session:
        for table in metadata.sorted_tables:
            owners = [table.c[name] for name in OWNERS if name in table.c]
            if owners and table.name not in ("sessions", "jobs"):
                theirs = sa.or_(*(owner.in_(ids) for owner in owners))
                rows = await session.execute(sa.select(table).where(theirs))
                found[table.name] = sorted(map(repr, rows))
    return found


def payloads(names: list[str], ids: list[str]) -> Iterator[dict[str, Any]]:
    form = {"id": ids[0], "person_id": ids[0], "email": EMAIL, "code": "123456"}
    for value in [*ids, form, *NASTY.values()] if names else [None]:
        yield dict.fromkeys(names, value)


def kept(*parts: BaseState) -> str:
    return json.dumps([part._backend_vars for part in parts], default=repr)


@pytest.mark.parametrize("state", OWN_STATES, ids=lambda state: state.__name__)
async def test_another_customers_ids_reach_nothing(state):
    await open_area()
    ids = await victim()
    before = await rows_of(ids)
    for name, event in state.event_handlers.items():
        if name == "setvar":
            continue
        person = await a_person(email=f"{name}.{state.__name__}@example.com".lower())
        tab = await at("/account", f"{COOKIE}={await cookie_for(person.id)}")
        for given in payloads(list(inspect.signature(event.fn).parameters)[1:], ids):
            answer = await fire(tab, state, event, given)
            assert SECRET not in answer + kept(await tab.get_state(state)), name
        everything = kept(tab, *tab.substates.values())
        assert SECRET not in everything, name
        assert len(everything) < KEPT_MAX, name
    assert await rows_of(ids) == before

"""Customers who owe, and who a customer is, on the staff's screen."""

import pytest

from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.db.session import transaction
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.plans.tables import Subscription
from tests.customers.test_service_directory import a_customer
from tests.helpers.bank import a_payer, an_invoice
from tests.helpers.open_area import open_area
from tests.office.test_state_customers_open import SCREEN, loaded


@pytest.fixture(autouse=True)
async def _open(sqlite_database):
    await open_area()


async def test_list_is_narrowed_to_those_who_owe():
    payer = await a_payer(email="bob@example.com")
    owing = payer.person_id or ""
    async with transaction() as session:
        session.add(StoredCustomer(person_id=owing, zip_code="34236"))
        session.add(Subscription(person_id=owing, plan_id="solo"))
    await a_customer("Zoe Adams")
    tab, shown = await loaded(f"{SCREEN}?debt=owes")
    assert (shown.rows, shown.filtered) == ([], True)
    await an_invoice(payer, 1240)
    await tab.fire(CustomerDashboardState.load)
    assert [(row.id, row.owes, row.plan_state) for row in shown.rows] == [
        (owing, "Owes $12.40", "Not started")
    ]
    await tab.fire(CustomerDashboardState.narrow, {"debt": "nonsense"})
    assert [row.owes for row in shown.rows] == ["Owes $12.40", ""]

"""What a customer owes, and who they are, on every tab of the staff's screen."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import SYSTEM, AccountGone, Actor, NotAllowed, Role
from fuel_app.areas.tables import Area
from fuel_app.billing.service import invoices
from fuel_app.billing.tables import Payer
from fuel_app.bookings.rules.slots import short_when
from fuel_app.customers.service import account
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.office.state.customers import CustomerDashboardState, DashboardTab
from fuel_app.plans.tables import Subscription
from tests.customers.test_service_directory import a_customer
from tests.helpers.bank import a_payer, an_invoice
from tests.helpers.open_area import ELSEWHERE_ZIP, open_area
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking, a_fill
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


async def test_who_a_customer_is_stands_above_every_tab():
    customer_id = await a_customer("Zoe Adams", phone="9415550188")
    tab, shown = await loaded(f"{SCREEN}?customer={customer_id}&tab=notes")
    who = shown.profile
    assert (who.name, who.email) == ("Zoe Adams", "zoe.adams@example.com")
    assert (who.phone, who.digits, who.area) == ("(941) 555-0188", "9415550188", "Sarasota")
    assert (who.plan, who.owes, who.next_booking) == ("Solo Plan, not started", "", "")
    [area] = await rows(Area)
    await a_booking(area.id, customer_id, days=9)
    soonest = await a_booking(area.id, customer_id, days=2, opens=10)
    await an_invoice(await payer_of(customer_id), 1240)
    await tab.fire(CustomerDashboardState.open_tab, "audit")
    assert shown.profile.next_booking == short_when(soonest.starts_at, soonest.ends_at)
    assert shown.profile.owes == "$12.40"


async def test_customer_outside_every_area_has_none():
    customer_id = await a_customer(zip_code=ELSEWHERE_ZIP)
    _, shown = await loaded(f"{SCREEN}?customer={customer_id}")
    assert shown.profile.area == ""


async def test_dashboard_tab_shows_what_the_customer_sees():
    customer_id = await a_customer(plan="family")
    [area] = await rows(Area)
    await a_fill(area.id, customer_id, clock.now() - timedelta(days=3), 11_234, 4590)
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}")
    card = (await tab.screen(DashboardTab)).card
    assert (card.name, card.plan, card.days_since_last_fill) == ("Ada Lovelace", "Family Plan", "3")
    assert [(row.gallons, row.price) for row in card.past_services] == [("11.2", "$45.90")]


async def test_only_staff_read_a_customers_dashboard():
    customer_id = await a_customer()
    with pytest.raises(NotAllowed):
        await account.read_customer(Actor(frozenset({Role.CUSTOMER}), customer_id), customer_id)
    with pytest.raises(AccountGone):
        await account.read_customer(SYSTEM, "nobody")


async def payer_of(customer_id: str) -> Payer:
    async with transaction() as session:
        return await invoices.payer_of_person(session, customer_id)

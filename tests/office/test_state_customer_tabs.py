"""The head of one customer, and the tabs 'Dashboard', 'Vehicles' and 'Ledger'."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import SYSTEM, AccountGone, Actor, NotAllowed, Role
from fuel_app.areas.rules.places import Located
from fuel_app.areas.tables import Area
from fuel_app.billing.service import invoices
from fuel_app.billing.tables import Payer
from fuel_app.bookings.rules.slots import short_when
from fuel_app.customers.service import account, directory, locations, vehicles
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock
from fuel_app.kit.clock import months_later, short_date
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.office.state.customers import (
    CustomerDashboardState,
    DashboardTab,
    LedgerTab,
    VehiclesTab,
)
from fuel_app.plans.rules.ledger import GUEST
from fuel_app.plans.service import ledger
from fuel_app.plans.tables import Subscription
from tests.customers.test_service_directory import a_customer
from tests.factories import own_vehicle, place
from tests.helpers import plans
from tests.helpers.admins import AdminTab
from tests.helpers.bank import a_payer, an_invoice
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.plans import balance, start, today
from tests.helpers.stored_bookings import a_booking, a_fill
from tests.helpers.tabs import problems
from tests.office.test_state_customers_open import SCREEN, loaded

ONE_MORE = {"fills": "1", "reason": "The truck was late"}
PIN = Located(27.34, -82.54, is_approximate=False)


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


async def test_dashboard_tab_shows_what_the_customer_sees():
    customer_id = await a_customer(plan="family")
    [area] = await rows(Area)
    await a_fill(area.id, customer_id, clock.now() - timedelta(days=3), 11_234, 4590)
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}")
    found = await tab.screen(DashboardTab)
    assert (found.card.name, found.card.plan) == ("Ada Lovelace", "Family Plan")
    assert found.month.days_since_last_fill == "3"
    assert [(row.gallons, row.price) for row in found.month.past_services] == [("11.2", "$45.90")]


async def test_only_staff_read_a_customers_dashboard():
    customer_id = await a_customer()
    with pytest.raises(NotAllowed):
        await account.read_customer(Actor(frozenset({Role.CUSTOMER}), customer_id), customer_id)
    with pytest.raises(AccountGone):
        await account.read_customer(SYSTEM, "nobody")


async def payer_of(customer_id: str) -> Payer:
    async with transaction() as session:
        return await invoices.payer_of_person(session, customer_id)


async def garage(customer_id: str) -> VehiclesTab:
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}&tab=vehicles")
    return await tab.screen(VehiclesTab)


async def test_dispatchers_see_vehicles_and_addresses_with_gate_code_and_notes():
    ada = await a_customer()
    await vehicles.save(ada, own_vehicle(image="data:x"))
    await locations.save(ada, place(gate_code="1815", notes="Blue\ndoor"), pin=PIN)
    await locations.save(ada, place(street="2 Main Street"))
    shown = await garage(ada)
    [vehicle] = shown.vehicles
    assert (vehicle.title, vehicle.details) == ("2022 Toyota Camry", "Silver · ABC 123 (FL)")
    assert (vehicle.fuel, vehicle.image) == ("Regular · Fuel door: unlocked", "")
    first, second = shown.places
    assert (first.label, first.is_default) == ("1 Main Street, Sarasota, FL 34236", True)
    assert (first.details, first.notes) == ("Driveway · Gate code 1815", "Blue\ndoor")
    assert (second.is_approximate, second.notes) == (True, "")


async def test_a_new_customer_has_none(monkeypatch):
    shown = await garage(await a_customer())
    assert (shown.vehicles, shown.places, shown.loading, shown.failed) == ([], [], False, False)

    async def away(*_: object) -> None:
        raise OSError("the database")

    monkeypatch.setattr(directory, "garage", away)
    await shown._load()
    assert shown.failed


async def test_only_staff_look_into_a_garage():
    with pytest.raises(NotAllowed):
        await directory.garage(Actor(frozenset({Role.CUSTOMER}), "x"), "x")


async def shown_tab(plan: str = "family") -> tuple[AdminTab, LedgerTab]:
    customer_id = await a_customer(plan=plan)
    await start(customer_id, plan)
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}&tab=ledger")
    return tab, await tab.screen(LedgerTab)


async def test_tab_shows_what_is_left_and_the_entries():
    _, shown = await shown_tab("big-family")
    async with transaction() as session:
        person_id = shown._customer_id
        await plans.reserve(session, person_id, today(), "booking-123456", bucket=GUEST)
    await shown._load()
    assert {label: left.partition(",")[0] for label, left in shown.left.items()} == {
        "This period": "10 of 10 left",
        "Next period": "10 of 10 left",
        "Guest fill of this quarter": "0 of 1 left",
    }
    assert shown.left["This period"].endswith(short_date(months_later(today(), 1)))
    assert sorted((line.what, line.fills, line.booking) for line in shown.rows) == [
        ("Granted", "+10", ""),
        ("Granted, guest fill", "+1", ""),
        ("Reserved, guest fill", "-1", "123456"),
    ]


async def test_staff_adjust_once_however_often_they_press_and_no_other_customer():
    tab, shown = await shown_tab()
    assert await tab.fire(LedgerTab.submit, {"fills": "0", "reason": ""}) == ["adjust_fills"]
    assert set(problems(shown.errors)) == {"fills", "reason"}
    await tab.fire(LedgerTab.edit, ONE_MORE)
    assert not problems(shown.errors)
    await tab.fire(LedgerTab.submit, ONE_MORE | {"customer": "another"})
    assert shown.left["This period"][:11] == "4 of 4 left"
    await tab.fire(LedgerTab.submit, ONE_MORE | {"customer": shown._customer_id})
    await tab.fire(LedgerTab.edit, ONE_MORE)
    await tab.fire(LedgerTab.submit, ONE_MORE)
    assert (shown.left["This period"][:11], shown.rows[0].who) == ("5 of 5 left", "Grace Hopper")
    assert (shown.busy, shown.error, shown.rows[0].fills) == (False, "", "+1")
    assert shown.edition == 2
    await tab.fire(LedgerTab.edit, {"fills": "", "reason": ""})
    await tab.fire(LedgerTab.submit, ONE_MORE)
    assert await balance(shown._customer_id, today()) == 6


async def test_fills_that_may_be_added_are_named_before_and_when_they_are_too_many():
    tab, shown = await shown_tab()
    assert shown.most == "Up to 2 more."
    await tab.fire(LedgerTab.submit, ONE_MORE)
    assert shown.most == "Up to 1 more."
    await tab.fire(LedgerTab.submit, ONE_MORE | {"fills": "2"})
    said = problems(shown.errors)["fills"]
    assert said.startswith("1 of 2 fills is left for this customer until ")
    await tab.fire(LedgerTab.submit, ONE_MORE | {"reason": "Again"})
    assert shown.most.startswith("Nothing of 2 fills is left for this customer until ")


async def test_taking_more_than_is_left_is_refused_above_the_button():
    tab, shown = await shown_tab("solo")
    await tab.fire(LedgerTab.submit, ONE_MORE | {"fills": "-3"})
    assert shown.error == "Only 2 fills of this period can be taken away."
    assert (shown.edition, shown.left["This period"][:11]) == (0, "2 of 2 left")


async def test_failure_keeps_what_is_typed_and_a_retry_adjusts_once(monkeypatch):
    tab, shown = await shown_tab()
    adjust = ledger.adjust_fills

    async def answer_lost(*given: object) -> None:
        await adjust(*given)  # type: ignore[arg-type]
        raise ConnectionError

    monkeypatch.setattr(ledger, "adjust_fills", answer_lost)
    await tab.fire(LedgerTab.submit, ONE_MORE)
    assert (shown.error, shown.edition, shown.busy) == (FAILED, 0, False)
    monkeypatch.setattr(ledger, "adjust_fills", adjust)
    await tab.fire(LedgerTab.submit, ONE_MORE)
    assert (shown.error, await balance(shown._customer_id, today())) == ("", 5)

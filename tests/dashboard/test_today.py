"""Today's figures of the open company, on both databases."""

from datetime import date, timedelta

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.billing.rules import invoices as rules
from fuel_app.billing.rules.reports import Earned
from fuel_app.billing.tables import JournalEntry
from fuel_app.bookings.rules.fills import DayFills
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.dashboard import service as dashboard
from fuel_app.dashboard.rules import Today
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.money import Money, dollars
from tests.helpers.bookings import NOW, STAFF, TODAY, a_customer, an_area, at
from tests.helpers.stored_bookings import a_booking, a_fill, change

NOTHING = {
    "Scheduled fill-ups": "0",
    "Completed": "0",
    "Average gallons": "–",  # noqa: RUF001
    "Total customers": "0",
    "Active subscriptions": "0",
    "Service area": "None is open",
    "Today's revenue": "$0.00",
    "Average per fill-up": "$0.00",
    "Refunds and credit": "$0.00",
    "Subscription revenue": "$0 this month",
}


@pytest.fixture(autouse=True)
def _monday(monkeypatch) -> None:
    at(monkeypatch, NOW)


async def moved(day: date, debit: str, credit: str, cents: int) -> None:
    """Store an entry of the journal."""
    entry = {"key": new_id(), "day": day, "at": NOW, "amount_cents": cents}
    async with transaction() as session:
        session.add(JournalEntry(debit=debit, credit=credit, **entry))


async def figures() -> Today:
    return await dashboard.today_figures(STAFF, await dashboard.earned_before(STAFF, TODAY))


async def test_company_without_anything_shows_nothing(database):
    found = await figures()
    assert found.texts == NOTHING
    assert [amount.cents for _, amount in found.by_day] == [0] * 14


async def test_fillups_are_those_whose_windows_begin_today_in_new_york(database):
    area = await an_area()
    who = await a_customer()
    for milligallons in (10_000, 14_150):
        await a_fill(area, who.id, NOW, milligallons, 5000, slot_id=new_id())
    await a_fill(area, who.id, NOW, 0, 1500, slot_id=new_id())  # nothing was pumped
    midnights = (on_clock(TODAY, 0), on_clock(TODAY, 24))
    for opens, state in ((8, "booked"), (10, "failed"), (12, "cancelled"), (14, "weather_hold")):
        await change(await a_booking(area, days=0, opens=opens), state=state)
    for opens, starts_at in zip((16, 18), midnights, strict=True):
        booking = await a_booking(area, days=0, opens=opens)
        await change(booking, starts_at=starts_at, ends_at=starts_at + timedelta(hours=2))
    texts = (await figures()).texts
    assert (texts["Scheduled fill-ups"], texts["Completed"]) == ("7", "3")
    assert texts["Average gallons"] == "12.1"


async def test_customers_and_active_plans_are_counted_and_open_areas_named(database):
    await an_area()
    for number, state in ((1, "active"), (2, "past_due"), (3, "incomplete")):
        await a_customer(number, state=state)
    texts = (await figures()).texts
    assert (texts["Total customers"], texts["Active subscriptions"]) == ("3", "1")
    assert texts["Service area"] not in ("", "None is open")


async def test_revenue_is_what_fillups_earned_today_and_plans_this_month(database):
    for credit, cents in ((rules.FUEL, 5000), (rules.FEES, 1500), (rules.PLANS, 4400)):
        await moved(TODAY, rules.RECEIVABLE, credit, cents)
    await moved(TODAY, rules.RECEIVABLE, rules.TAX, 300)
    await moved(TODAY, rules.PROMOTIONS, rules.RECEIVABLE, 500)  # a free fill
    await moved(TODAY, rules.RETURNS, rules.RECEIVABLE, 1000)
    await moved(TODAY, rules.PROMOTIONS, rules.CUSTOMER_CREDIT, 5000)
    await moved(TODAY, rules.STRIPE, rules.RECEIVABLE, 11_200)
    first = TODAY.replace(day=1)
    await moved(first, rules.RECEIVABLE, rules.PLANS, 4400)
    await moved(first, rules.DISCOUNTS, rules.RECEIVABLE, 1000)
    await moved(first - timedelta(days=1), rules.RECEIVABLE, rules.PLANS, 4400)
    await moved(TODAY - timedelta(days=13), rules.RECEIVABLE, rules.FUEL, 700)
    await moved(TODAY + timedelta(days=1), rules.RECEIVABLE, rules.FUEL, 900)
    found = await figures()
    assert found.revenue == dollars(60)
    assert found.returned == -dollars(60)
    assert found.texts["Refunds and credit"] == "-$60.00"
    assert found.plan_revenue == dollars(78)
    days = dict(found.by_day)
    assert [days[TODAY], days[TODAY - timedelta(days=13)]] == [dollars(44), dollars(7)]
    assert sum(amount.cents for amount in days.values()) == 5_100


async def test_early_in_a_month_the_chart_reads_days_of_the_month_before(database, monkeypatch):
    day = date(2026, 12, 3)
    at(monkeypatch, on_clock(day, 10))
    await moved(day - timedelta(days=13), rules.RECEIVABLE, rules.PLANS, 4400)
    found = await dashboard.today_figures(STAFF, await dashboard.earned_before(STAFF, day))
    assert found.plan_revenue == Money(0)
    assert found.by_day[0] == (date(2026, 11, 20), dollars(44))


async def test_average_per_fillup_is_of_the_bills_of_fillups_alone(database):
    area, who = await an_area(), await a_customer()
    for cents in (5000, 2500, 2500):
        await a_fill(area, who.id, NOW, 10_000, cents, slot_id=new_id())
    unbilled = await a_fill(area, who.id, NOW, 10_000, 0, slot_id=new_id())
    await change(unbilled, total_cents=None)
    failed = await a_booking(area, days=0, opens=8)
    await change(failed, state="failed", total_cents=1500)
    assert (await figures()).texts["Average per fill-up"] == "$33.33"


def test_figures_are_worded():
    earned = {TODAY: Earned(Money(4400), dollars(100), Money(0))}
    shown = Today(
        TODAY, DayFills(5, 3, 11_450, Money(0)), 1234, 900, ("North", "South"), earned
    ).texts
    assert shown["Average gallons"] == "11.5"
    assert (shown["Total customers"], shown["Service area"]) == ("1,234", "North, South")
    assert shown["Subscription revenue"] == "$44 this month"


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN])
async def test_others_than_dispatchers_get_no_figures(sqlite_database, role):
    stranger = Actor(frozenset({role}), new_id())
    with pytest.raises(NotAllowed):
        await dashboard.earned_before(stranger, TODAY)
    with pytest.raises(NotAllowed):
        await dashboard.today_figures(stranger, {})
    with pytest.raises(NotAllowed):
        await dashboard.latest_leads(stranger)

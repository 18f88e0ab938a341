"""The dashboard of a customer, from stored bookings, plan and prices."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.bookings.tables import FreeFill
from fuel_app.customers.rules.customers import FreeFillOffer
from fuel_app.customers.service import account
from fuel_app.customers.state.customer import CustomerState
from fuel_app.dashboard.state import NextBookingState
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import dollars
from fuel_app.plans import queries
from fuel_app.plans.rules.ledger import PLAN
from fuel_app.plans.service import ledger
from fuel_app.plans.tables import Subscription
from tests.helpers.customers import at, cookie_of, month
from tests.helpers.open_area import open_area
from tests.helpers.people import a_person
from tests.helpers.signed_in import cookie_for
from tests.helpers.stored_bookings import a_booking, a_fill, a_price
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database")
NONE = "–"  # noqa: RUF001


@pytest.fixture
async def area() -> str:
    return await open_area()


async def opened(cookie: str) -> Any:
    """Return the card of the dashboard."""
    return (await month(await at(routes.DASHBOARD, cookie))).card


async def a_customer() -> tuple[str, str]:
    cookie = await cookie_of()
    tab = await at(routes.DASHBOARD, cookie)
    return cookie, (await tab.get_state(CustomerState))._opened.session.person_id  # type: ignore


async def start_plan(person_id: str, starts: date) -> None:
    async with transaction() as session:
        row = await session.get(Subscription, person_id)
        assert row
        row.state, row.started_at, row.anchor = "active", clock.now(), starts
        row.period_starts, row.period_ends = starts, clock.months_later(starts, 1)


async def test_empty_account_shows_no_numbers_and_leads_on(area):
    cookie, _ = await a_customer()
    shown = await opened(cookie)
    assert (shown.fills_remaining, shown.fills_note) == (NONE, "Start your plan")
    assert (shown.gallons_used, shown.days_since_last_fill) == (NONE, NONE)
    assert (shown.cost_per_gallon, shown.average_cost) == (NONE, NONE)
    assert (shown.has_booking, shown.past_services) == (False, [])


async def test_figures_are_those_of_the_stored_rows(area, monkeypatch):
    noon = datetime(2026, 3, 20, 16, tzinfo=UTC)
    cookie, person_id = await a_customer()
    await a_price(area, 3459, days_ago=0)
    monkeypatch.setattr(clock, "now", lambda: noon)
    await a_price(area, 3459, days_ago=2)
    await start_plan(person_id, date(2026, 3, 5))
    await a_fill(area, person_id, datetime(2026, 3, 4, 16, tzinfo=UTC), 11_000, 9_999)
    await a_fill(area, person_id, datetime(2026, 3, 9, 16, tzinfo=UTC), 10_000, 3_500)
    await a_fill(area, person_id, datetime(2026, 3, 14, 16, tzinfo=UTC), 14_250, 4_930)
    await a_fill(area, person_id, datetime(2026, 3, 18, 16, tzinfo=UTC), 0, 0, state="failed")
    await a_fill(area, person_id, datetime(2026, 3, 19, 16, tzinfo=UTC), 0, 0, state="cancelled")
    booking = await a_booking(area, person_id, days=2, opens=14)
    cookie = await cookie_again(person_id)
    shown = await opened(cookie)
    assert (shown.fills_remaining, shown.fills_total) == ("4", 4)
    assert shown.fills_note == "4 of 4 fills this month"
    assert (shown.gallons_used, shown.gallons_note) == ("24.3", "Since Mar 5, 2026")
    assert (shown.cost_per_gallon, shown.average_cost) == ("$3.46", "$3.48")
    assert shown.price_note == "Current market price, set 2 days ago"
    assert (shown.days_since_last_fill, shown.last_fill) == ("6", "Last fill: Mar 14, 2026")
    assert [(row.day, row.gallons, row.price) for row in shown.past_services] == [
        ("Mar 14, 2026", "14.3", "$49.30"),
        ("Mar 9, 2026", "10.0", "$35.00"),
        ("Mar 4, 2026", "11.0", "$99.99"),
    ]
    assert (shown.has_booking, booking.state) == (True, "booked")


async def test_fills_booked_or_rolled_over_are_told_from_used_and_granted_ones(area):
    cookie, person_id = await a_customer()
    today = clock.day_of(clock.now())
    await start_plan(person_id, today)
    covered = {"pays_by": "allowance", "period": today}
    done = await a_booking(area, person_id, days=1, state="completed", **covered)
    coming = await a_booking(area, person_id, **covered)
    await a_booking(area, person_id, days=4)  # for the fee
    await a_booking(area, person_id, days=5, fee_asked_at=clock.now(), **covered)
    entries = [("granted", 4, ""), ("rolled", 1, "")]
    entries += [("reserved", -1, each.id) for each in (done, coming)]
    where = person_id, today, PLAN
    async with transaction() as session:
        for place, (kind, fills, booking_id) in enumerate(entries):
            await queries.add_entry(
                session, ledger.entry_of(where, f"{place}", kind, fills, booking_id=booking_id)
            )
    shown = await opened(cookie)
    assert (shown.fills_remaining, shown.fills_used) == ("3", "1 of 5, 1 booked")
    assert shown.fills_note == "3 of 5 fills this month, 1 rolled over"


async def cookie_again(person_id: str) -> str:
    """Return a session that begins on the test's clock."""
    return f"{COOKIE}={await cookie_for(person_id)}"


@pytest.mark.parametrize(
    ("filled", "now", "days"),
    [
        # 11:30 PM in New York, seen half an hour later, the day before the clocks go forward
        (datetime(2026, 3, 8, 4, 30, tzinfo=UTC), datetime(2026, 3, 8, 5, 10, tzinfo=UTC), "1"),
        # 23 hours between them
        (datetime(2026, 3, 8, 5, 10, tzinfo=UTC), datetime(2026, 3, 9, 4, 10, tzinfo=UTC), "1"),
        # 25 hours, still the same day
        (datetime(2026, 11, 1, 4, 10, tzinfo=UTC), datetime(2026, 11, 2, 4, 50, tzinfo=UTC), "0"),
    ],
)
async def test_days_are_new_yorks_when_clocks_change(area, monkeypatch, filled, now, days):
    _, person_id = await a_customer()
    await a_fill(area, person_id, filled, 10_000, 3_500)
    monkeypatch.setattr(clock, "now", lambda: now)
    shown = await opened(await cookie_again(person_id))
    assert shown.days_since_last_fill == days


async def test_without_a_plan_the_calendar_month_counts(area, monkeypatch):
    _, person_id = await a_customer()
    await a_fill(area, person_id, datetime(2026, 3, 1, 4, 30, tzinfo=UTC), 9_000, 1)  # February
    await a_fill(area, person_id, datetime(2026, 3, 1, 5, 30, tzinfo=UTC), 8_000, 1)
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 3, 20, 16, tzinfo=UTC))
    shown = await opened(await cookie_again(person_id))
    assert (shown.gallons_used, shown.gallons_note) == ("8.0", "This month")


async def test_cancelling_on_the_dashboard_changes_its_figures(area):
    cookie, person_id = await a_customer()
    await a_booking(area, person_id)
    tab = await at(routes.DASHBOARD, cookie)
    assert (await month(tab)).card.has_booking
    state = await tab.get_state(NextBookingState)
    await run(state.arrive())
    await run(state.open_cancel())
    await run(state.cancel(state.card.cancel_label))
    assert not (await month(tab)).card.has_booking
    assert (state.card.id, state.notice.startswith("Cancelled: ")) == ("", True)


async def test_preview_keeps_its_sample_without_a_booking():
    tab = await at(routes.DASHBOARD)
    shown = (await month(tab)).card
    assert (shown.fills_note, shown.average_cost) == ("3 of 4 fills this month", "$3.45")
    assert (shown.gallons_note, shown.price_note) == ("This month", "Current market price")
    state = await tab.get_state(NextBookingState)
    await run(state.arrive())
    assert state.card.id == ""


async def test_staff_alone_have_no_fills(area):
    person = await a_person(Role.DISPATCHER, email="di@example.com")
    shown = await opened(await cookie_again(person.id))
    assert (shown.gallons_used, shown.cost_per_gallon) == (NONE, NONE)


async def first_fill(cookie: str) -> tuple[str, bool]:
    """Return what the dashboard says beside the first booking."""
    tab = await at(routes.DASHBOARD, cookie)
    (step,) = (
        each
        for each in (await month(tab)).following.steps
        if each.title == "Book your first fill-up"
    )
    return step.note, step.asks_to_call


async def test_promise_of_a_free_fill_ends_when_the_phone_or_every_plate_has_had_one(
    area, monkeypatch
):
    cookie, _ = await a_customer()

    async def promised(*_: Any) -> FreeFillOffer:
        return FreeFillOffer(dollars(50))

    monkeypatch.setattr(account, "free_fill_of", promised)
    assert (await first_fill(cookie))[0].startswith("Free for you")
    other = await a_person(email="other@example.com", password=None)
    booking = await a_booking(area, other.id)
    async with transaction() as session:
        session.add(
            FreeFill(
                person_id=other.id,
                license_plate="GUL1",
                phone="9415550123",  # of the customer, too
                booking_id=booking.id,
            )
        )
    assert await first_fill(cookie) == (
        "The free first fill was already used for this phone number.",
        True,
    )

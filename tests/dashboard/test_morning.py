"""The three figures of the morning, on both databases."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.tables import AreaException, AreaWindow, StoredPrice
from fuel_app.billing.rules.payments import HOLD
from fuel_app.billing.tables import Payer, StoredPayment
from fuel_app.bookings.rules.fills import Booked, Sold
from fuel_app.dashboard import service as dashboard
from fuel_app.dashboard.rules import FuelFlow, Margin, gallons_of
from fuel_app.dashboard.state import NONE, MorningState, _flow_note, _margin_texts
from fuel_app.dispatch.tables import StoredShift, StoredStop
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import TableModel, new_id
from fuel_app.kit.money import Money
from tests.dispatch.conftest import waiting
from tests.helpers.admins import AdminTab
from tests.helpers.bank import a_payer, an_invoice
from tests.helpers.bookings import NOW, TODAY, a_customer, an_area, at
from tests.helpers.dispatch import TOMORROW, a_shift, a_truck
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking, a_fill, change
from tests.helpers.tabs import run, tab_at

YESTERDAY = NOW - timedelta(days=1)

__all__ = ("waiting",)


@pytest.fixture(autouse=True)
def _clock(monkeypatch) -> None:
    at(monkeypatch, NOW)


async def store(*new: TableModel) -> None:
    async with transaction() as session:
        session.add_all(new)


def price(area: str, grade: str, cost: int | None, ago: int = 2) -> StoredPrice:
    said = {"grade": grade, "mills": 3459, "cost_mills": cost, "source": "Us", "set_by": "system"}
    return StoredPrice(area_id=area, effective_at=NOW - timedelta(days=ago), **said)


async def test_debts_declined_cards_and_disputes_are_added_up(database):
    area, customer = await an_area(), await a_customer()
    (payer,) = await rows(Payer)
    await an_invoice(payer, 1500)
    await an_invoice(payer, 500)
    await an_invoice(await a_payer(), 1000)
    booking = await a_booking(area, customer.id, days=1)
    known: dict[str, Any] = {"payer_id": payer.id, "created_at": NOW}
    await store(
        StoredPayment(
            **known,
            key="hold",
            kind=HOLD,
            state="failed",
            amount_cents=7100,
            booking_id=booking.id,
        ),
        *(
            StoredPayment(
                **known,
                key=dispute,
                kind="charge",
                state="succeeded",
                amount_cents=4000,
                captured_cents=4000,
                dispute=dispute,
            )
            for dispute in ("needs_response", "lost")
        ),
    )
    found = await dashboard.read_morning()
    assert [(each.label, each.count, str(each.amount)) for each in found.at_risk] == [
        ("Owed", 2, "$30.00"),
        ("Cards declined", 1, "$71.00"),
        ("Disputes to answer", 1, "$40.00"),
    ]


async def test_margin_is_bills_without_tax_less_the_newest_cost_of_that_day(database):
    area, who = await an_area(), await a_customer()
    await store(
        price(area, "regular", 2000, ago=5),
        price(area, "regular", 3000, ago=2),
        price(area, "regular", None, ago=1),
        price(area, "regular", 9000, ago=0),
    )
    for tax in (0, 100):
        fill = await a_fill(area, who.id, YESTERDAY, 10_000, 5000 + tax, slot_id=new_id())
        await change(fill, tax_cents=tax)
    await a_fill(area, who.id, NOW, 10_000, 99_000, slot_id=new_id())  # today's
    margin = (await dashboard.read_morning()).margin
    assert (margin.fills, margin.milligallons, margin.is_known) == (2, 20_000, True)
    assert (str(margin.per_gallon), str(margin.per_stop)) == ("$2.00", "$20.00")


async def test_margin_names_the_fuel_whose_cost_is_missing(database):
    area, who = await an_area(), await a_customer()
    await a_fill(area, who.id, YESTERDAY, 10_000, 5000, slot_id=new_id())
    margin = (await dashboard.read_morning()).margin
    assert (margin.is_known, margin.missing) == (False, ("Regular, Sarasota",))


def test_margin_of_a_day_without_fills_or_of_a_closed_area():
    assert not Margin.of([], {}, {}).is_known
    sold = Sold("gone", "diesel", 1, 1000, Money(300))
    assert Margin.of([sold], {}, {}).missing == ("Diesel, an area that is closed",)
    assert Margin.of([sold], {("gone", "diesel"): 4000}, {}).per_stop == Money(-100)


async def a_refill(shift: StoredShift, place: int, loaded: Any, **more: Any) -> None:
    row: dict[str, Any] = {"shift_id": shift.id, "place": place, "leg_s": 0, "loaded": loaded}
    row |= {"begins_at": NOW, "ended_at": NOW, **more}
    await store(StoredStop(**row))


async def test_gallons_loaded_stand_against_those_sold(database):
    area, who = await an_area(), await a_customer()
    yesterday = await a_shift(await a_truck(), None, TODAY - timedelta(days=1))
    before = await a_shift(await a_truck(), None, TODAY - timedelta(days=30))
    older = await a_shift(await a_truck(), None, TODAY - timedelta(days=31))
    today = await a_shift(await a_truck(), None, TODAY)
    for shift in (older, today):
        await a_refill(shift, 1, {"regular": 77_000})
    await a_refill(before, 1, {"regular": 100_000, "diesel": 10_000})
    await a_refill(yesterday, 1, {"regular": 20_000, "diesel": 0})
    await a_refill(yesterday, 2, {"regular": 500}, ended_at=None)  # the office has said it
    await a_refill(yesterday, 3, None)
    await a_refill(yesterday, 4, None, ended_at=None)  # nobody has been there
    await a_fill(area, who.id, YESTERDAY, 10_000, 5000, slot_id=new_id())
    await a_fill(area, who.id, NOW - timedelta(days=30), 90_000, 5000, slot_id=new_id())
    found = await dashboard.read_morning()
    assert found.flow == FuelFlow({"regular": 20_500, "diesel": 0}, {"regular": 10_000}, 1)
    assert (found.flow.grades, found.flow.missing("regular")) == (["regular"], 10_500)
    weeks = found.flow_before
    assert (weeks.loaded, weeks.sold) == (
        {"regular": 120_500, "diesel": 10_000},
        {"regular": 100_000},
    )
    assert (weeks.missing(), weeks.missing("diesel")) == (30_500, 10_000)


async def test_next_three_days_say_what_is_booked_of_each_window_and_of_the_tanks(database):
    area = await an_area(capacity=2)
    async with transaction() as session:
        await session.execute(AreaWindow.__table__.delete())  # type: ignore[attr-defined]
    known = {"area_id": area, "capacity": 2}
    await store(
        *(AreaWindow(**known, weekday=day, opens=8, closes=10) for day in (1, 2)),
        AreaWindow(**known, weekday=3, opens=10, closes=12),
        AreaException(area_id=area, day=TOMORROW, opens=8, capacity=1),
    )
    for days, opens in ((1, 8), (2, 8), (2, 8)):
        await a_booking(area, days=days, opens=opens)
    await change(await a_booking(area, days=3, opens=10), state="cancelled")
    await a_booking(area, days=4, opens=8)
    await a_shift(await a_truck(tanks={"regular": 100_000, "diesel": 50_000}), None, day=TOMORROW)
    await a_shift(await a_truck(), None, day=TOMORROW, broken_at=NOW)
    found = await dashboard.read_morning()
    assert [day.day for day in found.days] == [24, 25, 26]
    (load,) = found.areas
    assert [(each.window, each.days) for each in load.windows] == [
        ("8–10 AM", ((1, 1), (2, 2), None)),  # noqa: RUF001
        ("10 AM–12 PM", (None, None, (0, 2))),  # noqa: RUF001
    ]
    assert found.gallons == ((9_600, 150_000), (19_200, 0), (0, 0))


def test_gallons_of_a_slot_without_a_day_are_left_out():
    assert gallons_of([Booked("odd", "regular", 1, 5000)], {}, [TODAY]) == ((0, 0),)


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN])
async def test_others_than_dispatchers_get_no_morning(sqlite_database, role):
    with pytest.raises(NotAllowed):
        await dashboard.morning_figures(Actor(frozenset({role})))


async def morning_of(waiting, *roles: Role) -> MorningState:
    tab = await AdminTab.at(routes.DASHBOARD, *roles)
    state = await tab.screen(MorningState)
    task = asyncio.create_task(run(MorningState.event_handlers["follow"].fn(state)))
    await waiting.wait()
    task.cancel()
    await asyncio.wait([task])
    return state


@pytest.mark.usefixtures("sqlite_database")
async def test_admins_see_the_margin_and_dispatchers_all_but_that(waiting):
    area, who = await an_area(), await a_customer()
    await store(price(area, "regular", 3000))
    await a_fill(area, who.id, YESTERDAY, 10_000, 5000, slot_id=new_id())
    for days in (1, 1):
        await a_booking(area, days=days, opens=8)
    admin = await morning_of(waiting, Role.ADMIN)
    assert (admin.per_gallon, admin.per_stop) == ("$2.00", "$20.00")
    assert admin.margin_note == "1 fill, 10.0 gallons, fees included, without tax"
    assert [(each.grade, each.loaded, each.sold, each.difference) for each in admin.flow] == [
        ("Regular", "0.0", "10.0", "−10.0")  # noqa: RUF001
    ]
    owed = admin.risks[0]
    assert (owed.label, owed.count, owed.href) == ("Owed", "0 customers", routes.SETTINGS_MONEY)
    sarasota, all_areas = admin.tables
    assert sarasota.rows[0].cells[0].text == "2 of 6"
    assert [each.text for each in all_areas.rows[0].cells] == ["20 of 0", "0 of 0", "0 of 0"]
    assert [each.is_full for each in all_areas.rows[0].cells] == [True, False, False]


@pytest.mark.usefixtures("sqlite_database")
async def test_dispatcher_sees_no_margin(waiting):
    await an_area()
    seen = await morning_of(waiting, Role.DISPATCHER)
    assert (seen.per_gallon, seen.margin_note, seen.risks[0].href) == ("", "", "")
    assert (seen.flow, seen.flow_note) == ([], "")


@pytest.mark.usefixtures("sqlite_database")
async def test_what_was_loaded_and_not_sold_is_said_of_the_last_weeks():
    await an_area()
    now = await dashboard.read_morning()
    assert _flow_note(now) == "Nothing was loaded or sold yesterday."
    weeks = FuelFlow({"regular": 200_000}, {"regular": 195_000, "diesel": 1000})
    now = replace(now, flow=FuelFlow({}, {"regular": 1000}, 2), flow_before=weeks)
    assert _flow_note(now) == (
        "2 refills without gallons: record them on the board. "
        "In 30 days 200.0 gallons were loaded, +4.0 of them not sold (2.0%)."
    )
    now = replace(now, flow_before=FuelFlow({"regular": 1000}, {"regular": 1100}))
    assert _flow_note(now).endswith("−0.1 of them not sold (−10.0%).")  # noqa: RUF001


@pytest.mark.usefixtures("sqlite_database")
async def test_visitor_sees_no_morning():
    await an_area()
    state = await tab_at(routes.DASHBOARD).get_state(MorningState)
    await run(MorningState.event_handlers["follow"].fn(state))
    assert (state.risks, state.loading) == ([], True)


def test_margin_that_is_not_known_says_why():
    assert _margin_texts(Margin(0, 0, Money(0)))["margin_note"] == "No fill was billed."
    missing = _margin_texts(Margin(1, 1, Money(0), ("Plus, Sarasota",)))
    assert missing["per_gallon"] == NONE
    assert missing["margin_note"].endswith("under Prices: Plus, Sarasota.")

"""When a seat is proposed for a car that is due, which one, until when, and why it goes back."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from fuel_app.bookings.rules.slots import Booker, SlotOffer, by_day, slot_offer
from fuel_app.forecasts.rules import due_bookings as rules
from fuel_app.forecasts.rules.due_bookings import CAR, PLAN
from fuel_app.forecasts.rules.forecasts import Forecast, History, Proposed, Refill

DAY = timedelta(days=1)
NOW = datetime(2026, 11, 23, 15, tzinfo=UTC)  # a Monday, 10:00 in New York
SINCE = NOW - 7 * DAY
HISTORY = History(refills=(Refill(SINCE, 11_000),))
BOOKER = Booker(horizon_days=14)


def due_in(days: float, latest: float = 20) -> Forecast:
    due = NOW + days * DAY
    return Forecast(SINCE, 1.5, due, due - 2 * DAY, NOW + latest * DAY)


def slot(days: int, opens: int = 8) -> SlotOffer:
    day = date(2026, 11, 23) + days * DAY
    return slot_offer(f"{days}-{opens}", day, opens, opens + 2)


@pytest.mark.parametrize(
    ("when", "history", "may"),
    [
        (due_in(6), HISTORY, False),  # not within reach
        (due_in(5), HISTORY, True),
        (due_in(-3, latest=0), HISTORY, True),
        (due_in(-3, latest=-1), HISTORY, False),  # filled elsewhere?
        (due_in(2), replace(HISTORY, booked_at=NOW), False),
        (due_in(2), replace(HISTORY, held_at=NOW), False),
        (due_in(2), replace(HISTORY, proposed=Proposed(SINCE, date(2026, 11, 20))), False),
        (due_in(2), replace(HISTORY, proposed=Proposed(SINCE - DAY, date(2026, 11, 25))), False),
        (due_in(2), replace(HISTORY, proposed=Proposed(SINCE - DAY, date(2026, 11, 24))), True),
    ],
)
def test_seat_is_proposed_near_the_day_once_for_each_tank(when, history, may):
    assert rules.may_propose(when, history, NOW) is may


def test_windows_are_free_near_the_day_within_the_plan_and_leave_time_to_answer():
    full = replace(slot(4, 10), is_open=False)
    days = by_day([slot(1), slot(1, 14), slot(2), slot(4), full, slot(5), slot(6), slot(7)])

    def found(days_ahead: float, ends: date | None = None) -> list[str]:
        offers = rules.windows(days, due_in(days_ahead), NOW, BOOKER, ends)
        return [each.id for each in offers]

    assert found(3) == ["2-8", "4-8", "5-8", "6-8"]
    assert found(-4) == ["2-8"]  # overdue: near today
    assert found(3, date(2026, 11, 28)) == ["2-8", "4-8"]


def test_cheapest_window_comes_first_then_the_nearest_then_the_usual_hour():
    slots = [slot(2), slot(3, 8), slot(3, 14), slot(5, 14)]
    fees = {each.day: 0 for each in slots}

    def best(**paid: int) -> list[str]:
        found = rules.best_first(slots, fees | {slots[2].day: paid["at_3"]}, due_in(3), NOW, 14)
        return [each.id for each in found]

    assert best(at_3=0) == ["3-14", "3-8", "2-8", "5-14"]
    assert best(at_3=1500) == ["2-8", "5-14", "3-14", "3-8"]


def test_seat_is_held_until_a_day_before_or_until_booking_ends():
    assert rules.answer_by(slot(3), BOOKER) == slot(3).starts_at - DAY
    early = Booker(horizon_days=14, closes_hour=12)
    assert rules.answer_by(slot(3, 14), early) == slot(3, 14).starts_at - 26 * timedelta(hours=1)


@pytest.mark.parametrize(
    ("plan", "has_car", "why"),
    [
        ("active", True, ""),
        ("past_due", True, ""),
        ("active", False, CAR),
        ("cancelled", True, PLAN),
        ("incomplete", True, PLAN),
        ("", True, PLAN),
    ],
)
def test_due_booking_ends_with_the_plan_or_the_car(plan, has_car, why):
    assert rules.why_ended(plan, has_car=has_car) == why


@pytest.mark.parametrize(
    ("history", "more", "why"),
    [
        (HISTORY, {}, ""),
        (HISTORY, {"is_late": True}, rules.LAPSED),
        (History((*HISTORY.refills, Refill(NOW, None))), {}, rules.FILLED),
        (History(), {}, rules.FILLED),  # its fills were corrected
        (HISTORY, {"repeats": True}, rules.REPEATS),
        (replace(HISTORY, booked_at=NOW), {"is_late": True}, rules.BOOKED),
    ],
)
def test_seat_goes_back_for_one_reason(history, more, why):
    asked = {"repeats": False, "is_late": False} | more
    assert rules.why_returned(history, SINCE, **asked) == why


def test_switch_says_that_it_begins_with_the_third_fill():
    assert rules.hint(HISTORY) == "Begins once there are 3 fills"
    assert rules.hint(History(3 * HISTORY.refills)) == "We hold a seat and ask you first"
    assert rules.until_text(NOW) == "Monday, November 23, 10:00 AM"


def test_tank_is_the_one_that_was_proposed_for():
    assert not HISTORY.was_proposed
    assert replace(HISTORY, proposed=Proposed(SINCE, date(2026, 11, 20))).was_proposed
    assert not replace(HISTORY, proposed=Proposed(NOW, date(2026, 11, 20))).was_proposed
    assert len(rules.WORDING) <= 400

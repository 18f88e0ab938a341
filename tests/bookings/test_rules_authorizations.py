"""When cards are authorised, what a decline asks for, and the gallons that a hold covers."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from fuel_app.billing.rules.payments import AUTHORIZED, FAILED, HOLD, Payment
from fuel_app.bookings.queries import booking_of
from fuel_app.bookings.rules.authorizations import (
    NO_ALERT,
    card_alert,
    covered_text,
    first_try,
    last_try,
)
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.kit import clock
from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.money import Money, dollars
from tests.helpers.bookings import NOW
from tests.helpers.stored_bookings import unstored

NOTHING = "Nothing is held: ask the office."
ASKED = datetime(2026, 11, 23, tzinfo=UTC)


def hold(cents: int, state: str = AUTHORIZED) -> Payment:
    nothing = Money(0)
    return Payment("x", HOLD, state, Money(cents), nothing, nothing, "", ASKED)


@pytest.mark.parametrize(
    ("differs", "held", "text"),
    [
        ({}, hold(7600), "Up to 17.6 gallons are covered."),
        ({}, hold(5000), "Up to 10.1 gallons are covered."),  # $35 for 10.118
        ({"fee_asked_at": ASKED}, hold(5000), "Up to 14.4 gallons are covered."),
        ({}, hold(1000), "Up to 0.0 gallons are covered."),
        ({}, hold(7600, FAILED), NOTHING),
        ({}, None, NOTHING),
        ({"pays_by": "free_fill", "fee_cents": 0}, None, "Up to 17.6 gallons are free."),
        (
            {"pays_by": "free_fill", "fee_cents": 0, "free_cap_cents": 2000},
            hold(3500),
            "Up to 15.9 gallons are covered.",
        ),
    ],
)
def test_covered_gallons_are_rounded_down_after_fees(differs: dict[str, Any], held, text):
    assert covered_text(booking_of(unstored("area", **differs)), held) == text


@pytest.mark.parametrize("day", [date(2026, 3, 8), date(2026, 7, 4), date(2026, 11, 1)])
def test_card_is_tried_at_six_the_evening_before_and_half_past_six_on_new_yorks_clocks(day):
    starts_at = on_clock(day, 8)
    last = last_try(starts_at, datetime(2026, 1, 1, tzinfo=UTC))
    first = first_try(starts_at).astimezone(NEW_YORK)
    assert f"{first:%H:%M}" == "18:00"
    assert first.date() == day - timedelta(days=1)
    assert f"{last.astimezone(NEW_YORK):%m-%d %H:%M}" == f"{day:%m-%d} 06:30"


def test_after_half_past_six_the_last_try_is_two_hours_before_or_in_half_an_hour():
    starts_at = on_clock(date(2026, 7, 4), 14)
    for hours, minutes, last in ((5, 59, "06:30"), (6, 1, "12:00"), (11, 45, "12:15")):
        now = on_clock(date(2026, 7, 4), hours) + timedelta(minutes=minutes)
        assert f"{last_try(starts_at, now).astimezone(NEW_YORK):%H:%M}" == last


def a_declined(code: str = "card_declined", **differs: Any) -> Payment:
    made = Payment("p", "hold", FAILED, dollars(61), Money(0), Money(0), code, NOW)
    return replace(made, **differs)


def test_alert_names_the_reason_the_deadline_and_what_follows():
    booking = replace(booking_of(unstored("a", "ada")), card_due_at=NOW + timedelta(hours=20.5))
    assert card_alert(booking, a_declined(), NOW).text == (
        "Your card was declined. Choose another card by 6:30 AM on Tuesday, November 24, "
        "or this fill-up is cancelled."
    )
    alert = card_alert(booking, a_declined("authentication_required"), NOW)
    assert alert.text.startswith("Your bank wants you to confirm this payment. Confirm it or ")
    assert (alert.needs_confirmation, alert.state) == (True, "payment not confirmed")
    late = card_alert(booking, a_declined(), NOW + timedelta(days=1))
    assert "Choose another card now, or" in late.text


@pytest.mark.parametrize(
    ("code", "cars", "may"),
    [
        ("card_declined", 2, True),
        ("insufficient_funds", 2, True),
        ("card_declined", 1, False),
        ("expired_card", 2, False),
        ("no_card", 2, False),
        ("authentication_required", 2, False),
    ],
)
def test_fewer_cars_are_offered_where_the_sum_was_declined(code, cars, may):
    booking = booking_of(unstored("a", "ada"))
    booking = replace(booking, fills=booking.fills * cars)
    hold = a_declined(code, amount=dollars(76 * cars))
    assert card_alert(booking, hold, NOW).may_have_fewer is may


def test_booking_from_before_the_deadline_was_stored_has_that_of_its_window():
    booking = booking_of(unstored("a", "ada"))
    due = last_try(booking.starts_at, clock.now())
    assert f"{due:%B} {clock.day_of(due).day}, or" in card_alert(booking, a_declined(), NOW).text


@pytest.mark.parametrize(
    ("hold", "differs"),
    [
        (None, {}),
        (a_declined(state="authorized"), {}),
        (a_declined(), {"state": "cancelled"}),
        (a_declined(), {"state": "fueling"}),
        (a_declined(), {"pays_by": "free_fill", "fee_cents": 0}),
    ],
)
def test_nothing_is_to_be_done_without_a_declined_hold_that_is_still_needed(hold, differs):
    booking = booking_of(unstored("a", "ada", **differs))
    assert card_alert(booking, hold, NOW) == NO_ALERT

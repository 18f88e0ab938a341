"""The table of steps, what may be done with a booking when, and reasons of failed fills."""

from datetime import UTC, datetime, timedelta

import pytest

from fuel_app.bookings.rules.states import (
    CUSTOMER,
    KINDS,
    PLEASE_CALL,
    REASONS,
    STAFF,
    STATES,
    SYSTEM,
    TECHNICIAN,
    TRANSITIONS,
    WHO,
    changes,
    shown_reason,
    step_allowed,
)
from fuel_app.kit.money import Money, dollars

STARTS = datetime(2026, 11, 24, 13, tzinfo=UTC)
ENDS = STARTS + timedelta(hours=2)
EARLY, LATE, AFTER = STARTS - timedelta(days=1), STARTS, ENDS + timedelta(seconds=1)


def froms(kind, who):
    return {state for state in STATES if step_allowed(state, kind, who)}


@pytest.mark.parametrize(
    ("kind", "who", "before"),
    [
        ("publish", STAFF, {"booked"}),
        ("move", CUSTOMER, {"booked", "dispatched", "weather_hold"}),
        ("unpublish", STAFF, {"dispatched", "en_route", "arrived"}),
        ("hold", STAFF, {"booked", "dispatched", "en_route", "arrived", "weather_hold"}),
        ("resume", STAFF, {"weather_hold"}),
        ("cancel", CUSTOMER, {"booked", "dispatched", "weather_hold"}),
        ("cancel", STAFF, {"booked", "dispatched", "en_route", "arrived", "weather_hold"}),
        ("cancel", SYSTEM, {"booked", "dispatched", "en_route", "arrived", "weather_hold"}),
        ("fail", TECHNICIAN, {"en_route", "arrived", "fueling"}),
        ("complete", TECHNICIAN, {"dispatched", "en_route", "arrived", "fueling"}),
        ("complete", STAFF, set(STATES)),
        ("correct", STAFF, {"completed"}),
        ("confirm", STAFF, {"completed"}),
        ("confirm", TECHNICIAN, set()),
        ("charge", STAFF, {*STATES} - {"completed"}),
        ("charge", TECHNICIAN, set()),
        ("complete", CUSTOMER, set()),
        ("back", TECHNICIAN, {"en_route", "arrived", "fueling"}),
        ("back", CUSTOMER, set()),
        ("drive", CUSTOMER, set()),
    ],
)
def test_table_says_who_takes_a_step_from_where(kind, who, before):
    assert froms(kind, who) == before


def test_way_of_a_fill_leads_from_booked_to_completed():
    state = "booked"
    for kind, who in (
        *(("publish", STAFF), ("drive", TECHNICIAN), ("arrive", TECHNICIAN)),
        *(("fuel", TECHNICIAN), ("complete", TECHNICIAN)),
    ):
        step = step_allowed(state, kind, who)
        assert step is not None
        state = step.after
    assert state == "completed"


def test_every_step_names_known_states_and_actors():
    for step in TRANSITIONS:
        assert {*step.before, step.after} <= set(STATES)
        assert set(step.who) <= set(WHO)
    assert step_allowed("booked", "fly", STAFF) is None
    assert len(KINDS) == 21


@pytest.mark.parametrize(
    ("state", "now", "is_staff", "may_move", "may_cancel", "fee", "note"),
    [
        ("booked", EARLY, False, True, True, 0, ""),
        ("booked", LATE, False, False, True, 15, ""),
        ("booked", LATE, True, True, True, 15, ""),
        ("booked", ENDS, False, False, True, 15, ""),
        ("booked", AFTER, False, True, True, 0, ""),
        ("dispatched", LATE, False, False, True, 15, ""),
        ("weather_hold", LATE, False, True, True, 0, ""),
        ("en_route", LATE, False, False, False, 0, PLEASE_CALL),
        ("en_route", LATE, True, False, True, 15, ""),
        ("fueling", LATE, True, False, False, 0, PLEASE_CALL),
        ("cancelled", EARLY, False, False, False, 0, ""),
        ("completed", AFTER, True, False, False, 0, ""),
    ],
)
def test_booking_is_changed_freely_then_for_a_fee_then_by_phone(
    state, now, is_staff, may_move, may_cancel, fee, note
):
    can = changes(state, STARTS, ENDS, now, late_fee=dollars(15), is_staff=is_staff)
    assert (can.may_move, can.may_cancel, can.late_fee, can.note) == (
        *(may_move, may_cancel, dollars(fee)),
        note,
    )
    label = "Cancel · $15.00 late fee" if fee else "Cancel"
    assert can.cancel_label == label


def test_late_fee_of_nothing_is_no_fee():
    can = changes("booked", STARTS, ENDS, LATE, late_fee=Money(0), is_staff=False)
    assert can.cancel_label == "Cancel"


def test_customers_read_their_own_words_for_each_reason():
    for reason in REASONS.values():
        assert shown_reason(reason.label) == reason.told != reason.label
        assert reason.told[0].islower()
        assert reason.told[-1] != "."
        assert "product" not in reason.told
    assert shown_reason("Our truck has broken down.") == "Our truck has broken down."


def test_no_fee_is_charged_for_weather_or_our_own_fault():
    for ours in ("out_of_product", "truck_trouble", "weather"):
        assert not REASONS[ours].costs_fee
    assert REASONS["other"].needs_note
    assert not REASONS["moved_told"].costs_fee
    assert REASONS["moved"].costs_fee

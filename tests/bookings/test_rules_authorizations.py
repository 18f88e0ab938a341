"""The gallons that a technician may rely on."""

from datetime import UTC, datetime
from typing import Any

import pytest

from fuel_app.billing.rules.payments import AUTHORIZED, FAILED, HOLD, Payment
from fuel_app.bookings.queries import booking_of
from fuel_app.bookings.rules.authorizations import covered_text
from fuel_app.kit.money import Money
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

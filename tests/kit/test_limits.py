"""What is left of a limit, and how it is said."""

from datetime import UTC, datetime, timedelta

import pytest

from fuel_app.kit import clock
from fuel_app.kit.limits import Given, Room
from fuel_app.kit.policies import Policy

MONEY = Policy("money", "Money", "cents", 5000, 0, 10_000)
FILLS = Policy("fills", "Fills", "fills", 2, 0, 20)
NOON = datetime(2026, 3, 5, 17, 15, tzinfo=UTC)  # 12:15 PM in New York


@pytest.fixture(autouse=True)
def _noon(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOON)


def room(limit: Policy, *given: tuple[int, float]) -> Room:
    """Return what is left after numbers that were given so many hours ago."""
    rows = [Given("", number, NOON - timedelta(hours=hours)) for number, hours in given]
    return Room.of(limit, limit.default, rows, "for this customer")


@pytest.mark.parametrize(
    ("limit", "given", "left", "said"),
    [
        (MONEY, [], 5000, "At most $50.00 in 24 hours for this customer."),
        (
            MONEY,
            [(1000, 1), (2400, 0)],
            1600,
            "$16.00 of $50.00 are left for this customer until tomorrow 11:15 AM.",
        ),
        (
            MONEY,
            [(5000, 23), (100, 1)],
            0,
            "Your $50.00 for this customer are used up until today 1:15 PM.",
        ),
        (FILLS, [], 2, "At most 2 fills in 24 hours for this customer."),
        (FILLS, [(1, 0)], 1, "1 of 2 fills is left for this customer until tomorrow 12:15 PM."),
        (
            FILLS,
            [(3, 0)],
            0,
            "Nothing of 2 fills is left for this customer until tomorrow 12:15 PM.",
        ),
    ],
)
def test_what_is_left_and_until_when_is_said(limit, given, left, said):
    found = room(limit, *given)
    assert (found.left, found.refusal) == (left, f"{said} An admin can give more.")


def test_hint_names_the_most_or_why_there_is_none():
    assert room(MONEY, (3400, 1)).hint == "Up to $16.00"
    assert room(FILLS, (1, 1)).hint == "Up to 1"
    used_up = room(FILLS, (2, 1))
    assert used_up.hint == used_up.refusal

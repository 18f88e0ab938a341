"""Amounts and gallons that PostgreSQL's columns do not hold are refused in words."""

import pytest

from fuel_app.billing.rules.corrections import Correction
from fuel_app.kit.errors import InvalidForm
from tests.helpers.fills import a_booking, bills, filled, monday

__all__ = ["monday"]


@pytest.mark.parametrize("amount", ["10000.01", "21474836.48", "999,999,999.99"])
def test_amount_of_millions_is_refused(amount):
    with pytest.raises(InvalidForm) as refused:
        Correction.parse({"amount": amount, "reason": "Spilled"})
    assert refused.value.messages == {"amount": "Enter $10,000 or less at once"}


@pytest.mark.usefixtures("database", "monday")
@pytest.mark.parametrize(
    "typed",
    [{"gallons": "9999999"}, {"gallons": "", "meter_start": "0", "meter_end": "2147484"}],
    ids=["gallons", "meter"],
)
async def test_fill_of_more_than_any_vehicle_takes_is_refused(monkeypatch, typed):
    _, booking = await a_booking()
    with pytest.raises(InvalidForm) as refused:
        await filled(monkeypatch, booking, **{"gallons": ""} | typed)
    assert refused.value.messages == {"gallons": "Enter 1,000 gallons or less"}
    assert await bills(booking) == []

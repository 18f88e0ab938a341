"""Amounts that staff type."""

import pytest

from fuel_app.billing.rules.corrections import Correction
from fuel_app.kit.errors import InvalidForm
from tests.helpers.fills import monday

__all__ = ["monday"]


@pytest.mark.parametrize("amount", ["10000.01", "21474836.48", "999,999,999.99"])
def test_amount_of_millions_is_refused(amount):
    with pytest.raises(InvalidForm) as refused:
        Correction.parse({"amount": amount, "reason": "Spilled"})
    assert refused.value.messages == {"amount": "Enter $10,000 or less at once"}

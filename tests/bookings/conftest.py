"""A booking desk in place of the bookings' own services."""

import pytest

from fuel_app.bookings.service import booking, reading, slots
from tests.helpers.desk import Desk


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk()
    for module, names in (
        (booking, {"estimate": "estimate", "book": "book", "hold": "hold"}),
        (booking, {"estimate_guest": "estimate", "book_guest": "book"}),
        (slots, {"offered": "offered"}),
        (reading, {"of_person": "of_person"}),
    ):
        for name, answer in names.items():
            monkeypatch.setattr(module, name, getattr(made, answer))
    monkeypatch.setattr(booking, "manage_token", lambda booked: f"link-{booked.id}")
    return made

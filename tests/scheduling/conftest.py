"""A booking desk in place of the bookings' own services."""

from typing import Any

import pytest

from fuel_app.bookings.service import access, bookings, slots
from tests.helpers.customers import cookie_of
from tests.helpers.desk import Desk
from tests.helpers.open_area import open_area


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk()
    for module, names in (
        (bookings, {"estimate_fill": "estimate", "book": "book", "hold_slot": "hold"}),
        (bookings, {"book_guest": "book", "book_for_caller": "book"}),
        (slots, {"offered": "offered"}),
    ):
        for name, answer in names.items():
            monkeypatch.setattr(module, name, getattr(made, answer))
    monkeypatch.setattr(access, "manage_token", lambda booked: f"link-{booked.id}")
    return made


@pytest.fixture
async def cookie(sqlite_database: Any) -> str:
    await open_area()
    return await cookie_of()

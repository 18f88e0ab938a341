"""A booking desk that answers as a test says, in place of the bookings' own services."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import Mock

from fuel_app.bookings.rules.bookings import Request
from fuel_app.bookings.rules.estimates import Estimate, FillEstimate
from fuel_app.bookings.rules.slots import by_day
from fuel_app.kit import clock
from fuel_app.kit.money import Money
from fuel_app.preview.samples import slots_on

DAYS = (date(2026, 11, 24), date(2026, 11, 25))
SLOTS = slots_on(DAYS)


def estimate(**differs: Any) -> Estimate:
    own: dict[str, Any] = {
        "car": "2020 Toyota Camry",
        "grade": "regular",
        "mills": 3459,
        "effective_at": datetime(2026, 11, 20, 12, tzinfo=UTC),
        "source": "Our supplier",
        "milligallons": 9600,
        "tank_tenths": 160,
        "pays_by": "fee",
        "period": None,
        "fills_left": 0,
        "fee": Money(1500),
        "tax": Money(0),
        "free_cap": None,
    }
    return Estimate((FillEstimate(**own | differs),), Money(1500))


class Desk:
    """The services with what they are to answer; `refusal` and `down` come once."""

    def __init__(self) -> None:
        self.now = estimate()
        self.slots = SLOTS
        self.booked: dict[str, Request] = {}
        self.held: list[object] = []
        self.refusal: Exception | None = None
        self.until = clock.now() + timedelta(minutes=15)

    def _answer(self) -> None:
        refusal, self.refusal = self.refusal, None
        if refusal:
            raise refusal

    def change(self, number: int, **differs: Any) -> None:
        changed = replace(self.slots[number], **differs)
        self.slots = (*self.slots[:number], changed, *self.slots[number + 1 :])

    def fill(self, number: int) -> None:
        self.change(number, is_open=False, note="Full")

    def close(self, number: int, reason: str) -> None:
        self.change(number, is_open=False, note=f"Closed: {reason}")

    async def offered(self, *_: Any, **__: Any) -> Any:
        return by_day(self.slots)

    async def estimate(self, *_: Any, **__: Any) -> Estimate:
        return self.now

    async def book(self, *given: Any, key: str, seen: Estimate, **more: Any) -> Any:
        self._answer()
        self.seen, self.given = seen, (*given, more)
        asked = next(each for each in given if isinstance(each, Request))
        request = self.booked.setdefault(key, asked)
        slot = next(slot for slot in SLOTS if slot.id == request.slot_id)
        number = list(self.booked).index(key)
        return Mock(id=f"booking-{number}", starts_at=slot.starts_at, ends_at=slot.ends_at)

    async def hold(self, slot_id: object, *_: Any) -> datetime:
        self._answer()
        self.held.append(slot_id)
        return self.until

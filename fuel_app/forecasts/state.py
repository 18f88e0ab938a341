"""State of the dashboard's card of when a customer's cars are due."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

import reflex as rx

from fuel_app.accounts.state.session import session_of
from fuel_app.customers.state.customer import (
    CustomerScreen,
    CustomerState,
    for_own,
    for_sign_ups_too,
)
from fuel_app.forecasts import service
from fuel_app.forecasts.rules import short_day
from fuel_app.forecasts.service import OwnCar
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.ui.state import set_changed
from fuel_app.kit.ui.toast import report


@dataclass(frozen=True)
class CarLine:
    """One car: when it is due or booked, and whether it was filled elsewhere today."""

    id: str
    title: str
    when: str
    span: str = ""
    may_tell: bool = False  # of a fill elsewhere: there is one to count from
    is_elsewhere: bool = False

    @classmethod
    def of(cls, car: OwnCar, now: datetime) -> Self:
        if opens_at := car.history.booked_at:
            when, span = f"Booked for {short_day(opens_at)}", ""
        else:
            when, span = car.when.text(now), car.when.span
        return cls(
            id=car.vehicle.id,
            title=f"{car.vehicle.title} · {car.vehicle.license_plate}",
            when=when,
            span=span,
            may_tell=bool(car.history.refills),
            is_elsewhere=car.history.is_elsewhere_on(day_of(now)),
        )


class DueState(CustomerScreen, rx.State):
    """When the customer's cars are due; empty before the first fill."""

    cars: list[CarLine] = []

    @for_sign_ups_too
    async def arrive(self):
        """Show when the cars are due."""
        await self._refresh()

    @for_own
    async def tell_elsewhere(self, vehicle_id: str):
        """Note that a car was filled elsewhere today."""
        by = (await session_of(self)).actor.as_customer
        change = service.tell_elsewhere(by, vehicle_id)
        await report(self, change, "forecasts.tell_failed", "Noted: filled elsewhere today")
        await self._refresh()

    @for_own
    async def undo_elsewhere(self, vehicle_id: str):
        """Undo that."""
        by = (await session_of(self)).actor.as_customer
        change = service.undo_elsewhere(by, vehicle_id)
        await report(self, change, "forecasts.undo_failed", "Undone")
        await self._refresh()

    async def _refresh(self) -> None:
        tab = await self.get_state(CustomerState)
        account = tab._opened
        lines: list[CarLine] = []
        if account.is_verified and not account.is_sample:
            customer, now = await tab._read(), clock.now()
            by = (await session_of(self)).actor.as_customer
            cars = await service.list_own(by, customer) if customer.vehicles else []
            if any(each.history.refills for each in cars):
                lines = [CarLine.of(each, now) for each in cars]
        set_changed(self, cars=lines)

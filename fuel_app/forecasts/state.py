"""State of the dashboard's cards of when a customer's cars are due, and of held seats."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import session_of
from fuel_app.customers.state.customer import (
    CustomerScreen,
    CustomerState,
    for_own,
    for_sign_ups_too,
)
from fuel_app.forecasts.rules.due_bookings import SeatOffer, hint
from fuel_app.forecasts.rules.forecasts import short_day
from fuel_app.forecasts.service import due_bookings, forecasts
from fuel_app.forecasts.service.forecasts import OwnCar
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.errors import attempt
from fuel_app.kit.ui.state import set_changed
from fuel_app.kit.ui.toast import ToastState, report


@dataclass(frozen=True)
class CarLine:
    """One car: when it is due or booked, and whether it was filled elsewhere today."""

    id: str
    title: str
    when: str
    span: str = ""
    may_tell: bool = False  # of a fill elsewhere: there is one to count from
    is_elsewhere: bool = False
    hint: str = ""  # of its switch
    books_when_due: bool = False

    @classmethod
    def of(cls, car: OwnCar, now: datetime) -> Self:
        if opens_at := car.history.booked_at:
            when, span = f"Booked for {short_day(opens_at)}", ""
        elif held_at := car.history.held_at:
            when, span = f"A seat is held for {short_day(held_at)}", car.when.span
        else:
            when, span = car.when.text(now), car.when.span
        return cls(
            id=car.vehicle.id,
            title=f"{car.vehicle.title} · {car.vehicle.license_plate}",
            when=when,
            span=span,
            may_tell=bool(car.history.refills),
            is_elsewhere=car.history.is_elsewhere_on(day_of(now)),
            hint=hint(car.history),
            books_when_due=car.history.books_when_due,
        )


@dataclass(frozen=True)
class SeatLine:
    """A seat that is held for a car until its customer confirms it."""

    id: str
    car: str
    when: str
    place: str
    price: str
    until: str
    may_confirm: bool

    @classmethod
    def of(cls, offer: SeatOffer) -> Self:
        return cls(
            id=offer.id,
            car=offer.car,
            when=offer.when,
            place=offer.place,
            price=offer.price,
            until=f"Confirm or skip until {offer.until}. Without an answer the seat goes back.",
            may_confirm=bool(offer.terms),
        )


class DueState(CustomerScreen, rx.State):
    """When the customer's cars are due, and which seats are held; empty before the first fill."""

    cars: list[CarLine] = []
    seats: list[SeatLine] = []
    may_switch: bool = False  # the plan is active

    _terms: dict[str, str] = {}  # of the offers that are shown, by seat

    @for_sign_ups_too
    async def arrive(self):
        """Show when the cars are due."""
        await self._refresh()

    @for_own
    async def tell_elsewhere(self, vehicle_id: str):
        """Note that a car was filled elsewhere today."""
        by = (await session_of(self)).actor.as_customer
        change = forecasts.tell_elsewhere(by, vehicle_id)
        await report(self, change, "forecasts.tell_failed", "Noted: filled elsewhere today")
        await self._refresh()

    @for_own
    async def undo_elsewhere(self, vehicle_id: str):
        """Undo that."""
        by = (await session_of(self)).actor.as_customer
        change = forecasts.undo_elsewhere(by, vehicle_id)
        await report(self, change, "forecasts.undo_failed", "Undone")
        await self._refresh()

    @for_own
    async def toggle(self, vehicle_id: str):
        """Turn on or off that a seat is held for a car when it is due."""
        by = (await session_of(self)).actor.as_customer
        if vehicle_id in [each.id for each in self.cars if each.books_when_due]:
            change, done = due_bookings.switch_off(by, vehicle_id), "Turned off"
        else:
            change, done = due_bookings.switch_on(by, vehicle_id), "Turned on: we ask you first"
        await report(self, change, "forecasts.switch_failed", done)
        await self._refresh()

    @for_own
    async def confirm(self, seat_id: str):
        """Book a held seat at the terms that are shown."""
        # Of a double click, the second press finds it gone.
        if not isinstance(seat_id, str) or seat_id not in self._terms:
            return None
        by = (await session_of(self)).actor.as_customer
        change = due_bookings.confirm(by, seat_id, self._terms[seat_id])
        booking_id, problem = await attempt(change, "forecasts.confirm_failed")
        await self._refresh()
        if problem:
            (await self.get_state(ToastState))._show(problem, "problem", seconds=6)
            return None
        return rx.redirect(routes.booking(booking_id or ""))

    @for_own
    async def skip(self, seat_id: str):
        """Give a held seat back."""
        by = (await session_of(self)).actor.as_customer
        change = due_bookings.skip(by, seat_id)
        await report(self, change, "forecasts.skip_failed", "Skipped: the seat has gone back")
        await self._refresh()

    async def _refresh(self) -> None:
        tab = await self.get_state(CustomerState)
        account = tab._opened
        lines: list[CarLine] = []
        offers: list[SeatOffer] = []
        may_switch = False
        if account.is_verified and not account.is_sample:
            customer, now = await tab._read(), clock.now()
            by = (await session_of(self)).actor.as_customer
            cars = await forecasts.list_own(by, customer) if customer.vehicles else []
            if any(each.history.refills for each in cars):
                lines = [CarLine.of(each, now) for each in cars]
            if any(each.history.held_at for each in cars):
                offers = await due_bookings.list_offers(by)
            may_switch = bool(customer.subscription and customer.subscription.is_active)
        self._terms = {each.id: each.terms for each in offers}
        seats = [SeatLine.of(each) for each in offers]
        set_changed(self, cars=lines, seats=seats, may_switch=may_switch)

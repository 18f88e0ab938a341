"""A customer's way to a booking: vehicle, place, time."""

from collections.abc import Iterable
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.live import follow
from fuel_app.accounts.state.session import actor_of
from fuel_app.bookings.rules.bookings import (
    CarGone,
    NeedsCard,
    PlaceGone,
    Request,
    SpotRefused,
)
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.slots import SlotDay
from fuel_app.bookings.service import booking, scheduling, slots
from fuel_app.bookings.state.choices import OwnPlaces, OwnVehicles
from fuel_app.bookings.state.slots import WAITLIST, Quote
from fuel_app.customers.state.customer import CustomerScreen, CustomerState, for_own
from fuel_app.kit.errors import Refusal
from fuel_app.kit.signals import SLOTS
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.ui.wizard import start_at


class FillUpState(CustomerScreen, OwnVehicles, OwnPlaces, rx.State):
    """One tab's booking. Its key lets a second press find the booking of the first."""

    ready: bool = False
    has_card: bool = False
    may_test_card: bool = False

    _booked: str = ""

    @rx.event
    @for_own
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one. After a booking it begins anew."""
        if self._booked:
            self._start_anew()
        self._clear()
        self.is_down = not await self._try(self._begin())
        if self.is_down:
            self.ready = True
            return None
        steps = (
            (routes.SCHEDULE, self.vehicle_given),
            (routes.SCHEDULE_LOCATION, self.place_given),
            (routes.SCHEDULE_TIME, False),
        )
        here = self.router.url.path
        if instead := start_at(here, steps):
            return rx.redirect(instead, replace=True)
        if here.rstrip("/") == routes.SCHEDULE_TIME:
            await self._open_slots()
        self.ready = True
        return None

    @rx.event(background=True)
    @for_own
    async def follow(self):
        """Refresh the windows when others book."""
        await follow(self, self._refresh_slots, SLOTS)

    @rx.event
    @for_own
    async def choose_day(self, day: str):
        """Turn to a day and its first open window."""
        await self._choose(day=day)

    @rx.event
    @for_own
    async def choose_slot(self, slot: str):
        """Pick an open window."""
        await self._choose(slot=slot)

    @rx.event
    @for_own
    async def join_waitlist(self):
        """Lead to the waitlist, filled in."""
        await self._prefill_waitlist(self.place["zip_code"])
        return rx.redirect(WAITLIST)

    @rx.event
    @for_own
    async def schedule(self, form: dict[str, Any]):
        """Book. Whatever goes wrong is said above the button, and everything stays as it is."""
        self.busy = True
        self._clear()
        yield
        try:
            if await self._try(self._book()):
                yield rx.redirect(routes.booking(self._booked))
        finally:
            self.busy = False

    async def _book(self) -> None:
        if self._booked:
            return
        seen = await self._agreed()
        by, asked = await actor_of(self), self._request()
        booked = await booking.book(by, asked, key=self._key, seen=seen)
        self._booked = booked.id
        (await self.get_state(ToastState))._show(f"Booked: {booked.when}", seconds=6)

    async def _begin(self) -> None:
        """Show the customer's vehicles and places as they are now."""
        now = await scheduling.beginning(await actor_of(self))
        self.has_card, self.may_test_card = now.has_card, scheduling.may_test_card()
        self._show_vehicles(now)
        await self._show_places(now)

    def _request(self) -> Request:
        return Request(self.slot, self._car or self.vehicle_id, self._place or self.place_id)

    async def _offered(self) -> Iterable[SlotDay]:
        return await slots.offered(await actor_of(self), self._zip_code)

    async def _estimated(self) -> Estimate:
        return await booking.estimate(await actor_of(self), self._request())

    async def _refuse(self, refusal: Refusal) -> None:
        if self._show_place_problem(refusal):
            return
        await Quote._refuse(self, refusal)
        if isinstance(refusal, CarGone | PlaceGone | NeedsCard):
            said = self.refusal
            await self._try(self._begin())  # as it is now, without what is gone
            self.refusal = said
        if isinstance(refusal, CarGone):
            self.way, self.way_to = "Choose a vehicle", routes.SCHEDULE
        if isinstance(refusal, PlaceGone | SpotRefused):
            self.way, self.way_to = "Choose an address", routes.SCHEDULE_LOCATION

    async def _prefill_waitlist(self, zip_code: str) -> None:
        own = (await (await self.get_state(CustomerState))._opened.read()).personal
        names = ("first_name", "last_name", "email", "phone")
        await self._fill_waitlist_in({name: getattr(own, name) for name in names}, zip_code)

    def _start_anew(self) -> None:
        """Forget a booking that was made, and all that led to it."""
        shown_to = self._shown_to
        self.reset()
        self._shown_to, self._is_private = shown_to, True

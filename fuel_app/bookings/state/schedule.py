"""A customer's way to a booking: vehicle, place, time."""

from collections.abc import Iterable
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer, SessionState, actor_of, session_of
from fuel_app.billing.service import visits
from fuel_app.billing.state.cards import back_to, come_back
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import Request
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.slots import SlotDay
from fuel_app.bookings.service import booking, scheduling, slots
from fuel_app.bookings.state.choices import OwnPlaces, OwnVehicles
from fuel_app.bookings.state.holding import Holding
from fuel_app.customers.state.customer import CustomerScreen, CustomerState, check_own, for_own
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.wizard import start_at


class FillUpState(CustomerScreen, OwnVehicles, OwnPlaces, Holding, rx.State):
    """One tab's booking. Its key lets a second press find the booking of the first."""

    async def _admit(self) -> Answer:
        return await check_own(self)

    @for_own
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one. After a booking it begins anew."""
        self._forget_booked()
        self._clear()
        if (await self.get_state(SessionState)).is_only_staff:
            return rx.redirect(routes.DASHBOARD, replace=True)
        by = await session_of(self)
        back = await come_back(self, lambda visit: visits.finish(by, visit))
        self.is_down = not await self._try(self._begin())
        if self.is_down:
            self.ready = True
            return back
        steps = (
            (routes.SCHEDULE, self.vehicle_given),
            (routes.SCHEDULE_LOCATION, self.place_given),
            (routes.SCHEDULE_TIME, False),
        )
        here = self.router.url.path
        if instead := start_at(here, steps):
            return rx.redirect(instead, replace=True)
        if here.rstrip("/") == routes.SCHEDULE_TIME:
            self._count_down()
            await self._open_slots()
        self.ready = True
        return back

    @for_own
    def schedule(self, form: dict[str, Any]):
        """Book. Whatever goes wrong is said above the button, and everything stays as it is."""
        return self._press(self._book, lambda: self._booked, form)

    async def _book(self) -> None:
        if self._booked:
            return
        seen = await self._agreed()
        by, asked = await actor_of(self), self._request()
        hold_id = self._made_hold_id
        booked = await booking.book(by, asked, key=self._key, seen=seen, hold_id=hold_id)
        await self._say_booked(booked, routes.booking(booked.id))

    async def _begin(self) -> None:
        """Show the customer's vehicles and places as they are now."""
        now = await scheduling.beginning(await actor_of(self))
        self.has_card = now.has_card
        self._show_vehicles(now)
        await self._show_places(now)

    async def _booker(self) -> str:
        return (await actor_of(self)).person_id

    async def _begin_card(self) -> str:
        return await visits.begin(await session_of(self), back_to(self))

    def _request(self) -> Request:
        return Request(self.slot, self._car or self.vehicle_id, self._place or self.place_id)

    async def _offered(self) -> Iterable[SlotDay]:
        by, hold_id = await actor_of(self), self._made_hold_id
        return await slots.offered(by, self._zip_code, hold_id=hold_id)

    async def _estimated(self) -> Estimate:
        return await booking.estimate(await actor_of(self), self._request())

    async def _refuse(self, refusal: Refusal) -> None:
        await OwnPlaces._refuse(self, refusal)
        if isinstance(refusal, refusals.CarGone | refusals.PlaceGone | refusals.NeedsCard):
            said = self.refusal
            await self._try(self._begin())  # as it is now, without what is gone
            self.refusal = said
        if isinstance(refusal, refusals.CarGone):
            self.way, self.way_to = "Choose a vehicle", routes.SCHEDULE
        if isinstance(refusal, refusals.PlaceGone | refusals.SpotRefused | refusals.NeedsPin):
            self.way, self.way_to = "Choose an address", routes.SCHEDULE_LOCATION

    async def _prefill_waitlist(self, zip_code: str) -> None:
        own = (await (await self.get_state(CustomerState))._opened.read()).personal
        await self._fill_waitlist_in(own.model_dump(), zip_code)

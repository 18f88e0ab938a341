"""The two booking wizards of the preview, which book nothing."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer
from fuel_app.areas.service import company
from fuel_app.bookings.state.slots import Slots
from fuel_app.customers.rules.sign_up import Address
from fuel_app.customers.rules.vehicles import OneTimeVehicle
from fuel_app.customers.state.customer import (
    CustomerScreen,
    check_preview,
    for_customers,
    in_preview,
)
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.state.vehicles import OwnVehicleFields
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.wizard import start_at
from fuel_app.preview import samples
from fuel_app.scheduling.state.wizards import LocationNotesState

ADDRESS_FORM = "location"


BLANK = Address.blank()


class _Preview(CustomerScreen, OwnVehicleFields, Slots, mixin=True):
    """The parts that both wizards share."""

    ready: bool = False
    is_open: bool = False
    vehicle_given: bool = False

    async def _admit(self) -> Answer:
        return await check_preview(self)


class ScheduleState(_Preview, rx.State):
    """A customer's progress in scheduling; typed text stays until the end."""

    address: dict[str, str] = BLANK
    address_errors: dict[str, str] = BLANK
    address_given: bool = False
    save_address: bool = True

    _vehicle_form: ClassVar = "schedule"

    @for_customers
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one."""
        if await company.is_open():
            self.is_open = self.ready = True
            return None
        self.vehicle_given &= self._vehicle_is_right()
        self.address_given &= not any(Address.problems(self.address).values())
        steps = (
            (routes.SCHEDULE, self.vehicle_given),
            (routes.SCHEDULE_LOCATION, self.address_given),
            (routes.SCHEDULE_TIME, False),
        )
        if instead := start_at(self.router.url.path, steps):
            return rx.redirect(instead, replace=True)
        self._show_days(samples.DAYS)
        self.ready = True
        return None

    @in_preview
    async def submit_vehicle(self, form: dict[str, Any]):
        """Go on to the location."""
        if not self._check_vehicle(form):
            return self._point_at_vehicle()
        self.vehicle_given = True
        return rx.redirect(routes.SCHEDULE_LOCATION)

    @in_preview
    async def edit_address(self, form: dict[str, Any]):
        """Keep what is typed."""
        self.address = Address.typed(form)
        await self._keep_notes(form)
        self.address_errors = Address.recheck(self.address_errors, self.address)

    @in_preview
    async def keep_address(self, keep: bool):
        """Set whether the next booking starts with this address."""
        self.save_address = keep is True

    @in_preview
    async def submit_address(self, form: dict[str, Any]):
        """Go on to the windows."""
        self.address = Address.typed(form)
        await self._keep_notes(form)
        self.address_errors = BLANK
        try:
            Address.parse(self.address)
        except InvalidForm as error:
            self.address_errors = BLANK | error.messages
            return focus_field(ADDRESS_FORM, next(iter(error.messages)))
        self.address_given = True
        return rx.redirect(routes.SCHEDULE_TIME)

    @in_preview
    async def schedule(self, form: dict[str, Any]):
        """Finish without a booking (none before launch) and reset the wizard."""
        self._open_vehicle()
        self.vehicle_given = self.address_given = False
        self.address = self.address if self.save_address else BLANK
        self._pick_none()
        return rx.redirect(routes.DASHBOARD)

    async def _keep_notes(self, form: object) -> None:
        (await self.get_state(LocationNotesState))._keep(form)


FILL_STEPS = (routes.ONE_TIME_FILL, routes.ONE_TIME_FILL_VEHICLE, routes.ONE_TIME_FILL_SCHEDULE)


class OneTimeFillState(_Preview, rx.State):
    """A visitor's progress in booking one fill."""

    _led_to: list[str] = []

    _vehicle_form: ClassVar = "one-time"
    _vehicle_rules: ClassVar = OneTimeVehicle

    @rx.event
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one."""
        if await company.is_open():
            self.reset()
            self.is_open = self.ready = True
            return None
        self._is_preview = True
        signup = await self.get_state(SignupState)
        await signup._begin()
        self.vehicle_given &= self._vehicle_is_right()
        done = (signup.contact_given, self.vehicle_given, False)
        asked = self.router.url.path.rstrip("/")
        instead = start_at(asked, zip(FILL_STEPS, done, strict=True))
        if instead and asked not in self._led_to:
            return rx.redirect(instead, replace=True)
        if not self.ready:
            self._open_vehicle(samples.VEHICLES[0])
        self._show_days(samples.DAYS)
        self.ready = True
        return None

    @in_preview
    async def lead(self, address: str):
        """Allow a step that the step indicator links to."""
        self._led_to = [step for step in FILL_STEPS if step in (*self._led_to, address)]

    @in_preview
    async def submit_vehicle(self, form: dict[str, Any]):
        """Go on to the plans, where the way of a one-time fill leads."""
        if not self._check_vehicle(form):
            return self._point_at_vehicle()
        self.vehicle_given = True
        (await self.get_state(SignupState))._led_to_plan = True
        return rx.redirect(routes.ONBOARDING_PLAN)

    @in_preview
    async def schedule(self, form: dict[str, Any]):
        """Finish without a booking: there is none before launch."""
        return rx.redirect(routes.DASHBOARD)

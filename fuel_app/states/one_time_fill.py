"""A one-time fill: its contact is the one of signing up, then a vehicle and a window."""

from typing import ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.customers.rules import vehicles
from fuel_app.customers.rules.vehicles import VehicleForm
from fuel_app.customers.service import sign_up as suggestions
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.state.vehicles import VehicleFields
from fuel_app.kit.ui.wizard import start_at
from fuel_app.states.slot_choice import SlotChoice, SlotForm

STEPS = (routes.ONE_TIME_FILL, routes.ONE_TIME_FILL_VEHICLE, routes.ONE_TIME_FILL_SCHEDULE)


class OneTimeFillState(VehicleFields, SlotChoice, rx.State):
    """Where a visitor is in booking one fill."""

    ready: bool = False
    vehicle_given: bool = False

    _led_to: list[str] = []

    _vehicle_form: ClassVar = "one-time"
    _wording: ClassVar = vehicles.ONE_TIME

    @rx.event
    async def arrive(self):
        """A step opens: where the visitor left it, or after those that come before it."""
        signup = await self.get_state(SignupState)
        await signup._begin()
        self.vehicle_given &= self._vehicle_is_right()
        done = (signup.contact_given, self.vehicle_given, False)
        asked = self.router.url.path.rstrip("/")
        instead = start_at(asked, zip(STEPS, done, strict=True))
        if instead and asked not in self._led_to:
            return rx.redirect(instead, replace=True)
        if not self.ready:
            self._open_vehicle(await suggestions.suggested_vehicle())
        await self._offer_slots()
        self.ready = True
        return None

    @rx.event
    def lead(self, address: str):
        """The step indicator leads to any step, whatever comes before it."""
        self._led_to = [step for step in STEPS if step in (*self._led_to, address)]

    @rx.event
    async def submit_vehicle(self, form: VehicleForm):
        """Go on to the plans, where the way of a one-time fill leads."""
        if not self._check_vehicle(form):
            return self._point_at_vehicle()
        self.vehicle_given = True
        (await self.get_state(SignupState))._led_to_plan = True
        return rx.redirect(routes.ONBOARDING_PLAN)

    @rx.event
    def schedule(self, form: SlotForm):
        """Before launch nothing is booked."""
        return rx.redirect(routes.DASHBOARD)

"""Booking one fill in three steps: contact, vehicle and window."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.components.slot_picker import slot_picker
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.ui.fields import contact_fields, vehicle_fields
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.wizard import Step, back_link, step_buttons, wizard
from fuel_app.plans.rules import ONE_TIME_FEE
from fuel_app.states.one_time_fill import OneTimeFillState

_STEPS = (
    Step("Contact", routes.ONE_TIME_FILL, SignupState.contact_given),
    Step("Vehicle", routes.ONE_TIME_FILL_VEHICLE, OneTimeFillState.vehicle_given),
    Step("Schedule", routes.ONE_TIME_FILL_SCHEDULE),
)


def _step(*children: Any, current: int) -> rx.Component:
    return wizard(
        *children,
        steps=_STEPS,
        current=current,
        title="Book a One-Time Fill",
        lead=f"Market fuel price plus a ${ONE_TIME_FEE} convenience fee. No commitment.",
        home=routes.HOME,
        ready=OneTimeFillState.ready,
        on_lead=OneTimeFillState.lead,
    )


def contact() -> rx.Component:
    return _step(
        live_form(
            rx.el.div(contact_fields(), class_name="flex flex-col gap-4"),
            step_buttons(rx.fragment(), "Next"),
            on_edit=SignupState.edit_contact,
            on_leave=SignupState.leave_contact,
            on_submit=SignupState.submit_contact,
        ),
        current=0,
    )


def vehicle() -> rx.Component:
    """Its Back and Next lead into signing up, as specified; the indicator leads to the windows."""
    return _step(
        live_form(
            vehicle_fields(OneTimeFillState, photo=False),
            step_buttons(back_link(routes.ONBOARDING), "Next"),
            on_edit=OneTimeFillState.edit_vehicle,
            on_leave=OneTimeFillState.leave_vehicle,
            on_submit=OneTimeFillState.submit_vehicle,
        ),
        current=1,
    )


def schedule() -> rx.Component:
    return _step(
        slot_picker(
            OneTimeFillState,
            on_submit=OneTimeFillState.schedule,
            back=routes.ONE_TIME_FILL_VEHICLE,
        ),
        current=2,
    )

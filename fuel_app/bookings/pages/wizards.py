"""The two booking wizards: of customers and of guests, and the preview of both."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.bookings.state.one_time_fill import GuestFillState
from fuel_app.bookings.state.preview import ADDRESS_FORM, OneTimeFillState, ScheduleState
from fuel_app.bookings.state.schedule import FillUpState
from fuel_app.bookings.ui import one_time_fill as guest
from fuel_app.bookings.ui import schedule as own
from fuel_app.bookings.ui.slots import slot_picker
from fuel_app.customers.rules.forms import NOTES_MAX
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.ui.fields import contact_fields, vehicle_fields
from fuel_app.customers.ui.places import city_state_zip
from fuel_app.kit.ui.fields import bound, checkbox, field, textarea_field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.wizard import Step, back_link, step_buttons, wizard
from fuel_app.plans.rules.plans import ONE_TIME_FEE

_bound = partial(
    bound, form=ADDRESS_FORM, errors=ScheduleState.address_errors, values=ScheduleState.address
)


def _step(is_open: rx.Var[bool], form: rx.Component, real: Any, **texts: Any) -> rx.Component:
    """Return a step: the preview's form until the company is open, then the real one."""
    return wizard(rx.cond(is_open, real, form), preview=~is_open, **texts)


_STEPS = (
    Step("Vehicle", routes.SCHEDULE, ScheduleState.vehicle_given | FillUpState.vehicle_given),
    Step(
        "Location", routes.SCHEDULE_LOCATION, ScheduleState.address_given | FillUpState.place_given
    ),
    Step("Time", routes.SCHEDULE_TIME),
)


_own_step = partial(
    _step,
    ScheduleState.is_open,
    steps=_STEPS,
    over="Schedule a Fill-Up",
    home=routes.DASHBOARD,
    ready=rx.cond(ScheduleState.is_open, FillUpState.ready, ScheduleState.ready).bool(),
)


def vehicle() -> rx.Component:
    return _own_step(
        live_form(
            vehicle_fields(ScheduleState),
            step_buttons(back_link(routes.DASHBOARD, "Cancel"), "Next"),
            on_edit=ScheduleState.edit_vehicle,
            on_submit=ScheduleState.submit_vehicle,
        ),
        own.vehicle_step(),
        current=0,
        title="Which vehicle do we fill?",
        lead="Make and model tell us the size of the tank; color and plate help us find the car.",
    )


def location() -> rx.Component:
    return _own_step(
        live_form(
            rx.el.div(
                field("Street", auto_complete="street-address", **_bound("street")),
                city_state_zip(_bound, "zip"),
                textarea_field(
                    "Location notes",
                    "notes",
                    form=ADDRESS_FORM,
                    optional=True,
                    hint="A gate code, where the car stands. Kept in this browser.",
                    rows=3,
                    max_length=NOTES_MAX,
                    default_value=ScheduleState.notes,
                ),
                checkbox(
                    "Save this address for future fill-ups",
                    "save",
                    form=ADDRESS_FORM,
                    default_checked=ScheduleState.save_address,
                    on_change=ScheduleState.keep_address,
                ),
                class_name="flex flex-col gap-4",
            ),
            step_buttons(back_link(routes.SCHEDULE), "Next"),
            on_edit=ScheduleState.edit_address,
            on_submit=ScheduleState.submit_address,
        ),
        own.place_step(),
        current=1,
        title="Where is it parked?",
        lead="Home, work, or wherever the car stands that day.",
    )


def time() -> rx.Component:
    return _own_step(
        slot_picker(ScheduleState, back=routes.SCHEDULE_LOCATION),
        own.time_step(),
        current=2,
        title="When shall we come?",
        lead="Pick a window of two hours. You can move it up to 2 hours before it begins.",
    )


_ONE_TIME_FILL_STEPS = (
    Step("Contact", routes.ONE_TIME_FILL, SignupState.contact_given | GuestFillState.contact_given),
    Step(
        "Vehicle",
        routes.ONE_TIME_FILL_VEHICLE,
        OneTimeFillState.vehicle_given | GuestFillState.vehicle_given,
    ),
    Step("Schedule", routes.ONE_TIME_FILL_SCHEDULE),
)


_one_time_step = partial(
    _step,
    OneTimeFillState.is_open,
    steps=_ONE_TIME_FILL_STEPS,
    title="Book a One-Time Fill",
    lead=f"Market fuel price plus a {ONE_TIME_FEE.short} convenience fee. No commitment.",
    home=routes.HOME,
    ready=rx.cond(OneTimeFillState.is_open, GuestFillState.ready, OneTimeFillState.ready).bool(),
    on_lead=OneTimeFillState.lead,
)


def contact() -> rx.Component:
    return _one_time_step(
        live_form(
            rx.el.div(contact_fields(), class_name="flex flex-col gap-4"),
            step_buttons(rx.fragment(), "Next"),
            on_edit=SignupState.edit_contact,
            on_submit=SignupState.submit_contact,
        ),
        guest.contact_step(),
        current=0,
    )


def one_time_fill_vehicle() -> rx.Component:
    """Return the vehicle step. The preview's Back and Next lead into sign-up, as specified."""
    return _one_time_step(
        live_form(
            vehicle_fields(OneTimeFillState, photo=False),
            step_buttons(back_link(routes.ONBOARDING), "Next"),
            on_edit=OneTimeFillState.edit_vehicle,
            on_submit=OneTimeFillState.submit_vehicle,
        ),
        guest.vehicle_step(),
        current=1,
    )


def schedule() -> rx.Component:
    return _one_time_step(
        slot_picker(OneTimeFillState, back=routes.ONE_TIME_FILL_VEHICLE),
        guest.time_step(),
        current=2,
    )


def payment() -> rx.Component:
    """Return the guest's payment page, which the preview has not."""
    return _one_time_step(rx.fragment(), guest.payment_step(), current=2)

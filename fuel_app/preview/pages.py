"""Pages that show the preview until the company is open, and then what is real."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.bookings.rules.slots import CUTOFF_TEXT, SlotDay, SlotOffer
from fuel_app.bookings.state.slots import Slots
from fuel_app.customers import pages as customers
from fuel_app.customers.rules.sign_up import NOTES_MAX
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.ui.fields import contact_fields, own_vehicle_fields
from fuel_app.customers.ui.locations import city_state_zip
from fuel_app.dashboard import pages as dashboards
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.fields import bound, checkbox, field, textarea_field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.wizard import WizardStep, back_link, step_buttons, wizard
from fuel_app.office import pages as office
from fuel_app.outcomes import pages as outcomes
from fuel_app.plans.rules.plans import ONE_TIME_FEE
from fuel_app.preview.state.wizards import ADDRESS_FORM, OneTimeFillState, ScheduleState
from fuel_app.preview.ui.account import sample_billing, sample_security
from fuel_app.preview.ui.staff import sample_day, sample_list, upcoming
from fuel_app.scheduling.state.wizards import FillUpState, GuestFillState, LocationNotesState
from fuel_app.scheduling.ui import wizards as guest
from fuel_app.scheduling.ui import wizards as own


def dashboard() -> rx.Component:
    return dashboards.dashboard(
        sample_day=sample_day(),
        sample_upcoming=upcoming(link_button("Book a Fill-Up", href=routes.SCHEDULE)),
    )


def billing() -> rx.Component:
    return outcomes.billing(sample_billing())


def security() -> rx.Component:
    return customers.security(sample_security())


def customer_dashboard() -> rx.Component:
    return office.customer_dashboard(sample_list())


_bound = partial(
    bound, form=ADDRESS_FORM, errors=ScheduleState.address_errors, values=ScheduleState.address
)


def _step(is_open: rx.Var[bool], form: rx.Component, real: Any, **texts: Any) -> rx.Component:
    """Return a step: the preview's form until the company is open, then the real one."""
    return wizard(rx.cond(is_open, real, form), preview=~is_open, **texts)


_OWN_STEPS = (
    WizardStep("Vehicle", routes.SCHEDULE, ScheduleState.vehicle_given | FillUpState.vehicle_given),
    WizardStep(
        "Location",
        routes.SCHEDULE_LOCATION,
        ScheduleState.address_given | FillUpState.location_given,
    ),
    WizardStep("Time", routes.SCHEDULE_TIME),
)


_own_step = partial(
    _step,
    ScheduleState.is_open,
    steps=_OWN_STEPS,
    over="Schedule a Fill-Up",
    home=routes.DASHBOARD,
    ready=rx.cond(ScheduleState.is_open, FillUpState.ready, ScheduleState.ready).bool(),
)


def own_vehicle() -> rx.Component:
    return _own_step(
        live_form(
            own_vehicle_fields(ScheduleState),
            step_buttons(back_link(routes.DASHBOARD, "Cancel"), "Next"),
            on_edit=ScheduleState.edit_vehicle,
            on_submit=ScheduleState.submit_vehicle,
        ),
        own.own_vehicle_step(),
        current=0,
        title="Which vehicle do we fill?",
        lead="Make and model tell us the size of the tank; color and plate help us find the car.",
    )


def own_location() -> rx.Component:
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
                    default_value=LocationNotesState.notes,
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
        own.own_location_step(),
        current=1,
        title="Where is it parked?",
        lead="Home, work, or wherever the car stands that day.",
    )


def own_time() -> rx.Component:
    return _own_step(
        _slot_picker(ScheduleState, back=routes.SCHEDULE_LOCATION),
        own.own_time_step(),
        current=2,
        title="Choose a time",
        lead=f"Pick a window of two hours. You can move it up to {CUTOFF_TEXT} before it begins.",
    )


_GUEST_STEPS = (
    WizardStep(
        "Contact", routes.ONE_TIME_FILL, SignupState.contact_given | GuestFillState.contact_given
    ),
    WizardStep(
        "Vehicle",
        routes.ONE_TIME_FILL_VEHICLE,
        OneTimeFillState.vehicle_given | GuestFillState.vehicle_given,
    ),
    WizardStep("Schedule", routes.ONE_TIME_FILL_SCHEDULE),
)


_guest_step = partial(
    _step,
    OneTimeFillState.is_open,
    steps=_GUEST_STEPS,
    title="Book a One-Time Fill",
    lead=f"Market fuel price plus a {ONE_TIME_FEE.short} convenience fee. No commitment.",
    home=routes.HOME,
    ready=rx.cond(OneTimeFillState.is_open, GuestFillState.ready, OneTimeFillState.ready).bool(),
    on_lead=OneTimeFillState.lead,
)


def guest_contact() -> rx.Component:
    return _guest_step(
        live_form(
            rx.el.div(contact_fields(), class_name="flex flex-col gap-4"),
            step_buttons(rx.fragment(), "Next"),
            on_edit=SignupState.edit_contact,
            on_submit=SignupState.submit_contact,
        ),
        guest.guest_contact_step(),
        current=0,
    )


def guest_vehicle() -> rx.Component:
    """Return the vehicle step. The preview's Back and Next lead into sign-up, as specified."""
    return _guest_step(
        live_form(
            own_vehicle_fields(OneTimeFillState, photo=False),
            step_buttons(back_link(routes.ONBOARDING), "Next"),
            on_edit=OneTimeFillState.edit_vehicle,
            on_submit=OneTimeFillState.submit_vehicle,
        ),
        guest.guest_vehicle_step(),
        current=1,
    )


def guest_time() -> rx.Component:
    return _guest_step(
        _slot_picker(OneTimeFillState, back=routes.ONE_TIME_FILL_VEHICLE),
        guest.guest_time_step(),
        current=2,
    )


def guest_payment() -> rx.Component:
    """Return the guest's payment page, which the preview has not."""
    return _guest_step(rx.fragment(), guest.guest_payment_step(), current=2)


def _slot_picker(state: Any, *, back: str) -> rx.Component:
    """Return the step's form. All days are one radio group: arrow keys cross from day to day."""
    return rx.el.form(
        rx.el.fieldset(
            rx.el.legend("Available times", class_name="sr-only"),
            rx.foreach(state.days, lambda day, number: _day(state, day, number)),
            rx.cond(
                state.days.length() == 0,
                rx.el.p("No times are open just now.", class_name="text-base text-muted"),
            ),
            class_name="flex flex-col gap-6",
        ),
        step_buttons(back_link(back), "Schedule Service"),
        on_submit=state.schedule,
        no_validate=True,
    )


def _day(state: type[Slots], day: rx.Var[SlotDay], number: rx.Var[int]) -> rx.Component:
    heading = f"slots-{number}"
    return rx.el.div(
        rx.el.h2(day.name, id=heading, class_name="mb-2 text-base font-bold text-ink"),
        rx.el.div(
            rx.foreach(day.slots, lambda slot: _slot(state, slot)),
            class_name="grid gap-3 sm:grid-cols-3",
        ),
        role="group",
        aria_labelledby=heading,
    )


def _slot(state: type[Slots], slot: rx.Var[SlotOffer]) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="slot",
            value=slot.id,
            default_checked=state.slot == slot.id,
            on_change=state.choose_slot(slot.id),
            class_name="h-5 w-5 shrink-0 accent-gulf",
        ),
        rx.el.span(slot.time, class_name="tabular-nums"),
        class_name="flex min-h-12 cursor-pointer items-center gap-3 rounded-control border "
        "border-[#8FA3AB] bg-surface px-3 text-base text-ink hover:border-muted "
        "has-[:checked]:border-gulf has-[:checked]:bg-seafoam has-[:checked]:font-semibold "
        "sm:text-sm",
    )

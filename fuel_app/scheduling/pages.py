"""The pages of one booking, and of both wizards with their preview."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.billing.ui.receipts import receipt_page
from fuel_app.bookings.ui.slots import slot_picker
from fuel_app.customers.rules.sign_up import NOTES_MAX
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.ui.fields import contact_fields, vehicle_fields
from fuel_app.customers.ui.locations import city_state_zip
from fuel_app.customers.ui.page import customer_page, loading
from fuel_app.kit.ui.address import once_arrived
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import GAP, TEXT, email_text
from fuel_app.kit.ui.fields import bound, checkbox, field, textarea_field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.frame import SECTION, brand, call_us, skip_link
from fuel_app.kit.ui.script import TITLE, PageHeading, way_back
from fuel_app.kit.ui.wizard import Step, back_link, step_buttons, wizard
from fuel_app.plans.rules.plans import ONE_TIME_FEE
from fuel_app.scheduling.state.booking import (
    BookingScreen,
    GuestBookingState,
    GuestReceiptState,
    OwnBookingState,
)
from fuel_app.scheduling.state.preview import ADDRESS_FORM, OneTimeFillState, ScheduleState
from fuel_app.scheduling.state.wizards import FillUpState, GuestFillState
from fuel_app.scheduling.ui import wizards as guest
from fuel_app.scheduling.ui import wizards as own
from fuel_app.scheduling.ui.booking import booking_view, not_found

_TITLE = "Your fill-up"


def booking() -> rx.Component:
    return customer_page(
        way_back("Back to Dashboard", routes.DASHBOARD),
        PageHeading.create(_TITLE, class_name=f"{TITLE} mb-4"),
        _shown(
            OwnBookingState, routes.SCHEDULE, link_button("To the dashboard", href=routes.DASHBOARD)
        ),
        current=routes.BOOKING,
    )


def manage() -> rx.Component:
    """Return a guest's page, which needs no signing in."""
    return rx.fragment(
        skip_link(),
        rx.el.header(
            rx.el.div(brand(), class_name=f"flex h-16 items-center {SECTION}"),
            class_name="border-b border-line bg-surface",
        ),
        rx.el.main(
            PageHeading.create(_TITLE, class_name=f"{TITLE} mb-4"),
            _shown(
                GuestBookingState,
                routes.ONE_TIME_FILL,
                link_button("Book a One-Time Fill", href=routes.ONE_TIME_FILL),
            ),
            rx.cond(
                GuestBookingState.email != "",
                rx.fragment(
                    rx.el.p(
                        "We have sent the link to this page to ",
                        email_text(GuestBookingState.email),
                        ".",
                        class_name=f"{GAP} {TEXT}",
                    ),
                    call_us(),
                ),
            ),
            id="content",
            class_name=f"py-6 sm:py-10 {SECTION}",
        ),
    )


def manage_receipt() -> rx.Component:
    """Return the receipt of a guest's booking."""
    return receipt_page(GuestReceiptState)


def _shown(state: type[BookingScreen], again: str, way: rx.Component) -> rx.Component:
    shown = rx.cond(state.card.id != "", booking_view(state, again=again), loading())
    return once_arrived(state, rx.cond(state.missing, not_found(way), shown), until=loading())


_bound = partial(
    bound, form=ADDRESS_FORM, errors=ScheduleState.address_errors, values=ScheduleState.address
)


def _step(is_open: rx.Var[bool], form: rx.Component, real: Any, **texts: Any) -> rx.Component:
    """Return a step: the preview's form until the company is open, then the real one."""
    return wizard(rx.cond(is_open, real, form), preview=~is_open, **texts)


_OWN_STEPS = (
    Step("Vehicle", routes.SCHEDULE, ScheduleState.vehicle_given | FillUpState.vehicle_given),
    Step(
        "Location", routes.SCHEDULE_LOCATION, ScheduleState.address_given | FillUpState.place_given
    ),
    Step("Time", routes.SCHEDULE_TIME),
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
            vehicle_fields(ScheduleState),
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
        own.own_place_step(),
        current=1,
        title="Where is it parked?",
        lead="Home, work, or wherever the car stands that day.",
    )


def own_time() -> rx.Component:
    return _own_step(
        slot_picker(ScheduleState, back=routes.SCHEDULE_LOCATION),
        own.own_time_step(),
        current=2,
        title="When shall we come?",
        lead="Pick a window of two hours. You can move it up to 2 hours before it begins.",
    )


_GUEST_STEPS = (
    Step("Contact", routes.ONE_TIME_FILL, SignupState.contact_given | GuestFillState.contact_given),
    Step(
        "Vehicle",
        routes.ONE_TIME_FILL_VEHICLE,
        OneTimeFillState.vehicle_given | GuestFillState.vehicle_given,
    ),
    Step("Schedule", routes.ONE_TIME_FILL_SCHEDULE),
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
            vehicle_fields(OneTimeFillState, photo=False),
            step_buttons(back_link(routes.ONBOARDING), "Next"),
            on_edit=OneTimeFillState.edit_vehicle,
            on_submit=OneTimeFillState.submit_vehicle,
        ),
        guest.guest_vehicle_step(),
        current=1,
    )


def guest_time() -> rx.Component:
    return _guest_step(
        slot_picker(OneTimeFillState, back=routes.ONE_TIME_FILL_VEHICLE),
        guest.guest_time_step(),
        current=2,
    )


def guest_payment() -> rx.Component:
    """Return the guest's payment page, which the preview has not."""
    return _guest_step(rx.fragment(), guest.guest_payment_step(), current=2)

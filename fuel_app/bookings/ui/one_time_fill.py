"""The steps of a guest's one-time fill, and its payment page."""

from functools import partial

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.billing.ui.parts import payments_note
from fuel_app.bookings.state.holding import LAPSED
from fuel_app.bookings.state.one_time_fill import FORM, GuestFillState
from fuel_app.bookings.ui import quote
from fuel_app.bookings.ui.quote import add_card, book_button, kept_until, refusal, summary
from fuel_app.bookings.ui.schedule import outside, pin
from fuel_app.customers.ui.fields import contact_fields, vehicle_fields
from fuel_app.customers.ui.places import place_fields
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.cards import H2, TEXT
from fuel_app.kit.ui.fields import bound, checkbox, error_text, field_id
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.wizard import back_link, step_buttons

_bound = partial(
    bound, form=FORM, errors=GuestFillState.contact_errors, values=GuestFillState.contact
)
_PAYMENT_NOTE = "payment-note"


def contact_step() -> rx.Component:
    return rx.fragment(
        rx.cond(
            SessionState.is_person,
            rx.el.p(
                "You are signed in. ",
                rx.el.a("Schedule a fill-up", href=routes.SCHEDULE, class_name="link"),
                " with your own vehicles and addresses.",
                class_name="mb-4 rounded-control bg-seafoam p-3 text-base text-ink",
            ),
        ),
        refusal(GuestFillState),
        live_form(
            rx.el.div(
                contact_fields(_bound),
                rx.el.h2("The place", class_name=f"mt-2 {H2}"),
                place_fields(GuestFillState),
                pin(GuestFillState),
                outside(GuestFillState),
                rx.el.div(
                    checkbox(
                        rx.fragment(
                            "I accept the ", rx.el.a("terms", href=routes.TERMS, class_name="link")
                        ),
                        "terms",
                        form=FORM,
                        default_checked=GuestFillState.accepts_terms,
                        on_change=GuestFillState.accept_terms,
                        aria_describedby=f"{field_id(FORM, 'terms')}-error",
                    ),
                    error_text(f"{field_id(FORM, 'terms')}-error", GuestFillState.terms_error),
                ),
                class_name="flex flex-col gap-4",
            ),
            step_buttons(rx.fragment(), "Next", busy=GuestFillState.busy),
            on_edit=GuestFillState.edit_contact,
            on_submit=GuestFillState.submit_contact,
        ),
    )


def vehicle_step() -> rx.Component:
    return live_form(
        vehicle_fields(GuestFillState, photo=False, own=True),
        step_buttons(back_link(routes.ONE_TIME_FILL), "Next"),
        on_edit=GuestFillState.edit_vehicle,
        on_submit=GuestFillState.submit_vehicle,
    )


def time_step() -> rx.Component:
    act = submit_button("Continue to payment", busy=GuestFillState.busy, busy_text="Please wait...")
    return quote.time_step(GuestFillState, back=routes.ONE_TIME_FILL_VEHICLE, act=act)


def payment_step() -> rx.Component:
    return rx.fragment(
        _hold(),
        rx.el.form(
            summary(GuestFillState),
            rx.el.h2("Payment", class_name=f"mt-6 {H2}"),
            payments_note("mt-1"),
            rx.el.p(
                rx.cond(
                    GuestFillState.has_card,
                    GuestFillState.card,
                    "Add a card on the secure page of our payment provider. Nothing is charged "
                    "before your fill-up.",
                ),
                id=_PAYMENT_NOTE,
                class_name=f"mt-1 {TEXT}",
            ),
            rx.el.div(refusal(GuestFillState), class_name="mt-4"),
            rx.el.div(
                back_link(routes.ONE_TIME_FILL_SCHEDULE),
                rx.cond(
                    GuestFillState.has_card,
                    book_button(
                        f"Book · {GuestFillState.price.total}",
                        GuestFillState,
                        aria_describedby=_PAYMENT_NOTE,
                    ),
                    add_card(GuestFillState),
                ),
                class_name="mt-4 flex items-center justify-between gap-3",
            ),
            on_submit=GuestFillState.book,
        ),
    )


def _hold() -> rx.Component:
    """Return until when the window is kept, or that it is over."""
    return rx.el.div(
        rx.cond(
            GuestFillState.hold == LAPSED,
            rx.el.div(
                rx.el.p(
                    "We could not keep this time any longer.",
                    class_name="text-base font-semibold text-ink",
                ),
                button("Keep it again", kind="secondary", on_click=GuestFillState.renew),
                rx.el.a(
                    "Choose another time",
                    href=routes.ONE_TIME_FILL_SCHEDULE,
                    class_name="link inline-flex min-h-11 items-center",
                ),
                class_name="flex flex-wrap items-center gap-3",
            ),
            kept_until(GuestFillState),
        ),
        role="status",
        class_name="mb-4",
    )

"""The pages of one booking; those of the wizards, which begin as a preview, are in `preview`."""

import reflex as rx

from fuel_app import routes
from fuel_app.billing.ui import receipt_page
from fuel_app.customers.ui.page import customer_page, loading
from fuel_app.kit.ui.address import once_arrived
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import GAP, TEXT, email_text
from fuel_app.kit.ui.frame import SECTION, brand, call_us, skip_link
from fuel_app.kit.ui.script import TITLE, PageHeading, way_back
from fuel_app.repeats.ui import repeat_card
from fuel_app.scheduling.state.booking import (
    BookingScreen,
    GuestBookingState,
    GuestReceiptState,
    OwnBookingState,
)
from fuel_app.scheduling.ui.booking import booking_view, not_found

_TITLE = "Your fill-up"


def booking() -> rx.Component:
    return customer_page(
        way_back("Back to Dashboard", routes.DASHBOARD),
        PageHeading.create(_TITLE, class_name=f"{TITLE} mb-4"),
        _shown(
            OwnBookingState, routes.SCHEDULE, link_button("To the dashboard", href=routes.DASHBOARD)
        ),
        repeat_card(),
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

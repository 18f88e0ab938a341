"""Guests for staff: those whom a search finds above the customers, and one with their bookings."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import H2, alert, badge, card, email_text
from fuel_app.kit.ui.list import nothing_here
from fuel_app.office.state.customers import CustomerDashboardState, GuestCard, GuestState
from fuel_app.office.ui.bookings import customer_bookings

_screen = CustomerDashboardState
_NOTE = "text-sm text-muted"
_LINK = "link inline-flex min-h-11 min-w-0 items-center gap-2 text-base"


def guests_found() -> rx.Component:
    """Return the guests whom the search finds; nothing without any."""
    return rx.cond(
        _screen.guests.length() > 0,
        card(
            rx.el.h2("Guests", class_name=H2),
            rx.el.ul(
                rx.foreach(_screen.guests, _found),
                aria_label="Guests",
                class_name="mt-1 divide-y divide-line",
            ),
            rx.el.p(_screen.more_guests, class_name=f"{_NOTE} pt-2 empty:hidden"),
            class_name="mt-4",
        ),
    )


def _found(found: rx.Var[GuestCard]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.button(
                found.name,
                type="button",
                on_click=_screen.choose_guest(found.id),
                class_name="min-h-11 cursor-pointer text-left text-base font-semibold text-ink "
                "wrap-anywhere hover:text-gulf-deep hover:underline",
            ),
            rx.el.span(found.about, class_name=f"block {_NOTE}"),
            class_name="min-w-0 grow basis-56",
        ),
        rx.el.div(
            email_text(found.email, f"block {_NOTE}"),
            rx.el.span(found.phone, " · ", found.bookings, class_name=f"block {_NOTE}"),
            class_name="min-w-0 basis-56",
        ),
        key=found.id,
        class_name="flex flex-wrap items-center gap-x-4 py-2",
    )


def back_to_all() -> rx.Component:
    """Return the button from a chosen customer or guest to the list."""
    return button(
        rx.icon("arrow-left", size=20, aria_hidden=True),
        "All customers",
        kind="quiet",
        on_click=_screen.choose(""),
        class_name="-ml-3 mb-2 px-3",
    )


def guest() -> rx.Component:
    """Return the chosen guest with their bookings; where there is none such, that it is so."""
    return rx.fragment(
        back_to_all(),
        rx.cond(
            _screen.failed,
            nothing_here("This guest cannot be read just now.", "Try again", _screen.load),
            rx.cond(
                _screen.missing,
                rx.el.p(
                    "There is no such guest (any more).",
                    role="status",
                    class_name="text-base text-muted",
                ),
                rx.fragment(
                    _head(),
                    card(
                        rx.el.h3("Bookings", class_name="sr-only"),
                        alert(GuestState.error),
                        customer_bookings(),
                    ),
                ),
            ),
        ),
    )


def _head() -> rx.Component:
    shown = GuestState.card
    return card(
        rx.el.div(
            rx.el.h2(shown.name, class_name="text-xl font-bold text-ink wrap-anywhere"),
            badge("Guest"),
            class_name="flex flex-wrap items-center gap-3",
        ),
        rx.el.div(
            _contact("phone", f"tel:{shown.digits}", shown.phone),
            _contact("mail", f"mailto:{shown.email}", email_text(shown.email)),
            class_name="mt-1 flex flex-wrap gap-x-6",
        ),
        rx.el.p(
            "Next booking: ",
            rx.cond(shown.next_booking != "", shown.next_booking, "none"),
            ". These bookings become the customer\u2019s once the owner of this e-mail signs up.",
            class_name="border-t border-line pt-3 text-base text-ink",
        ),
        class_name="mb-4",
    )


def _contact(icon: str, address: Any, text: Any) -> rx.Component:
    return rx.el.A.create(
        rx.icon(icon, size=18, aria_hidden=True, class_name="shrink-0"),
        text,
        href=address,
        class_name=_LINK,
    )

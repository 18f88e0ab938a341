"""Who a customer is: above every tab, for staff who have them on the phone."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import badge, card, email_text
from fuel_app.office.state.customer_bookings import BookingsTab
from fuel_app.office.state.customer_invoices import InvoicesTab
from fuel_app.office.state.customer_tabs import OF
from fuel_app.office.state.customers import CustomerDashboardState

_profile = CustomerDashboardState.profile
_LINK = "link inline-flex min-h-11 items-center gap-2 text-base"


def about_customer() -> rx.Component:
    """Send with a form whom it is about."""
    return rx.el.input(type="hidden", name=OF, value=_profile.id)


def customer_head() -> rx.Component:
    return card(
        rx.el.div(
            rx.el.h2(_profile.name, class_name="text-xl font-bold text-ink wrap-anywhere"),
            rx.cond(_profile.state != "", badge(_profile.state, "yellow")),
            class_name="flex flex-wrap items-center gap-3",
        ),
        rx.el.div(
            rx.cond(
                _profile.phone != "",
                _contact("phone", f"tel:{_profile.digits}", _profile.phone),
                rx.el.span("No phone number", class_name="py-2.5 text-base text-muted"),
            ),
            _contact("mail", f"mailto:{_profile.email}", email_text(_profile.email)),
            class_name="mt-1 flex flex-wrap gap-x-6",
        ),
        rx.el.dl(
            fact("Area", shown_or(_profile.area, "None")),
            fact("Plan", _profile.plan),
            fact("Debt", _opens(InvoicesTab.KEY, _profile.owes, "None")),
            fact("Next booking", _opens(BookingsTab.KEY, _profile.next_booking, "None")),
            class_name="mt-2 grid grid-cols-2 gap-x-6 gap-y-3 border-t border-line pt-3 "
            "lg:grid-cols-4",
        ),
        class_name="mb-4",
    )


def _contact(icon: str, address: Any, text: Any) -> rx.Component:
    return rx.el.A.create(
        rx.icon(icon, size=18, aria_hidden=True, class_name="shrink-0"),
        text,
        href=address,
        class_name=f"{_LINK} min-w-0",
    )


def _opens(tab: str, text: Any, instead: str) -> rx.Component:
    """Return a text that leads to its tab; where there is none, that it is so."""
    press = rx.el.button(
        text,
        type="button",
        on_click=CustomerDashboardState.open_tab(tab),
        class_name="link -my-2.5 block cursor-pointer py-2.5 text-left",
    )
    return rx.cond(text != "", press, instead)


def fact(label: str, shows: Any) -> rx.Component:
    return rx.el.div(
        rx.el.dt(label, class_name="text-sm font-semibold text-muted"),
        rx.el.dd(shows, class_name="text-base text-ink wrap-anywhere"),
    )


def shown_or(text: Any, instead: str = "–") -> rx.Component:  # noqa: RUF001
    return rx.cond(text != "", text, instead)

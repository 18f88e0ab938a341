"""The next fill of a customer: first and large, with what can be done about it."""

import reflex as rx

from fuel_app import routes
from fuel_app.bookings.state.booking import OwnBookingState
from fuel_app.bookings.state.cards import BookingCard
from fuel_app.bookings.ui.booking import actions, dialogs, heading, headline
from fuel_app.customers.state.customer import CustomerState
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import GAP, TEXT, card


def next_fill(has_services: rx.Var[bool]) -> rx.Component:
    """Return the card for a signed-in customer who has booked before; nothing in a preview."""
    following = OwnBookingState.card
    # Until the state has read the address, it is the booking of another page.
    is_here = OwnBookingState.arrival.contains(f" {routes.DASHBOARD}")
    return rx.cond(
        CustomerState.is_own & (has_services | (OwnBookingState.notice != "")),
        card(
            heading(OwnBookingState, "Upcoming Service"),
            rx.cond(
                is_here & (following.id != ""),
                rx.fragment(
                    headline(OwnBookingState),
                    actions(
                        OwnBookingState,
                        link_button("Details", href=following.href, kind="quiet"),
                        link_button("Book another", href=routes.SCHEDULE, kind="quiet"),
                    ),
                    rx.cond(
                        OwnBookingState.others.length() > 0,
                        rx.el.ul(
                            rx.foreach(OwnBookingState.others, _other),
                            aria_label="Booked after that",
                            class_name="mt-5 divide-y divide-line border-t border-line",
                        ),
                    ),
                ),
                rx.cond(
                    is_here & OwnBookingState.missing,
                    rx.el.div(
                        rx.el.p("No service scheduled", class_name=TEXT),
                        rx.cond(  # else the card of the first steps has the button
                            has_services, link_button("Book a Fill-Up", href=routes.SCHEDULE)
                        ),
                        class_name="flex flex-wrap items-center justify-between gap-3",
                    ),
                    rx.el.div(class_name="skeleton mt-3 h-24 rounded-control", aria_hidden=True),
                ),
            ),
            rx.cond(is_here, dialogs(OwnBookingState)),
            class_name=GAP,
        ),
    )


def _other(booking: rx.Var[BookingCard]) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            rx.el.span(booking.day, ", ", booking.window, class_name="font-semibold text-ink"),
            rx.el.span(booking.car, class_name=TEXT),
            rx.el.span(
                booking.alert,
                class_name="w-full text-pretty text-base font-semibold text-danger empty:hidden",
            ),
            rx.el.span(booking.asked, class_name=f"w-full {TEXT} empty:hidden"),
            href=booking.href,
            class_name="flex min-h-11 flex-wrap items-center justify-between gap-x-4 py-2 "
            "text-base hover:underline",
        ),
        key=booking.id,
    )

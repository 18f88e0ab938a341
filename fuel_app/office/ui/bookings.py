"""A customer's bookings for staff: the list, the dialog that books, moves and cancels.

Also the dialog in which staff record what was pumped, or correct it.
"""

from typing import Any

import reflex as rx

from fuel_app.billing.rules.corrections import REASON_MAX
from fuel_app.bookings.rules.estimates import Line
from fuel_app.bookings.rules.fills import TICKET_MAX
from fuel_app.bookings.rules.states import FUELING, SHOWN
from fuel_app.bookings.state.cards import BookingCard, Choice
from fuel_app.bookings.ui import car_ticks, slot_strip
from fuel_app.dispatch.ui.questions import photo_links
from fuel_app.kit.ui.button import button, line_button
from fuel_app.kit.ui.cards import badge
from fuel_app.kit.ui.fields import checkbox, select_field
from fuel_app.kit.ui.forms import agreed_to, field_of, form_dialog, send_button
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.office.state.bookings import (
    BOOK,
    CANCEL,
    MOVE,
    BookingDeskState,
    BookingsTab,
    FillState,
)
from fuel_app.office.state.customers import ArrivalCard, CustomerDashboardState, GuestState
from fuel_app.office.state.invoices import InvoicesTab


def fill_dialog() -> rx.Component:
    shown = FillState.card
    return form_dialog(
        FillState,
        rx.el.div(
            rx.cond(
                FillState.cars.length() > 0,
                select_field(
                    "Vehicle",
                    "vehicle",
                    rx.foreach(FillState.cars, _option),
                    form=FillState.FORM,
                    value=FillState.fill_id,
                    on_change=FillState.choose_car,
                ),
            ),
            rx.cond(
                (FillState.cars.length() > 0) & (shown.status == SHOWN[FUELING]),
                button("This car was not filled", kind="secondary", on_click=FillState.give_up),
            ),
            _gallons("Gallons", "gallons", "To 0.001, or both readings of the meter"),
            rx.el.div(
                _gallons("Meter at the start", "meter_start", None, optional=True),
                _gallons("Meter at the end", "meter_end", None, optional=True),
                class_name="grid gap-4 sm:grid-cols-2",
            ),
            _typed("Ticket number", "ticket", max_length=TICKET_MAX + 1),
            field_of(
                FillState,
                "Fueling started",
                "started",
                type="datetime-local",
                optional=True,
                hint="New York time. Empty: as it is recorded. The lower price then counts.",
            ),
            class_name="flex flex-col gap-4",
        ),
        leave="Close",
        send=rx.cond(FillState.question != "", "Yes, record it", shown.record),
        busy_text="Saving...",
        title=shown.record,
        description=f"{shown.car}, {shown.day}, {shown.window}",
    )


def _gallons(label: str, name: str, hint: str | None, **more: Any) -> rx.Component:
    return _typed(label, name, hint=hint, input_mode="decimal", **more)


def _typed(label: str, name: str, **more: Any) -> rx.Component:
    props = {"default_value": FillState.typed[name], "auto_complete": "off"}
    return field_of(FillState, label, name, **props | more)


_NOTE = "block text-sm text-muted"
_desk, _screen = BookingDeskState, CustomerDashboardState


def customer_bookings() -> rx.Component:
    return rx.fragment(
        rx.cond(
            GuestState.card.id == "",
            rx.el.div(
                button("Book a fill-up", on_click=_desk.begin(BOOK, "")),
                class_name="flex justify-end",
            ),
        ),
        stacked_table(
            BookingsTab.rows,
            (
                Column("When", lambda line: _two(line.day, line.window)),
                Column("Vehicle", lambda line: _two(line.car, line.plate)),
                Column("Place", lambda line: line.place),
                Column("State", _state),
                Column("Price", _price),
                Column("Change", _actions),
            ),
            caption="Bookings",
            loading=BookingsTab.loading,
            empty_text=rx.cond(BookingsTab.failed, "", "No bookings yet"),
        ),
        _desk_dialog(),
        fill_dialog(),
    )


def _state(line: rx.Var[BookingCard]) -> rx.Component:
    return rx.fragment(
        _two(badge(line.status), line.reason, line.asked, line.payment),
        rx.cond(_screen.arrivals.contains(line.id), arrival(_screen.arrivals[line.id], line.id)),
        photo_links(BookingsTab.photos[line.id], line.day),
    )


def arrival(shown: rx.Var[ArrivalCard], booking_id: Any) -> rx.Component:
    """Return who comes to a booking and when, what the customer was told last, and their page."""
    return rx.el.div(
        _two(rx.el.strong(shown.who), shown.eta, shown.advice),
        rx.cond(
            shown.told != "",
            _two("", f"Told last: {shown.told}", shown.told_how),
        ),
        line_button("Track", shown.who, on_click=_screen.track(booking_id)),
        class_name="mt-1 text-base text-ink",
    )


def _two(first: Any, *more: Any) -> rx.Component:
    return rx.fragment(first, *[rx.cond(x != "", rx.el.span(x, class_name=_NOTE)) for x in more])


def _price(of: Any) -> rx.Component:
    """Return the total of a booking or an estimate, and its parts."""
    return rx.fragment(rx.el.strong(of.total), rx.foreach(of.lines, _part))


def _part(part: rx.Var[Line]) -> rx.Component:
    return rx.el.span(part.label, ": ", part.amount, class_name=_NOTE)


def _actions(line: rx.Var[BookingCard]) -> rx.Component:
    of = f"{line.day}, {line.window}"
    return rx.fragment(
        rx.cond(line.may_move, line_button("Move", of, on_click=_desk.begin(MOVE, line.id))),
        rx.cond(line.may_cancel, line_button("Cancel", of, on_click=_desk.begin(CANCEL, line.id))),
        rx.cond(
            line.record != "",
            line_button(line.record, of, on_click=FillState.begin(line.id)),
            rx.cond(line.is_invoiced, _invoices(line, of)),
        ),
        rx.cond(
            GuestState.card.id != "",
            line_button(
                rx.cond(GuestState.sending == line.id, "Sending...", "Send link"),
                of,
                on_click=GuestState.send_link(line.id),
            ),
        ),
    )


def _invoices(line: rx.Var[BookingCard], of: Any) -> rx.Component:
    """Return what leads to the invoice: a guest has no tab of them, but a receipt."""
    return rx.cond(
        GuestState.card.id != "",
        rx.el.a(
            "Receipt",
            rx.el.span(": ", of, class_name="sr-only"),
            href=BookingsTab.receipts[line.id],
            class_name="link inline-flex min-h-11 items-center px-3 text-base font-semibold",
        ),
        line_button("Invoices", of, on_click=_screen.open_tab(InvoicesTab.KEY)),
    )


def _desk_dialog() -> rx.Component:
    now = f"{_desk.card.car}, {_desk.card.day}, {_desk.card.window}"
    return form_dialog(
        _desk,
        rx.cond(
            _desk.loading,
            rx.el.div(class_name="skeleton h-40 rounded-card", aria_hidden=True),
            rx.el.div(
                rx.cond(_desk.kind == BOOK, _choices()),
                rx.cond(_desk.kind == CANCEL, _fee(), slot_strip(_desk)),
                rx.cond(_desk.price.total != "", rx.el.div(_price(_desk.price))),
                class_name="mb-4 flex flex-col gap-4",
            ),
        ),
        field_of(
            _desk,
            "Reason",
            "reason",
            hint="The customer reads it, and it stays in the booking's history",
            max_length=REASON_MAX + 1,
            auto_complete="off",
        ),
        agreed_to(
            rx.cond(_desk.kind == BOOK, _desk.price.total, f"{_desk.card.revision} {_desk.fee}")
        ),
        leave="Close",
        refused=_desk.refusal,
        buttons=rx.match(
            _desk.kind,
            (BOOK, send_button(_desk, "Book fill-up", "Booking...")),
            (MOVE, send_button(_desk, "Move booking", "Moving...")),
            send_button(_desk, "Cancel booking", "Cancelling...", kind="danger"),
        ),
        title=rx.match(
            _desk.kind,
            (BOOK, "Book a fill-up"),
            (MOVE, "Move this booking?"),
            "Cancel this booking?",
        ),
        description=rx.cond(_desk.kind == BOOK, "", now),
        width="sm:max-w-2xl",
    )


def _choices() -> rx.Component:
    return rx.el.div(
        car_ticks(_desk),
        select_field(
            "Place",
            "place",
            rx.foreach(_desk.places, _option),
            form=_desk.FORM,
            value=_desk.place_id,
            on_change=_desk.choose_location,
        ),
        class_name="grid gap-4 sm:grid-cols-2",
    )


def _option(choice: rx.Var[Choice]) -> rx.Component:
    return rx.el.option(choice.title, " · ", choice.details, value=choice.id)


def _fee() -> rx.Component:
    return rx.cond(
        _desk.fee != "",
        rx.fragment(
            rx.el.p(
                "It is late: cancelling costs the customer ",
                rx.el.strong(_desk.fee),
                ".",
                class_name="text-base text-ink",
            ),
            checkbox("Waive the fee", "waive", form=_desk.FORM, value="yes"),
        ),
        rx.el.p("Free of charge.", class_name="text-base text-ink"),
    )

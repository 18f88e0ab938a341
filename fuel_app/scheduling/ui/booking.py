"""A booking: its state as a short line of steps, what was agreed, and its two dialogs."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.billing.ui import payments_note
from fuel_app.bookings.rules.states import COURSE
from fuel_app.bookings.state.cards import Choice, HistoryLine
from fuel_app.bookings.ui import car_ticks, choice_card, free_fill_note, price_parts, slot_strip
from fuel_app.customers.rules.sign_up import NOTES_MAX
from fuel_app.kit.ui.button import busy_button, button, link_button, submit_button
from fuel_app.kit.ui.cards import GAP, H2, TEXT, alert, card, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import textarea_field
from fuel_app.kit.ui.frame import phone_link
from fuel_app.kit.ui.script import alert_in_view
from fuel_app.scheduling.state.booking import (
    CANCELLING,
    CARS,
    CONFIRM,
    MOVING,
    NOTE_FORM,
    NOTING,
    PLACE,
    STATUS,
    UPDATE_CARD,
    BookingScreen,
    OwnBookingState,
)


def booking_view(state: type[BookingScreen], *, again: str) -> rx.Component:
    """Return a whole booking; `again` is where another one is made."""
    shown = state.card
    return rx.fragment(
        card(
            heading(state, "Service"),
            headline(state),
            actions(
                state,
                rx.cond(
                    state.has_receipt,
                    button("See the receipt", kind="secondary", on_click=state.see_receipt),
                ),
                rx.cond(
                    shown.has_ended,
                    link_button("Book another time", href=again),
                    button(
                        rx.icon("calendar-plus", size=18, aria_hidden=True),
                        "Add to calendar",
                        kind="secondary",
                        on_click=state.add_to_calendar,
                    ),
                ),
            ),
        ),
        rx.el.div(
            panel(
                "Price",
                rx.el.dl(
                    rx.foreach(shown.lines, lambda line: _pair(line.label, line.amount)),
                    _pair("Total", shown.total, bold=True),
                    class_name="mt-2 divide-y divide-line",
                ),
                rx.cond(
                    ~shown.has_ended,
                    rx.el.div(free_fill_note(shown.free_note), class_name="text-base"),
                ),
                rx.cond(
                    ~shown.has_ended,
                    rx.el.p(
                        f"{shown.held} The price above or that day's counts, whichever is lower.",
                        class_name=f"mt-2 text-pretty {TEXT}",
                    ),
                ),
                rx.cond(
                    shown.payment != "",
                    rx.el.p("Payment: ", shown.payment, class_name="mt-2 text-base text-ink"),
                ),
                rx.el.p(shown.late, class_name=f"mt-2 text-pretty {TEXT} empty:hidden"),
            ),
            panel(
                "History",
                rx.el.ol(rx.foreach(shown.history, _event), class_name="mt-2 divide-y divide-line"),
            ),
            class_name=f"{GAP} grid items-start gap-4 sm:gap-6 lg:grid-cols-2",
        ),
        dialogs(state),
    )


_FIRST = "text-balance text-xl font-bold text-ink sm:text-2xl"


def headline(state: type[BookingScreen]) -> rx.Component:
    """Return what comes first: the state, the window, the vehicle, the place."""
    shown = state.card
    return rx.el.div(
        card_alert(state),
        rx.cond(
            shown.alert != "",
            rx.el.p(shown.status, class_name="text-sm font-bold text-danger"),
            rx.el.p(shown.status, class_name="text-sm font-bold text-gulf-deep"),
        ),
        rx.el.p(state.eta, role="status", class_name=f"mt-1 {_FIRST} empty:hidden"),
        rx.el.p(state.eta_advice, class_name="mt-1 text-base text-ink empty:hidden"),
        rx.cond(
            state.eta != "",
            rx.el.p("Booked for ", shown.day, ", ", shown.window, class_name=f"mt-1 {TEXT}"),
            rx.fragment(
                rx.el.p(shown.day, class_name=f"mt-1 {_FIRST}"),
                rx.el.p(shown.window, class_name="text-lg tabular-nums text-ink"),
            ),
        ),
        rx.el.p(
            shown.car,
            rx.cond(shown.plate != "", f" · {shown.plate}", ""),
            class_name=f"mt-2 wrap-anywhere {TEXT}",
        ),
        rx.el.p(shown.place, class_name=f"wrap-anywhere {TEXT}"),
        rx.cond(
            shown.notes != "",
            rx.el.p("Note: ", shown.notes, class_name=f"whitespace-pre-line wrap-anywhere {TEXT}"),
        ),
        rx.el.p(shown.asked, class_name="mt-2 text-base font-semibold text-ink empty:hidden"),
        rx.cond(shown.reason != "", rx.el.p(shown.reason, class_name="mt-2 text-base text-ink")),
        rx.cond(
            shown.step >= 0,
            rx.el.ol(
                *[_step(number, shown.step) for number in range(len(COURSE))],
                aria_label="Steps",
                class_name="mt-4 grid auto-cols-fr grid-flow-col gap-1",
            ),
        ),
    )


def card_alert(state: type[BookingScreen]) -> rx.Component:
    """Return that the card was declined, until when it may be replaced, and the way to do it."""
    shown = state.card
    return rx.el.div(
        alert(shown.alert),
        rx.cond(
            shown.alert != "",
            rx.el.div(
                alert(state.card_error),
                rx.el.div(
                    rx.cond(
                        shown.needs_confirmation,
                        rx.fragment(
                            _leaving(
                                state, "Confirm payment", CONFIRM, on_click=state.confirm_payment
                            ),
                            _leaving(
                                state,
                                "Update card",
                                UPDATE_CARD,
                                kind="secondary",
                                on_click=state.update_card,
                            ),
                        ),
                        _leaving(
                            state,
                            rx.cond(shown.card_missing, "Add a card", "Update card"),
                            UPDATE_CARD,
                            on_click=state.update_card,
                        ),
                    ),
                    rx.foreach(
                        state.keeps,
                        lambda one: busy_button(
                            one.label,
                            busy=state.busy,
                            busy_text="Saving...",
                            kind="secondary",
                            on_click=state.keep_one(one.fill_id),
                            key=one.fill_id,
                        ),
                    ),
                    class_name="flex flex-wrap gap-3 max-sm:[&>button]:w-full",
                ),
                rx.cond(
                    shown.card_missing,
                    rx.el.p(
                        "Nothing is charged before your fill-up. By adding a card you accept the ",
                        rx.el.a("terms", href=routes.TERMS, class_name="link"),
                        ".",
                        class_name="mt-2 text-base text-ink",
                    ),
                ),
                payments_note("mt-2"),
                class_name="mb-5",
            ),
        ),
    )


def _leaving(state: type[BookingScreen], text: str, name: str, **props: Any) -> rx.Component:
    """Return a button that leads to the provider's page."""
    return busy_button(
        text,
        busy=state.leaving == name,
        busy_text="Opening...",
        disabled=state.leaving != "",
        **props,
    )


def heading(state: type[BookingScreen], text: Any) -> rx.Component:
    """Return a heading, which has the focus after a change, with what was done under it."""
    return rx.fragment(
        rx.el.h2(text, id=STATUS, tab_index=-1, class_name=f"{H2} focus:outline-none"),
        rx.el.p(
            state.notice,
            role="status",
            class_name="mb-3 text-pretty text-base font-semibold text-gulf-deep",
        ),
    )


def actions(state: type[BookingScreen], *more: Any) -> rx.Component:
    """Return the buttons for what may be done now; else the phone number."""
    shown = state.card
    return rx.el.div(
        rx.cond(shown.fee_label != "", rx.el.div(payments_note(), class_name="w-full")),
        alert_in_view(state.fee_error, class_name="w-full"),
        rx.cond(
            shown.fee_label != "",
            busy_button(
                shown.fee_label,
                busy=state.busy,
                busy_text="Saving...",
                on_click=state.pay_fee(shown.fee_label),
            ),
        ),
        rx.cond(
            shown.can_track,
            button(rx.icon("map-pin", size=18, aria_hidden=True), "Track", on_click=state.track),
        ),
        rx.cond(
            shown.may_move,
            button("Reschedule", kind="secondary", on_click=state.open_move),
        ),
        rx.cond(
            shown.may_cancel,
            button(shown.cancel_label, kind="secondary", on_click=state.open_cancel),
        ),
        rx.fragment(change_cars(state), change_place(state))
        if state is OwnBookingState
        else rx.fragment(),
        rx.cond(
            shown.may_note,
            button(
                rx.cond(shown.notes != "", "Change the note", "Add a note"),
                kind="quiet",
                on_click=state.open_note,
            ),
        ),
        *more,
        rx.cond(
            shown.note != "",
            rx.el.p(shown.note, " ", phone_link(), class_name="w-full text-base text-ink"),
        ),
        class_name="mt-5 flex flex-wrap gap-3 empty:hidden max-sm:[&>button]:w-full "
        "max-sm:[&>a]:w-full",
    )


NOTE_HINT = "For this visit alone: 'The car is behind the house today.'"


def change_cars(state: type[OwnBookingState]) -> rx.Component:
    """Return the button that adds cars to a visit or drops some, with its dialog."""
    return rx.cond(
        state.card.may_move,
        rx.fragment(
            button("Change cars", kind="secondary", on_click=state.open_cars),
            dialog(
                alert(state.error),
                car_ticks(state),
                price_parts(state),
                title="Which cars do we fill?",
                description="Cars that stay keep their price.",
                open=state.dialog == CARS,
                on_open_change=state.close_dialog,
                footer=_footer(state, _save(state, state.save_cars, state.price.total)),
            ),
        ),
    )


def _save(state: type[BookingScreen], on_click: Any, chosen: Any) -> rx.Component:
    """Return the button that saves what is chosen; while that is empty it cannot be pressed."""
    return busy_button(
        "Save",
        busy=state.busy,
        busy_text="Saving...",
        disabled=state.busy | (chosen == ""),
        on_click=on_click,
    )


def change_place(state: type[OwnBookingState]) -> rx.Component:
    """Return the button that has the cars filled at another saved address, with its dialog."""

    def place(option: rx.Var[Choice]) -> rx.Component:
        pick = rx.el.input(
            type="radio",
            name="place",
            value=option.id,
            checked=state.place_id == option.id,
            on_change=state.choose_location(option.id),
            class_name="h-5 w-5 shrink-0 accent-gulf",
        )
        return choice_card(option, pick)

    return rx.cond(
        state.card.may_replace,
        rx.fragment(
            button("Change place", kind="secondary", on_click=state.open_place),
            dialog(
                alert(state.error),
                rx.el.fieldset(
                    rx.el.legend("Your other addresses", class_name="sr-only"),
                    rx.foreach(state.places, place),
                    class_name="flex min-w-0 flex-col gap-3",
                ),
                rx.el.p(
                    rx.cond(state.places.length() == 0, "No other address is saved yet. ", ""),
                    "A new address is added in ",
                    rx.el.a("your account", href=routes.ACCOUNT, class_name="link"),
                    ".",
                    class_name=f"mt-3 {TEXT}",
                ),
                title="Where do the cars stand?",
                description="The price stays as you booked it.",
                open=state.dialog == PLACE,
                on_open_change=state.close_dialog,
                footer=_footer(state, _save(state, state.save_place, state.place_id)),
            ),
        ),
    )


def dialogs(state: type[BookingScreen]) -> rx.Component:
    """Return the dialogs of the note, of moving and of cancelling, once on a page."""
    shown = state.card
    return rx.fragment(
        dialog(
            rx.el.form(
                alert(state.error),
                textarea_field(
                    "Note for your technician",
                    "notes",
                    form=NOTE_FORM,
                    optional=True,
                    hint=NOTE_HINT,
                    rows=3,
                    max_length=NOTES_MAX,
                    default_value=shown.notes,
                ),
                rx.el.div(
                    button("Leave it", kind="secondary", on_click=state.close_dialog(False)),
                    submit_button("Save", busy=state.busy, busy_text="Saving..."),
                    class_name="mt-6 flex flex-wrap justify-end gap-3",
                ),
                on_submit=state.save_note,
                no_validate=True,
            ),
            title="Note for this visit",
            open=state.dialog == NOTING,
            on_open_change=state.close_dialog,
        ),
        dialog(
            alert(state.error),
            slot_strip(state),
            title="Choose another time",
            description="The price stays as you booked it.",
            open=state.dialog == MOVING,
            on_open_change=state.close_dialog,
            footer=_footer(
                state,
                busy_button(
                    "Move here",
                    busy=state.busy,
                    busy_text="Moving...",
                    disabled=state.busy | (state.slot == ""),
                    on_click=state.move,
                ),
                rx.el.p(state.window, aria_live="polite", class_name=f"w-full {TEXT} empty:hidden"),
            ),
            width="sm:max-w-2xl",
        ),
        dialog(
            alert(state.error),
            rx.el.p(shown.day, ", ", shown.window, class_name="text-base font-semibold text-ink"),
            rx.el.p(shown.car, class_name=TEXT),
            rx.el.p(
                f"Your place becomes free for other customers. {shown.comes_back}",
                class_name=f"mt-3 text-pretty {TEXT}",
            ),
            title="Cancel this booking?",
            open=state.dialog == CANCELLING,
            on_open_change=state.close_dialog,
            footer=_footer(
                state,
                busy_button(
                    rx.cond(shown.cancel_label == "Cancel", "Cancel booking", shown.cancel_label),
                    busy=state.busy,
                    busy_text="Cancelling...",
                    kind="danger",
                    on_click=state.cancel(shown.cancel_label),
                ),
            ),
        ),
    )


def _footer(state: type[BookingScreen], act: rx.Component, *above: Any) -> rx.Component:
    return rx.el.div(
        *above,
        button("Keep it", kind="secondary", on_click=state.close_dialog(False)),
        act,
        class_name="flex flex-wrap justify-end gap-3 max-sm:[&>button]:flex-auto",
    )


def not_found(way: rx.Component) -> rx.Component:
    """Return the same calm words for an unknown booking, another's, and a forged link."""
    return card(
        rx.el.h2("Booking not found", class_name=H2),
        rx.el.p(
            "The link may be incomplete, or the booking belongs to another account. Please open "
            "it from your e-mail again, or call us: ",
            phone_link(),
            ".",
            role="status",
            class_name=f"mb-4 mt-1 text-pretty {TEXT}",
        ),
        way,
    )


def _step(number: int, step: rx.Var[int]) -> rx.Component:
    """Return one of the steps; the last one is done as soon as it is there."""
    now = step.to(int)
    is_current = now == number
    is_done = is_current if number == len(COURSE) - 1 else now > number
    return rx.el.li(
        rx.el.span(
            class_name=rx.cond(
                now >= number,
                "block h-1.5 rounded-full bg-gulf",
                "block h-1.5 rounded-full bg-[#DCE7EA]",
            ),
            aria_hidden=True,
        ),
        rx.el.span(
            COURSE[number],
            rx.cond(is_done, rx.el.span(" (done)", class_name="sr-only")),
            class_name=rx.cond(
                is_current,
                "mt-1 block text-sm font-bold text-ink",
                "mt-1 block text-sm text-muted max-sm:sr-only",
            ),
        ),
        aria_current=rx.cond(is_current, "step", "false"),
        class_name="min-w-0",
    )


def _pair(label: Any, value: Any, *, bold: bool = False) -> rx.Component:
    weight = "font-bold" if bold else ""
    return rx.el.div(
        rx.el.dt(label, class_name=f"text-base text-ink {weight}" if bold else TEXT),
        rx.el.dd(value, class_name=f"text-right text-base tabular-nums text-ink {weight}"),
        class_name="flex items-baseline justify-between gap-4 py-2",
    )


def _event(event: rx.Var[HistoryLine]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.span(event.what, class_name="text-base font-semibold text-ink"),
            rx.el.span(event.when, class_name="text-sm tabular-nums text-muted"),
            class_name="flex flex-wrap items-baseline justify-between gap-x-4",
        ),
        rx.el.p(event.note, class_name=f"wrap-anywhere {TEXT} empty:hidden"),
        class_name="py-2",
    )

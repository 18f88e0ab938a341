"""The three steps of a signed-in customer's wizard."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.billing.ui.parts import payments_note
from fuel_app.bookings.state.cards import Choice
from fuel_app.bookings.state.choices import GUEST, NEW
from fuel_app.bookings.state.holding import LAPSED
from fuel_app.bookings.state.schedule import FillUpState
from fuel_app.bookings.ui import quote
from fuel_app.bookings.ui.quote import add_card, book_button, kept_until, refusal
from fuel_app.bookings.ui.slots import CHOICE
from fuel_app.customers.ui.fields import vehicle_fields
from fuel_app.customers.ui.places import pin_map, place_fields
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.fields import checkbox
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.wizard import back_link, step_buttons


def _unless_down(*children: Any) -> rx.Component:
    """Return a step, or a way to try again where it could not begin."""
    retry = button("Try again", kind="secondary", on_click=FillUpState.arrive)
    return rx.cond(
        FillUpState.is_down, rx.fragment(refusal(FillUpState), retry), rx.fragment(*children)
    )


def vehicle_step() -> rx.Component:
    add = rx.el.div(
        button("Add a vehicle", kind="quiet", on_click=FillUpState.add_vehicle(NEW)),
        rx.cond(
            FillUpState.has_guest_fill,
            button(
                "Another car (guest fill)", kind="quiet", on_click=FillUpState.add_vehicle(GUEST)
            ),
        ),
        class_name="mt-3 flex flex-wrap gap-2",
    )
    typed = live_form(
        rx.cond(
            FillUpState.adding == GUEST,
            rx.el.p(
                "Your plan's guest fill of this quarter: no fee for a car that is not yours. "
                "The fuel is paid as always.",
                class_name="mb-4 text-base text-muted",
            ),
        ),
        vehicle_fields(FillUpState, own=True),
        _back_to(FillUpState.vehicles, "Choose one of your vehicles", FillUpState.add_vehicle("")),
        step_buttons(back_link(routes.DASHBOARD, "Cancel"), "Next"),
        on_edit=FillUpState.edit_vehicle,
        on_submit=FillUpState.submit_vehicle,
    )
    chosen = rx.el.form(
        _cards(
            "Your vehicles",
            FillUpState.vehicles,
            FillUpState.vehicle_id,
            FillUpState.choose_vehicle,
        ),
        add,
        step_buttons(back_link(routes.DASHBOARD, "Cancel"), "Next"),
        on_submit=FillUpState.submit_vehicle,
    )
    return _unless_down(refusal(FillUpState), rx.cond(FillUpState.adding != "", typed, chosen))


def place_step() -> rx.Component:
    buttons = step_buttons(back_link(routes.SCHEDULE), "Next", busy=FillUpState.busy)
    typed = live_form(
        place_fields(FillUpState),
        pin(FillUpState),
        outside(FillUpState),
        checkbox(
            "Save this address for future fill-ups",
            "save",
            form=FillUpState._place_form,
            default_checked=FillUpState.save_address,
            on_change=FillUpState.keep_address,
        ),
        _back_to(FillUpState.places, "Choose one of your addresses", FillUpState.add_place(False)),
        buttons,
        on_edit=FillUpState.edit_place,
        on_submit=FillUpState.submit_place,
    )
    chosen = rx.el.form(
        _cards(
            "Your addresses", FillUpState.places, FillUpState.place_id, FillUpState.choose_place
        ),
        button(
            "Add an address", kind="quiet", on_click=FillUpState.add_place(True), class_name="mt-3"
        ),
        pin(FillUpState),
        outside(FillUpState),
        buttons,
        on_submit=FillUpState.submit_place,
    )
    return _unless_down(refusal(FillUpState), rx.cond(FillUpState.adding_place, typed, chosen))


def pin(state: Any) -> rx.Component:
    """Return the map for the pin of a place whose position is approximate."""
    return rx.cond(
        state.pin.length() > 0,
        rx.el.div(
            rx.el.p(
                state.pin_note,
                role="status",
                class_name="mb-2 text-base font-semibold text-ink empty:hidden",
            ),
            pin_map(state, pin=state.pin, on_move=state.put_pin),
            class_name="mt-4",
        ),
    )


def outside(state: Any) -> rx.Component:
    """Return the way to the waitlist from a place that we do not fill at yet."""
    return rx.cond(
        state.is_outside,
        rx.el.div(
            rx.el.p("We write to you when we open there.", class_name="text-base text-ink"),
            button("Join the waitlist", kind="secondary", on_click=state.join_waitlist),
            role="status",
            class_name="my-2 flex flex-wrap items-center justify-between gap-3 rounded-control "
            "bg-seafoam p-3",
        ),
    )


def time_step() -> rx.Component:
    act = rx.cond(
        FillUpState.has_card, book_button("Schedule Service", FillUpState), add_card(FillUpState)
    )
    is_held = (FillUpState.hold != LAPSED) & (FillUpState.held_slot == FillUpState.slot)
    return _unless_down(
        payments_note("mb-3"),
        rx.el.div(
            rx.cond(
                (FillUpState.held_slot != "") & is_held,
                kept_until(FillUpState),
                rx.cond(
                    ~FillUpState.has_card,
                    rx.el.p(
                        "A card is added on the secure page of our payment provider. "
                        "We keep your time for you meanwhile.",
                        class_name="text-base text-muted",
                    ),
                ),
            ),
            role="status",
            class_name="mb-3 empty:hidden",
        ),
        quote.time_step(FillUpState, back=routes.SCHEDULE_LOCATION, act=act),
    )


def _back_to(own: rx.Var[list[Choice]], text: str, on_click: Any) -> rx.Component:
    return rx.cond(
        own.length() > 0, button(text, kind="quiet", on_click=on_click, class_name="mt-3")
    )


def _cards(
    title: str, options: rx.Var[list[Choice]], chosen: Any, on_choose: Callable[..., Any]
) -> rx.Component:
    def card(option: rx.Var[Choice]) -> rx.Component:
        return rx.el.label(
            rx.el.input(
                type="radio",
                name=title,
                value=option.id,
                checked=chosen == option.id,
                on_change=on_choose(option.id),
                class_name="h-5 w-5 shrink-0 accent-gulf",
            ),
            rx.el.span(
                rx.el.span(option.title, class_name="block text-base font-bold text-ink"),
                rx.el.span(option.details, class_name="block text-base text-muted"),
                class_name="min-w-0 wrap-anywhere",
            ),
            key=option.id,
            class_name=f"flex min-h-16 items-center gap-4 p-4 {CHOICE}",
        )

    return rx.el.fieldset(
        rx.el.legend(title, class_name="sr-only"),
        rx.foreach(options, card),
        class_name="flex flex-col gap-3",
    )

"""The steps of both wizards: a signed-in customer's, and a guest's with its payment page."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.billing.rules.corrections import REASON_MAX
from fuel_app.billing.ui import payments_note
from fuel_app.bookings.state.cards import Choice
from fuel_app.bookings.state.slots import LAPSED
from fuel_app.bookings.ui import (
    add_card,
    book_button,
    car_ticks,
    choice_card,
    kept_until,
    refusal,
    summary,
    time_step,
    wait_button,
)
from fuel_app.customers.rules.sign_up import NOTES_MAX
from fuel_app.customers.ui.fields import contact_fields, own_vehicle_fields
from fuel_app.customers.ui.locations import own_location_fields
from fuel_app.kit.contact import ZIP_DIGITS
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.cards import H2, TEXT
from fuel_app.kit.ui.fields import bound, checkbox, error_text, field, field_id, textarea_field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.map import pin_map
from fuel_app.kit.ui.wizard import back_link, step_buttons
from fuel_app.scheduling.state.wizards import (
    BOOK_BUTTON,
    GUEST,
    GUEST_FORM,
    NEW,
    NEXT_BUTTON,
    OFFER_FORM,
    PIN_SET,
    FillUpState,
    GuestFillState,
)


def _unless_down(*children: Any) -> rx.Component:
    """Return a step, or a way to try again where it could not begin."""
    retry = button("Try again", kind="secondary", on_click=FillUpState.arrive)
    return rx.cond(
        FillUpState.is_down, rx.fragment(refusal(FillUpState), retry), rx.fragment(*children)
    )


def own_vehicle_step() -> rx.Component:
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
        own_vehicle_fields(FillUpState, own=True),
        _back_to(FillUpState.vehicles, "Choose one of your vehicles", FillUpState.add_vehicle("")),
        step_buttons(back_link(routes.DASHBOARD, "Cancel"), "Next"),
        on_edit=FillUpState.edit_vehicle,
        on_submit=FillUpState.submit_vehicle,
    )
    chosen = rx.el.form(
        car_ticks(FillUpState),
        add,
        step_buttons(back_link(routes.DASHBOARD, "Cancel"), "Next", id=NEXT_BUTTON),
        on_submit=FillUpState.submit_vehicle,
    )
    return _unless_down(refusal(FillUpState), rx.cond(FillUpState.adding != "", typed, chosen))


def own_location_step() -> rx.Component:
    buttons = step_buttons(back_link(routes.SCHEDULE), "Next", busy=FillUpState.busy)
    typed = live_form(
        own_location_fields(FillUpState),
        pin(FillUpState),
        outside(FillUpState),
        checkbox(
            "Save this address for future fill-ups",
            "save",
            form=FillUpState._location_form,
            default_checked=FillUpState.save_address,
            on_change=FillUpState.keep_address,
        ),
        _back_to(
            FillUpState.places, "Choose one of your addresses", FillUpState.add_location(False)
        ),
        buttons,
        on_edit=FillUpState.edit_location,
        on_submit=FillUpState.submit_location,
    )
    chosen = rx.el.form(
        _cards(
            "Your addresses", FillUpState.places, FillUpState.place_id, FillUpState.choose_location
        ),
        button(
            "Add an address",
            kind="quiet",
            on_click=FillUpState.add_location(True),
            class_name="mt-3",
        ),
        rx.el.div(
            textarea_field(
                "Note for this visit",
                "notes",
                form=FillUpState._location_form,
                error=FillUpState.location_errors["notes"],
                optional=True,
                hint="Where the car is today, how to find it.",
                rows=2,
                max_length=NOTES_MAX,
                default_value=FillUpState.visit_note,
            ),
            key=FillUpState.place_id,
            class_name="mt-3",
        ),
        pin(FillUpState),
        outside(FillUpState),
        buttons,
        on_submit=FillUpState.submit_location,
    )
    return _unless_down(refusal(FillUpState), rx.cond(FillUpState.adding_location, typed, chosen))


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
            rx.cond(
                state.pin_note != PIN_SET,
                button(
                    "It is right here",
                    kind="secondary",
                    on_click=state.put_pin(state.pin[0], state.pin[1]),
                    class_name="mt-2 max-sm:w-full",
                ),
            ),
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


def own_time_step() -> rx.Component:
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
        time_step(
            FillUpState,
            back=routes.SCHEDULE_LOCATION,
            act=act,
            beside=partial(wait_button, FillUpState),
        ),
    )


def _back_to(own: rx.Var[list[Choice]], text: str, on_click: Any) -> rx.Component:
    return rx.cond(
        own.length() > 0, button(text, kind="quiet", on_click=on_click, class_name="mt-3")
    )


def _cards(
    title: str, options: rx.Var[list[Choice]], chosen: Any, on_choose: Callable[..., Any]
) -> rx.Component:
    def card(option: rx.Var[Choice]) -> rx.Component:
        pick = rx.el.input(
            type="radio",
            name=title,
            value=option.id,
            checked=chosen == option.id,
            on_change=on_choose(option.id),
            class_name="h-5 w-5 shrink-0 accent-gulf",
        )
        return choice_card(option, pick)

    return rx.el.fieldset(
        rx.el.legend(title, class_name="sr-only"),
        rx.foreach(options, card),
        class_name="flex flex-col gap-3",
    )


_bound = partial(
    bound, form=GUEST_FORM, errors=GuestFillState.contact_errors, values=GuestFillState.contact
)
_PAYMENT_NOTE = "payment-note"


def guest_contact_step() -> rx.Component:
    return rx.fragment(
        rx.cond(
            GuestFillState.is_desk,
            rx.el.p(
                "For a caller without an account. The link to the booking is mailed to them: "
                "there they add a card and accept the terms.",
                class_name="mb-4 rounded-control bg-seafoam p-3 text-base text-ink",
            ),
        ),
        rx.cond(
            SessionState.is_person & ~GuestFillState.is_desk,
            rx.el.p(
                "You are signed in. ",
                rx.el.a("Schedule a fill-up", href=routes.SCHEDULE, class_name="link"),
                " with your own vehicles and addresses.",
                class_name="mb-4 rounded-control bg-seafoam p-3 text-base text-ink",
            ),
        ),
        refusal(GuestFillState),
        _first_offer(),
        live_form(
            rx.el.div(
                contact_fields(_bound),
                rx.el.h2("The place", class_name=f"mt-2 {H2}"),
                rx.el.div(own_location_fields(GuestFillState), key=GuestFillState.edition),
                pin(GuestFillState),
                outside(GuestFillState),
                rx.cond(GuestFillState.is_desk, rx.fragment(), _terms()),
                class_name="flex flex-col gap-4",
            ),
            step_buttons(rx.fragment(), "Next", busy=GuestFillState.busy),
            on_edit=GuestFillState.edit_contact,
            on_submit=GuestFillState.submit_contact,
        ),
    )


def _terms() -> rx.Component:
    return rx.el.div(
        checkbox(
            rx.fragment("I accept the ", rx.el.a("terms", href=routes.TERMS, class_name="link")),
            "terms",
            form=GUEST_FORM,
            default_checked=GuestFillState.accepts_terms,
            on_change=GuestFillState.accept_terms,
            aria_describedby=f"{field_id(GUEST_FORM, 'terms')}-error",
        ),
        error_text(f"{field_id(GUEST_FORM, 'terms')}-error", GuestFillState.terms_error),
    )


def _first_offer() -> rx.Component:
    """Return what a fill costs in the guest's ZIP and when we can come; else ask for the ZIP."""
    state = GuestFillState
    return rx.el.div(
        rx.el.p(
            state.offer,
            role="status",
            class_name="text-pretty text-base font-semibold text-ink empty:hidden",
        ),
        rx.cond(
            state.offer == "",
            rx.el.form(
                field(
                    "Where is your car? ZIP",
                    "zip_code",
                    form=OFFER_FORM,
                    error=state.offer_error,
                    default_value=state.place["zip_code"],
                    input_mode="numeric",
                    auto_complete="postal-code",
                    max_length=ZIP_DIGITS,
                ),
                button("See price and times", kind="secondary", type="submit"),
                on_submit=state.check_zip,
                no_validate=True,
                class_name="grid items-start gap-3 sm:grid-cols-[1fr_auto] sm:[&>button]:mt-6",
            ),
        ),
        class_name="mb-6 rounded-card bg-seafoam p-4",
    )


def guest_vehicle_step() -> rx.Component:
    state = GuestFillState
    first = rx.el.p(
        "The first car: ",
        rx.el.span(state.first_car, class_name="font-bold text-ink wrap-anywhere"),
        button("Leave it out", kind="quiet", on_click=state.remove_car),
        class_name="mb-4 flex flex-wrap items-center gap-2 rounded-control bg-seafoam px-3 "
        "py-1 text-base text-ink",
    )
    second = button(
        "Fill a second car there, too", kind="quiet", on_click=state.add_car, class_name="mt-3"
    )
    return rx.fragment(
        refusal(state),
        rx.cond(state.first_car != "", first),
        rx.el.div(
            live_form(
                own_vehicle_fields(state, photo=False, own=True),
                rx.cond(state.first_car == "", second),
                step_buttons(back_link(routes.ONE_TIME_FILL), "Next"),
                on_edit=state.edit_vehicle,
                on_submit=state.submit_vehicle,
            ),
            key=state.first_car,
        ),
    )


def guest_time_step() -> rx.Component:
    act = submit_button("Continue to payment", busy=GuestFillState.busy, busy_text="Please wait...")
    return time_step(GuestFillState, back=routes.ONE_TIME_FILL_VEHICLE, act=act)


def guest_payment_step() -> rx.Component:
    return rx.fragment(
        _slot_hold(),
        rx.el.form(
            summary(GuestFillState),
            rx.cond(GuestFillState.is_desk, _callers_card(), _card()),
            rx.el.div(refusal(GuestFillState), class_name="mt-4"),
            rx.el.div(
                back_link(routes.ONE_TIME_FILL_SCHEDULE),
                rx.cond(
                    GuestFillState.has_card | GuestFillState.is_desk,
                    book_button(
                        f"Book · {GuestFillState.price.total}",
                        GuestFillState,
                        aria_describedby=_PAYMENT_NOTE,
                        id=BOOK_BUTTON,
                    ),
                    add_card(GuestFillState),
                ),
                class_name="mt-4 flex items-center justify-between gap-3",
            ),
            on_submit=GuestFillState.book,
        ),
    )


def _card() -> rx.Component:
    return rx.fragment(
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
    )


def _callers_card() -> rx.Component:
    """Return what becomes of the payment of a caller, and the field for the reason."""
    return rx.fragment(
        rx.el.h2("Payment", class_name=f"mt-6 {H2}"),
        rx.el.p(
            "The caller adds the card by the mailed link, until the morning of the fill-up. "
            "Without one it is cancelled free of charge. Take no card number on the phone.",
            id=_PAYMENT_NOTE,
            class_name=f"mt-1 mb-4 {TEXT}",
        ),
        field(
            "Reason",
            "reason",
            form=GUEST_FORM,
            hint="It stays in the booking's history, such as 'called, no account'",
            max_length=REASON_MAX + 1,
            auto_complete="off",
        ),
    )


def _slot_hold() -> rx.Component:
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

"""The dashboard's cards of when a customer's cars are due, and of the seats that are held."""

import reflex as rx

from fuel_app.forecasts.rules.due_bookings import TERMS, TITLE
from fuel_app.forecasts.state import CarLine, DueState, SeatLine
from fuel_app.kit.ui.button import button, line_button
from fuel_app.kit.ui.cards import GAP, H2, TEXT, card
from fuel_app.kit.ui.fields import switch


def held_seats() -> rx.Component:
    """Return each seat that is held for a car, to confirm or to skip; nothing where none is."""
    return rx.fragment(rx.foreach(DueState.seats, _seat))


def _seat(seat: rx.Var[SeatLine]) -> rx.Component:
    of_car = rx.el.span(f" {seat.car}", class_name="sr-only")
    return card(
        rx.el.h2(f"A seat is held for your {seat.car}", class_name=H2),
        rx.el.p(seat.when, class_name="mt-1 text-base font-semibold text-ink"),
        rx.el.p(seat.place, class_name="text-base text-ink"),
        rx.el.p(seat.price, class_name="text-base text-ink"),
        rx.el.p(seat.until, class_name=f"mt-2 text-pretty {TEXT}"),
        rx.el.div(
            rx.cond(
                seat.may_confirm,
                button("Confirm", of_car, on_click=DueState.confirm(seat.id)),
            ),
            button("Skip", of_car, kind="secondary", on_click=DueState.skip(seat.id)),
            class_name="mt-4 flex flex-wrap gap-3 max-sm:[&>button]:w-full",
        ),
        key=seat.id,
        class_name=GAP,
    )


def due_cars() -> rx.Component:
    """Return each car with its day and span; nothing before the first fill."""
    return rx.cond(
        DueState.cars.length() > 0,
        card(
            rx.el.h2("Next fill-up by car", class_name=H2),
            rx.el.ul(rx.foreach(DueState.cars, _car), class_name="mt-2 divide-y divide-line"),
            rx.cond(DueState.may_switch, rx.el.p(TERMS, class_name=f"mt-3 text-pretty {TEXT}")),
            class_name=GAP,
        ),
    )


def _car(car: rx.Var[CarLine]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.h3(car.title, class_name="text-base font-semibold text-ink"),
            rx.el.p(car.when, class_name="text-base text-ink"),
            rx.el.p(car.span, class_name=f"{TEXT} empty:hidden"),
            class_name="min-w-0 grow basis-56 break-words",
        ),
        rx.cond(car.may_tell, _button(car)),
        rx.cond(
            DueState.may_switch,
            rx.el.div(
                switch(
                    rx.fragment(TITLE, rx.el.span(f" for {car.title}", class_name="sr-only")),
                    car.hint,
                    form="due",
                    name=car.id,
                    on=car.books_when_due,
                    on_click=DueState.toggle(car.id),
                ),
                class_name="-mx-2 w-[calc(100%+1rem)]",
            ),
        ),
        key=car.id,
        class_name="flex flex-wrap items-center justify-between gap-x-4 py-3",
    )


def _button(car: rx.Var[CarLine]) -> rx.Component:
    wraps = "max-sm:-ml-5"  # below the text
    return rx.cond(  # one button for React: it keeps the focus
        car.is_elsewhere,
        line_button("Undo", car.title, on_click=DueState.undo_elsewhere(car.id), class_name=wraps),
        line_button(
            "Filled elsewhere",
            car.title,
            on_click=DueState.tell_elsewhere(car.id),
            class_name=wraps,
        ),
    )

"""The dashboard's card of when a customer's cars are due."""

import reflex as rx

from fuel_app.forecasts.state import CarLine, DueState
from fuel_app.kit.ui.button import line_button
from fuel_app.kit.ui.cards import GAP, H2, TEXT, card


def due_cars() -> rx.Component:
    """Return each car with its day and span; nothing before the first fill."""
    return rx.cond(
        DueState.cars.length() > 0,
        card(
            rx.el.h2("Next fill-up by car", class_name=H2),
            rx.el.ul(rx.foreach(DueState.cars, _car), class_name="mt-2 divide-y divide-line"),
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

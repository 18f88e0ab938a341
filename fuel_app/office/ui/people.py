"""What the people's screen says of the work of a technician."""

from typing import Any

import reflex as rx

from fuel_app.office.state.technician_routes import TechnicianRoutesState


def shifts_ahead() -> rx.Component:
    """Name the shifts of the person whom a dialog is about; nothing without any."""
    shifts = TechnicianRoutesState.shifts_ahead
    return rx.cond(
        shifts.length() > 0,
        rx.el.div(
            rx.el.p("Shifts of theirs that are not over:", class_name="font-semibold text-ink"),
            rx.el.ul(
                rx.foreach(shifts, lambda line: rx.el.li(line, key=line)),
                class_name="mt-1 list-disc space-y-1 pl-5",
            ),
            rx.el.p(
                "These routes stay, and nobody drives them. Choose another technician under "
                "Shifts on the dispatch board, or move their stops.",
                class_name="mt-2",
            ),
            class_name="rounded-control bg-[#FFF0CC] px-3 py-2 text-base text-ink",
        ),
    )


def on_ask(person_id: Any) -> rx.event.EventSpec:
    """Return the event that reads the shifts of a person."""
    return TechnicianRoutesState.show(person_id)

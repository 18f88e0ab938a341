"""The modal's frame and the buttons that open it."""

import reflex as rx

from fuel_app.joining.state.waitlist import WaitlistState
from fuel_app.joining.ui.confirmation import confirmation
from fuel_app.joining.ui.form import waitlist_form
from fuel_app.joining.ui.picker import neighborhood_picker
from fuel_app.kit.ui.button import Kind, button
from fuel_app.kit.ui.dialog import dialog


def join_button(
    text: str = "Join Waitlist", kind: Kind = "primary", class_name: str = ""
) -> rx.Component:
    return button(text, kind=kind, class_name=class_name, on_click=WaitlistState.show(True))


def waitlist_modal() -> rx.Component:
    return dialog(
        rx.match(
            WaitlistState.stage,
            ("picker", neighborhood_picker()),
            ("joined", confirmation()),
            waitlist_form(),
        ),
        title=rx.match(
            WaitlistState.stage,
            ("picker", "Find your neighborhood"),
            ("joined", "You're on the List!"),
            "Join the Waitlist",
        ),
        description=rx.match(
            WaitlistState.stage,
            (
                "picker",
                "Your spot is saved. Now team up with your neighbors: the more of you join, "
                "the less everyone pays.",
            ),
            ("joined", "We will write to you as soon as we start filling up in your neighborhood."),
            "Your first fill-up is free. It takes half a minute.",
        ),
        open=WaitlistState.opened,
        on_open_change=WaitlistState.show,
    )

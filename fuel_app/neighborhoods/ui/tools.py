"""The dialogs of one neighborhood: rename it, merge another into it, change its pioneer."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import field, select_field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.neighborhoods.state.detail import NeighborhoodState
from fuel_app.neighborhoods.state.tools import FORM, Choice, NeighborhoodToolsState


def neighborhood_tools() -> rx.Component:
    """Every dialog; at most one is open."""
    neighborhood = NeighborhoodState.neighborhood
    return rx.fragment(
        _dialog(
            "rename",
            "Rename neighborhood",
            field(
                "Neighborhood name",
                "name",
                form=FORM,
                error=NeighborhoodToolsState.error,
                default_value=neighborhood.name,
                auto_complete="off",
            ),
            button_text="Rename",
        ),
        _dialog(
            "merge",
            rx.el.span("Merge into ", neighborhood.name),
            rx.cond(
                NeighborhoodToolsState.others.length() > 0,
                select_field(
                    "Neighborhood to merge",
                    "gone",
                    rx.foreach(NeighborhoodToolsState.others, _choice),
                    form=FORM,
                    error=NeighborhoodToolsState.error,
                    hint="Its members move here and its join link leads here. "
                    f"The name {neighborhood.name} stays, and so does its pioneer, if it has one.",
                    placeholder="Select a neighborhood",
                ),
                rx.el.p(
                    f"There is no other neighborhood in {neighborhood.zip_code}.",
                    class_name="text-base text-muted",
                ),
            ),
            button_text="Merge",
            usable=NeighborhoodToolsState.others.length() > 0,
        ),
        _dialog(
            "pioneer",
            "Change pioneer",
            field(
                "Member's email",
                "email",
                form=FORM,
                error=NeighborhoodToolsState.error,
                hint="This member becomes the pioneer. The present one stays a member.",
                default_value=NeighborhoodToolsState.email,
                type="email",
                auto_complete="off",
            ),
            button_text="Make pioneer",
        ),
    )


def _choice(choice: rx.Var[Choice]) -> rx.Component:
    return rx.el.option(choice.text, value=choice.id)


def _dialog(
    name: str, title: Any, content: rx.Component, *, button_text: str, usable: Any = True
) -> rx.Component:
    return dialog(
        live_form(
            content,
            rx.el.div(
                button("Cancel", kind="secondary", on_click=NeighborhoodToolsState.close(False)),
                rx.cond(
                    usable,
                    submit_button(
                        button_text, busy=NeighborhoodToolsState.busy, busy_text="Working..."
                    ),
                ),
                class_name="mt-6 flex justify-end gap-3",
            ),
            on_edit=NeighborhoodToolsState.edit,
            on_submit=NeighborhoodToolsState.submit,
        ),
        title=title,
        open=NeighborhoodToolsState.opened == name,
        on_open_change=NeighborhoodToolsState.close,
        closes_when_left=True,
    )

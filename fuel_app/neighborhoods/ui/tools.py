"""The dialogs of one group: rename it, merge another into it, change its pioneer."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import field, select_field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.neighborhoods.state.detail import NeighborhoodState
from fuel_app.neighborhoods.state.tools import FORM, Choice, GroupToolsState


def group_tools() -> rx.Component:
    """Every dialog; at most one is open."""
    group = NeighborhoodState.group
    return rx.fragment(
        _dialog(
            "rename",
            "Rename neighborhood",
            field(
                "Neighborhood name",
                "name",
                form=FORM,
                error=GroupToolsState.error,
                default_value=group.name,
                auto_complete="off",
            ),
            on_submit=GroupToolsState.rename,
            button_text="Rename",
        ),
        _dialog(
            "merge",
            rx.el.span("Merge into ", group.name),
            rx.cond(
                GroupToolsState.others.length() > 0,
                select_field(
                    "Neighborhood to merge",
                    "gone",
                    rx.foreach(GroupToolsState.others, _choice),
                    form=FORM,
                    error=GroupToolsState.error,
                    hint="Its members move here and its join link leads here. "
                    f"The name {group.name} stays, and so does its pioneer, if it has one.",
                    placeholder="Select a neighborhood",
                ),
                rx.el.p(
                    f"There is no other neighborhood in {group.zip_code}.",
                    class_name="text-base text-muted",
                ),
            ),
            on_submit=GroupToolsState.merge,
            button_text="Merge",
            usable=GroupToolsState.others.length() > 0,
        ),
        _dialog(
            "pioneer",
            "Change pioneer",
            field(
                "Member's email",
                "email",
                form=FORM,
                error=GroupToolsState.error,
                hint="This member becomes the pioneer. The present one stays a member.",
                default_value=GroupToolsState.email,
                type="email",
                auto_complete="off",
            ),
            on_submit=GroupToolsState.hand_over,
            button_text="Make pioneer",
        ),
    )


def _choice(choice: rx.Var[Choice]) -> rx.Component:
    return rx.el.option(choice.text, value=choice.id)


def _dialog(
    name: str,
    title: Any,
    content: rx.Component,
    *,
    on_submit: Any,
    button_text: str,
    usable: Any = True,
) -> rx.Component:
    return dialog(
        live_form(
            content,
            rx.el.div(
                button("Cancel", kind="secondary", on_click=GroupToolsState.close(False)),
                rx.cond(
                    usable,
                    submit_button(button_text, busy=GroupToolsState.busy, busy_text="Working..."),
                ),
                class_name="mt-6 flex justify-end gap-3",
            ),
            on_edit=GroupToolsState.edit,
            on_leave=GroupToolsState.leave,
            on_submit=on_submit,
        ),
        title=title,
        open=GroupToolsState.opened == name,
        on_open_change=GroupToolsState.close,
    )

"""The modal's second step: the neighborhood picker."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.joining.state.picker import CREATE_BUTTON
from fuel_app.kit.ui.button import button, icon_button, submit_button
from fuel_app.kit.ui.cards import alert, badge
from fuel_app.kit.ui.fields import field, select_field
from fuel_app.neighborhoods.rules import NAME_MAX, TIERS, members_range
from fuel_app.neighborhoods.state.card import NeighborhoodCard
from fuel_app.neighborhoods.ui.progress import tier_progress


def neighborhood_picker(state: Any) -> rx.Component:
    """Return the picker of a `NeighborhoodPicker` with its events."""
    found = (state.neighborhoods.length() > 0) | (state.search != "")
    return rx.el.div(
        _tier_ladder(),
        rx.el.div(alert(state.refusal), rx.cond(found, _available(state), _none_yet(state))),
        rx.cond(
            state.creating,
            _create_form(state),
            rx.cond(
                found,
                button(
                    rx.icon("plus", size=20, aria_hidden=True),
                    "Create New",
                    kind="quiet",
                    id=CREATE_BUTTON,
                    class_name="self-center",
                    on_click=state.start_creating(True),
                ),
            ),
        ),
        class_name="flex flex-col gap-4",
    )


def _tier_ladder() -> rx.Component:
    """Return the savings of the three tiers."""
    return rx.el.ol(
        *[
            rx.el.li(
                rx.el.span(
                    members_range(tier),
                    rx.el.span(" neighbors", class_name="max-sm:sr-only"),
                    class_name="text-sm font-semibold text-muted",
                ),
                rx.el.span(
                    f"{tier.monthly_discount.short} off",
                    class_name="text-lg font-bold text-gulf-deep",
                ),
                rx.el.span(f"{tier.yearly_discount.short} a year", class_name="text-sm text-ink"),
                class_name="flex flex-1 flex-col rounded-control bg-seafoam px-2 py-2 sm:px-3",
            )
            for tier in TIERS[1:]
        ],
        aria_label="Monthly discount for each member",
        class_name="flex gap-2",
    )


def _available(state: Any) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h3("Available Neighborhoods", class_name="text-lg font-bold text-ink"),
            icon_button("refresh-cw", "Refresh the list", on_click=state.refresh),
            class_name="flex items-center justify-between",
        ),
        rx.cond(state.many, _search(state)),
        rx.el.ul(
            rx.foreach(state.neighborhoods, partial(_neighborhood, state)),
            class_name="flex max-h-64 flex-col gap-2 overflow-y-auto p-1 -m-1",
        ),
        select_field(
            "Your neighborhood",
            "neighborhood_id",
            rx.foreach(
                state.neighborhoods,
                lambda neighborhood: rx.el.option(neighborhood.name, value=neighborhood.id),
            ),
            form="picker",
            placeholder="Select a neighborhood to join",
            value=state.chosen,
            on_change=state.choose,
        ),
        button(
            "Join Neighborhood",
            disabled=state.busy | (state.chosen == ""),
            on_click=state.join,
            class_name="w-full",
        ),
        class_name="flex flex-col gap-3",
    )


def _search(state: Any) -> rx.Component:
    return rx.el.div(
        field(
            "Search by name",
            "search",
            form="picker",
            type="search",
            max_length=NAME_MAX,
            auto_complete="off",
            default_value=state.search,
            on_change=state.find.debounce(300),
        ),
        rx.el.p(
            rx.cond(
                state.neighborhoods.length() == 0,
                "No neighborhood here has this in its name.",
                rx.cond(state.search == "", "There are more than are listed here.", ""),
            ),
            role="status",
            class_name="mt-1 text-sm text-muted",
        ),
    )


def _neighborhood(state: Any, neighborhood: rx.Var[NeighborhoodCard]) -> rx.Component:
    return rx.el.li(
        rx.el.button(
            rx.el.span(
                rx.el.span(
                    neighborhood.name, class_name="min-w-0 break-words font-semibold text-ink"
                ),
                badge(neighborhood.neighbors, neighborhood.color),
                class_name="flex items-start justify-between gap-3",
            ),
            tier_progress(neighborhood),
            rx.el.span(
                rx.el.span(neighborhood.tier, class_name="font-semibold text-ink"),
                f" · {neighborhood.next_step}",
                class_name="text-sm text-muted",
            ),
            type="button",
            aria_pressed=state.chosen == neighborhood.id,
            on_click=state.choose(neighborhood.id),
            class_name="flex w-full cursor-pointer flex-col gap-2 rounded-card border border-line "
            "p-3 text-left transition-colors duration-150 hover:border-gulf "
            "aria-[pressed=true]:border-gulf aria-[pressed=true]:bg-seafoam",
        )
    )


def _none_yet(state: Any) -> rx.Component:
    return rx.cond(
        state.creating,
        rx.fragment(),
        rx.el.div(
            rx.el.p(
                f"No neighborhoods found in {state.zip_code}",
                class_name="text-balance text-lg font-semibold text-ink",
            ),
            rx.el.p(
                "Be its pioneer: start a group and send the link to your neighbors.",
                class_name="text-base text-muted",
            ),
            button(
                "Create the first neighborhood",
                id=CREATE_BUTTON,
                on_click=state.start_creating(True),
            ),
            class_name="flex flex-col items-center gap-3 rounded-card bg-sand px-4 py-8 "
            "text-center",
        ),
    )


def _create_form(state: Any) -> rx.Component:
    return rx.el.form(
        field(
            "Neighborhood name",
            "name",
            form="neighborhood",
            error=state.create_error,
            hint=f"In {state.zip_code}. Use the name that your neighbors use.",
            max_length=NAME_MAX,
            auto_complete="off",
            auto_focus=True,
        ),
        rx.el.div(
            button("Cancel", kind="secondary", on_click=state.cancel_creating),
            submit_button("Create Neighborhood", busy=state.busy, busy_text="Creating..."),
            class_name="mt-4 flex flex-col-reverse gap-3 sm:flex-row sm:justify-end",
        ),
        on_submit=state.create,
        no_validate=True,
        class_name="rounded-card border border-line p-4",
    )

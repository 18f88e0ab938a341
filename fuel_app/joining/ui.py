"""The waitlist modal: its form, the neighborhood picker, its confirmation, and what opens it."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.joining.state import CREATE_BUTTON, FORM, ZIP_FORM, WaitlistState
from fuel_app.kit.ui.button import (
    Kind,
    button,
    button_class,
    icon_button,
    share_button,
    submit_button,
)
from fuel_app.kit.ui.cards import alert, badge
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import bound, field, select_field
from fuel_app.kit.ui.forms import live_form
from fuel_app.neighborhoods.rules import NAME_MAX, TIERS, members_range
from fuel_app.neighborhoods.state import NeighborhoodCard
from fuel_app.neighborhoods.ui import tier_progress
from fuel_app.settings import settings


def neighborhood_picker(state: Any) -> rx.Component:
    """Return the picker of a `NeighborhoodPicker` with its events."""
    has_some = (state.neighborhoods.length() > 0) | (state.search != "")
    return rx.el.div(
        _tier_ladder(),
        rx.el.div(alert(state.refusal), rx.cond(has_some, _available(state), _none_yet(state))),
        rx.cond(
            state.creating,
            _create_form(state),
            rx.cond(
                has_some,
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


def join_button(
    text: str = "Join Waitlist", kind: Kind = "primary", class_name: str = ""
) -> rx.Component:
    return button(text, kind=kind, class_name=class_name, on_click=WaitlistState.show(True))


def waitlist_modal(up_to: str) -> rx.Component:
    """Return the modal; `up_to` names the cap of the free first fill that it promises."""
    return dialog(
        rx.cond(
            WaitlistState.reason != "",
            rx.el.p(
                WaitlistState.reason,
                role="status",
                class_name="mb-4 rounded-control bg-seafoam p-4 text-base text-ink",
            ),
        ),
        rx.match(
            WaitlistState.stage,
            ("picker", neighborhood_picker(WaitlistState)),
            ("joined", _confirmation()),
            rx.fragment(_not_found(), rx.cond(WaitlistState.asks_zip, _zip_check(), _form())),
        ),
        title=rx.match(
            WaitlistState.stage,
            ("picker", "Find your neighborhood"),
            ("joined", "You're on the List!"),
            rx.cond(WaitlistState.asks_zip, "Do we come to you?", "Join the Waitlist"),
        ),
        description=rx.match(
            WaitlistState.stage,
            (
                "picker",
                "Your spot is saved. Now team up with your neighbors: the more of you join, "
                "the less everyone pays.",
            ),
            ("joined", "We will write to you as soon as we start filling up in your neighborhood."),
            rx.cond(
                WaitlistState.asks_zip,
                "Enter the ZIP of the place where your car is parked.",
                f"Your first fill-up is free, {up_to}. It takes half a minute.",
            ),
        ),
        open=WaitlistState.opened,
        on_open_change=WaitlistState.show,
        closes_when_left=False,  # links lead to it
    )


def _zip_check() -> rx.Component:
    return rx.el.form(
        field(
            "ZIP code",
            "zip_code",
            form=ZIP_FORM,
            error=WaitlistState.zip_error,
            input_mode="numeric",
            auto_complete="postal-code",
            max_length=5,
        ),
        button("Check my ZIP", type="submit", class_name="mt-6 w-full"),
        on_submit=WaitlistState.check_zip,
        no_validate=True,
    )


def _form() -> rx.Component:
    return live_form(
        _invitation(),
        alert(WaitlistState.refusal),
        rx.el.div(
            rx.el.div(
                _field("First name", "first_name", auto_complete="given-name"),
                _field("Last name", "last_name", auto_complete="family-name"),
                class_name="grid grid-cols-2 gap-4",
            ),
            _field("Email", "email", type="email", auto_complete="email"),
            rx.el.div(
                _field("Phone", "phone_number", type="tel", auto_complete="tel-national"),
                _field(
                    "ZIP",
                    "zip_code",
                    hint=_neighborhoods_nearby(),
                    input_mode="numeric",
                    auto_complete="postal-code",
                    max_length=5,
                ),
                class_name="grid grid-cols-2 gap-4",
            ),
            class_name="flex flex-col gap-4",
        ),
        submit_button(
            "Join Waitlist",
            busy=WaitlistState.busy,
            busy_text="Submitting...",
            class_name="mt-6 w-full",
        ),
        rx.el.p(
            "We use this to tell you when we start near you, and never sell it. ",
            rx.el.a(
                "Privacy",
                href=routes.PRIVACY,
                class_name="link",
                on_click=WaitlistState.show(False),  # what was typed waits in the modal
            ),
            class_name="mt-3 text-center text-sm text-muted",
        ),
        on_edit=WaitlistState.edit,
        on_submit=WaitlistState.submit,
    )


def _field(label: str, name: str, **props: Any) -> rx.Component:
    tied = bound(name, form=FORM, errors=WaitlistState.field_errors, values=WaitlistState.form)
    return field(label, **tied, **props)


def _neighborhoods_nearby() -> rx.Component:
    return rx.cond(
        WaitlistState.neighborhoods.length() > 0,
        rx.cond(
            WaitlistState.neighborhoods.length() == 1,
            "1 neighborhood group here",
            rx.cond(
                WaitlistState.many,
                "Many neighborhood groups here",
                f"{WaitlistState.neighborhoods.length()} neighborhood groups here",
            ),
        ),
        "",
    )


def _not_found() -> rx.Component:
    return rx.cond(
        WaitlistState.invitation_missing,
        rx.el.p(
            "Neighborhood not found",
            rx.el.span(
                " The link may be old. Join all the same: you can pick one afterwards.",
                class_name="font-normal",
            ),
            role="status",
            class_name="mb-4 rounded-control bg-[#FFF6E0] p-3 text-base font-semibold text-ink",
        ),
    )


def _invitation() -> rx.Component:
    neighborhood = WaitlistState.invitation
    return rx.cond(
        neighborhood.id != "",
        progress(
            neighborhood,
            rx.el.p(
                "You are invited to ",
                rx.el.strong(neighborhood.name, class_name="break-words"),
                class_name="min-w-0 text-base text-ink",
            ),
            size="text-sm",
            class_name="mb-4",
        ),
    )


def progress(
    neighborhood: Any, heading: rx.Component, *, size: str, class_name: str = ""
) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            heading,
            badge(neighborhood.neighbors, neighborhood.color),
            class_name="flex items-start justify-between gap-3",
        ),
        tier_progress(neighborhood),
        rx.el.p(neighborhood.next_step, class_name=f"{size} text-muted"),
        class_name=f"flex flex-col gap-2 rounded-card bg-seafoam p-4 {class_name}",
    )


def _confirmation() -> rx.Component:
    neighborhood = WaitlistState.joined
    return rx.el.div(
        progress(
            neighborhood,
            rx.el.p(neighborhood.name, class_name="min-w-0 break-words text-lg font-bold text-ink"),
            size="text-base",
        ),
        rx.el.div(
            neighborhood_link(neighborhood, WaitlistState.join_link),
            rx.el.A.create(
                rx.icon("printer", size=18, aria_hidden=True),
                "Print a flyer",
                href=routes.flyer(neighborhood.id),
                target="_blank",
                class_name="mt-1 inline-flex min-h-11 items-center gap-2 text-base font-semibold "
                "text-gulf-deep hover:underline",
            ),
        ),
        _link(
            "Your referral link",
            "referral-link",
            WaitlistState.referral_link,
            text=f"Never visit a gas station again: join {settings.brand_name}.",
            share_text="Share",
        ),
        class_name="flex flex-col gap-5",
    )


def neighborhood_link(neighborhood: Any, url: Any) -> rx.Component:
    """Return a neighborhood's join link with a button that shares it."""
    return _link(
        "Your neighborhood's join link",
        "neighborhood-link",
        url,
        text=f"Join {neighborhood.name} on {settings.brand_name}: the more of us, the less we pay.",
        share_text="Share with neighbors",
    )


def _link(label: str, element_id: str, url: Any, *, text: Any, share_text: str) -> rx.Component:
    return rx.el.div(
        rx.el.label(
            label, html_for=element_id, class_name="mb-1 block text-sm font-semibold text-ink"
        ),
        rx.el.div(
            rx.el.input(
                id=element_id,
                read_only=True,
                value=url,
                class_name="min-h-11 min-w-0 flex-1 rounded-control border border-line bg-sand "
                "px-3 text-sm text-muted",
            ),
            share_button(
                rx.icon("share-2", size=20, aria_hidden=True),
                share_text,
                text=text,
                url=url,
                on_outcome=WaitlistState.shared,
                class_name=button_class("primary", "shrink-0"),
            ),
            class_name="flex flex-col gap-2 sm:flex-row",
        ),
    )

"""The modal's last step: confirmation and links to share."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.joining.state.waitlist import WaitlistState
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.cards import badge
from fuel_app.kit.ui.share import share_button
from fuel_app.neighborhoods.ui.progress import tier_progress
from fuel_app.settings import settings


def confirmation() -> rx.Component:
    neighborhood = WaitlistState.joined
    return rx.el.div(
        rx.el.div(
            rx.el.div(
                rx.el.p(
                    neighborhood.name, class_name="min-w-0 break-words text-lg font-bold text-ink"
                ),
                badge(neighborhood.neighbors, neighborhood.color),
                class_name="flex items-start justify-between gap-3",
            ),
            tier_progress(neighborhood),
            rx.el.p(neighborhood.next_step, class_name="text-base text-muted"),
            class_name="flex flex-col gap-2 rounded-card bg-seafoam p-4",
        ),
        rx.el.div(
            _link(
                "Your neighborhood's join link",
                "neighborhood-link",
                WaitlistState.join_link,
                text=f"Join {neighborhood.name} on {settings.brand_name}: "
                "the more of us, the less we pay.",
                share_text="Share with neighbors",
            ),
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
                class_name=(
                    "min-h-11 min-w-0 flex-1 rounded-control border border-line bg-sand px-3 "
                    "text-sm text-muted"
                ),
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

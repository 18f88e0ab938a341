"""The neighborhood card of Account Settings, once the company is open."""

import reflex as rx

from fuel_app import routes
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.neighborhood import CARD, OwnNeighborhoodState
from fuel_app.joining.ui.picker import neighborhood_picker
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.neighborhoods.ui.progress import tier_progress


def own_neighborhood() -> rx.Component:
    """Return the card: the neighborhood, or the picker for those of the ZIP."""
    return rx.cond(
        CustomerState.is_own & CustomerState.is_customer & OwnNeighborhoodState.ready,
        panel(
            "Neighborhood",
            rx.el.div(
                rx.cond(
                    OwnNeighborhoodState.card.id != "",
                    _membership(),
                    rx.cond(
                        OwnNeighborhoodState.zip_code != "",
                        neighborhood_picker(OwnNeighborhoodState),
                        rx.el.p(
                            "Add your ZIP code above to see the groups near you.", class_name=TEXT
                        ),
                    ),
                ),
                id=CARD,
                tab_index=-1,
                class_name="mt-4 flex flex-col gap-4",
            ),
            lead="The more neighbors join, the less everyone pays",
        ),
    )


def _membership() -> rx.Component:
    card = OwnNeighborhoodState.card
    return rx.fragment(
        alert(OwnNeighborhoodState.refusal),
        rx.el.div(
            rx.el.div(
                rx.el.p(card.name, class_name="min-w-0 break-words text-lg font-bold text-ink"),
                badge(card.neighbors, card.color),
                class_name="flex items-start justify-between gap-3",
            ),
            tier_progress(card),
            rx.el.p(
                rx.el.span(card.tier, class_name="font-semibold text-ink"),
                rx.cond(
                    OwnNeighborhoodState.saving != "",
                    f" · You save {OwnNeighborhoodState.saving}",
                    " · No discount yet",
                ),
                rx.cond(OwnNeighborhoodState.is_pioneer, " · You are the pioneer", ""),
                class_name=TEXT,
            ),
            rx.el.p(card.next_step, class_name=TEXT),
            class_name="flex flex-col gap-2 rounded-card bg-seafoam p-4",
        ),
        rx.el.div(
            _leave(),
            rx.el.A.create(
                "Print a flyer",
                href=routes.flyer(card.id),
                target="_blank",
                class_name="inline-flex min-h-11 items-center text-base font-semibold "
                "text-gulf-deep hover:underline",
            ),
            class_name="flex flex-wrap items-center gap-x-6 gap-y-2",
        ),
    )


def _leave() -> rx.Component:
    return dialog(
        rx.el.div(
            dismissing(button("Stay", kind="secondary")),
            dismissing(
                button("Leave Neighborhood", kind="danger", on_click=OwnNeighborhoodState.leave)
            ),
            class_name="mt-4 flex flex-wrap justify-end gap-3",
        ),
        trigger=button("Leave Neighborhood", kind="secondary"),
        title=f"Leave {OwnNeighborhoodState.card.name}?",
        description=rx.cond(
            OwnNeighborhoodState.is_pioneer,
            "The group stays without a pioneer, and you no longer share its discount.",
            "You no longer share its discount. You can join again at any time.",
        ),
        width="sm:max-w-md",
    )

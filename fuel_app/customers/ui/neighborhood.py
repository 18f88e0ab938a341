"""The neighborhood card of Account Settings, once the company is open."""

import reflex as rx

from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.neighborhood import CARD, OwnNeighborhoodState
from fuel_app.joining.ui import neighborhood_link, neighborhood_picker, progress
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import TEXT, alert, panel
from fuel_app.kit.ui.dialog import dialog, dismissing


def own_neighborhood() -> rx.Component:
    """Return the card: the neighborhood, or the picker for those of the ZIP."""
    state = OwnNeighborhoodState
    return rx.cond(
        CustomerState.is_own & CustomerState.is_customer & state.ready,
        panel(
            "Neighborhood",
            rx.el.div(
                rx.cond(
                    state.card.id != "",
                    _membership(),
                    rx.cond(
                        state.zip_code != "",
                        neighborhood_picker(state),
                        rx.el.p("Add your ZIP code above to see the groups near you."),
                    ),
                ),
                id=CARD,
                tab_index=-1,
                class_name=f"mt-4 flex flex-col items-start gap-4 {TEXT} [&>*]:w-full",
            ),
            lead="The more neighbors join, the less everyone pays",
        ),
    )


def _membership() -> rx.Component:
    card, saving = OwnNeighborhoodState.card, OwnNeighborhoodState.saving
    confirmed = OwnNeighborhoodState.confirmed
    return rx.fragment(
        alert(OwnNeighborhoodState.refusal),
        progress(
            card,
            rx.el.p(card.name, class_name="min-w-0 break-words text-lg font-bold text-ink"),
            size="text-base",
        ),
        rx.el.p(
            rx.cond(saving != "", f"{saving}. ", "No discount yet. "),
            rx.cond(OwnNeighborhoodState.is_pioneer, "You are the pioneer.", ""),
        ),
        rx.el.p(
            f"{confirmed}. Customers with a verified email count for the discount.",
            class_name="text-sm text-muted",
        ),
        rx.el.div(neighborhood_link(card, OwnNeighborhoodState.join_link)),
        dialog(
            rx.el.div(
                dismissing(button("Stay", kind="secondary")),
                dismissing(button("Leave", kind="danger", on_click=OwnNeighborhoodState.leave)),
                class_name="mt-4 flex flex-wrap justify-end gap-3",
            ),
            trigger=button("Leave Neighborhood", kind="secondary", class_name="sm:!w-auto"),
            title=f"Leave {card.name}?",
            description=rx.cond(
                OwnNeighborhoodState.is_pioneer,
                "The group stays without a pioneer, and you no longer share its discount.",
                "You no longer share its discount. You can join again at any time.",
            ),
            width="sm:max-w-md",
        ),
    )

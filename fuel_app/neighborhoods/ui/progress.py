"""The progress bar of a neighborhood's card, on every screen that shows one."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import progress_bar


def tier_progress(card: Any) -> rx.Component:
    """Show how far the members of a `NeighborhoodCard` are on the way to the next tier."""
    return progress_bar(card.members, card.goal, "Members on the way to the next tier", card.color)

"""Choosing a neighborhood of a ZIP, or founding one: of a visitor and of a customer."""

from collections.abc import Iterable, Sequence

import reflex as rx

from fuel_app.neighborhoods.rules import NAME_MAX, PICKER_LIMIT, NeighborhoodSummary
from fuel_app.neighborhoods.state.card import NeighborhoodCard

CREATE_BUTTON = "picker-create"  # element id


class NeighborhoodPicker(rx.State, mixin=True):
    """The list of a picker; who uses it adds the events."""

    busy: bool = False
    refusal: str = ""
    zip_code: str = ""
    neighborhoods: list[NeighborhoodCard] = []
    many: bool = False  # more exist than are listed
    search: str = ""
    chosen: str = ""
    creating: bool = False
    create_error: str = ""

    def _choose(self, neighborhood_id: object) -> None:
        """Select a listed neighborhood, or none."""
        listed = (each.id for each in self.neighborhoods if each.id == neighborhood_id)
        self.chosen, self.refusal = next(listed, ""), ""

    def _look_for(self, search: object) -> None:
        self.search = search[:NAME_MAX] if isinstance(search, str) else ""

    def _start_creating(self, creating: object) -> None:
        """Show or hide the form for a new neighborhood."""
        self.creating, self.create_error, self.refusal = creating is True, "", ""

    def _list(
        self, found: Sequence[NeighborhoodSummary], first: Iterable[NeighborhoodCard] = ()
    ) -> None:
        """Show what was found, those that invite above it."""
        cards = [NeighborhoodCard.of(each) for each in found[:PICKER_LIMIT]]
        self.many = self.many if self.search else len(found) > PICKER_LIMIT
        above = [] if self.search else [each for each in first if each.id]
        shown = {each.id for each in above}
        self.neighborhoods = above + [each for each in cards if each.id not in shown]

    def _refuse(self, reason: str) -> None:
        """Show a refusal where the form that met it is."""
        self.create_error = reason if self.creating else ""
        self.refusal = "" if self.creating else reason

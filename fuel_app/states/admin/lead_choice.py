"""Which rows of the list are chosen for a change of many."""

import reflex as rx

from fuel_app.accounts.state.session import staff_only
from fuel_app.states.admin.lead_line import LeadLine

MOST = 200  # one by one (their ids fit into an address); beyond that there is 'all that match'


class LeadChoice(rx.State, mixin=True):
    """The chosen rows; they stay chosen while the pages turn."""

    rows: list[LeadLine]
    chosen: dict[str, int] = {}  # by id, the revision that the person has seen
    all_matching: bool = False

    @rx.var
    def page_is_chosen(self) -> bool:
        return bool(self.rows) and all(row.id in self.chosen for row in self.rows)

    @rx.event
    @staff_only
    async def choose(self, lead_id: str):
        """Choose a row, or no longer."""
        row = next((row for row in self.rows if row.id == lead_id), None)
        self.all_matching = False
        if row is None or row.id in self.chosen:
            self.chosen = {key: seen for key, seen in self.chosen.items() if key != lead_id}
        elif len(self.chosen) < MOST:
            self.chosen = self.chosen | {row.id: row.revision}

    @rx.event
    @staff_only
    async def choose_page(self):
        """Choose every row of this page, or none of them any more."""
        here = {row.id: row.revision for row in self.rows}
        others = {key: seen for key, seen in self.chosen.items() if key not in here}
        self.all_matching = False
        if all(key in self.chosen for key in here):
            self.chosen = others
        elif len(others) + len(here) <= MOST:
            self.chosen = others | here

    @rx.event
    @staff_only
    async def choose_all(self):
        """Choose every lead that matches, on whichever page."""
        self.all_matching = True

    @rx.event
    @staff_only
    async def choose_none(self):
        self._choose_none()

    def _choose_none(self) -> None:
        self.chosen, self.all_matching = {}, False

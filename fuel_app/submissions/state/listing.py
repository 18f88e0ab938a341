"""Which leads the list shows, in which order: all of it stands in the page's address."""

from collections.abc import Mapping
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state.session import staff_only
from fuel_app.kit.ui.heading import Headed, Heading
from fuel_app.leads.rules import COMMON_REACH, FILTER_LABELS, SEARCH_MAX, SORTS, LeadPage, LeadQuery
from fuel_app.submissions.service import listing as leads
from fuel_app.submissions.state.address import NEWEST_FIRST, LeadAddress, page_number
from fuel_app.submissions.state.lines import LeadLine

log = structlog.get_logger(__name__)


class LeadList(Headed, rx.State, mixin=True):
    """One page of the list, and how to get to another one."""

    rows: list[LeadLine] = []
    search: str = ""
    search_epoch: int = 0
    type: str = ""
    sort: str = NEWEST_FIRST
    page: int = 1
    pages: int = 1
    summary: str = ""
    loading: bool = True
    failed: bool = False

    _heading: Heading[LeadAddress] = Heading(LeadAddress())
    _typed: str = ""  # in the search box
    _shown: tuple = ()  # which rows are on the screen, as the address has asked

    @rx.var
    def export_address(self) -> str:
        """Where all rows that match can be downloaded, in this order."""
        asked = {"q": self.search, "type": self.type, "sort": self.sort}
        return routes.asking(routes.LEADS_EXPORT, asked)

    @rx.event
    @staff_only
    async def load(self):
        """Show what the address asks for."""
        self._read_address()
        shown = (self.search, self.type, self.sort, self.page)
        self.loading = shown != self._shown
        yield
        await self._refresh()
        self._shown = shown

    @rx.event
    @staff_only
    async def look_for(self, typed: str):
        """Something is typed in the search box."""
        before = self._heading.to.q
        self._typed = typed[:SEARCH_MAX] if isinstance(typed, str) else ""
        if self._typed != before:
            return self._go(q=self._typed, page=1, replace=bool(before))  # Back is not by letters

    @rx.event
    @staff_only
    async def filter_by(self, lead_type: str):
        known = isinstance(lead_type, str) and lead_type in FILTER_LABELS
        return self._go(type=lead_type if known else "", page=1)

    @rx.event
    @staff_only
    async def sort_by(self, column: str):
        """A click on a header: ascending, then descending. Dates start with the newest."""
        if column not in SORTS:
            return None
        sort = self._heading.to.sort
        if sort.removeprefix("-") == column:
            turned = column if sort.startswith("-") else f"-{column}"
            return self._go(sort=turned, page=1)
        return self._go(sort=NEWEST_FIRST if column == "date" else column, page=1)

    @rx.event
    @staff_only
    async def turn_to(self, page: int):
        return self._go(page=page_number(str(page)))

    @rx.event
    @staff_only
    async def jump(self, form: dict[str, Any]):
        """A page number is typed."""
        return self._go(page=page_number(form.get("page") if isinstance(form, Mapping) else ""))

    @rx.event
    @staff_only
    async def clear(self):
        """All leads again."""
        return self._go(q="", type="", page=1)

    def _query(self) -> LeadQuery:
        return LeadQuery.parse(self.search, self.type, self.sort)

    def _read_address(self) -> None:
        at = LeadAddress.read(self.router.url.query_parameters)
        self._arrive(at)
        self.search, self.type, self.sort, self.page = at.q, at.type, at.sort, at.page
        if at.q == self._heading.to.q != self._typed:  # not by typing
            self._typed = at.q
            self.search_epoch += 1

    async def _refresh(self) -> None:
        """Ask again for the page that is shown; what fails is drawn, with a button to try again."""
        try:
            self._show(await leads.page(self._query(), self.page))
            self.failed = False
        except Exception:
            log.exception("leads.list_failed")
            self.rows, self.failed, self.summary = [], True, ""
        self.loading = False

    def _show(self, found: LeadPage) -> None:
        self.rows = [LeadLine.of(row) for row in found.rows]
        self.page, self.pages = found.page, found.pages
        self.summary = _summary(found, filtered=bool(self.search or self.type))


def _summary(found: LeadPage, *, filtered: bool) -> str:
    if not found.counted:
        return (
            f"More than {found.total:,} matches. These are the first {COMMON_REACH:,}: "
            "type more to narrow them down."
        )
    if filtered:
        return f"{found.total:,} {'match' if found.total == 1 else 'matches'}"
    return f"{found.total:,} {'lead' if found.total == 1 else 'leads'}"


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

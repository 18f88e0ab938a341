"""Which leads the list shows, in which order: all of it stands in the page's address."""

from collections.abc import Mapping
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.domain.leads import (
    COMMON_REACH,
    FILTER_LABELS,
    SEARCH_MAX,
    SORTS,
    LeadPage,
    LeadQuery,
)
from fuel_app.services import leads
from fuel_app.states.admin.lead_line import LeadLine
from fuel_app.states.admin.session import staff_only
from fuel_app.states.admin.typing_ahead import TypedAhead

log = structlog.get_logger(__name__)

PAGE_MAX = 10_000_000
NEWEST_FIRST = "-date"


def page_number(value: object) -> int:
    """A page from 1 on; anything that is none is the first."""
    typed = value if isinstance(value, str) else ""
    return min(max(int(typed), 1), PAGE_MAX) if typed.isdecimal() and len(typed) < 9 else 1


class LeadList(rx.State, mixin=True):
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

    _typed: TypedAhead[str] = TypedAhead("")  # in the search box
    _shown: str = ""  # the address whose rows are on the screen

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
        address = self._address()
        self.loading = address != self._shown
        yield
        await self._refresh()
        self._shown = address

    @rx.event
    @staff_only
    async def look_for(self, typed: str):
        """Something is typed in the search box."""
        before, search = self._typed.value, typed[:SEARCH_MAX] if isinstance(typed, str) else ""
        self._typed = self._typed.further(search)
        return self._go(q=search, page=1, replace=bool(before))  # Back is not letter by letter

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
        if self.sort.removeprefix("-") == column:
            turned = column if self.sort.startswith("-") else f"-{column}"
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
        asked = self.router.url.query_parameters
        self.search = asked.get("q", "")[:SEARCH_MAX]
        before, self._typed = self._typed, self._typed.arrived(self.search)
        if self._typed.value != before.value:
            self.search_epoch += 1
        query = LeadQuery.parse("", asked.get("type"), asked.get("sort"))
        self.type = query.type
        self.sort = f"{'-' if query.descending else ''}{query.sort}"
        self.page = page_number(asked.get("page"))

    def _address(self, **differs: Any) -> str:
        """The address of this list, with what differs; what is as usual is left out."""
        asked = {"q": self.search, "type": self.type, "sort": self.sort, "page": self.page}
        usual = {"q": "", "type": "", "sort": NEWEST_FIRST, "page": 1}
        told = {key: value for key, value in (asked | differs).items() if value != usual.get(key)}
        return routes.asking(routes.SUBMISSIONS, told)

    def _go(self, *, replace: bool = False, **differs: Any) -> Any:
        return rx.redirect(self._address(**differs), replace=replace)

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

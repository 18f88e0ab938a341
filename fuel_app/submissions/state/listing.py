"""Which leads the list shows, in which order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state.lists import StaffList
from fuel_app.accounts.state.session import staff_only
from fuel_app.kit import clock, contact
from fuel_app.kit.lists import Question
from fuel_app.kit.signals import LEADS
from fuel_app.leads.rules import (
    COMMON_REACH,
    FILTER_LABELS,
    SORTS,
    STATUSES,
    TYPE_LABELS,
    LeadPage,
    LeadQuery,
    LeadRow,
)
from fuel_app.submissions.service import listing as leads

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class LeadQuestion(Question):
    """The question that the address of the list asks."""

    sort: str = "-date"
    q: str = ""
    type: str = ""
    lead: str = ""  # the id of the opened one

    COLUMNS = SORTS
    TYPED = ("q",)

    @classmethod
    def parse(cls, asked: Mapping[str, Any]) -> Self:
        known = asked.get("type") in list(FILTER_LABELS)
        return super().parse(asked if known else {**asked, "type": ""})

    @property
    def query(self) -> LeadQuery:
        return LeadQuery.parse(self.q, self.type, self.sort)


@dataclass(frozen=True)
class LeadLine:
    """One lead as the list shows it."""

    id: str = ""
    type: str = ""
    type_label: str = ""
    status: str = ""  # as the list shows it
    stored_status: str = ""  # only where it is another than the list shows
    source: str = ""
    day: str = ""
    time: str = ""
    moment: str = ""  # for machines
    name: str = ""
    company: str = ""
    email: str = ""
    phone: str = ""
    revision: int = 0

    @classmethod
    def of(cls, row: LeadRow) -> Self:
        differs = row.status not in {row.shown_status, STATUSES[0]}
        return cls(
            id=row.id,
            type=row.type,
            type_label=TYPE_LABELS[row.type],  # type: ignore[index]
            status=row.shown_status,
            stored_status=row.status if differs else "",
            source=row.lead_source,
            day=clock.short_date(clock.day_of(row.created_at)),
            time=clock.time_of_day(row.created_at),
            moment=row.created_at.isoformat(),
            name=row.name,
            company=row.company,
            email=row.email,
            phone=contact.phone_text(row.phone),
            revision=row.revision,
        )


class LeadList(StaffList, mixin=True):
    """One page of the list."""

    question: LeadQuestion = LeadQuestion()
    rows: list[LeadLine] = []

    @rx.var
    def export_address(self) -> str:
        """The file of all rows that match, in this order."""
        asked = self.question.asking(page=1, lead="").parameters()
        return routes.asking(routes.LEADS_EXPORT, asked)

    @rx.event
    @staff_only
    async def filter_by(self, lead_type: str):
        await self._ask(type=lead_type, page=1)

    def _path(self) -> str:
        return routes.SUBMISSIONS

    def _topics(self) -> tuple[str, ...]:
        return (LEADS,)

    async def _refresh(self) -> None:
        """Fetch the page that is asked for; a failure is shown, with a button to try again."""
        try:
            found = await leads.page(self.question.query, self.question.page)
            self.rows, self.failed = [LeadLine.of(row) for row in found.rows], False
            self._show_pages(found.page, found.pages)
            self.summary = _summary(found, filtered=bool(self.question.q or self.question.type))
        except Exception:
            log.exception("leads.list_failed")
            self.rows, self.failed, self.summary = [], True, ""
        self.loading = False


def _summary(found: LeadPage, *, filtered: bool) -> str:
    if not found.counted:
        return (
            f"More than {found.total:,} matches. These are the first {COMMON_REACH:,}: "
            "type more to narrow them down."
        )
    if filtered:
        return f"{found.total:,} {'match' if found.total == 1 else 'matches'}"
    return f"{found.total:,} {'lead' if found.total == 1 else 'leads'}"

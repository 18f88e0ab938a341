"""One line of the staff's list as it stands on the screen."""

from dataclasses import dataclass
from typing import Self

from fuel_app.kit import clock, contact
from fuel_app.leads.rules import STATUSES, TYPE_LABELS, LeadRow


@dataclass(frozen=True)
class LeadLine:
    id: str
    type: str
    type_label: str
    status: str  # as the list shows it
    stored_status: str  # only where it is another than the list shows
    source: str
    day: str
    time: str
    moment: str  # for machines
    name: str
    company: str
    email: str
    phone: str
    revision: int

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


BLANK = LeadLine("", "", "", "", "", "", "", "", "", "", "", "", "", 0)

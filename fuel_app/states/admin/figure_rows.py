"""The staff's figures as the dashboard shows them: texts, and shares in per cent."""

import dataclasses
from collections.abc import Iterable
from typing import Self

from fuel_app import routes
from fuel_app.domain.figures import Counts, TypeCount
from fuel_app.leads.rules import TYPE_LABELS, TYPES
from fuel_app.neighborhoods.rules.groups import badge_color, missing_to_next, progress_goal
from fuel_app.neighborhoods.rules.listing import GroupRow


@dataclasses.dataclass(frozen=True)
class StatusPart:
    """One status's part of a bar."""

    status: str
    leads: str
    left: str
    width: str


@dataclasses.dataclass(frozen=True)
class TypeBar:
    """The leads of one type, divided by status."""

    label: str
    leads: str
    parts: list[StatusPart]

    @classmethod
    def of(cls, count: TypeCount) -> Self:
        return cls(TYPE_LABELS[count.type], f"{count.leads:,}", list(_parts(count)))


@dataclasses.dataclass(frozen=True)
class NearGroup:
    """A group that is on its way to the next tier."""

    id: str
    name: str
    zip_code: str
    address: str
    members: int
    goal: int
    missing: str
    color: str

    @classmethod
    def of(cls, row: GroupRow) -> Self:
        return cls(
            id=row.id,
            name=row.name,
            zip_code=row.zip_code,
            address=routes.neighborhood(row.id),
            members=row.members,
            goal=progress_goal(row.members),
            missing=missing_to_next(row.members),
            color=badge_color(row.members),
        )


def in_words(counts: Counts) -> str:
    """'12 waitlist, 3 fleet'; types without a lead are left out."""
    return ", ".join(
        f"{counts[type_]:,} {TYPE_LABELS[type_].lower()}"
        for type_ in reversed(TYPES)
        if counts.get(type_)
    )


def _parts(count: TypeCount) -> Iterable[StatusPart]:
    before = 0
    for status, leads in count.by_status.items():
        left, width = 100 * before / count.leads, 100 * leads / count.leads
        yield StatusPart(status, f"{leads:,}", f"{left:.2f}%", f"{width:.2f}%")
        before += leads

"""The staff's neighborhoods table: its address, and the values of a row."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from fuel_app.kit import contact
from fuel_app.leads.rules import fold

PAGE_SIZE = 50
SORTS = ("name", "zip", "pioneer", "members", "missing", "created")
MISSING_MOST = 10  # no neighborhood is further from its next tier
TYPED_MAX = 100
_DIGITS_MAX = 9  # digits; there are fewer people

NOT_A_NUMBER = "Enter a whole number"
MIN_OVER_MAX = "This is more than the maximum"


@dataclass(frozen=True, slots=True)
class NeighborhoodQuery:
    """The table's filters, order and page, as in its address."""

    search: str = ""
    zip_part: str = ""
    least: int | None = None
    most: int | None = None
    pioneer: str = ""
    missing: int | None = None  # at most so many members short of the next tier
    sort: str = "name"
    descending: bool = False
    page: int = 1

    @classmethod
    def parse(cls, asked: Mapping[str, object]) -> Self:
        """Read an address or a form; invalid values mean no filter."""
        sort = contact.text(asked.get("sort"))
        known = sort if sort.removeprefix("-") in SORTS else "name"
        missing = whole_number(asked.get("missing"))
        return cls(
            search=contact.text(asked.get("q"))[:TYPED_MAX],
            zip_part=contact.text(asked.get("zip"))[:TYPED_MAX],
            least=whole_number(asked.get("min")),
            most=whole_number(asked.get("max")),
            pioneer=contact.text(asked.get("pioneer"))[:TYPED_MAX],
            missing=missing if missing and missing <= MISSING_MOST else None,
            sort=known.removeprefix("-"),
            descending=known.startswith("-"),
            page=whole_number(asked.get("page")) or 1,
        )

    def parameters(self) -> dict[str, str]:
        """Return the address's parameters, without defaults."""
        sort = f"-{self.sort}" if self.descending else self.sort
        said = {
            "q": self.search,
            "zip": self.zip_part,
            "min": "" if self.least is None else str(self.least),
            "max": "" if self.most is None else str(self.most),
            "pioneer": self.pioneer,
            "missing": "" if self.missing is None else str(self.missing),
            "sort": "" if sort == "name" else sort,
            "page": "" if self.page == 1 else str(self.page),
        }
        return {name: value for name, value in said.items() if value}

    @property
    def filtered(self) -> bool:
        """Return True if any filter is set."""
        return bool(self.parameters().keys() - {"sort", "page"})

    @property
    def search_key(self) -> str:
        return fold(self.search)

    @property
    def pioneer_search_key(self) -> str:
        return fold(self.pioneer)


def problems(asked: Mapping[str, object]) -> dict[str, str]:
    """Return the messages for invalid number filters, by name."""
    messages = {
        name: NOT_A_NUMBER
        for name in ("min", "max")
        if contact.text(asked.get(name)) and whole_number(asked.get(name)) is None
    }
    query = NeighborhoodQuery.parse(asked)
    if query.least is not None and query.most is not None and query.least > query.most:
        messages["min"] = MIN_OVER_MAX
    return messages


def whole_number(value: object) -> int | None:
    """Return a whole number that is not negative, or None."""
    typed = contact.text(value)
    return int(typed) if re.fullmatch(rf"[0-9]{{1,{_DIGITS_MAX}}}", typed) else None


@dataclass(frozen=True, slots=True)
class NeighborhoodRow:
    """A row of the table."""

    id: str
    name: str
    zip_code: str
    members: int
    created_at: datetime
    pioneer: str  # empty: none


@dataclass(frozen=True, slots=True)
class NeighborhoodPage:
    """A page of the table."""

    rows: tuple[NeighborhoodRow, ...]
    page: int  # from 1
    total: int

    @property
    def pages(self) -> int:
        return pages_of(self.total)


@dataclass(frozen=True, slots=True)
class ZipArea:
    """The neighborhoods of one ZIP together, and its place."""

    zip_code: str
    neighborhoods: int
    members: int
    largest: int  # members of its largest neighborhood
    lat: float
    lng: float


def pages_of(total: int, size: int = PAGE_SIZE) -> int:
    return max(1, -(-total // size))

"""The address of the staff's list of leads: which of them, in which order, and which is opened."""

from collections.abc import Mapping
from typing import NamedTuple, Self

from fuel_app import routes
from fuel_app.leads.rules import SEARCH_MAX, LeadQuery

NEWEST_FIRST = "-date"
_PAGE_MAX = 10_000_000
ID_MAX = 64


class LeadAddress(NamedTuple):
    """What an address asks for; what makes no sense there is as usual."""

    q: str = ""
    type: str = ""
    sort: str = NEWEST_FIRST
    page: int = 1
    lead: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> Self:
        query = LeadQuery.parse("", asked.get("type"), asked.get("sort"))
        return cls(
            q=asked.get("q", "")[:SEARCH_MAX],
            type=query.type,
            sort=f"{'-' if query.descending else ''}{query.sort}",
            page=page_number(asked.get("page")),
            lead=asked.get("lead", "")[:ID_MAX],
        )

    def __str__(self) -> str:
        """The address; what is as usual is left out."""
        usual = self._field_defaults
        told = {name: said for name, said in self._asdict().items() if said != usual[name]}
        return routes.asking(routes.SUBMISSIONS, told)


def page_number(value: object) -> int:
    """A page from 1 on; anything that is none is the first."""
    typed = value if isinstance(value, str) else ""
    return min(max(int(typed), 1), _PAGE_MAX) if typed.isdecimal() and len(typed) < 9 else 1

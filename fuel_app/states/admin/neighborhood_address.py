"""The address of the staff's table of groups: which of them, in which order."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import NamedTuple, Self

from fuel_app import routes
from fuel_app.domain.neighborhood_list import TYPED_MAX, GroupQuery
from fuel_app.kit import contact


@dataclass(frozen=True)
class Filters:
    """What is typed in the filters; empty: all."""

    q: str = ""
    zip: str = ""
    min: str = ""
    max: str = ""
    pioneer: str = ""
    missing: str = ""

    @classmethod
    def read(cls, asked: object) -> Self:
        """From a form or from an address."""
        given = asked if isinstance(asked, Mapping) else {}
        names = (field.name for field in fields(cls))
        return cls(**{name: contact.text(given.get(name))[:TYPED_MAX] for name in names})


class GroupsAddress(NamedTuple):
    """What an address asks for; of order and page, what makes no sense is as usual."""

    filters: Filters = Filters()
    sort: str = "name"
    page: int = 1

    @classmethod
    def read(cls, asked: Mapping[str, object]) -> Self:
        query = GroupQuery.parse(asked)
        return cls(
            Filters.read(asked), f"{'-' if query.descending else ''}{query.sort}", query.page
        )

    def parameters(self) -> Mapping[str, object]:
        return asdict(self.filters) | {"sort": self.sort, "page": str(self.page)}

    def __str__(self) -> str:
        """The address; what is as usual is left out."""
        order = GroupQuery.parse({"sort": self.sort, "page": str(self.page)})
        return routes.asking(routes.NEIGHBORHOODS, asdict(self.filters) | order.parameters())

"""Which groups the staff's table shows, in which order: all of it stands in the page's address."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

import reflex as rx

from fuel_app import routes
from fuel_app.domain import contact
from fuel_app.domain.neighborhood_list import TYPED_MAX, GroupQuery, problems
from fuel_app.states.admin.session import staff_only
from fuel_app.states.admin.typing_ahead import TypedAhead


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


class NeighborhoodList(rx.State, mixin=True):
    """The filters, the order and the page; a step to another one is a step to another address."""

    filters: Filters = Filters()
    filters_epoch: int = 0
    min_error: str = ""
    max_error: str = ""
    sort: str = "name"
    page: int = 1

    _typed: TypedAhead[Filters] = TypedAhead(Filters())  # in the fields; the address follows
    _connection: str = ""  # for which the fields are filled

    @rx.var
    def filtered(self) -> bool:
        return self.filters != Filters()

    @rx.var
    def export_address(self) -> str:
        """Where all groups that the filters leave can be downloaded, in this order."""
        return routes.asking(
            routes.NEIGHBORHOODS_EXPORT, asdict(self.filters) | {"sort": self.sort}
        )

    @rx.event
    @staff_only
    async def narrow(self, form: dict[str, Any]):
        """Something is typed in the filters."""
        return self._narrow(Filters.read(form))

    @rx.event
    @staff_only
    async def leave(self, _field: str, form: dict[str, Any]):
        """A filter is left, perhaps before its pause is over."""
        return self._narrow(Filters.read(form))

    @rx.event
    @staff_only
    async def show_zip(self, zip_code: str):
        """A circle on the map is pressed: its groups alone, or all of them again."""
        asked = contact.text(zip_code)[: contact.ZIP_DIGITS]
        return self._go(replace(self._typed.value, zip="" if asked == self.filters.zip else asked))

    @rx.event
    @staff_only
    async def sort_by(self, column: str):
        """A click on a header: ascending, then descending."""
        return self._go(sort=f"-{column}" if self.sort == column else column)

    @rx.event
    @staff_only
    async def order(self, sort: str):
        """Another order is chosen."""
        return self._go(sort=sort)

    @rx.event
    @staff_only
    async def turn_to(self, page: int):
        return self._go(page=page)

    @rx.event
    @staff_only
    async def jump(self, form: dict[str, Any]):
        """A page number is typed."""
        return self._go(page=form.get("page") if isinstance(form, Mapping) else 1)

    @rx.event
    @staff_only
    async def clear(self):
        """All groups again."""
        return self._go(Filters())

    def _query(self) -> GroupQuery:
        return GroupQuery.parse(asdict(self.filters) | {"sort": self.sort, "page": str(self.page)})

    def _read_address(self) -> None:
        asked = self.router.url.query_parameters
        self.filters, query = Filters.read(asked), GroupQuery.parse(asked)
        self.sort, self.page = f"{'-' if query.descending else ''}{query.sort}", query.page
        known, self._connection = self._connection, self.router.session.session_id
        reloaded = known != self._connection
        before, arrived = self._typed, self._typed.arrived(self.filters)
        self._typed = TypedAhead(self.filters) if reloaded else arrived
        if reloaded or self._typed.value != before.value:
            self.filters_epoch += 1
        wrong = problems(asked)
        self.min_error, self.max_error = wrong.get("min", ""), wrong.get("max", "")

    def _narrow(self, filters: Filters) -> Any:
        before, self._typed = self._typed.value, self._typed.further(filters)
        if filters == before:
            return None
        return self._go(filters, replace=before != Filters())  # Back is not letter by letter

    def _go(
        self,
        filters: Filters | None = None,
        *,
        sort: object = None,
        page: object = 1,
        replace: bool = False,
    ) -> Any:
        """To another address; of order and page, what makes no sense is as usual."""
        asked = GroupQuery.parse({"sort": self.sort if sort is None else sort, "page": str(page)})
        parameters = asdict(filters or self._typed.value) | asked.parameters()
        return rx.redirect(routes.asking(routes.NEIGHBORHOODS, parameters), replace=replace)

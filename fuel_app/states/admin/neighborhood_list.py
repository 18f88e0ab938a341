"""Which groups the staff's table shows, in which order: all of it stands in the page's address."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import staff_only
from fuel_app.domain.neighborhood_list import GroupQuery, problems
from fuel_app.kit import contact
from fuel_app.kit.ui.heading import Headed, Heading
from fuel_app.states.admin.neighborhood_address import Filters, GroupsAddress


class NeighborhoodList(Headed, rx.State, mixin=True):
    """The filters, the order and the page; a step to another one is a step to another address."""

    filters: Filters = Filters()
    filters_epoch: int = 0
    min_error: str = ""
    max_error: str = ""
    sort: str = "name"
    page: int = 1

    _heading: Heading[GroupsAddress] = Heading(GroupsAddress())
    _typed: Filters = Filters()  # in the fields; the address follows

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
        asked, filters = contact.text(zip_code)[: contact.ZIP_DIGITS], self._heading.to.filters
        return self._turn(filters=replace(filters, zip="" if asked == filters.zip else asked))

    @rx.event
    @staff_only
    async def sort_by(self, column: str):
        """A click on a header: ascending, then descending."""
        return self._turn(sort=f"-{column}" if self._heading.to.sort == column else column)

    @rx.event
    @staff_only
    async def order(self, sort: str):
        """Another order is chosen."""
        return self._turn(sort=sort)

    @rx.event
    @staff_only
    async def turn_to(self, page: int):
        return self._turn(page=page)

    @rx.event
    @staff_only
    async def jump(self, form: dict[str, Any]):
        """A page number is typed."""
        return self._turn(page=form.get("page") if isinstance(form, Mapping) else 1)

    @rx.event
    @staff_only
    async def clear(self):
        """All groups again."""
        return self._turn(filters=Filters())

    def _query(self) -> GroupQuery:
        return GroupQuery.parse(asdict(self.filters) | {"sort": self.sort, "page": str(self.page)})

    def _read_address(self) -> None:
        asked = self.router.url.query_parameters
        at, before = GroupsAddress.read(asked), self._heading
        self._arrive(at)
        self.filters, self.sort, self.page = at
        reloaded = before.connection != self._heading.connection
        if reloaded or at.filters == self._heading.to.filters != self._typed:  # not by typing
            self._typed = at.filters
            self.filters_epoch += 1
        wrong = problems(asked)
        self.min_error, self.max_error = wrong.get("min", ""), wrong.get("max", "")

    def _narrow(self, filters: Filters) -> Any:
        before, self._typed = self._heading.to.filters, filters
        if filters == before:
            return None
        return self._turn(filters=filters, replace=before != Filters())  # Back is not by letters

    def _turn(self, *, page: object = 1, replace: bool = False, **differs: Any) -> Any:
        """To another address, and if nothing else is said to its first page."""
        asked = self._heading.to._replace(page=page, **differs).parameters()
        return self._go(**GroupsAddress.read(asked)._asdict(), replace=replace)

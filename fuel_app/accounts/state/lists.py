"""A list of the staff's: the state is the truth, the address its mirror."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state import live
from fuel_app.accounts.state.arrival import Arriving
from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.kit.lists import Question


class StaffList(StaffScreen, Arriving, mixin=True):
    """One page of a list, and the events that ask for another one.

    A step changes the question and answers it in the same event. `address_mirror` then writes the
    address, which is read when the page opens and after Back.
    """

    PATH: ClassVar[str]
    TOPICS: ClassVar[tuple[str, ...]] = ()

    question: Any = Question()
    address: str = ""
    address_replaces: bool = False  # the one before it, instead of a step that Back returns to
    epoch: int = 0  # the fields appear anew when it rises: never while they are typed in
    pages: int = 1
    summary: str = ""
    loading: bool = True
    failed: bool = False

    _answered: Question | None = None  # a search that was cancelled is not

    @rx.var
    def filtered(self) -> bool:
        return any(self.question.typed)

    @staff_only
    async def load(self):
        """Answer what the address asks."""
        self._arrive()
        yield
        await self._answer()
        self._arrived()

    @staff_only(supersedes=True)
    async def look_for(self, typed: str):
        """Search for what is typed; a later search cancels an earlier one."""
        await self._ask(typing=True, q=typed, page=1)

    @staff_only(supersedes=True)
    async def narrow(self, form: dict[str, Any]):
        """Apply what is typed and chosen in the filters."""
        given = form if isinstance(form, Mapping) else {}
        typed = {name: given.get(name) for name in self.question.TYPED}
        if self.question.asking(**typed) != self.question:
            typed["page"] = 1
        await self._ask(typing=True, **typed)

    @staff_only
    async def sort_by(self, column: str):
        """Sort by a header: one way, then the other."""
        await self._ask(sort=self.question.sort_after(column), page=1)

    @staff_only
    async def order(self, sort: str):
        await self._ask(sort=sort, page=1)

    @staff_only
    async def turn_to(self, page: int):
        await self._ask(page=page)

    @staff_only
    async def jump(self, form: dict[str, Any]):
        """Turn to the page whose number is typed."""
        await self._ask(page=form.get("page") if isinstance(form, Mapping) else 1)

    @staff_only
    async def clear(self):
        """Show everything, in the same order."""
        everything = self.question.__class__(sort=self.question.sort)
        await self._ask(**asdict(everything))

    @staff_only(background=True)
    async def follow(self):
        """Show what others change without a reload."""
        await live.follow(self, self._refresh, *self.TOPICS)

    def _path(self) -> str:
        return self.PATH

    async def _refresh(self) -> None:
        """Answer the question and show it."""
        raise NotImplementedError

    def _arrive(self) -> None:
        """Take the question from the address."""
        asked = self.question.__class__.parse(self.router.url.query_parameters)
        self.loading = self.loading or asked != self.question
        self._set(asked, replaces=True)

    async def _ask(self, *, typing: bool = False, **differs: Any) -> None:
        self._turn(typing=typing, **differs)
        if self.question != self._answered:
            await self._answer()

    async def _answer(self) -> None:
        await self._refresh()
        self._answered = self.question

    def _turn(self, *, typing: bool = False, **differs: Any) -> None:
        """Change the question without answering it."""
        before, asked = self.question, self.question.asking(**differs)
        if asked != before:
            # Back leads to what was shown before the typing, not to each letter.
            self._set(asked, typing=typing, replaces=typing and any(before.typed))

    def _set(self, asked: Question, *, replaces: bool, typing: bool = False) -> None:
        if asked.typed != self.question.typed and not typing:
            self.epoch += 1
        self.question = asked
        self.address = routes.asking(self._path(), asked.parameters())
        self.address_replaces = replaces

    def _show_pages(self, page: int, pages: int) -> None:
        """Note the page that was found; one beyond the end is the last one."""
        self.pages = pages
        if page != self.question.page:
            self._set(replace(self.question, page=page), replaces=self.address_replaces)

"""The dialogs that make an area or change one, and the question about who lives in its ZIPs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self, TypedDict

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.accounts.state.undo import UndoState
from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.service import areas
from fuel_app.areas.state.areas import AreaCard, AreasState
from fuel_app.bookings.rules.areas import LeftOut, ZipsNeedAnswer
from fuel_app.bookings.service import areas as changing
from fuel_app.bookings.service.areas import Changed
from fuel_app.bookings.state.hours import BookedLine, CancelForm
from fuel_app.customers.rules.listing import Resident
from fuel_app.kit.errors import FAILED
from fuel_app.kit.ui.form_state import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted

SHOWN = 100  # customers


async def _say(state: rx.State, form: AreaForm, made: Changed) -> None:
    what = f"{form.name} changed"
    if made.cancelled or made.ended:  # Undo would bring back neither
        cancelled = f", {made.cancelled} cancelled" if made.cancelled else ""
        plans = counted(made.ended, "plan ends", "plans end")
        ended = f", {plans}" if made.ended else ""
        (await state.get_state(ToastState))._show(f"{what}{cancelled}{ended}")
    elif made.done.changed:
        (await state.get_state(UndoState))._offer(what, made.done.action_id)


@dataclass(frozen=True)
class ResidentLine:
    """A customer in ZIP codes that leave; `link` leads to them."""

    name: str
    note: str
    link: str

    @classmethod
    def of(cls, each: Resident) -> Self:
        note = "Has another address that is served"
        if each.is_stranded:
            plan = "the plan ends with its period" if each.loses_plan else "no active plan"
            note = f"No other address: {plan}"
        return cls(each.name, note, routes.customer_tab(each.id, "bookings"))


class ZipsState(StaffScreen, FormState, rx.State):
    """The question about the bookings and customers in ZIP codes that leave an open area."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "zips"
    FIELDS: ClassVar = CancelForm

    opened: bool = False
    title: str = ""
    booked: list[BookedLine] = []
    customers: list[ResidentLine] = []  # those who lose a plan first
    more: str = ""  # how many are left out
    ending: str = ""  # how many plans end with their period
    errors: dict[str, str] = CancelForm.blank()

    _area: AreaCard = AreaCard()
    _wanted: AreaForm | None = None
    _asked: LeftOut = LeftOut()

    def _ask(self, area: AreaCard, wanted: AreaForm, question: ZipsNeedAnswer) -> None:
        found = question.left_out
        if self.opened:
            self.error = "This has changed meanwhile. You now see it as it is."
        self._area, self._wanted, self._asked, self.opened = area, wanted, found, True
        self.booked = [BookedLine.of(each, question.names) for each in found.bookings]
        lines = sorted(found.customers, key=lambda each: not each.loses_plan)
        self.customers = [ResidentLine.of(each) for each in lines[:SHOWN]]
        self.more = f"and {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
        self.ending = counted(len(found.losing_plans), "plan") if found.losing_plans else ""
        people = counted(len(lines), "customer")
        self.title = f"{people}, {counted(len(self.booked), 'booking')}"

    @admin_only
    async def close(self, _opened: bool):
        self.opened, self.error = False, ""

    @admin_only
    async def edit(self, form: Mapping[str, str]):
        """Check the reason again once it has changed."""
        self._recheck(form)

    @admin_only
    async def keep(self):
        """Answer that what is booked stays."""
        if self.opened and self._wanted:
            self._begin()
            yield
            yield await self._finish(self._store(""), "area.change_failed")

    @admin_only
    async def submit(self, form: Mapping[str, str]):
        """Answer that what is booked is cancelled, with a reason."""
        if self.opened and self._wanted:
            self._begin(form)
            yield
            yield await self._finish(self._cancel(form), "area.change_failed")

    async def _cancel(self, form: object) -> None:
        await self._store(CancelForm.parse(form).reason)

    async def _store(self, why: str) -> None:
        wanted, given = self._wanted, {"answers": self._asked, "cancel_because": why}
        if wanted is None:
            return
        try:
            made = await changing.change(
                self._area.id, self._area.form, wanted, actor=await actor_of(self), **given
            )
        except ZipsNeedAnswer as question:
            self._ask(self._area, wanted, question)
            return
        self.opened = False
        await _say(self, wanted, made)
        await (await self.get_state(AreasState))._refresh()


class TickedGrades(TypedDict):
    """The form: all ticked grades, where a plain form has the last one."""

    grades: list[str]


class AreaFormState(StaffScreen, FormState, rx.State):
    """The dialog that makes an area or changes one."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "area"
    FIELDS: ClassVar = AreaForm

    opened: bool = False
    area: AreaCard = AreaCard()
    errors: dict[str, str] = AreaForm.blank()

    @admin_only
    async def begin(self, area_id: str):
        """Open the dialog for an area; an empty id is a new one."""
        self._start((await self.get_state(AreasState))._find(area_id))

    @admin_only
    async def close(self, _opened: bool):
        self.opened = False

    @admin_only
    async def edit(self, form: TickedGrades):
        """Check the fields again that have changed since they were refused."""
        self._recheck(form)

    @admin_only
    async def submit(self, form: TickedGrades):
        """Store the area. A second click finds the dialog closed and does nothing."""
        if not self.opened:
            return
        self._begin(form)
        yield
        yield await self._finish(self._store(form), "area.change_failed")
        if self.error not in {"", FAILED}:
            await self._renew()

    def _start(self, area: AreaCard) -> None:
        self._start_over()
        self.area, self.opened = area, True

    async def _renew(self) -> None:
        """Show the area as it is now, if it is still there."""
        shown = await self.get_state(AreasState)
        await shown._refresh()
        if (newer := shown._find(self.area.id)).id:
            self.area, self.errors = newer, AreaForm.blank()

    async def _store(self, sent: object) -> None:
        form, actor = AreaForm.parse(sent), await actor_of(self)
        if self.area.id:
            try:
                made = await changing.change(self.area.id, self.area.form, form, actor=actor)
            except ZipsNeedAnswer as question:
                (await self.get_state(ZipsState))._ask(self.area, form, question)
            else:
                await _say(self, form, made)
        else:
            await areas.create(form, actor=actor)
            (await self.get_state(ToastState))._show(f"{form.name} created")
        self.opened = False
        await (await self.get_state(AreasState))._refresh()

"""Areas as admins change them, and the question about who lives in ZIP codes that leave."""

from dataclasses import dataclass
from typing import ClassVar, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import UndoState
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.service import areas
from fuel_app.areas.state import AreaCard, AreasState
from fuel_app.customers.rules.customers import Resident
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.launch.rules import LeftOut, ZipsNeedAnswer
from fuel_app.launch.service import areas as area_changes
from fuel_app.launch.service.areas import AreaOutcome
from fuel_app.launch.state.booked import BookedQuestion, ReasonForm

SHOWN = 100  # customers
CHANGED = "This has changed meanwhile. You now see it as it is."


async def _say(state: rx.State, form: AreaForm, made: AreaOutcome) -> None:
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


class ZipsState(BookedQuestion, rx.State):
    """The question about the bookings and customers in ZIP codes that leave an open area."""

    FORM: ClassVar = "zips"
    FIELDS: ClassVar = ReasonForm
    EVENT: ClassVar = "area.change_failed"
    NOTHING: ClassVar = "Remove ZIP codes"

    title: str = ""
    customers: list[ResidentLine] = []  # those who lose a plan first
    more: str = ""  # how many are left out
    ending: str = ""  # how many plans end with their period
    errors: dict[str, str] = ReasonForm.blank()

    _area: AreaCard = AreaCard()
    _wanted: AreaForm | None = None
    _asked: LeftOut = LeftOut()

    def _ask(self, area: AreaCard, wanted: AreaForm, question: ZipsNeedAnswer) -> None:
        left_out, is_again = question.left_out, self.opened
        self._open()
        self.error = CHANGED if is_again else ""
        self._area, self._wanted, self._asked = area, wanted, left_out
        self._ask_about(left_out.bookings, question.names, is_offered=False)
        lines = sorted(left_out.customers, key=lambda each: not each.loses_plan)
        self.customers = [ResidentLine.of(each) for each in lines[:SHOWN]]
        self.more = f"and {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
        self.ending = counted(len(left_out.losing_plans), "plan") if left_out.losing_plans else ""
        people = counted(len(lines), "customer")
        self.title = f"{people}, {counted(len(self.booked), 'booking')}"

    async def _send(self, sent: object) -> None:
        """Change the area: what is booked is cancelled with a reason, or stays."""
        wanted = self._wanted
        if wanted is None:
            return
        try:
            made = await area_changes.change_area(
                self._area.id,
                self._area.form,
                wanted,
                asked=self._asked,
                answer=self._answer(sent),
                actor=await actor_of(self),
            )
        except ZipsNeedAnswer as question:
            self._ask(self._area, wanted, question)
            return
        self._close()
        await _say(self, wanted, made)
        await (await self.get_state(AreasState))._refresh()


class AreaFormState(FormDialog, rx.State):
    """The dialog that makes an area or changes one."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "area"
    FIELDS: ClassVar = AreaForm
    MANY: ClassVar = ("grades",)
    EVENT: ClassVar = "area.change_failed"

    area: AreaCard = AreaCard()
    errors: dict[str, str] = AreaForm.blank()

    @admin_only
    async def begin(self, area_id: str):
        """Open the dialog for an area; an empty id is a new one."""
        area = (await self.get_state(AreasState))._find(area_id)
        self._open()
        self.area = area

    async def _renew(self) -> None:
        areas_shown = await self.get_state(AreasState)
        await areas_shown._refresh()
        if (newer := areas_shown._find(self.area.id)).id:
            self.area, self.errors = newer, AreaForm.blank()

    async def _send(self, sent: object) -> None:
        form, actor = AreaForm.parse(sent), await actor_of(self)
        if self.area.id:
            try:
                made = await area_changes.change_area(
                    self.area.id, self.area.form, form, actor=actor
                )
            except ZipsNeedAnswer as question:
                (await self.get_state(ZipsState))._ask(self.area, form, question)
            else:
                await _say(self, form, made)
        else:
            await areas.create(form, actor=actor)
            (await self.get_state(ToastState))._show(f"{form.name} created")
        self._close()
        await (await self.get_state(AreasState))._refresh()

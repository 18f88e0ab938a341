"""Areas as admins change them, and the question about who lives in ZIP codes that leave."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import UndoState
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.areas.rules.areas import AreaForm, Point
from fuel_app.areas.service import areas
from fuel_app.areas.state import AreaCard, AreasState
from fuel_app.customers.rules.customers import Resident
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.forms import NoFields
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
    companies: str = ""  # how many have sites there
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
        have = counted(left_out.companies, "company has", "companies have")
        said = f"{have} a site there, which is not served any more. Tell them: we do not."
        self.companies = said if left_out.companies else ""

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


@dataclass(frozen=True)
class Step:
    """A change of an area after a confirmation."""

    act: Callable[..., Awaitable[None]]
    title: str
    text: str
    button: str
    done: str


STEPS = {
    "open": Step(
        partial(areas.step, "open"),
        "Open {name}?",
        "Customers of its ZIP codes can sign up and book as soon as it is open.",
        "Open area",
        "{name} is open",
    ),
    "pause": Step(
        partial(areas.step, "pause"),
        "Pause {name}?",
        "New bookings stop until you resume it. What is booked stays booked.",
        "Pause area",
        "{name} is paused",
    ),
    "resume": Step(
        partial(areas.step, "resume"),
        "Resume {name}?",
        "Customers can book again at once.",
        "Resume area",
        "{name} is open again",
    ),
    "close": Step(
        area_changes.close_area,
        "Close {name}?",
        "It returns to its waitlist. This is possible only while nobody has signed up.",
        "Close area",
        "{name} is closed",
    ),
    "delete": Step(
        areas.remove,
        "Delete {name}?",
        "The area goes; people on the waitlist stay on it.",
        "Delete area",
        "{name} deleted",
    ),
}


class AreaStepState(FormDialog, rx.State):
    """The question before an area is opened, paused, resumed, closed or deleted."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "area-step"
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "area.step_failed"

    kind: str = ""
    title: str = ""
    text: str = ""
    button: str = ""
    points: list[Point] = []  # of an opening
    missing: str = ""
    problem: str = ""  # why an opening is not possible

    _area: AreaCard = AreaCard()

    @admin_only
    async def ask(self, kind: str, area_id: str):
        """Open the dialog for one area."""
        area = (await self.get_state(AreasState))._find(area_id)
        step = STEPS.get(kind) if isinstance(kind, str) else None
        if step is None or not area.id:
            return
        self._open()
        self.kind, self._area, self.text, self.button = kind, area, step.text, step.button
        self.title = step.title.format(name=area.name)
        if kind == "open":
            await self._check()

    async def _send(self, sent: object) -> None:
        if self.problem:
            return
        step, name = STEPS[self.kind], self._area.name
        await step.act(self._area.id, actor=await actor_of(self))
        self._close()
        (await self.get_state(ToastState))._show(step.done.format(name=name))
        await self._renew()

    async def _renew(self) -> None:
        await (await self.get_state(AreasState))._refresh()

    async def _check(self) -> None:
        """Show what the opening needs."""
        actor = await actor_of(self)
        try:
            self.points = await areas.checklist(self._area.id, actor=actor)
        except Refusal as refusal:
            self.problem = str(refusal)
            return
        self.missing = ", ".join(point.label for point in self.points if not point.done)
        self.problem = areas.problem_of_opening(self.points, actor=actor)

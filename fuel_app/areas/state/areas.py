"""The areas as admins see and change them."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import ClassVar, Self

import reflex as rx

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.live import AdminScreen
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.areas.rules.areas import OPEN, PAUSED, WAITLIST, AreaForm, AreaRow, Point, percent
from fuel_app.areas.rules.grades import GRADES
from fuel_app.areas.service import areas
from fuel_app.kit import clock
from fuel_app.kit.errors import Refusal, problem_of
from fuel_app.kit.signals import AREAS
from fuel_app.kit.ui.toast import ToastState

STATUS_BADGES = {
    WAITLIST: ("Waitlist", "grey"),
    OPEN: ("Open", "green"),
    PAUSED: ("Paused", "yellow"),
}


@dataclass(frozen=True)
class AreaCard:
    """An area; an empty one means a new one."""

    id: str = ""
    name: str = ""
    status: str = ""
    label: str = ""
    color: str = ""
    zips: str = ""
    grades: list[str] = field(default_factory=lambda: list(GRADES))
    tax: str = "0"
    streets: bool = False
    count: str = ""
    opened: str = ""  # since when; empty: never

    @classmethod
    def of(cls, row: AreaRow) -> Self:
        label, color = STATUS_BADGES[row.status]
        unit = "ZIP code" if len(row.zips) == 1 else "ZIP codes"
        opened = clock.short_date(clock.day_of(row.opened_at)) if row.opened_at else ""
        zips, count = ", ".join(row.zips), f"{len(row.zips)} {unit}"
        terms = list(row.grades), percent(row.tax), row.streets
        return cls(row.id, row.name, row.status, label, color, zips, *terms, count, opened)

    @property
    def form(self) -> AreaForm:
        """Return the values as they were sent."""
        return AreaForm.parse(asdict(self) | {"streets": "yes" if self.streets else ""})


class AreasState(AdminScreen, rx.State):
    """The list of areas."""

    TOPICS: ClassVar = (AREAS,)

    areas: list[AreaCard] = []

    async def _read(self, actor: Actor) -> None:
        self.areas = [AreaCard.of(row) for row in await areas.listing(actor=actor)]

    def _find(self, area_id: object) -> AreaCard:
        return next((area for area in self.areas if area.id == area_id), AreaCard())


@dataclass(frozen=True)
class Question:
    """A change of an area after a confirmation."""

    act: Callable[..., Awaitable[None]]
    title: str
    text: str
    button: str
    done: str


QUESTIONS = {
    "open": Question(
        areas.open_area,
        "Open {name}?",
        "Customers of its ZIP codes can sign up and book as soon as it is open.",
        "Open area",
        "{name} is open",
    ),
    "pause": Question(
        partial(areas.step, "pause"),
        "Pause {name}?",
        "New bookings stop until you resume it. What is booked stays booked.",
        "Pause area",
        "{name} is paused",
    ),
    "resume": Question(
        partial(areas.step, "resume"),
        "Resume {name}?",
        "Customers can book again at once.",
        "Resume area",
        "{name} is open again",
    ),
    "close": Question(
        partial(areas.step, "close"),
        "Close {name}?",
        "It returns to its waitlist. This is possible only while nobody has signed up.",
        "Close area",
        "{name} is closed",
    ),
    "delete": Question(
        areas.remove,
        "Delete {name}?",
        "The area goes; people on the waitlist stay on it.",
        "Delete area",
        "{name} deleted",
    ),
}


class AreaStepState(StaffScreen, rx.State):
    """The question before an area is opened, paused, resumed, closed or deleted."""

    ROLES: ClassVar = (Role.ADMIN,)

    opened: bool = False
    kind: str = ""
    title: str = ""
    text: str = ""
    button: str = ""
    points: list[Point] = []  # of an opening
    missing: str = ""
    problem: str = ""  # why an opening is not possible
    error: str = ""
    busy: bool = False

    _area: AreaCard = AreaCard()

    @admin_only
    async def ask(self, kind: str, area_id: str):
        """Open the dialog for one area."""
        area = (await self.get_state(AreasState))._find(area_id)
        step = QUESTIONS.get(kind) if isinstance(kind, str) else None
        if step is None or not area.id:
            return
        self.kind, self._area, self.text, self.button = kind, area, step.text, step.button
        self.title = step.title.format(name=area.name)
        self.points, self.missing, self.problem, self.error = [], "", "", ""
        if kind == "open":
            await self._check()
        self.opened, self.busy = True, False

    @admin_only
    async def close(self, _opened: bool):
        self.opened = False

    @admin_only
    async def confirm(self):
        """Do what the dialog says. A second click finds it closed and does nothing."""
        if not self.opened or self.problem:
            return
        step, name, self.busy, self.error = QUESTIONS[self.kind], self._area.name, True, ""
        yield
        change = step.act(self._area.id, actor=await actor_of(self))
        self.error = await problem_of(change, f"area.{self.kind}_failed")
        if not self.error:
            self.opened = False
            (await self.get_state(ToastState))._show(step.done.format(name=name))
        self.busy = False
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

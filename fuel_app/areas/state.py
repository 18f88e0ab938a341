"""The areas and the fuel prices as admins change them, and suggestions for a typed location."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import ClassVar, Self

import reflex as rx

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.dialogs import AskingDialog, FormDialog
from fuel_app.accounts.state.screens import AdminScreen
from fuel_app.accounts.state.session import (
    IS_OPEN,
    SessionState,
    actor_of,
    admin_only,
    once_for_page,
)
from fuel_app.areas.rules.areas import OPEN, PAUSED, WAITLIST, AreaForm, AreaRow, Point, percent
from fuel_app.areas.rules.prices import GRADES, BigJump, GradeLine, PriceForm
from fuel_app.areas.service import areas, company, places, prices
from fuel_app.kit import clock
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import FuelPrice
from fuel_app.kit.signals import AREAS, FIGURES, PRICES
from fuel_app.kit.ui.forms import NoFields
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.settings import settings


async def are_staff_of_open(tab: rx.State) -> bool:
    """Return whether staff are at this tab, and the company is open."""
    session = await (await tab.get_state(SessionState))._find()
    return bool(session and session.is_staff and await once_for_page(IS_OPEN, company.is_open))


class LocationSearch(rx.State):
    """The latest suggestions of one tab and the text that they complete."""

    ready: bool = False
    asked: str = ""
    suggestions: list[str] = []

    _session: str = ""

    @rx.event(background=True)
    async def prepare(self):
        """Load the search when a location field is mounted, and start a session of typing."""
        await places.prepare()
        async with self:
            self.ready, self._session = True, str(uuid.uuid4())

    @rx.event(background=True, supersedes=True)
    async def suggest(self, text: str):
        """Suggest completions; a newer question supersedes an older one."""
        suggestions = await places.suggest(
            text, session=self._session, address=self.router.session.client_ip
        )
        async with self:
            self.suggestions, self.asked = suggestions, (text if suggestions else "")

    @rx.event
    def pick(self):
        """End the session of typing when a suggestion is picked."""
        self.suggestions, self.asked, self._session = [], "", str(uuid.uuid4())


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
        return cls(
            id=row.id,
            name=row.name,
            status=row.status,
            label=label,
            color=color,
            zips=", ".join(row.zips),
            grades=list(row.grades),
            tax=percent(row.tax),
            streets=row.streets,
            count=counted(len(row.zips), "ZIP code"),
            opened=clock.short_date(clock.day_of(row.opened_at)) if row.opened_at else "",
        )

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
        partial(areas.step, "open"),
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
        step = QUESTIONS.get(kind) if isinstance(kind, str) else None
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
        step, name = QUESTIONS[self.kind], self._area.name
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


class PricesState(AdminScreen, rx.State):
    """The prices of every area."""

    TOPICS: ClassVar = (PRICES, AREAS, FIGURES)

    grades: list[GradeLine] = []
    has_key: bool = False  # for proposals

    async def _read(self, actor: Actor) -> None:
        self.grades = await prices.board(actor=actor)
        self.has_key = settings.eia_api_key is not None

    def _find(self, area_id: object, grade: object) -> GradeLine:
        lines = (each for each in self.grades if (each.area_id, each.grade) == (area_id, grade))
        return next(lines, GradeLine())


class PriceFormState(AskingDialog, rx.State):
    """The dialog that sets a price; it asks about a big jump."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "price"
    FIELDS: ClassVar = PriceForm
    EVENT: ClassVar = "price.set_failed"

    line: GradeLine = GradeLine()
    values: dict[str, str] = PriceForm.blank()
    errors: dict[str, str] = PriceForm.blank()

    _jump: tuple[int, int] | None = None  # the prices in the question

    @admin_only
    async def begin(self, area_id: str, grade: str, proposed: bool):
        """Open the dialog for a grade of an area, empty or with what the EIA proposes."""
        line = (await self.get_state(PricesState))._find(area_id, grade)
        if not line.grade:
            return
        typed = {"price": line.proposal.removeprefix("$"), "source": line.proposal_source}
        self._open()
        self.line, self.values = line, PriceForm.blank() | (typed if proposed is True else {})

    async def _send(self, sent: object) -> None:
        confirmed = self._jump if self._is_answered(sent) else None
        form, line = PriceForm.parse(sent), self.line
        try:
            await prices.set_price(
                line.area_id,
                line.grade,
                form,
                seen=line.revision,
                confirmed=confirmed,
                actor=await actor_of(self),
            )
        except BigJump as jump:
            self.question, self._jump = str(jump), (jump.before, jump.after)
            return
        self._close()
        said = f"{line.name}: {FuelPrice(form.price).exact}"
        (await self.get_state(ToastState))._show(said)
        await (await self.get_state(PricesState))._refresh()

    async def _renew(self) -> None:
        shown, line = await self.get_state(PricesState), self.line
        await shown._refresh()
        newer = shown._find(line.area_id, line.grade)
        self.line = newer if newer.grade else line

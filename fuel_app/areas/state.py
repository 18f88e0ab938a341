"""The areas and the fuel prices as admins change them, and suggestions for a typed location."""

import uuid
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

import reflex as rx

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.screens import AdminScreen
from fuel_app.accounts.state.session import (
    IS_OPEN,
    StaffScreen,
    actor_of,
    admin_only,
    are_staff,
    once_for_page,
)
from fuel_app.areas.rules.areas import OPEN, PAUSED, WAITLIST, AreaForm, AreaRow, percent
from fuel_app.areas.rules.prices import (
    COST,
    GRADES,
    PRICE,
    SEEN,
    BigJumps,
    GradeLine,
    Jump,
    NothingTyped,
    PriceTerms,
    parse_prices,
)
from fuel_app.areas.service import areas, company, places, prices
from fuel_app.kit import clock
from fuel_app.kit.errors import Failure, InvalidForm
from fuel_app.kit.forms import typed
from fuel_app.kit.signals import AREAS, FIGURES, PRICES
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.settings import settings


async def are_staff_of_open(tab: rx.State) -> bool:
    """Return whether staff are at this tab, and the company is open."""
    return await are_staff(tab) and await once_for_page(IS_OPEN, company.is_open)


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


class PricesState(AdminScreen, rx.State):
    """The prices of every area."""

    TOPICS: ClassVar = (PRICES, AREAS, FIGURES)

    grades: list[GradeLine] = []
    has_key: bool = False  # for proposals
    has_proposals: bool = False
    source: str = ""  # that prices were set with last, to begin with

    async def _read(self, actor: Actor) -> None:
        self.grades = await prices.board(actor=actor)
        self.has_key = settings.eia_api_key is not None
        self.has_proposals = any(each.proposal for each in self.grades)
        latest = max(self.grades, key=lambda each: each.revision, default=GradeLine())
        self.source = self.source or latest.source


class PriceTableState(StaffScreen, FormState, rx.State):
    """The column of new prices: typed one below the other, saved once."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "prices"
    FIELDS: ClassVar = PriceTerms
    EVENT: ClassVar = "price.set_failed"

    errors: dict[str, str] = PriceTerms.blank()  # and of the lines that are not right
    values: dict[str, str] = {}  # that the fields begin with; the browser holds what is typed
    jumps: list[str] = []  # large changes, in the question about them

    _typed: dict[str, str] = {}  # that was sent last
    _asked: tuple[Jump, ...] = ()

    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the fields again once they were refused; a question about others is void."""
        if _texts(form) == self._typed:
            return
        self._typed, self.jumps, self._asked = {}, [], ()
        if any(self.errors.values()):
            self.errors = PriceTerms.blank() | _problems_of(form, await self._lines())

    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Save what is typed, or ask first. A second press finds the column empty."""
        if self.busy or not self._takes(form):
            return
        async for event in self._save(_texts(form), ()):
            yield event

    @admin_only
    async def confirm(self):
        """Save the prices that the question is about."""
        if self._asked and not self.busy:
            async for event in self._save(self._typed, self._asked):
                yield event

    @admin_only
    async def begin_with(self, proposed: bool):
        """Begin the new column with today's prices, or with what the EIA proposes."""
        lines = await self._lines()
        shown = {each.key: each.proposal if proposed is True else each.price for each in lines}
        self._start_anew()
        self.values = {
            f"{PRICE}-{key}": price.removeprefix("$") for key, price in shown.items() if price
        }
        if proposed is True:
            sources = dict.fromkeys(each.proposal_source for each in lines if each.proposal)
            self.values["source"] = "; ".join(sources)

    async def _save(self, sent: dict[str, str], asked: tuple[Jump, ...]) -> AsyncIterator[Any]:
        self._begin()
        self._typed, self.jumps, self._asked = sent, [], ()
        yield
        wrong = await self._finish(self._store(sent, asked))
        if lines := [name for name in self.errors if name not in PriceTerms.names()]:
            self.error = f"Nothing was saved. {counted(len(lines), 'field')} to correct above."
            yield focus_field(self.FORM, lines[0])  # they come before the terms
            return
        yield wrong
        if self.error and not isinstance(self.error, Failure):  # show the prices as they are now
            await (await self.get_state(PricesState))._refresh()

    async def _store(self, sent: dict[str, str], asked: tuple[Jump, ...]) -> None:
        terms, new = parse_prices(sent, await self._lines())
        try:
            await prices.set_prices(new, terms, confirmed=asked, actor=await actor_of(self))
        except BigJumps as question:
            self._asked = question.jumps
            self.jumps = [each.words for each in question.jumps]
            return
        self._start_anew()
        shown = await self.get_state(PricesState)
        shown.source = terms.source
        await shown._refresh()
        (await self.get_state(ToastState))._show(f"{counted(len(new), 'price')} set")

    async def _lines(self) -> list[GradeLine]:
        return (await self.get_state(PricesState)).grades

    def _start_anew(self) -> None:
        """Empty the fields, and forget what was said of them."""
        edition = self.edition
        self._start_over()
        self.edition = edition + 1


_OF_LINES = (f"{PRICE}-", f"{COST}-", f"{SEEN}-")
_FIELDS_MOST = 2000  # far above what the table sends


def _texts(form: object) -> dict[str, str]:
    """Return the fields of the table; a press sends more than a change does."""
    sent = form if isinstance(form, Mapping) else {}
    lines = [name for name in sent if isinstance(name, str) and name.startswith(_OF_LINES)]
    return typed(sent, [*PriceTerms.names(), *lines[:_FIELDS_MOST]])


def _problems_of(form: object, lines: list[GradeLine]) -> dict[str, str]:
    try:
        parse_prices(form, lines)
    except InvalidForm as wrong:
        return wrong.messages
    except NothingTyped:
        pass
    return {}

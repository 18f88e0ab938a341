"""Where people wait, the areas with their waves, and the funnel, as admins see them."""

from dataclasses import dataclass
from typing import ClassVar, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.screens import AdminScreen, StaffList, UndoState, follow
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.areas.rules.areas import OPEN, ZIPS_MAX
from fuel_app.areas.service import places as zip_table
from fuel_app.areas.state import STATUS_BADGES, AreaCard
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.signals import AREAS, BOOKINGS, FIGURES, INVITATIONS, LEADS, MEMBERS
from fuel_app.kit.ui.map import circle_size, short_count
from fuel_app.kit.ui.toast import ToastState
from fuel_app.launch.rules import (
    PAUSED,
    RUNNING,
    STEPS,
    AreaWaves,
    FunnelLine,
    Place,
    PlaceQuery,
    page_of,
    people,
)
from fuel_app.launch.service import waves
from fuel_app.launch.service import waves as service
from fuel_app.launch.state.areas import AreaFormState
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

MOST_CIRCLES = 300  # the ZIPs with most people


@dataclass(frozen=True)
class PlaceLine:
    """One line of the list."""

    id: str
    name: str
    note: str  # of a neighborhood: its ZIP
    waiting: int
    waiting_text: str
    area: str
    label: str  # the status of the area
    color: str
    zip_code: str  # of a ZIP that can become part of a new area; else empty

    @classmethod
    def of(cls, row: Place) -> Self:
        label, color = STATUS_BADGES.get(row.status, ("", ""))
        is_zip = row.id == row.zip_code
        free = row.zip_code if is_zip and not row.area else ""
        note = "" if is_zip else row.zip_code
        count = row.waiting, f"{row.waiting:,}"
        return cls(row.id, row.name, note, *count, row.area, label, color, free)


@dataclass(frozen=True)
class PlaceCircle:
    """The people of one ZIP on the map."""

    zip_code: str
    lat: float
    lng: float
    size: int  # pixels across
    people: str
    label: str
    status: str  # of its area; empty: none

    @classmethod
    def of(cls, row: Place, lat: float, lng: float, *, most: int) -> Self:
        area = f"{row.area}, {STATUS_BADGES[row.status][0].lower()}" if row.area else "no area"
        label = f"{row.zip_code}: {people(row.waiting)} waiting, {area}"
        shown = circle_size(row.waiting, most), short_count(row.waiting)
        return cls(row.zip_code, lat, lng, *shown, label, row.status)


class DemandState(StaffList, rx.State):
    """The places of one tab. Ticked ZIPs stay ticked while the pages turn."""

    ROLES: ClassVar = (Role.ADMIN,)
    PATH: ClassVar = routes.LAUNCH
    TOPICS: ClassVar = (LEADS, MEMBERS, AREAS)

    question: PlaceQuery = PlaceQuery()
    rows: list[PlaceLine] = []
    circles: list[PlaceCircle] = []
    seen: list[tuple[float, float]] = []  # the circles' positions
    tile_url: str = ""
    most: int = 1  # of one place on this page
    headline: str = ""
    ticked: list[str] = []  # ZIPs
    ticked_text: str = ""

    _zips: list[Place] = []

    @rx.var
    def looks(self) -> bool:
        """Whether places are searched for or filtered."""
        return bool(self.question.q or self.question.area)

    @admin_only
    async def tick(self, zip_code: str):
        """Choose a ZIP without an area for a new one, or no longer."""
        self._toggle(contact.text(zip_code))

    @admin_only
    async def clear_ticked(self):
        self._tick([])

    @admin_only
    async def press(self, zip_code: str):
        """Tick a circle; one of an area narrows the list to it."""
        zip_code = contact.text(zip_code)
        if zip_code in self._free():
            self._toggle(zip_code)
        elif any(each.id == zip_code for each in self._zips):
            shown = "" if self.question.q == zip_code else zip_code
            await self._ask(q=shown, of="", area="", page=1)

    @admin_only
    async def make_area(self):
        """Open the form of a new area with the ticked ZIPs."""
        (await self.get_state(AreaFormState))._start(AreaCard(zips=", ".join(self.ticked)))

    async def _refresh(self) -> None:
        try:
            await self._read(await actor_of(self))
            self.failed = False
        except Exception:
            log.exception("launch.places_failed")
            self.rows, self.pages, self.summary, self.failed = [], 1, "", True
        self.loading = False

    async def _read(self, actor: Actor) -> None:
        self._zips = await waves.list_zips(actor=actor)
        groups = (
            await waves.list_neighborhoods(actor=actor) if self.question.of_neighborhoods else None
        )
        found = page_of(self._zips if groups is None else groups, self.question)
        self.rows = [PlaceLine.of(row) for row in found.rows]
        self.most = max((row.waiting for row in found.rows), default=1)
        self._show_pages(found.page, found.pages)
        noun = "neighborhood" if groups is not None else "ZIP code"
        self.summary = f"{found.total:,} {noun}{'' if found.total == 1 else 's'}"
        self.headline = _headline(self._zips)
        self._tick(self.ticked)
        self.tile_url = settings.tile_url
        known = await zip_table.zip_places()
        circles = [row for row in self._zips if row.id in known][:MOST_CIRCLES]
        most = max((row.waiting for row in circles), default=0)
        shown = [PlaceCircle.of(row, *known[row.id], most=most) for row in circles]
        if shown != self.circles:  # what stays the same is not sent again
            self.circles = shown
            self.seen = [(each.lat, each.lng) for each in shown]

    def _toggle(self, zip_code: str) -> None:
        if zip_code in self.ticked:
            self._tick([each for each in self.ticked if each != zip_code])
        elif len(self.ticked) < ZIPS_MAX:
            self._tick([*self.ticked, zip_code])

    def _tick(self, zips: list[str]) -> None:
        free = self._free()
        self.ticked = sorted(each for each in zips if each in free)
        count = f"{len(self.ticked)} ZIP code{'' if len(self.ticked) == 1 else 's'}"
        self.ticked_text = f"{count}, {people(sum(free[each] for each in self.ticked))} waiting"

    def _free(self) -> dict[str, int]:
        """Return the people of each ZIP that belongs to no area."""
        return {each.id: each.waiting for each in self._zips if each.id and not each.area}


def _headline(zips: list[Place]) -> str:
    total = sum(each.waiting for each in zips)
    without = next((each.waiting for each in zips if not each.id), 0)
    if not total:
        return "Nobody is waiting yet."
    verb = "is" if total == 1 else "are"
    return f"{people(total)} {verb} waiting" + (f", {without:,} without a ZIP." if without else ".")


_DONE = {
    "start": "Inviting the waitlist of {}",
    "pause": "Invitations of {} paused",
    "resume": "Invitations of {} resumed",
}
_FUNNEL_S = 5  # a burst of changes is one funnel


@dataclass(frozen=True)
class WavesCard:
    """One area."""

    area_id: str
    name: str
    status: str
    label: str
    color: str
    state: str  # of the waves
    state_text: str
    forecast: str
    invited: int
    invited_text: str
    total: int  # invited, or to invite

    @classmethod
    def of(cls, row: AreaWaves) -> Self:
        sent = f"{row.invited:,} invited, {row.sent_today:,} today" if row.invited else ""
        return cls(
            row.area_id,
            row.name,
            row.status,
            *STATUS_BADGES[row.status],
            row.state,
            _state_text(row),
            row.forecast,
            row.invited,
            sent,
            max(row.invited + row.waiting, 1),
        )


def _state_text(row: AreaWaves) -> str:
    if row.status != OPEN:
        waits = "The waves wait until the area is open again." if row.state == RUNNING else ""
        return waits or "Only an open area invites its waitlist."
    if row.state == PAUSED:
        return "Invitations are paused."
    if row.state == RUNNING and row.waiting:
        return "A wave goes out each day, 8 AM to 8 PM."
    return "Everybody has been invited." if row.state == RUNNING else "Nobody has been invited yet."


class WavesState(AdminScreen, rx.State):
    """The areas and their waves."""

    TOPICS: ClassVar = (AREAS, INVITATIONS, LEADS, FIGURES)

    areas: list[WavesCard] = []

    @admin_only
    async def step(self, kind: str, area_id: str):
        """Start, pause or resume the waves of an area."""
        area = next((each for each in self.areas if each.area_id == area_id), None)
        if area is None or not isinstance(kind, str) or kind not in STEPS:
            return
        try:
            done = await waves.step_waves(kind, area_id, actor=await actor_of(self))
            undo = await self.get_state(UndoState)
            undo._offer(_DONE[kind].format(area.name), done.action_id)
        except Refusal as refusal:
            (await self.get_state(ToastState))._show(str(refusal), "problem")
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self.areas = [WavesCard.of(row) for row in await service.list_waves(actor=actor)]


class FunnelState(AdminScreen, rx.State):
    """The funnel of invitations."""

    TOPICS: ClassVar = (INVITATIONS, BOOKINGS)

    areas: list[FunnelLine] = []
    days: list[FunnelLine] = []
    neighborhoods: list[FunnelLine] = []

    @admin_only(background=True)
    async def follow(self):
        """Show what has become of invitations since."""
        await follow(self, self._refresh, *self.TOPICS, after_s=_FUNNEL_S)

    async def _read(self, actor: Actor) -> None:
        found = await waves.read_funnel(actor=actor)
        self.areas, self.days = list(found.areas), list(found.days)
        self.neighborhoods = list(found.neighborhoods)

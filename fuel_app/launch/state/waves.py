"""Where people wait, the areas with their waves, and the funnel, as admins see them."""

from dataclasses import dataclass
from typing import ClassVar, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import AdminScreen, StaffList, UndoState, follow
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.areas.rules.areas import ZIPS_MAX
from fuel_app.areas.service import places as zip_table
from fuel_app.areas.state import STATUS_BADGES, AreaCard
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.signals import AREAS, BOOKINGS, FIGURES, INVITATIONS, LEADS, MEMBERS
from fuel_app.kit.ui.forms import NoFields
from fuel_app.kit.ui.map import circle_size, short_count
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.launch.rules import (
    TRANSITIONS,
    AreaWaves,
    DemandQuery,
    DemandRow,
    FunnelLine,
    InvitationMail,
    page_of,
    people,
)
from fuel_app.launch.service import waves
from fuel_app.launch.state.areas import AreaFormState
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

MOST_CIRCLES = 300  # the ZIPs with most people


@dataclass(frozen=True)
class DemandCircle:
    """The people of one ZIP on the map."""

    zip_code: str
    lat: float
    lng: float
    size: int  # pixels across
    people: str
    label: str
    status: str  # of its area; empty: none

    @classmethod
    def of(cls, row: DemandRow, lat: float, lng: float, *, most: int) -> Self:
        area = f"{row.area}, {STATUS_BADGES[row.status][0].lower()}" if row.area else "no area"
        label = f"{row.zip_code}: {people(row.waiting)} waiting, {area}"
        size = circle_size(row.waiting, most)
        return cls(row.zip_code, lat, lng, size, short_count(row.waiting), label, row.status)


class DemandState(StaffList, rx.State):
    """The list of one tab. Ticked ZIPs stay ticked while the pages turn."""

    ROLES: ClassVar = (Role.ADMIN,)
    PATH: ClassVar = routes.LAUNCH
    TOPICS: ClassVar = (LEADS, MEMBERS, AREAS)

    question: DemandQuery = DemandQuery()
    rows: list[DemandRow] = []
    circles: list[DemandCircle] = []
    seen: list[tuple[float, float]] = []  # the circles' positions
    tile_url: str = ""
    most: int = 1  # in one row of this page
    headline: str = ""
    ticked: list[str] = []  # ZIPs
    ticked_text: str = ""

    _zips: list[DemandRow] = []

    @rx.var
    def looks(self) -> bool:
        """Return whether the list is searched or filtered."""
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
        form = await self.get_state(AreaFormState)
        form._open()
        form.area = AreaCard(zips=", ".join(self.ticked))

    async def _read(self, actor: Actor) -> None:
        self._zips, noun = await waves.list_zips(actor=actor), "ZIP code"
        shown = self._zips
        if self.question.of_neighborhoods:
            shown, noun = await waves.list_neighborhoods(actor=actor), "neighborhood"
        page = page_of(shown, self.question)
        self.rows = list(page.rows)
        self.most = max((row.waiting for row in page.rows), default=1)
        self._show_pages(page.page, page.pages)
        self.summary = counted(page.total, noun)
        self.headline = _headline(self._zips)
        self._tick(self.ticked)
        self.tile_url = settings.tile_url
        positions = await zip_table.zip_places()
        drawn = [row for row in self._zips if row.id in positions][:MOST_CIRCLES]
        most = max((row.waiting for row in drawn), default=0)
        circles = [DemandCircle.of(row, *positions[row.id], most=most) for row in drawn]
        if circles != self.circles:  # what stays the same is not sent again
            self.circles = circles
            self.seen = [(each.lat, each.lng) for each in circles]

    def _toggle(self, zip_code: str) -> None:
        if zip_code in self.ticked:
            self._tick([each for each in self.ticked if each != zip_code])
        elif len(self.ticked) < ZIPS_MAX:
            self._tick([*self.ticked, zip_code])

    def _tick(self, zips: list[str]) -> None:
        free = self._free()
        self.ticked = sorted(each for each in zips if each in free)
        count = counted(len(self.ticked), "ZIP code")
        self.ticked_text = f"{count}, {people(sum(free[each] for each in self.ticked))} waiting"

    def _free(self) -> dict[str, int]:
        """Return the people of each ZIP that belongs to no area."""
        return {each.id: each.waiting for each in self._zips if each.id and not each.area}


def _headline(zips: list[DemandRow]) -> str:
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


class WavesState(AdminScreen, rx.State):
    """The areas and their waves."""

    TOPICS: ClassVar = (AREAS, INVITATIONS, LEADS, FIGURES)

    areas: list[AreaWaves] = []

    @admin_only
    async def step(self, kind: str, area_id: str):
        """Start, pause or resume the waves of an area."""
        area = next((each for each in self.areas if each.area_id == area_id), None)
        if area is None or not isinstance(kind, str) or kind not in TRANSITIONS:
            return
        try:
            done = await waves.step_waves(kind, area_id, actor=await actor_of(self))
            undo = await self.get_state(UndoState)
            undo._offer(_DONE[kind].format(area.name), done.action_id)
        except Refusal as refusal:
            (await self.get_state(ToastState))._show(str(refusal), "problem")
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self.areas = await waves.list_waves(actor=actor)


class WaveStartState(FormDialog, rx.State):
    """The question before the waitlist of an area is invited."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "wave-start"
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "waves.start_failed"

    name: str = ""
    forecast: str = ""
    mail: InvitationMail = InvitationMail()
    tested: str = ""  # where a test has gone

    _area_id: str = ""

    @admin_only
    async def ask(self, area_id: str):
        """Open the dialog for one area."""
        areas = (await self.get_state(WavesState)).areas
        area = next((each for each in areas if each.area_id == area_id), None)
        if area:
            self._open()
            self.name, self.forecast, self._area_id = area.name, area.forecast, area.area_id
            try:
                self.mail = await waves.preview_mail(area.area_id, actor=await actor_of(self))
            except Refusal as refusal:
                self.error = str(refusal)

    @admin_only
    async def send_test(self):
        """Send the mail to whoever asks; once in this dialog."""
        if self.opened and not self.busy and not self.tested:
            async for event in self._run(self._test()):
                yield event

    async def _test(self) -> None:
        actor = await actor_of(self)
        self.tested = await waves.send_test(self._area_id, key=self._key, actor=actor)

    async def _send(self, sent: object) -> None:
        done = await waves.step_waves("start", self._area_id, actor=await actor_of(self))
        said = _DONE["start"].format(self.name)
        self._close()
        (await self.get_state(UndoState))._offer(said, done.action_id)
        await self._renew()

    async def _renew(self) -> None:
        await (await self.get_state(WavesState))._refresh()


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
        funnel = await waves.read_funnel(actor=actor)
        self.areas, self.days = list(funnel.areas), list(funnel.days)
        self.neighborhoods = list(funnel.neighborhoods)

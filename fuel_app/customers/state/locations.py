"""The form of a location, and the saved ones on Account Settings with the pin on the map."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Opening, actor_of
from fuel_app.areas.rules.places import parse_position
from fuel_app.customers.rules.locations import NEW_LOCATION, LocationForm, NotDelivered, OwnLocation
from fuel_app.customers.service import locations
from fuel_app.customers.state.customer import CustomerScreen, CustomerState, for_customers, for_own
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.errors import InvalidForm, problem_of
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings


class LocationFields(rx.State, mixin=True):
    """What the fields of an address begin with, and the tiles of its map."""

    place: dict[str, str] = NEW_LOCATION

    @rx.var
    def tile_url(self) -> str:
        """Return the address of the map's tiles."""
        return settings.tile_url


class OwnLocationFields(LocationFields, mixin=True):
    """Typed text and messages; survives closing and reloading."""

    location_errors: dict[str, str] = LocationForm.blank()

    _location_form: ClassVar[str]  # the form's id, for focus

    @for_customers
    async def edit_location(self, form: dict[str, Any]):
        """Keep what is typed."""
        self._keep_location(form)

    def _keep_location(self, form: object) -> None:
        """Keep what is typed; what was refused stays so until it is changed."""
        before, self.place = self.place, LocationForm.typed(form)
        if self.place != before:
            self.location_errors = LocationForm.recheck(self.location_errors, self.place)

    def _refuse_location(self, error: InvalidForm) -> None:
        self.location_errors = LocationForm.blank() | error.messages

    def _point_at_location(self) -> Any:
        """Return an event that focuses the first invalid field."""
        first = next(field for field, message in self.location_errors.items() if message)
        return focus_field(self._location_form, first)


FORM = "place"
ADD_BUTTON, UNDO_BUTTON, PIN_BUTTON = "place-add", "place-undo", "place-pin"


@dataclass(frozen=True)
class LocationCard:
    """One saved address."""

    id: str
    label: str
    details: str
    is_default: bool
    is_approximate: bool
    notes: str

    @classmethod
    def of(cls, place: OwnLocation) -> Self:
        gate = f" · Gate code {place.gate_code}" if place.gate_code else ""
        details = f"{place.spot}{gate}"
        marks = place.is_default, place.is_approximate
        return cls(place.id, place.label, details, *marks, place.notes)


class LocationsState(CustomerScreen, Opening, OwnLocationFields, rx.State):
    """The list, the dialog with its form or its map, and the address that was deleted last."""

    rows: list[LocationCard] = []
    loaded: bool = False
    editing: str = ""  # the address's id; empty while one is added
    pin: list[float] = []  # latitude and longitude, while the dialog shows the map
    pin_of: str = ""  # what the pin stands at
    refusal: str = ""
    outside: str = ""  # the ZIP that we do not deliver to
    busy: bool = False
    removed: str = ""  # what it was called

    _location_form: ClassVar = FORM
    _removed: OwnLocation | None = None

    @for_own
    async def arrive(self):
        """Show what is saved."""
        await self._list()

    @for_own
    async def add(self):
        """Open an empty form; the first one starts with the customer's postal address."""
        own = (await (await self.get_state(CustomerState))._opened.read()).personal
        postal = {"street": own.address, "city": own.city, "state": own.state}
        known = postal | {"zip_code": own.zip_code} if not self.rows else {}
        self._open("", NEW_LOCATION | {name: value for name, value in known.items() if value})

    @for_own
    async def change(self, place_id: str):
        """Open the form on one of the addresses."""
        if known := await self._find(place_id):
            self._open(known.id, {name: getattr(known, name) for name in NEW_LOCATION})

    @for_own
    async def locate(self, place_id: str):
        """Open the map on one of the addresses."""
        if known := await self._find(place_id):
            self._open(known.id, NEW_LOCATION)
            self._show_map(known)

    @for_own
    async def show(self, opened: bool):
        """Handle the dialog's closing."""
        if opened is not True:
            self._close()

    @for_own
    async def save(self, form: dict[str, Any]):
        """Save a valid address. One that is not found on the map asks for its pin next."""
        if not self.opened or self.pin:
            return
        self.refusal, self.outside, self.busy = "", "", True
        self.place, self.location_errors = LocationForm.typed(form), LocationForm.blank()
        yield
        try:
            self.refusal = await problem_of(self._save(), "place.save_failed")
        except InvalidForm as error:
            self._refuse_location(error)
            yield self._point_at_location()
        self.busy = False
        if self.pin or not self.opened:
            yield  # the button is there when the focus goes to it
            yield rx.set_focus(PIN_BUTTON if self.pin else ADD_BUTTON)

    @for_own
    async def move_pin(self, lat: float, lng: float):
        """Keep where the pin stands, while the map is shown."""
        if self.pin and (at := parse_position(lat, lng)):
            self.pin, self.refusal = [at.lat, at.lng], ""

    @for_own
    async def save_pin(self):
        """Save where the car stands on the map."""
        if not self.pin:
            return
        self.busy, self.refusal = True, ""
        yield
        person_id = (await actor_of(self)).person_id
        step = locations.set_pin(person_id, self.editing, *self.pin)
        self.refusal = await problem_of(step, "place.pin_failed")
        self.busy = False
        if not self.refusal:
            await self._list()
            await self._finish()
            yield  # the button that opened the dialog may have gone with the empty list
            yield rx.set_focus(ADD_BUTTON)

    @for_own
    async def make_default(self, place_id: str):
        """Let bookings start with one of the addresses."""
        await locations.make_default((await actor_of(self)).person_id, place_id)
        await self._list()

    @for_own
    async def remove(self, place_id: str):
        """Delete an address, with a chance to undo."""
        self._removed = await locations.remove((await actor_of(self)).person_id, place_id)
        self.removed = self._removed.label if self._removed else ""
        await self._list()
        yield  # the button is there when the focus goes to it
        yield rx.set_focus(UNDO_BUTTON if self.removed else ADD_BUTTON)

    @for_own
    async def undo(self):
        """Undo the last deletion."""
        if self._removed is None:
            return
        step = locations.restore((await actor_of(self)).person_id, self._removed)
        if problem := await problem_of(step, "place.restore_failed"):
            (await self.get_state(ToastState))._show(problem, "problem", seconds=6)
        self._removed, self.removed = None, ""
        await self._list()
        yield rx.set_focus(ADD_BUTTON)

    @for_own
    async def join_waitlist(self):
        """Lead to the waitlist, filled in."""
        own = (await (await self.get_state(CustomerState))._opened.read()).personal
        reason = f"{NotDelivered(self.outside)} We write to you when we open there."
        waitlist = await self.get_state(WaitlistState)
        await waitlist._prefill(own.model_dump(), self.outside, reason)
        return rx.redirect(routes.asking(routes.HOME, {"waitlist": "true"}))

    async def _save(self) -> None:
        typed = LocationForm.parse(self.place)
        person_id = (await actor_of(self)).person_id
        try:
            saved = await locations.save(person_id, typed, self.editing)
        except NotDelivered as refusal:
            self.outside = refusal.zip_code
            raise InvalidForm({"zip_code": str(refusal)}) from None
        await self._list()
        if saved.is_approximate:
            self.editing = saved.id
            self._show_map(saved)
        else:
            await self._finish()

    async def _find(self, place_id: object) -> OwnLocation | None:
        return await locations.find((await actor_of(self)).person_id, place_id)

    async def _list(self) -> None:
        own = await locations.list_own((await actor_of(self)).person_id)
        self.rows, self.loaded = [LocationCard.of(place) for place in own], True

    def _open(self, editing: str, typed: dict[str, str]) -> None:
        self.place, self.location_errors = typed, LocationForm.blank()
        self.editing, self.pin, self.refusal, self.outside = editing, [], "", ""
        self._removed, self.removed, self.opened = None, "", True

    def _show_map(self, place: OwnLocation) -> None:
        self.pin, self.pin_of = [place.lat, place.lng], place.label

    async def _finish(self) -> None:
        """Close the dialog and say that it is saved."""
        self._close()
        (await self.get_state(ToastState))._show("Saved")

    def _close(self) -> None:
        self.opened, self.pin = False, []
        self.place, self.outside = dict(NEW_LOCATION), ""

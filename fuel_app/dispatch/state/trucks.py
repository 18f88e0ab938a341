"""The trucks as admins see and change them."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import reflex as rx

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.live import AdminScreen
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.accounts.state.undo import UndoState
from fuel_app.areas.rules.places import Point, parse_position
from fuel_app.dispatch.rules.day import Truck
from fuel_app.dispatch.rules.trucks import TruckForm, meter_text, tanks_text, typed
from fuel_app.dispatch.service import trucks
from fuel_app.kit.errors import FAILED, problem_of
from fuel_app.kit.signals import TRUCKS
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings

PIN_NEEDED = "This address is not on the map. Put the pin where the truck starts, then save."


@dataclass(frozen=True)
class TruckLine:
    """A truck; an empty one means a new one."""

    id: str = ""
    name: str = ""
    license_plate: str = ""
    tanks: str = ""
    meter: str = ""
    home: str = ""
    is_active: bool = True
    revision: int = 0

    @classmethod
    def of(cls, truck: Truck) -> Self:
        texts = truck.license_plate, tanks_text(truck), meter_text(truck), truck.home
        return cls(truck.id, truck.name, *texts, truck.is_active, truck.revision)


class TrucksState(AdminScreen, rx.State):
    """Every truck."""

    TOPICS: ClassVar = (TRUCKS,)

    trucks: list[TruckLine] = []

    _trucks: dict[str, Truck] = {}

    @admin_only
    async def set_active(self, truck_id: str, is_active: bool):
        """Retire a truck, or let a retired one drive again, with Undo."""
        if not (truck := self._find(truck_id)):
            return

        async def turn() -> None:
            seen, wanted = (truck.id, truck.revision), is_active is True
            action_id = await trucks.set_active(await actor_of(self), *seen, is_active=wanted)
            said = f"{truck.name} is {'back' if wanted else 'retired'}"
            (await self.get_state(UndoState))._offer(said, action_id)

        if problem := await problem_of(turn(), "truck.change_failed"):
            (await self.get_state(ToastState))._show(problem, "problem", seconds=8)
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        found = await trucks.listing(actor)
        self._trucks = {truck.id: truck for truck in found}
        self.trucks = [TruckLine.of(truck) for truck in found]

    def _find(self, truck_id: object) -> Truck | None:
        return self._trucks.get(truck_id) if isinstance(truck_id, str) else None


class TruckFormState(StaffScreen, FormState, rx.State):
    """The dialog that adds a truck or changes one."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "truck"
    FIELDS: ClassVar = TruckForm

    opened: bool = False
    truck: TruckLine = TruckLine()
    typed: dict[str, str] = TruckForm.blank()
    errors: dict[str, str] = TruckForm.blank()
    pin: list[float] = []  # latitude and longitude of the home, once it is known
    pin_note: str = ""
    tile_url: str = ""  # of the map

    _pin_of: str = ""  # the address that it belongs to

    @admin_only
    async def begin(self, truck_id: str):
        """Open the dialog for a truck; an empty id is a new one."""
        self._start_over()
        self.tile_url = settings.tile_url
        self._show((await self.get_state(TrucksState))._find(truck_id))
        self.opened = True

    @admin_only
    async def close(self, _opened: bool):
        self.opened = False

    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the fields again that have changed since they were refused."""
        self._recheck(form)

    @admin_only
    async def move_pin(self, lat: float, lng: float):
        """Keep where the home is on the map."""
        if self.pin and (at := parse_position(lat, lng)):
            self.pin = [at.lat, at.lng]

    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Store the truck. A second click finds the dialog closed and does nothing."""
        if not self.opened:
            return
        self._begin(form)
        yield
        yield await self._finish(self._store(form), "truck.save_failed")
        if self.error not in {"", FAILED}:
            await self._renew()

    def _show(self, truck: Truck | None) -> None:
        if truck:
            self.truck, self.typed = TruckLine.of(truck), typed(truck)
            self.pin, self._pin_of = list(truck.point), truck.home

    async def _renew(self) -> None:
        """Show the truck as it is now, if it is still there."""
        shown = await self.get_state(TrucksState)
        await shown._refresh()
        self._show(shown._find(self.truck.id))

    async def _store(self, sent: object) -> None:
        form, actor, self.pin_note = TruckForm.parse(sent), await actor_of(self), ""
        if form.home != self._pin_of:
            found = await trucks.locate(actor, form)
            self.pin, self._pin_of = [found.lat, found.lng], form.home
            if found.is_approximate:
                self.pin_note = PIN_NEEDED
                return
        await trucks.save(actor, self.truck.id, self.truck.revision, form, Point(*self.pin))
        self.opened = False
        (await self.get_state(ToastState))._show(f"{form.name} is saved")
        await (await self.get_state(TrucksState))._refresh()

"""The trucks as admins see and change them, and the dialog of a day's shifts."""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Self

import reflex as rx

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import AdminScreen, UndoState
from fuel_app.accounts.state.session import actor_of, admin_only, staff_only
from fuel_app.areas.rules.places import Point, parse_position
from fuel_app.dispatch.rules.day import NoSuchDay, Shift, Truck, parse_day
from fuel_app.dispatch.rules.trucks import (
    DEFAULT_HOURS,
    WEEK,
    DayShifts,
    ShiftForm,
    TruckForm,
    hours_text,
    meter_text,
    shift_fields,
    tanks_text,
    truck_fields,
)
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.state.board import OfDay
from fuel_app.kit.clock import long_date
from fuel_app.kit.errors import problem_of
from fuel_app.kit.signals import TRUCKS
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
            action_id = await trucks.set_truck_active(await actor_of(self), *seen, is_active=wanted)
            said = f"{truck.name} is {'back' if wanted else 'retired'}"
            (await self.get_state(UndoState))._offer(said, action_id)

        if problem := await problem_of(turn(), "truck.change_failed"):
            (await self.get_state(ToastState))._show(problem, "problem", seconds=8)
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        found = await trucks.list_trucks(actor)
        self._trucks = {truck.id: truck for truck in found}
        self.trucks = [TruckLine.of(truck) for truck in found]

    def _find(self, truck_id: object) -> Truck | None:
        return self._trucks.get(truck_id) if isinstance(truck_id, str) else None


class TruckFormState(FormDialog, rx.State):
    """The dialog that adds a truck or changes one."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "truck"
    FIELDS: ClassVar = TruckForm
    EVENT: ClassVar = "truck.save_failed"

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
        self._open()
        self.tile_url = settings.tile_url
        self._show((await self.get_state(TrucksState))._find(truck_id))

    @admin_only
    async def move_pin(self, lat: float, lng: float):
        """Keep where the home is on the map."""
        if self.pin and (at := parse_position(lat, lng)):
            self.pin = [at.lat, at.lng]

    def _show(self, truck: Truck | None) -> None:
        if truck:
            self.truck, self.typed = TruckLine.of(truck), truck_fields(truck)
            self.pin, self._pin_of = list(truck.point), truck.home

    async def _renew(self) -> None:
        """Show the truck as it is now, if it is still there."""
        shown = await self.get_state(TrucksState)
        await shown._refresh()
        self._show(shown._find(self.truck.id))

    async def _send(self, sent: object) -> None:
        """Store the truck, or ask for its pin first."""
        form, actor, self.pin_note = TruckForm.parse(sent), await actor_of(self), ""
        if form.home != self._pin_of:
            found = await trucks.locate_home(actor, form)
            self.pin, self._pin_of = [found.lat, found.lng], form.home
            if found.is_approximate:
                self.pin_note = PIN_NEEDED
                return
        await trucks.save_truck(actor, self.truck.id, self.truck.revision, form, Point(*self.pin))
        self._close()
        (await self.get_state(ToastState))._show(f"{form.name} is saved")
        await (await self.get_state(TrucksState))._refresh()


LIST, EDIT, REMOVE = "list", "edit", "remove"  # what the dialog shows


@dataclass(frozen=True)
class ShiftLine:
    """A shift; an empty one means a new one."""

    id: str = ""
    truck: str = ""
    technician: str = ""
    hours: str = ""
    stops: int = 0

    @classmethod
    def of(cls, shift: Shift, stops: int) -> Self:
        return cls(shift.id, shift.truck.name, shift.technician, hours_text(shift), stops)


class ShiftsState(OfDay, FormDialog, rx.State):
    """The dialog: the day's shifts, the form of one, or the question before one goes."""

    FORM: ClassVar = "shift"
    FIELDS: ClassVar = ShiftForm
    EVENT: ClassVar = "shift.save_failed"

    shows: str = LIST
    day_text: str = ""
    rows: list[ShiftLine] = []
    trucks: list[tuple[str, str]] = []  # id, name
    technicians: list[tuple[str, str]] = []
    line: ShiftLine = ShiftLine()  # that is edited or removed
    typed: dict[str, str] = ShiftForm.blank()
    errors: dict[str, str] = ShiftForm.blank()
    said: str = ""

    _day: date | None = None
    _shifts: dict[str, Shift] = {}

    @staff_only
    async def open(self, day: str):
        """Open the dialog for a day such as '2026-11-24'."""
        try:
            shown = parse_day(day)
        except NoSuchDay:
            return
        self._open()
        self._day, self.day_text = shown, f"{shown:%A}, {long_date(shown)}"
        await self._renew()

    @staff_only
    async def back(self):
        """Go back to the list."""
        self._show(LIST)

    @staff_only
    async def begin(self, shift_id: str):
        """Show the form of a shift; an empty id is a new one."""
        self._show(EDIT, shift_id)

    @staff_only
    async def ask(self, shift_id: str):
        """Ask before a shift is removed."""
        self._show(REMOVE, shift_id)
        if not self.line.id:
            self.shows = LIST

    @staff_only
    async def remove(self):
        """Remove the shift. A second click finds the list and does nothing."""
        if self.opened and not self.busy and self.shows == REMOVE:
            async for event in self._run(self._remove()):
                yield event

    @staff_only
    async def copy_last_week(self):
        """Copy the shifts of the same day a week before."""
        if self.opened and not self.busy:
            self.said = ""
            async for event in self._run(self._copy()):
                yield event

    @property
    def _seen(self) -> tuple[str, int]:
        """Return id and revision of the shift that is edited or removed."""
        shift = self._shifts.get(self.line.id)
        return self.line.id, shift.revision if shift else 0

    async def _send(self, sent: object) -> None:
        """Store the shift. A second press finds the list and does nothing."""
        if self.shows == EDIT:
            await self._save(ShiftForm.parse(sent))

    async def _save(self, form: ShiftForm) -> None:
        await trucks.save_shift(await actor_of(self), self._day, *self._seen, form)
        self._show(LIST)
        self.said = "The shift is saved."
        await self._renew()

    async def _remove(self) -> None:
        await trucks.remove_shift(await actor_of(self), *self._seen)
        self._show(LIST)
        self.said = "The shift is removed."
        await self._renew()

    async def _copy(self) -> None:
        if self._day is None:
            return
        copied = await trucks.copy_shifts(await actor_of(self), self._day, self._day - WEEK)
        unit = "shift" if copied.count == 1 else "shifts"
        left_out = [f"Not copied: {each}." for each in copied.left_out]
        self.said = " ".join([f"{copied.count} {unit} copied.", *left_out])
        await self._renew()

    async def _renew(self) -> None:
        """Show the day as it is now."""
        if self._day is None:
            return
        day: DayShifts = await trucks.read_shifts(await actor_of(self), self._day)
        self._shifts = {shift.id: shift for shift, _ in day.shifts}
        self.rows = [ShiftLine.of(shift, stops) for shift, stops in day.shifts]
        self.trucks, self.technicians = [*day.trucks.items()], [*day.technicians.items()]
        if self.shows == EDIT and self.line.id:
            self._show_values()

    def _show(self, shows: str, shift_id: object = "") -> None:
        self.shows, self.error, self.said, self.busy = shows, "", "", False
        self.line = next((line for line in self.rows if line.id == shift_id), ShiftLine())
        self.errors = ShiftForm.blank()
        self._show_values()

    def _show_values(self) -> None:
        shift = self._shifts.get(self.line.id)
        self.typed = shift_fields(shift) if shift else ShiftForm.blank() | DEFAULT_HOURS

"""The dialogs in which staff change what a caller says: an address with its pin, a vehicle, the
phone, the e-mail; and the one that asks before something is removed.
"""

from typing import Annotated, ClassVar

import reflex as rx

from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.session import actor_of, staff_only, visitor_of
from fuel_app.areas.rules.places import parse_position
from fuel_app.billing.rules.corrections import Reason
from fuel_app.bookings.rules.desk import (
    FOLLOWS,
    DeskPlace,
    DeskVehicle,
    NewCallersEmail,
    NewPhone,
    told,
)
from fuel_app.bookings.service import desk
from fuel_app.customers.rules.locations import NEW_LOCATION, NotDelivered, OwnLocation
from fuel_app.customers.rules.vehicles import OwnVehicle, find_vehicle
from fuel_app.customers.service import directory
from fuel_app.customers.state.locations import LocationFields
from fuel_app.customers.state.vehicles import VehicleFields
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import Form, line
from fuel_app.kit.ui.forms import NoFields, is_stale
from fuel_app.kit.ui.toast import ToastState
from fuel_app.membership import service as membership
from fuel_app.office.state.customers import CustomerDashboardState, OfCustomer, VehiclesTab

_CODE_MAX = 20
NO_REASON = {"reason": ""}
VEHICLE, PLACE = "vehicle", "place"


async def _chosen(tab: rx.State) -> str:
    """Return the id of the customer that is shown; empty where none is."""
    return (await tab.get_state(CustomerDashboardState)).profile.id


async def _done(tab: rx.State, said: str) -> None:
    """Say what was done, and show the customer as they are now."""
    (await tab.get_state(ToastState))._show(said, seconds=6)
    await (await tab.get_state(CustomerDashboardState))._refresh()


class DeskPlaceState(OfCustomer, FormDialog, LocationFields, rx.State):
    """The dialog of one address: its form, then its map where it was not found.

    Its edition rises as the map comes: a second press of 'Save address' leaves the pin alone.
    """

    FORM: ClassVar = "desk-place"
    FIELDS: ClassVar = DeskPlace
    EVENT: ClassVar = "desk.place_failed"

    editing: str = ""  # the address's id; empty while one is added
    pin: list[float] = []  # latitude and longitude, while the dialog shows the map
    pin_of: str = ""  # what the pin stands at
    errors: dict[str, str] = DeskPlace.blank()

    _customer_id: str = ""
    _said: str = ""  # what to say once the pin stands

    @staff_only
    async def begin(self, place_id: str):
        """Open the form on one of the customer's addresses; an empty id adds one."""
        known = await self._find(place_id)
        if known or (place_id == "" and await _chosen(self)):
            await self._show(known)

    @staff_only
    async def locate(self, place_id: str):
        """Open the map on one of the customer's addresses."""
        if known := await self._find(place_id):
            await self._show(known)
            self._show_map(known, told([], ""))

    @staff_only
    async def move_pin(self, lat: float, lng: float):
        """Keep where the pin stands, while the map is shown."""
        if self.pin and (at := parse_position(lat, lng)):
            self.pin, self.error = [at.lat, at.lng], ""

    def _takes(self, form: object) -> bool:
        return super()._takes(form) and not is_stale(form, str(self.edition))

    def _rules(self) -> type[Form]:
        return NoFields if self.pin else DeskPlace

    async def _send(self, sent: object) -> None:
        actor, customer_id = await actor_of(self), self._customer_id
        if self.pin:
            count = await desk.set_pin(actor, customer_id, self.editing, *self.pin)
            said = told([FOLLOWS] * count, "") if count else self._said
        else:
            typed = DeskPlace.parse(sent)
            try:
                saved, said = await desk.save_place(actor, customer_id, typed, self.editing)
            except NotDelivered as refusal:
                raise InvalidForm({"zip_code": str(refusal)}) from None
            if saved.is_approximate:
                self.editing = saved.id
                self._show_map(saved, said)
                await (await self.get_state(VehiclesTab))._load()
                return
        self._close()
        await _done(self, said)

    async def _find(self, place_id: object) -> OwnLocation | None:
        _, places = await directory.garage(await actor_of(self), await _chosen(self))
        return next((each for each in places if each.id == place_id), None)

    async def _show(self, known: OwnLocation | None) -> None:
        self._open()
        self._customer_id = await _chosen(self)
        typed = {name: getattr(known, name) for name in NEW_LOCATION} if known else NEW_LOCATION
        self.place, self.editing = typed | NO_REASON, known.id if known else ""

    def _show_map(self, place: OwnLocation, said: str) -> None:
        self.pin, self.pin_of, self._said = [place.lat, place.lng], place.label, said
        self.edition += 1


class DeskVehicleState(OfCustomer, FormDialog, VehicleFields, rx.State):
    """The dialog of one vehicle; its photo is its owner's, and stays."""

    FORM: ClassVar = "desk-vehicle"
    FIELDS: ClassVar = DeskVehicle
    EVENT: ClassVar = "desk.vehicle_failed"

    editing: str = ""  # the vehicle's id; empty while one is added
    errors: dict[str, str] = DeskVehicle.blank()

    _vehicle_rules: ClassVar = DeskVehicle
    _customer_id: str = ""

    @staff_only
    async def begin(self, vehicle_id: str):
        """Open the form on one of the customer's vehicles; an empty id adds one."""
        customer_id = await _chosen(self)
        theirs, _ = await directory.garage(await actor_of(self), customer_id)
        known = find_vehicle(theirs, vehicle_id)
        if known or (vehicle_id == "" and customer_id):
            self._open()
            self._customer_id = customer_id
            start = known.as_typed() if known else OwnVehicle.start()
            self.vehicle, self.editing = start | NO_REASON, known.id if known else ""

    def _recheck(self, form: object) -> bool:
        """Clear the model, too, when the make changes."""
        self._type_vehicle(form)
        return super()._recheck(form)

    async def _send(self, sent: object) -> None:
        vehicle = DeskVehicle.parse(sent, id=self.editing)
        said = await desk.save_vehicle(await actor_of(self), self._customer_id, vehicle)
        self._close()
        await _done(self, said)


class DeskRemovalState(OfCustomer, FormDialog, rx.State):
    """The question before a vehicle or an address of the customer is removed."""

    FORM: ClassVar = "desk-removal"
    FIELDS: ClassVar = Reason
    EVENT: ClassVar = "desk.removal_failed"

    kind: str = ""  # VEHICLE or PLACE
    what: str = ""
    errors: dict[str, str] = Reason.blank()

    _id: str = ""
    _customer_id: str = ""

    @staff_only
    async def begin(self, kind: str, row_id: str):
        """Ask about one of the customer's vehicles or addresses."""
        tab = await self.get_state(VehiclesTab)
        names = {
            VEHICLE: {each.id: each.title for each in tab.vehicles},
            PLACE: {each.id: each.label for each in tab.places},
        }
        listed = names.get(kind) if isinstance(kind, str) else None
        if listed and isinstance(row_id, str) and row_id in listed:
            self._open()
            self.kind, self.what, self._id = kind, listed[row_id], row_id
            self._customer_id = await _chosen(self)

    async def _send(self, sent: object) -> None:
        reason, actor, what = Reason.parse(sent).reason, await actor_of(self), self.what
        remove = desk.remove_vehicle if self.kind == VEHICLE else desk.remove_place
        await remove(actor, self._customer_id, self._id, reason)
        self._close()
        await _done(self, f"{what} removed.")

    async def _renew(self) -> None:
        await (await self.get_state(VehiclesTab))._load()


class DeskPhoneState(OfCustomer, FormDialog, rx.State):
    """The dialog of the customer's phone."""

    FORM: ClassVar = "desk-phone"
    FIELDS: ClassVar = NewPhone
    EVENT: ClassVar = "desk.phone_failed"

    errors: dict[str, str] = NewPhone.blank()

    _customer_id: str = ""

    @staff_only
    async def begin(self):
        """Open the form, empty: a caller says the whole number."""
        if customer_id := await _chosen(self):
            self._open()
            self._customer_id = customer_id

    async def _send(self, sent: object) -> None:
        await desk.change_phone(await actor_of(self), self._customer_id, NewPhone.parse(sent))
        self._close()
        await _done(self, "Phone saved. It is not verified.")


class CallersCode(Form):
    """The code that a caller reads out."""

    code: Annotated[str, line("Code", _CODE_MAX)]


class _CallersEmailFields(NewCallersEmail, CallersCode):
    """The fields of both steps."""


class DeskEmailState(OfCustomer, FormDialog, rx.State):
    """The dialog of the customer's e-mail: the new one, then the code that was mailed to it."""

    FORM: ClassVar = "desk-email"
    FIELDS: ClassVar = _CallersEmailFields
    EVENT: ClassVar = "desk.email_failed"

    sent_to: str = ""  # the new e-mail once its code is on its way
    errors: dict[str, str] = _CallersEmailFields.blank()

    _customer_id: str = ""

    @staff_only
    async def begin(self):
        """Open the form, empty: a caller says the whole address."""
        if customer_id := await _chosen(self):
            self._open()
            self._customer_id = customer_id

    @staff_only
    async def other_email(self):
        """Lead back to the address, such as after a typing error."""
        if self.opened and not self.busy:
            customer_id = self._customer_id
            self._open()
            self._customer_id = customer_id

    def _rules(self) -> type[Form]:
        return CallersCode if self.sent_to else NewCallersEmail

    async def _send(self, sent: object) -> None:
        actor, form = await actor_of(self), self._rules().parse(sent)
        if isinstance(form, NewCallersEmail):
            visitor = await visitor_of(self)
            await membership.send_callers_code(actor, self._customer_id, form, visitor)
            self.sent_to = form.email
        elif isinstance(form, CallersCode):
            email = await membership.change_callers_email(actor, self._customer_id, form.code)
            self._close()
            await _done(self, f"E-mail changed to {email}. The former address is told.")

"""A typed place on its way into a booking: checked, located, and pinned where that is needed."""

from typing import Any

import reflex as rx

from fuel_app.areas.rules.positions import Located
from fuel_app.bookings.rules.bookings import NeedsPin
from fuel_app.bookings.state.slots import WAITLIST, Quote, for_bookers
from fuel_app.customers.rules.places import NotDelivered, PlaceForm
from fuel_app.customers.service import places
from fuel_app.customers.state.places import PlaceFields
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.errors import InvalidForm, Refusal

PIN_SET = "The pin is set."
NOT_HERE = "Join the waitlist and we write to you when we open there."


class PinNeeded(NeedsPin):
    """The pin is missing on the form that is open."""


class PlaceStep(PlaceFields, Quote, mixin=True):
    """An address form whose place is found on the map, or pinned by hand."""

    pin: list[float] = []  # latitude and longitude, once a pin is needed
    pin_note: str = ""
    is_outside: bool = False  # of every open area

    _at: Located | None = None
    _at_of: str = ""  # the address that it belongs to
    _at_zip: str = ""

    @for_bookers
    async def put_pin(self, lat: float, lng: float):
        """Keep where the car stands on the map."""
        if not self.pin:
            return
        try:
            self._at = await places.pinned(self._at_zip, lat, lng)
            self.pin, self.pin_note = [self._at.lat, self._at.lng], PIN_SET
        except Refusal as refusal:
            self.pin_note = str(refusal)

    @for_bookers
    async def join_waitlist(self):
        """Lead to the waitlist, filled in."""
        await self._prefill_waitlist(self.place["zip_code"])
        return rx.redirect(WAITLIST)

    async def _locate(self, typed: PlaceForm, by: str) -> Located:
        """Return where a place is; `by` is a person's id or a network address, for the rate limit.

        Raises:
            InvalidForm, NotDelivered: If we do not fill there.
            PinNeeded: If its position is approximate and no pin was set.
        """
        self.is_outside, self.pin_note = False, ""
        await places.check(typed)
        if self._at is None or self._at_of != typed.postal:
            self._at, self._at_of, self._at_zip, self.pin = None, typed.postal, typed.zip_code, []
            self._at = await places.locate(typed, by=by)
        if self._at.is_approximate:
            self.pin = [self._at.lat, self._at.lng]
            raise PinNeeded
        return self._at

    async def _refuse(self, refusal: Refusal) -> None:
        """Show a refusal beside its field, or above the button."""
        if isinstance(refusal, InvalidForm):
            self._refuse_place(refusal)
        elif isinstance(refusal, NotDelivered):
            self._refuse_place(InvalidForm({"zip_code": str(refusal)}))
            self.is_outside = True
        elif isinstance(refusal, PinNeeded):
            self.pin_note = str(refusal)
        else:
            await Quote._refuse(self, refusal)

    async def _fill_waitlist_in(self, contact: dict[str, Any], zip_code: str) -> None:
        """Fill the waitlist in with what is known, and let it say why it opens."""
        reason = f"We do not deliver to {zip_code} yet. {NOT_HERE}"
        await (await self.get_state(WaitlistState))._prefill(contact, zip_code, reason)

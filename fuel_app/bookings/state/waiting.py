"""Waiting for a full window, and taking the seat that is held for who has waited."""

from collections.abc import Awaitable

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.waiting import SeatOffer
from fuel_app.bookings.service import waiting
from fuel_app.bookings.state.slots import HeldSlot, for_bookers

OFFER_OVER = "This place is not held for you any more. Please choose another window."


class WaitingSlots(HeldSlot, mixin=True):
    """Windows for which the customer may wait, and the offered one."""

    may_wait: bool = False
    waits_for: list[str] = []  # slots

    async def _by(self) -> Actor:
        """Return the customer."""
        raise NotImplementedError

    @for_bookers
    async def wait_for(self, slot_id: str):
        """Wait for a full window."""
        await self._change_waits(waiting.wait_for(await self._by(), slot_id))

    @for_bookers
    async def leave_wait(self, slot_id: str):
        """Wait for a window no more."""
        await self._change_waits(waiting.leave(await self._by(), slot_id))

    async def _change_waits(self, change: Awaitable[None]) -> None:
        self._clear()
        await self._try(change)
        await self._refresh_slots()

    def _asked_window(self) -> str:
        """Return the window that the address names, as an offer's message does."""
        return self.router.url.query_parameters.get(routes.WINDOW, "")

    async def _open_slots(self) -> None:
        """Begin with the window that is held for the customer, if one is."""
        asked, own = self._asked_window(), await waiting.read_own(await self._by())
        offer = own.offer(asked)
        if offer and (asked or not self._is_held()):
            self._take_offer(offer)
        elif asked:
            self.slot = asked
        await super()._open_slots()
        if asked and self.slot not in (asked, offer and offer.slot_id):
            self.refusal, self.way = OFFER_OVER, ""

    def _take_offer(self, offer: SeatOffer) -> None:
        self._made_hold_id, self._until = offer.hold_id, offer.until
        self.slot = self.held_slot = offer.slot_id
        self.held_until = offer.ends
        self._count_down()

    async def _refresh_days(self, *, preselect: bool) -> bool:
        own = await waiting.read_own(await self._by())
        self.may_wait, self.waits_for = own.may_wait, list(own.slot_ids)
        return await super()._refresh_days(preselect=preselect)

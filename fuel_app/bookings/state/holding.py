"""A window that is held for a tab while its visitor adds a card."""

import asyncio
import uuid
from datetime import datetime
from typing import Any

from fuel_app.bookings.service import booking
from fuel_app.bookings.state.slots import NO_SLOT, Quote, for_bookers
from fuel_app.kit import clock
from fuel_app.kit.errors import Refusal

HELD, SOON, LAPSED = "held", "soon", "lapsed"
SOON_S = 60  # the last minute of a hold


class Holding(Quote, mixin=True):
    """The hold with its countdown, and the way to the provider's page and back."""

    hold: str = ""
    held_slot: str = ""
    held_until: str = ""  # '9:42 AM'

    _until: datetime | None = None
    _made_hold_id: str = ""
    _away: str = ""  # the address of the provider's page

    async def _hold(self) -> None:
        """Hold the picked window, or go on holding it."""
        if not self.slot:
            raise Refusal(NO_SLOT)
        self._made_hold_id = self._made_hold_id or str(uuid.uuid4())
        person_id = await self._booker()
        address = self.router.session.client_ip
        self._until = await booking.hold(self.slot, self._made_hold_id, address, person_id)
        self.held_slot, self.held_until = self.slot, clock.time_of_day(self._until)
        self._count_down()

    async def _booker(self) -> str:
        """Return the id of the customer who books; a guest has none."""
        return ""

    async def _begin_card(self) -> str:
        """Return the address of the provider's page."""
        raise NotImplementedError

    @for_bookers
    def add_card(self):
        """Hold the window, and go to the provider's page."""
        return self._press(self._go, lambda: self._away)

    async def _go(self) -> None:
        if not self._is_held():
            await self._hold()
        self._away = await self._begin_card()

    def _is_held(self) -> bool:
        return self.hold in (HELD, SOON) and self.held_slot == self.slot

    @for_bookers
    async def renew(self) -> Any:
        """Hold the window once more, if it is still free."""
        self._clear()
        return type(self).watch if await self._try(self._hold()) else None

    @for_bookers(background=True)
    async def watch(self):
        """Say when the last minute of the hold begins, and when it is over."""
        wait = 0.0
        while wait >= 0:
            await asyncio.sleep(wait)
            async with self:
                wait = self._count_down()

    def _count_down(self) -> float:
        """Return the seconds until there is something new to say; below 0 for never."""
        if self._until is None:
            return -1.0
        left = (self._until - clock.now()).total_seconds()
        self.hold = HELD if left > SOON_S else SOON if left > 0 else LAPSED
        return {HELD: left - SOON_S, SOON: left, LAPSED: -1.0}[self.hold]

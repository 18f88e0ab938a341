"""Picking exactly one window: part of every state whose wizard ends with that."""

from typing import TypedDict

import reflex as rx

from fuel_app.domain.scheduling import Day, by_day, chosen
from fuel_app.services import bookings


class SlotForm(TypedDict):
    """What the browser sends."""

    slot: str


class SlotChoice(rx.State, mixin=True):
    """The windows on offer, and the picked one."""

    days: list[Day] = []
    slot: str = ""

    @rx.event
    def choose_slot(self, slot: str):
        """Pick one of those on offer; anything else changes nothing."""
        if chosen(slot, self._offered()):
            self.slot = slot

    def _offered(self):
        return [slot for day in self.days for slot in day.slots]

    async def _offer_slots(self) -> None:
        """Show what is open now. What was picked stays picked, else the first is."""
        self.days = list(by_day(await bookings.open_slots()))
        offered = self._offered()
        if not chosen(self.slot, offered):
            self.slot = offered[0].id if offered else ""

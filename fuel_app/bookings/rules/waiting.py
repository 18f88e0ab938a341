"""Waiting for a place in a full window: who may, how long one is held, and what is shown."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from fuel_app.kit.clock import time_of_day
from fuel_app.kit.errors import Refusal

WAITS_MOST = 5  # of one customer
OFFER_LASTS = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class SeatOffer:
    """A seat that is held for a customer who has waited for it."""

    slot_id: str
    hold_id: str
    until: datetime

    @property
    def ends(self) -> str:
        return time_of_day(self.until)


@dataclass(frozen=True, slots=True)
class OwnWaits:
    """The windows for which a customer waits, and the seats that are held for them by now."""

    may_wait: bool  # they have a card, and their e-mail is verified
    slot_ids: tuple[str, ...] = ()
    offers: tuple[SeatOffer, ...] = ()  # the last one first

    def offer(self, slot_id: str) -> SeatOffer | None:
        """Return the offer of a slot, or else the last one."""
        asked = (each for each in self.offers if each.slot_id == slot_id)
        return next(asked, next(iter(self.offers), None))


class HasRoom(Refusal):
    message = "There is a free place in this window now. Please choose it."


class BookedAlready(Refusal):
    message = "You have a fill-up in this window already."


class TooManyWaits(Refusal):
    message = f"You wait for {WAITS_MOST} windows already. Please leave one of them first."


class NotWaiting(Refusal):
    """The customer has left, or has had the offer."""

    message = "You do not wait for this window any more."

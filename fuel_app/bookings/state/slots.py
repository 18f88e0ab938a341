"""Choosing a window with the price of the fill, and the slot hold while a card is added."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Any, cast

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer, guarded_event
from fuel_app.billing.rules.invoices import PaymentOpen
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.authorizations import first_try
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.estimates import Estimate, FreeFillUsed, PriceChanged
from fuel_app.bookings.rules.slots import SlotDay, short_when
from fuel_app.bookings.service import bookings
from fuel_app.bookings.state.cards import PriceCard
from fuel_app.kit import clock
from fuel_app.kit.errors import Refusal, attempt
from fuel_app.kit.signals import BOOKINGS, listening
from fuel_app.kit.ui.forms import is_stale
from fuel_app.kit.ui.toast import ToastState
from fuel_app.server.reflex.private_tabs import PrivateScreen

WAITLIST = routes.asking(routes.HOME, {"waitlist": "true"})
JOIN = "Join the waitlist"
REFRESH_S = 5
SLOT_TAKEN = "This window was just taken. Please choose another one."
NO_SLOT = "Please choose a window."
CHECK_PRICE = "Please check the price and press again."

_SLOT_REFUSALS = (refusals.SlotFull, refusals.SlotClosed, refusals.SlotPast, refusals.OtherArea)


async def _check(tab: rx.State) -> Answer:
    return await cast(Slots, tab)._admit()


for_bookers = guarded_event(_check)  # as each screen says


class Slots(PrivateScreen, mixin=True):
    """Days with their windows, and the picked one."""

    days: list[SlotDay] = []
    day: str = ""
    slot: str = ""
    window: str = ""  # the picked one, with its day
    when: str = ""  # the same, short

    async def _admit(self) -> Answer:
        """Return None if the tab's person may use this screen; otherwise the answer."""
        raise NotImplementedError

    @for_bookers
    async def choose_day(self, day: str):
        """Turn to a day and its first open window."""
        await self._choose(day=day)

    @for_bookers
    async def choose_slot(self, slot: str):
        """Pick an open window; anything else changes nothing."""
        await self._choose(slot=slot)

    async def _choose(self, *, day: object = None, slot: object = None) -> None:
        """Turn to a day, or pick a window."""
        if day is None:
            self._pick(slot)
        else:
            self._pick_day(day)

    def _show_days(self, offered: Iterable[SlotDay], *, preselect: bool = True) -> bool:
        """Show what is open now. Return False if the picked window is not open any more.

        `preselect` picks the first open one where none is picked.
        """
        self.days = list(offered)
        if self._pick(self.slot):
            return True
        was = self.slot
        self._pick_none()
        if preselect:
            self._pick_first(self.days)
        if self.day not in [day.id for day in self.days]:
            self.day = self.days[0].id if self.days else ""
        return not was

    def _pick_day(self, asked: object) -> None:
        """Turn to a day and its first open window."""
        if day := next((day for day in self.days if day.id == asked), None):
            self.day = day.id
            self._pick_none()
            self._pick_first([day])

    def _pick_first(self, days: Iterable[SlotDay]) -> None:
        self._pick(next((slot.id for day in days for slot in day.slots if slot.is_open), ""))

    def _pick(self, asked: object) -> bool:
        """Pick an open window; anything else changes nothing. Return whether it is picked."""
        for day in self.days:
            for slot in day.slots:
                if slot.id == asked and slot.is_open:
                    self.day, self.slot, self.when = day.id, slot.id, slot.when
                    self.window = f"{day.name}, {slot.time}"
                    return True
        return False

    def _pick_none(self) -> None:
        self.slot = self.window = self.when = ""


class PricedSlots(Slots, mixin=True):
    """A window with the price of the fill, and why it cannot be booked."""

    ready: bool = False
    car_name: str = ""
    location_name: str = ""
    has_card: bool = False

    price: PriceCard = PriceCard()
    refusal: str = ""
    way: str = ""  # what to do next: a link's text
    way_to: str = ""
    busy: bool = False
    is_down: bool = False  # the wizard could not begin

    _seen: Estimate | None = None
    _key: str = ""  # of the tab's booking, which a second press finds
    _booked: str = ""  # the address of what was booked
    _reopens: bool = False  # the page, without the checkout in its address

    @for_bookers(background=True)
    async def follow(self):
        """Refresh the windows when others book."""
        async with listening(BOOKINGS) as changes:
            while await changes.next():
                async with self:
                    if await self._admit() is not None:
                        return
                    await self._refresh_slots()
                await asyncio.sleep(REFRESH_S)

    async def _offered(self) -> Iterable[SlotDay]:
        raise NotImplementedError

    async def _estimated(self) -> Estimate:
        raise NotImplementedError

    async def _agreed(self) -> Estimate:
        """Return the estimate that is on the screen.

        Raises:
            Refusal: If no window is picked, or no price was shown.
        """
        if not self.slot:
            raise Refusal(NO_SLOT)
        if self._seen is None:
            await self._see()
            raise Refusal(CHECK_PRICE)
        self._key = self._key or str(uuid.uuid4())
        return self._seen

    async def _open_slots(self) -> None:
        """Show windows and price as they are now; whatever is wrong is said."""
        self._clear()
        if await self._try(self._refresh_days(preselect=True)):
            await self._update_price()

    async def _refresh_slots(self) -> None:
        """Show what others have left; the price stays as it was seen."""
        fresh, _ = await attempt(self._refresh_days(preselect=False), "slots.refresh_failed")
        if fresh is False:  # of None the next change, or the booking itself, says why
            self.refusal, self.way = SLOT_TAKEN, ""

    async def _refresh_days(self, *, preselect: bool) -> bool:
        return self._show_days(await self._offered(), preselect=preselect)

    async def _choose(self, *, day: object = None, slot: object = None) -> None:
        """Turn to a day or a window and its price."""
        before = self.slot
        await super()._choose(day=day, slot=slot)
        if self.slot and (self.slot != before or self._seen is None):
            self._clear()
            await self._update_price()

    async def _update_price(self) -> None:
        """Show the price as it is now."""
        if not await self._try(self._see()):
            self._forget_price()

    async def _see(self) -> None:
        self._show_price(await self._estimated())

    def _show_price(self, estimate: Estimate) -> None:
        self._seen, self.price = estimate, PriceCard.of(estimate)

    def _forget_price(self) -> None:
        """Let nothing be booked before its price is shown."""
        self._seen, self.price = None, PriceCard()

    async def _press(
        self, do: Callable[[], Awaitable[Any]], to: Callable[[], str], form: object = None
    ):
        """Do what a button says, busy meanwhile, and go on; everything stays if it fails."""
        if is_stale(form, self.price.total):
            self.refusal = self.refusal or CHECK_PRICE
            return
        self.busy = True
        self._clear()
        yield
        try:
            yield rx.redirect(to()) if await self._try(do()) else self._point()
        finally:
            self.busy = False

    def _point(self) -> Any:
        """Return an event that focuses the first invalid field, if any."""

    def _forget_booked(self) -> Any:
        """Begin anew after a booking: nothing is booked twice by going back.

        Returns:
            The event that leads to a booking made while the page reopened after a checkout.
        """
        reopens, self._reopens = self._reopens, False
        if not self._booked:
            return None
        if reopens:
            return rx.redirect(self._booked, replace=True)
        self._start_over()
        return None

    def _keep_booked(self, address: str) -> None:
        """Note what was booked. Nothing of it is shown when the wizard is opened for the next one:
        what was pressed there would be forgotten, as `arrive` begins anew.
        """
        self._booked, self.ready = address, False

    async def _say_booked(self, booked: Booking, address: str, more: str = "") -> None:
        """Say what was booked; it is not done while the card is still being authorised."""
        self._keep_booked(address)
        when = short_when(booked.starts_at, booked.ends_at)
        is_held = self._seen is not None and self._seen.hold.cents > 0
        toast = await self.get_state(ToastState)
        if is_held and first_try(booked.starts_at) <= clock.now():
            said = f"Booked for {when}{more}. Your card is being authorized now."
            toast._show(said, "note", seconds=6)
        else:
            toast._show(f"Booked for {when}{more}", seconds=6)

    async def _try(self, change: Awaitable[Any]) -> bool:
        """Return whether it worked; otherwise say why not, and what to do next."""

        async def tried() -> bool:
            try:
                await change
            except Refusal as refusal:
                await self._refuse(refusal)
                return False
            return True

        worked, problem = await attempt(tried(), "booking.failed")
        if problem:
            self.refusal, self.way = problem, ""
        return worked is True

    async def _refuse(self, refusal: Refusal) -> None:
        """Show a refusal above the button, with the price or the windows as they are now."""
        self.refusal, (self.way, self.way_to) = str(refusal), _way_on(refusal)
        if isinstance(refusal, PriceChanged):
            before = self._seen
            self._show_price(refusal.estimate)
            changed = before is not None and before.total != refusal.estimate.total
            if before and changed and not isinstance(refusal, FreeFillUsed):
                self.refusal = (
                    f"The price has changed from {before.total} to {refusal.estimate.total}. "
                    "Please check and press again."
                )
        elif isinstance(refusal, _SLOT_REFUSALS):
            await self._refresh_slots()
            self.refusal = str(refusal)
        elif isinstance(refusal, refusals.OutsideArea):
            await self._prefill_waitlist(refusal.zip_code)

    async def _prefill_waitlist(self, zip_code: str) -> None:
        raise NotImplementedError

    def _clear(self) -> None:
        self.refusal, self.way = "", ""


def _way_on(refusal: Refusal) -> tuple[str, str]:
    """Return text and address of a link to what can be done next."""
    if isinstance(refusal, refusals.OutsideArea):
        return JOIN, WAITLIST
    if isinstance(refusal, refusals.NeedsVerifiedEmail):
        return "Go to the dashboard", routes.DASHBOARD
    if isinstance(refusal, refusals.PastDue):
        return "See your plan", routes.BILLING
    if isinstance(refusal, PaymentOpen):
        return "Pay now", routes.BILLING
    if isinstance(refusal, refusals.AreaPaused | refusals.NoPrice):
        return "Help & Support", routes.SUPPORT
    return "", ""


HELD, SOON, LAPSED = "held", "soon", "lapsed"
SOON_S = 60  # the last minute of a hold


class HeldSlot(PricedSlots, mixin=True):
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
        self._until = await bookings.hold_slot(self.slot, self._made_hold_id, address, person_id)
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

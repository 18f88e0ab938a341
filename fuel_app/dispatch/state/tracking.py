"""The state of a tracking page: the link in the address is the key to it."""

import asyncio
import dataclasses
from typing import Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer, guarded_event
from fuel_app.bookings.rules.states import COURSE
from fuel_app.dispatch.rules.arrivals import BOOK, SEE, LinkUnknown, Tracked
from fuel_app.dispatch.service import arrivals
from fuel_app.kit import signals
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.signals import BOOKINGS, SHIFTS, Changes, one
from fuel_app.server.reflex.private_tabs import PrivateScreen, link_token
from fuel_app.settings import settings

_PAUSE_S = 0.5
MINUTE_S = 60


@dataclasses.dataclass(frozen=True)
class StepLine:
    """One step of a fill; `at` is its time."""

    label: str
    at: str
    is_done: bool
    is_current: bool


@dataclasses.dataclass(frozen=True)
class TrackingCard:
    """The content of a tracking page; empty until it is loaded."""

    sentence: str = ""
    advice: str = ""
    way: str = ""  # a link's text
    href: str = ""
    steps: list[StepLine] = dataclasses.field(default_factory=list)
    before: str = ""  # '2 stops before you'
    technician: str = ""
    truck: str = ""
    car: list[float] = dataclasses.field(default_factory=list)
    truck_at: list[float] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, found: Tracked) -> Self:
        last = len(COURSE) - 1
        steps = [
            StepLine(
                label,
                at,
                is_done=number < found.step or found.step == last,
                is_current=number == found.step,
            )
            for number, (label, at) in enumerate(zip(COURSE, found.times, strict=True))
        ]
        count = found.stops_before
        way, href = _way(found)
        return cls(
            sentence=found.sentence,
            advice=found.advice,
            way=way,
            href=href,
            steps=steps if found.step >= 0 else [],
            before=f"{count} {'stop' if count == 1 else 'stops'} before you" if count else "",
            technician=found.technician,
            truck=found.truck,
            car=list(found.car or ()),
            truck_at=list(found.truck_at or ()),
        )


def _way(found: Tracked) -> tuple[str, str]:
    """Return the text and address of a link that leads on; empty where nothing is to be done."""
    if found.way == BOOK:
        again = routes.SCHEDULE if found.is_customers else routes.ONE_TIME_FILL
        return "Book another time", again
    if found.way == SEE and found.is_customers:
        return "See your booking", routes.DASHBOARD  # no id is sent to a link's holder
    return "", ""


async def _check(tab: rx.State) -> Answer:
    """Open the screen, emptied, to a connection that it was not shown to yet."""
    state = await tab.get_state(TrackingState)
    connection = tab.router.session.session_id
    if state._shown_to != connection:
        state.reset()
        state._open_to(connection)
    return None


for_holders = guarded_event(_check)


class TrackingState(PrivateScreen, rx.State):
    """A fill on its way, sent to the connection alone that has its link."""

    card: TrackingCard = TrackingCard()
    problem: str = ""  # why nothing is shown
    tile_url: str = ""

    @rx.var
    def places(self) -> list[list[float]]:
        """The positions that the map is fitted to."""
        return [each for each in (self.card.car, self.card.truck_at) if each]

    @for_holders
    async def arrive(self):
        """Show what the link shows."""
        self._start_over()
        self.tile_url = settings.tile_url
        try:
            found = await arrivals.open_link(link_token(self), self.router.session.client_ip)
            self.card = TrackingCard.of(found)
        except (LinkUnknown, TooManyRequests) as refusal:
            self.problem = str(refusal)

    @for_holders(background=True)
    async def follow(self):
        """Follow the technician while the page is open."""
        async with self:  # `arrive` may not have come so far
            topics = await self._refresh()
        while topics:
            async with signals.listening(*topics) as changes:
                topics = await self._keep_up(changes, topics)

    async def _keep_up(self, changes: Changes, topics: set[str]) -> set[str]:
        """Show what happens until the booking is on another route. Return its topics then."""
        while True:
            async with self:
                now = await self._refresh()
            if now != topics:
                return now
            await asyncio.sleep(_PAUSE_S)
            await changes.next(MINUTE_S)

    async def _refresh(self) -> set[str]:
        """Show what the link shows now. Return the topics that say when it changes."""
        found = await arrivals.read_link(link_token(self))
        card = TrackingCard.of(found) if found else TrackingCard()
        if card != self.card:
            self.card = card
            self.problem = "" if found else LinkUnknown.message
        if found is None:
            return set()
        theirs = {one(BOOKINGS, found.booking_id)}
        return theirs | {one(SHIFTS, found.shift_id)} if found.shift_id else theirs

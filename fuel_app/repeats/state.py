"""State of repeats: starting one on a booking's page; pausing, resuming and ending one's own."""

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.session import session_of
from fuel_app.customers.state.customer import (
    CustomerScreen,
    CustomerState,
    for_own,
    for_sign_ups_too,
)
from fuel_app.kit.errors import problem_of
from fuel_app.kit.ui.state import set_changed
from fuel_app.kit.ui.toast import report
from fuel_app.repeats import service
from fuel_app.repeats.rules import CarRepeats, Series, label


@dataclasses.dataclass(frozen=True)
class RepeatLine:
    """A series as screens show it."""

    id: str
    title: str  # 'Every 2 weeks · Tuesdays, 8–10 AM'  # noqa: RUF003
    cars: str
    status: str
    is_paused: bool
    href: str  # of its last visit

    @classmethod
    def of(cls, series: Series) -> Self:
        day = series.next_day
        following = f"Next date to book: {day:%a, %b} {day.day}"
        return cls(
            id=series.id,
            title=f"{label(series.weeks)} · {series.window}",
            cars=series.cars,
            status="Paused: nothing is booked until you resume it"
            if series.is_paused
            else following,
            is_paused=series.is_paused,
            href=routes.booking(series.booking_id),
        )


class RepeatState(CustomerScreen, rx.State):
    """The customer's series: all on the dashboard, those of its cars on a booking's page."""

    lines: list[RepeatLine] = []
    may_start: bool = False  # from the booking of the page
    error: str = ""
    other: str = ""  # the booking of the series that a car has already

    @for_sign_ups_too
    async def arrive(self):
        """Show the series."""
        self.error = self.other = ""
        await self._refresh()

    @for_own
    async def start(self, weeks: int):
        """Start a series from the booking of the page."""
        if not self.may_start:  # of a double click, the second press
            return
        self.other = ""
        by = (await session_of(self)).actor.as_customer
        self.error = await problem_of(self._start(by, weeks), "repeats.start_failed")
        await self._refresh()

    @for_own
    async def pause(self, series_id: str):
        """Pause a series."""
        await self._change(service.pause, series_id, "Paused: nothing more is booked")

    @for_own
    async def resume(self, series_id: str):
        """Resume a paused series."""
        await self._change(service.resume, series_id, "The repeat goes on")

    @for_own
    async def end(self, series_id: str):
        """End a series."""
        await self._change(service.end, series_id, "The repeat has ended")

    async def _start(self, by: Actor, weeks: int) -> None:
        try:
            await service.start(by, self._booking_id(), weeks)
        except CarRepeats as refusal:
            self.other = routes.booking(refusal.booking_id)
            raise

    async def _change(
        self, change: Callable[[Actor, object], Awaitable[None]], series_id: str, done: str
    ) -> None:
        by = (await session_of(self)).actor.as_customer
        await report(self, change(by, series_id), "repeats.change_failed", done)
        await self._refresh()

    def _booking_id(self) -> str:
        """Return the booking of the page; '' on the dashboard."""
        before, _, asked = self.router.url.path.rstrip("/").rpartition("/")
        return asked if before == routes.BOOKING else ""

    async def _refresh(self) -> None:
        tab = await self.get_state(CustomerState)
        account, booking_id = tab._opened, self._booking_id()
        series: list[Series] = []
        may_start = False
        if account.is_verified and not account.is_sample:
            by = (await session_of(self)).actor.as_customer
            if booking_id:
                series, may_start = await service.of_booking(by, booking_id)
            elif (plan := (await tab._read()).subscription) and not plan.may_start:
                series = await service.list_own(by)
        set_changed(self, lines=[RepeatLine.of(each) for each in series], may_start=may_start)

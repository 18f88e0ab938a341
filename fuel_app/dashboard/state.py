"""The dashboard's state: its two views and staff's figures."""

import dataclasses
from datetime import date
from typing import Self

import reflex as rx

from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import SessionState, StaffScreen, actor_of
from fuel_app.areas.service import company
from fuel_app.billing.rules.reports import Earned
from fuel_app.customers.state.customer import CustomerScreen, for_sign_ups_too
from fuel_app.dashboard import service as dashboard
from fuel_app.dashboard.rules import TypeCount
from fuel_app.dispatch.state.day_route import TodaysRouteState
from fuel_app.dispatch.state.questions import QuestionsState
from fuel_app.kit import clock
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, LEADS, MEMBERS, ROUTES, SHIFTS
from fuel_app.kit.ui.button import site_address
from fuel_app.kit.ui.cards import Bar, bars
from fuel_app.leads.rules import TYPE_LABELS, TYPES
from fuel_app.neighborhoods.state import NeighborhoodLine


@dataclasses.dataclass(frozen=True)
class StatusPart:
    """The part of a bar for one status."""

    status: str
    leads: str
    left: str
    width: str


@dataclasses.dataclass(frozen=True)
class TypeBar:
    """The leads of one type by status."""

    label: str
    leads: str
    parts: list[StatusPart]

    @classmethod
    def of(cls, count: TypeCount) -> Self:
        parts, before = [], 0
        for status, leads in count.by_status.items():
            left, width = 100 * before / count.leads, 100 * leads / count.leads
            parts.append(StatusPart(status, f"{leads:,}", f"{left:.2f}%", f"{width:.2f}%"))
            before += leads
        return cls(TYPE_LABELS[count.type], f"{count.leads:,}", parts)


class FiguresState(StaffScreen, rx.State):
    """The live figures of leads and neighborhoods."""

    leads: str = ""
    new: str = ""
    new_by_type: str = ""
    neighborhoods: str = ""
    members: str = ""
    types: list[TypeBar] = []
    days: list[Bar] = []
    nearest: list[NeighborhoodLine] = []

    @rx.event(background=True)
    async def follow(self):
        """Follow changes while the dashboard is open, for signed-in staff only."""
        async with self:
            if not await (await self.get_state(SessionState))._look():
                return
            await self._refresh()
        await screens.follow(self, self._refresh, LEADS, MEMBERS)

    async def _refresh(self) -> None:
        now = await dashboard.lead_figures()
        self.leads, self.new = f"{now.leads:,}", f"{now.new:,}"
        self.new_by_type = ", ".join(  # such as '12 waitlist, 3 fleet'
            f"{now.new_by_type[type_]:,} {TYPE_LABELS[type_].lower()}"
            for type_ in reversed(TYPES)
            if now.new_by_type[type_]
        )
        self.neighborhoods, self.members = f"{now.neighborhoods:,}", f"{now.members:,}"
        self.types = [TypeBar.of(count) for count in now.types[::-1]]
        self.days = bars((f"{each.day:%a}", each.leads, f"{each.leads:,}") for each in now.days)
        site = site_address(self)
        self.nearest = [NeighborhoodLine.of_row(row, site=site) for row in now.nearest]


class TodayState(StaffScreen, rx.State):
    """The day's real figures, once the company is open."""

    figures: dict[str, str] = {}  # by label
    revenue: list[Bar] = []

    _before: tuple[date, dict[date, Earned]] | None = None  # the day, and what those before earned

    @rx.event(background=True)
    async def follow(self):
        """Follow the day while the dashboard is open, for staff of an open company only."""
        async with self:
            session = await (await self.get_state(SessionState))._look()
            if not session or not session.is_staff or not await company.is_open():
                return
            await self._refresh()
        await screens.follow(self, self._refresh, SHIFTS, ROUTES, BOOKINGS)

    async def _refresh(self) -> None:
        actor, day = await actor_of(self), clock.day_of(clock.now())
        if self._before is None or self._before[0] != day:
            self._before = day, await dashboard.earned_before(actor, day)
        now = await dashboard.today_figures(actor, day, self._before[1])
        shown = bars(
            (str(each.day), max(0, amount.cents), Money(amount.cents // 100 * 100).short)
            for each, amount in now.by_day
        )
        if (now.texts, shown) != (self.figures, self.revenue):
            self.figures, self.revenue = now.texts, shown


class DashboardState(CustomerScreen, rx.State):
    """The toggle between both views: for all visitors in a preview, then for staff."""

    admin_view: bool = False
    may_switch: bool = True
    is_open: bool = False  # the company: the admin view shows the real day

    @for_sign_ups_too
    async def arrive(self):
        """Show staff the admin view; in a preview everyone else the one that they chose last."""
        session = await self.get_state(SessionState)
        self.is_open = await company.is_open()
        self.may_switch = session.is_staff or not self.is_open
        self.admin_view = session.is_staff or (self.may_switch and self.admin_view)

    @for_sign_ups_too
    async def follow(self):
        """Follow changes in staff's tabs only."""
        if not (await self.get_state(SessionState)).is_staff:
            return None
        return [
            FiguresState.follow,
            TodayState.follow,
            TodaysRouteState.follow,
            QuestionsState.follow,
        ]

    @for_sign_ups_too
    async def switch_view(self):
        if self.may_switch:
            self.admin_view = not self.admin_view

"""The settings that are of no package below: business figures, money, technicians' routes.

Money is debts, disputes, failed refunds, what came in by month and day, and webhooks. The routes
that a technician is still to drive are shown before an admin takes them off the team.
"""

from typing import ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.dialogs import StaffForm
from fuel_app.accounts.state.screens import AdminScreen, StaffList, UndoState
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.billing.rules.reports import MoneyQuery, MoneyReport
from fuel_app.billing.service import reports
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.service.trucks import RouteAhead
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.policies import POLICIES
from fuel_app.kit.signals import FIGURES as TOPIC
from fuel_app.kit.ui.toast import ToastState, report
from fuel_app.kit.words import counted
from fuel_app.office import service as office
from fuel_app.office.service import PolicyChange, PolicyForm
from fuel_app.outcomes.service import corrections as outcomes_corrections
from fuel_app.outcomes.service import webhooks


class BusinessState(AdminScreen, StaffForm, rx.State):
    """The form of one tab."""

    TOPICS: ClassVar = (TOPIC,)
    FORM: ClassVar = "business"
    FIELDS: ClassVar = PolicyForm
    EVENT: ClassVar = "figures.change_failed"

    shown: dict[str, str] = {}  # the stored values as they stand in the fields
    changes: list[PolicyChange] = []

    _seen: dict[str, int] = {}

    @admin_only
    async def load(self):
        self.errors, self.error, self.busy = PolicyForm.blank(), "", False
        await self._refresh()

    def _takes(self, form: object) -> bool:
        return bool(self._seen)  # one that was never shown has nothing to store

    async def _send(self, sent: object) -> None:
        """Store what differs; a second press finds that nothing does."""
        done = await office.change(self._seen, sent, actor=await actor_of(self))
        if done.changed:
            text = f"{counted(done.changed, 'figure')} changed"
            (await self.get_state(UndoState))._offer(text, done.action_id)
        else:
            (await self.get_state(ToastState))._show("Nothing to change")
        await self._refresh()

    async def _renew(self) -> None:
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self._seen = values = await office.values(actor=actor)
        self.changes = await office.list_changes(actor=actor)
        self.shown = {
            name: POLICIES[name].typed(values[name]) for name in POLICIES if name in values
        }


_BLANK_REPORT = {"first": "", "last": ""}


class MoneyState(StaffList, rx.State):
    """The screen of one tab."""

    ROLES: ClassVar = (Role.ADMIN,)
    PATH: ClassVar = routes.SETTINGS_MONEY

    question: MoneyQuery = MoneyQuery()
    errors: dict[str, str] = _BLANK_REPORT
    shown: dict[str, str] = _BLANK_REPORT  # the days as they stand in the fields
    export: str = ""  # the file's address
    report: MoneyReport = MoneyReport()

    @admin_only
    async def look_again(self, event_id: str):
        """Read the object of an unmatched webhook once more."""
        await webhooks.retry_event(await actor_of(self), contact.text(event_id))
        await self._refresh()

    @admin_only
    async def retry_refund(self, refund_id: str):
        """Try a refund again that has failed: a guest's, or of what came in too much, too."""
        trying = outcomes_corrections.retry_refund(await actor_of(self), refund_id)
        await report(self, trying, "money.refund_failed", "Refund on its way")
        await self._refresh()

    async def _refresh(self) -> None:
        """Show the days of the question, or why they are none; a dispatcher is shown nothing."""
        self.errors = dict(_BLANK_REPORT)
        try:
            await super()._refresh()
        except InvalidForm as error:
            self.errors, self.loading = _BLANK_REPORT | error.messages, False

    async def _read(self, actor: Actor) -> None:
        first, last = self.question.days(clock.day_of(clock.now()))
        self.report = await reports.of_days(actor, first, last, page=self.question.page)
        self.shown = {"first": first.isoformat(), "last": last.isoformat()}
        self.export = routes.asking(routes.JOURNAL_EXPORT, self.shown)
        self._show_pages(self.report.page, self.report.pages)

    def _show_nothing(self) -> None:
        self.report = MoneyReport()


class TechnicianRoutesState(StaffScreen, rx.State):
    """The shifts ahead of the person whom a dialog is about, a line each."""

    ROLES: ClassVar[tuple[Role, ...]] = (Role.ADMIN,)

    shifts_ahead: list[str] = []

    @admin_only
    async def show(self, person_id: str):
        """Name the shifts of a person that are not over."""
        self.shifts_ahead = []  # of another person, should reading fail
        shifts = await trucks.list_routes_ahead(await actor_of(self), person_id)
        self.shifts_ahead = [_route_text(each) for each in shifts]


def _route_text(ahead: RouteAhead) -> str:
    """'Thursday, November 26: Heron, 11:00 AM to 9:00 PM, published, 2 stops to do'."""
    day = f"{ahead.shift.day:%A, %B} {ahead.shift.day.day}"
    state = "published" if ahead.is_published else "not published"
    left = f"{counted(ahead.stops_left, 'stop')} to do" if ahead.stops_left else "no stop to do"
    return f"{day}: {ahead.shift.truck.name}, {ahead.hours}, {state}, {left}"

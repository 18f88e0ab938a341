"""The settings that are of no package below: business figures, money, technicians' routes.

Money is debts, disputes, failed refunds, what came in by month and day, and webhooks. The routes
that a technician is still to drive are shown before an admin takes them off the team.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.screens import AdminScreen, StaffList, UndoState
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.billing.rules.reports import MoneyQuery, MoneyReport
from fuel_app.billing.service import reports
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.service.trucks import RouteAhead
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import FAILED, InvalidForm, Refusal, problem_of
from fuel_app.kit.forms import typed
from fuel_app.kit.policies import POLICIES
from fuel_app.kit.signals import FIGURES as TOPIC
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.office import service as office
from fuel_app.office.service import PolicyChange
from fuel_app.outcomes.service import corrections as outcomes_corrections
from fuel_app.outcomes.service import webhooks

log = structlog.get_logger(__name__)

POLICIES_FORM = "business"


class BusinessState(AdminScreen, rx.State):
    """The form of one tab."""

    TOPICS: ClassVar = (TOPIC,)

    shown: dict[str, str] = {}  # the stored values as they stand in the fields
    errors: dict[str, str] = {}
    error: str = ""
    busy: bool = False
    changes: list[PolicyChange] = []

    _seen: dict[str, int] = {}
    _sent: dict[str, str] = {}

    @admin_only
    async def load(self):
        self.errors, self.error, self.busy = {}, "", False
        await self._refresh()

    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the fields again that have changed since they were refused."""
        if any(self.errors.values()) and typed(form, POLICIES) != self._sent:
            self.errors = _policy_problems(form)

    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Store what differs. A form that was never shown has nothing to store."""
        if not self._seen or self.busy:
            return
        self._sent, self.error, self.busy = typed(form, POLICIES), "", True
        yield
        try:
            await self._store()
        except InvalidForm as error:
            self.errors = error.messages
            yield focus_field(POLICIES_FORM, next(iter(error.messages)))
        except Refusal as refusal:
            self.error = str(refusal)
            await self._refresh()
        except Exception:
            log.exception("figures.change_failed")
            self.error = FAILED
        self.busy = False

    async def _store(self) -> None:
        actor = await actor_of(self)
        done = await office.change(self._seen, self._sent, actor=actor)
        self.errors = {}
        if done.changed:
            text = f"{counted(done.changed, 'figure')} changed"
            (await self.get_state(UndoState))._offer(text, done.action_id)
        else:
            (await self.get_state(ToastState))._show("Nothing to change")
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self._seen = values = await office.values(actor=actor)
        self.changes = await office.list_changes(actor=actor)
        self.shown = {
            name: POLICIES[name].typed(values[name]) for name in POLICIES if name in values
        }


def _policy_problems(form: object) -> dict[str, str]:
    try:
        office.parse(form if isinstance(form, Mapping) else {})
    except InvalidForm as error:
        return error.messages
    return {}


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
        problem = await problem_of(trying, "money.refund_failed")
        toasts = await self.get_state(ToastState)
        toasts._show(problem or "Refund on its way", "problem" if problem else "done")
        await self._refresh()

    async def _refresh(self) -> None:
        """Show the days of the question; a dispatcher is shown nothing."""
        try:
            self.errors = dict(_BLANK_REPORT)
            await self._read()
            self.failed = False
        except InvalidForm as error:
            self.errors = _BLANK_REPORT | error.messages
        except Exception as problem:
            if not isinstance(problem, Refusal):
                log.exception("money.read_failed")
            self.report, self.failed = MoneyReport(), True
        self.loading = False

    async def _read(self) -> None:
        first, last = self.question.days(clock.day_of(clock.now()))
        actor, page = await actor_of(self), self.question.page
        self.report = await reports.of_days(actor, first, last, page=page)
        self.shown = {"first": first.isoformat(), "last": last.isoformat()}
        self.export = routes.asking(routes.JOURNAL_EXPORT, self.shown)
        self._show_pages(self.report.page, self.report.pages)


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

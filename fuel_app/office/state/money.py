"""The money as admins see it: days, open and failed payments, disputes, webhooks."""

from typing import ClassVar

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.lists import StaffList
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.billing.rules.reports import MoneyQuery, MoneyReport
from fuel_app.billing.service import reports
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import InvalidForm, Refusal, problem_of
from fuel_app.kit.ui.toast import ToastState
from fuel_app.outcomes.service import corrections as outcomes_corrections
from fuel_app.outcomes.service import webhooks

log = structlog.get_logger(__name__)

_BLANK = {"first": "", "last": ""}


class MoneyState(StaffList, rx.State):
    """The screen of one tab."""

    ROLES: ClassVar = (Role.ADMIN,)
    PATH: ClassVar = routes.SETTINGS_MONEY

    question: MoneyQuery = MoneyQuery()
    errors: dict[str, str] = _BLANK
    shown: dict[str, str] = _BLANK  # the days as they stand in the fields
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
            self.errors = dict(_BLANK)
            await self._read()
            self.failed = False
        except InvalidForm as error:
            self.errors = _BLANK | error.messages
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

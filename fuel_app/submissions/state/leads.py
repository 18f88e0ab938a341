"""The staff's list of leads: finding them, changing them one by one or many at once."""

from collections.abc import Callable

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state import live
from fuel_app.accounts.state.session import StaffScreen, StaffState, staff_only
from fuel_app.accounts.state.undo import UndoState
from fuel_app.kit.errors import LeadChanged, LeadGone, Refusal
from fuel_app.kit.signals import LEADS
from fuel_app.kit.ui.toast import ToastState
from fuel_app.leads.rules import DELETE, Change
from fuel_app.submissions.service import changes as lead_changes
from fuel_app.submissions.state.listing import LeadChoice, LeadList
from fuel_app.waitlist.rules import well_formed_id

log = structlog.get_logger(__name__)

FAILED = "This could not be saved just now. Please try again."


class LeadsState(LeadList, LeadChoice, StaffScreen, rx.State):
    """The screen of one tab."""

    working: bool = False
    progress: str = ""

    @rx.var
    def export_chosen_address(self) -> str:
        """Where the chosen rows can be downloaded."""
        if self.all_matching:
            return self.export_address
        return f"{routes.LEADS_EXPORT}?ids={','.join(self.chosen)}"

    @rx.event
    @staff_only
    async def set_status(self, lead_id: str, revision: int, status: str):
        await self._change(lead_id, revision, lambda: Change.status(status))

    @rx.event
    @staff_only
    async def set_source(self, lead_id: str, revision: int, source: str):
        await self._change(lead_id, revision, lambda: Change.source(source))

    @rx.event(background=True)
    @staff_only
    async def change_chosen(self, kind: str, value: str):
        """Change or delete the chosen rows, or all that match, and say how far it is."""
        async with self:
            if self.working or not (self.chosen or self.all_matching):
                return
            self.working, self.progress = True, ""
            query, seen = self._query(), dict(self.chosen)
            every, by = self.all_matching, (await self.get_state(StaffState))._session_id
        done, problem = None, ""
        try:
            change = _bulk(kind, value)
            if not every:
                done = await lead_changes.change_selected(seen, change, by=by)
            else:
                async for done in lead_changes.change_all(query, change, by=by):
                    async with self:
                        self.progress = f"{done.changed:,} so far"
        except Refusal as error:
            problem = str(error)
        except Exception:
            log.exception("leads.bulk_failed", kind=kind)
            problem = FAILED
        async with self:
            self.working, self.progress = False, ""
            self._choose_none()
            await self._tell(done, kind, value, problem)
            await self._refresh()

    @rx.event(background=True)
    @staff_only
    async def follow(self):
        """What others change appears here without a reload."""
        await live.follow(self, self._refresh, LEADS)

    async def _change(self, lead_id: object, seen: object, make: Callable[[], Change]) -> None:
        """Change one lead and say what became of it."""
        known = well_formed_id(lead_id)
        if known is None or not isinstance(seen, int) or isinstance(seen, bool):
            return
        by = (await self.get_state(StaffState))._session_id
        try:
            change = make()
            done = await lead_changes.change(known, seen, change, by=by)
            self.chosen = {key: at for key, at in self.chosen.items() if key != known}
            await self._tell(done, change.kind, change.value, "")
        except (LeadGone, LeadChanged) as error:
            await self._tell(None, "", "", str(error))
        except Refusal:
            return  # no control of ours has sent this
        except Exception:
            log.exception("leads.change_failed")
            await self._tell(None, "", "", FAILED)
        await self._refresh()

    async def _tell(
        self, done: lead_changes.Done | None, kind: str, value: str, problem: str
    ) -> None:
        toasts = await self.get_state(ToastState)
        if problem:
            toasts._show(problem, "problem", seconds=6)
        if done is None:
            return
        if done.left:
            toasts._show(
                f"{done.left:,} had changed meanwhile and were left as they are.", "problem"
            )
        if done.changed:
            undo = await self.get_state(UndoState)
            undo._offer(_done_text(kind, value, done.changed), done.action_id)


def _bulk(kind: object, value: object) -> Change:
    return DELETE if kind == "delete" else Change.status(value)


def _done_text(kind: str, value: str, count: int) -> str:
    leads = "Lead" if count == 1 else f"{count:,} leads"
    if kind == "delete":
        return f"{leads} deleted."
    field = "source" if kind == "lead_source" else "status"
    return f"{leads}: {field} set to {value}."

"""The staff's list of leads: finding them, changing one or many at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import StaffList, UndoState
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import Refusal, attempt
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page
from fuel_app.kit.signals import LEADS
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.leads import rules as leads
from fuel_app.leads.rules import DELETE, Change, LeadQuery, LeadRow
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.desk import Desk, Lost

log = structlog.get_logger(__name__)

FAILED = "This could not be saved just now. Please try again."
SELECTED_MAX = 150  # one by one (their ids fit into an address); beyond that, 'all that match'


@dataclass(frozen=True)
class LeadLine:
    """One lead as the list shows it."""

    id: str = ""
    type: str = ""
    type_label: str = ""
    status: str = ""  # as the list shows it
    stored_status: str = ""  # only where it is another than the list shows
    source: str = ""
    day: str = ""
    time: str = ""
    moment: str = ""  # for machines
    name: str = ""
    company: str = ""
    email: str = ""
    phone: str = ""
    dialed: str = ""
    revision: int = 0
    promise: str = ""  # of a quote without an answer: 'Overdue by 2 h'
    is_overdue: bool = False
    owner: str = ""
    next_step: str = ""  # with its day
    next_is_due: bool = False

    @classmethod
    def of(cls, row: LeadRow, office: Mapping[str, str]) -> Self:
        desk = Desk.of(row, office.get(row.owner_id or "", ""), (), clock.now())
        is_planned = desk.next_step and row.status not in (leads.WON, leads.LOST)
        differs = row.status not in {row.shown_status, leads.STATUSES[0]}
        return cls(
            id=row.id,
            type=row.type,
            type_label=leads.TYPE_LABELS[row.type],
            status=row.shown_status,
            stored_status=row.status if differs else "",
            source=row.lead_source,
            day=clock.short_date(clock.day_of(row.created_at)),
            time=clock.time_of_day(row.created_at),
            moment=row.created_at.isoformat(),
            name=row.name,
            company=row.company,
            email=row.email,
            phone=contact.phone_shown(row.phone),
            dialed=contact.dialed(row.phone),
            revision=row.revision,
            promise=desk.promise,
            is_overdue=desk.is_overdue,
            owner=desk.owner,
            next_step=f"{desk.next_step}, {desk.next_due}" if is_planned else "",
            next_is_due=desk.next_is_due,
        )


class LeadsState(StaffList, rx.State):
    """The screen of one tab. Selected rows stay selected while the pages turn, but not under
    another search, filter or order: nothing happens to rows that the list no longer shows."""

    PATH: ClassVar = routes.SUBMISSIONS
    TOPICS: ClassVar = (LEADS,)

    question: LeadQuery = LeadQuery()
    rows: list[LeadLine] = []
    chosen: dict[str, int] = {}  # by id, the revision that the person has seen
    all_matching: bool = False
    working: bool = False
    progress: str = ""
    filters_open: bool = False  # on a phone, where they would fill the screen
    office: dict[str, str] = {}  # who may own a quote, by id
    me: str = ""  # the one of them who looks

    _names: dict[str, str] = {}  # of the selected rows
    _total: str = ""  # of all that match, such as '3,468'

    @rx.var
    def export_address(self) -> str:
        """The file of all rows that match, in this order."""
        asked = self.question.asking(page=1, lead="").parameters()
        return routes.asking(routes.LEADS_EXPORT, asked)

    @rx.var
    def whole_export_address(self) -> str:
        """The same file with all fields."""
        asked = self.question.asking(page=1, lead="").parameters()
        return routes.asking(routes.LEADS_EXPORT, {**asked, "all": "1"})

    @rx.var
    def page_is_chosen(self) -> bool:
        return bool(self.rows) and all(row.id in self.chosen for row in self.rows)

    @rx.var
    def export_chosen_address(self) -> str:
        """The file of the selected rows."""
        if self.all_matching:
            return self.export_address
        within = routes.asking(routes.LEADS_EXPORT, self._within().parameters())
        return f"{within}{'&' if '?' in within else '?'}ids={','.join(self.chosen)}"

    @rx.var
    def filters(self) -> int:
        return self.question.filters

    @staff_only
    async def show_filters(self):
        """Open the filters, or close them."""
        self.filters_open = not self.filters_open

    @staff_only
    async def clear_filters(self):
        """Show everything that the search finds, in the same order."""
        none: dict[str, Any] = dict.fromkeys(self.question.TYPED, "")
        await self._ask(**none | {"q": self.question.q, "page": 1})

    @staff_only
    async def choose(self, lead_id: str):
        """Select a row, or deselect it."""
        row = next((row for row in self.rows if row.id == lead_id), None)
        self.all_matching = False
        if row is None or row.id in self.chosen:
            self.chosen = {key: seen for key, seen in self.chosen.items() if key != lead_id}
        elif len(self.chosen) < SELECTED_MAX:
            self.chosen = self.chosen | {row.id: row.revision}
            self._names = self._names | {row.id: row.name}

    @staff_only
    async def choose_page(self):
        """Select every row of this page, or deselect them all."""
        here = {row.id: row.revision for row in self.rows}
        others = {key: seen for key, seen in self.chosen.items() if key not in here}
        self.all_matching = False
        if all(key in self.chosen for key in here):
            self.chosen = others
        elif len(others) + len(here) <= SELECTED_MAX:
            self.chosen = others | here
            self._names = self._names | {row.id: row.name for row in self.rows}

    @staff_only
    async def choose_all(self):
        """Select every lead that matches, on all pages."""
        self.all_matching = True

    @staff_only
    async def choose_none(self):
        self._choose_none()

    @staff_only
    async def set_status(self, lead_id: str, revision: int, status: str):
        """Set the status of a lead; of a quote that is lost it asks why first."""
        row = next((row for row in self.rows if row.id == lead_id), LeadLine())
        if status == leads.LOST and row.type in leads.QUOTES:
            asking = await self.get_state(LostState)
            asking._ask(row.id, revision, row.company)
        else:
            await self._change(lead_id, revision, lambda: Change.status(status))

    @staff_only
    async def set_source(self, lead_id: str, revision: int, source: str):
        await self._change(lead_id, revision, lambda: Change.source(source))

    @staff_only(background=True)
    async def change_chosen(self, kind: str, value: str):
        """Change or delete the selected rows, or all that match, and report progress."""
        async with self:
            if self.working or not (self.chosen or self.all_matching):
                return
            self.working, self.progress = True, ""
            query, seen = self.question.asking(), dict(self.chosen)
            every, actor = self.all_matching, await actor_of(self)
        change, done, problem = None, None, ""
        try:
            change = DELETE if kind == "delete" else Change.status(value)
            if not every:
                done = await submissions.change_selected(seen, change, actor=actor, query=query)
            else:
                async for done in submissions.change_all(query, change, actor=actor):
                    async with self:
                        self.progress = f"{done.changed:,} so far"
        except Refusal as error:
            problem = str(error)
        except Exception:  # not by `attempt`: what was changed before it can be undone
            log.exception("leads.bulk_failed", kind=kind)
            problem = FAILED
        async with self:
            self.working, self.progress = False, ""
            self._choose_none()
            if problem:
                await self._show_problem(problem)
            if change and done:
                await self._show_done(change, done)
            await self._refresh()

    def _typed_in(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        return super()._typed_in(sent) | {"q": self.question.q}  # its box is a form of its own

    async def _read(self, actor: Actor) -> None:
        page = await submissions.list_page(self.question, actor=actor)
        self.office, self.me = await submissions.office(actor=actor), actor.person_id
        self.rows = [LeadLine.of(row, self.office) for row in page.rows]
        self._show_pages(page.page, page.pages)
        self._total = f"{page.total:,}" if page.counted else f"more than {page.total:,}"
        self.summary = _summary(page, filtered=any(self.question.typed))

    def _show_nothing(self) -> None:
        self.rows, self.summary = [], ""  # the pages stay: 'Try again' reads the same one

    def _arrive(self) -> None:
        if not self.arrival:  # the page is loaded anew
            self._choose_none()
        super()._arrive()

    def _set(self, asked: Any, **how: bool) -> None:
        before = self._within()
        super()._set(asked, **how)
        if self._within() != before:
            self._choose_none()

    def _within(self) -> LeadQuery:
        """Return the question that a selection belongs to, whichever page and lead is shown."""
        return self.question.asking(page=1, lead="")

    def _choose_none(self) -> None:
        self.chosen, self._names, self.all_matching = {}, {}, False

    def _selection(self) -> tuple[Any, ...]:
        """Return what is selected now, to tell whether it is still the same later."""
        return self._within(), dict(self.chosen), self.all_matching, self._total

    async def _change(self, lead_id: object, seen: object, make: Callable[[], Change]) -> None:
        """Change one lead and show the outcome."""
        own_id = well_formed_id(lead_id)
        if own_id is None or not isinstance(seen, int) or isinstance(seen, bool):
            return
        actor = await actor_of(self)
        try:
            change = make()
        except Refusal:
            return  # no control of ours has sent this
        changing = submissions.change_lead(own_id, seen, change, actor=actor)
        done, problem = await attempt(changing, "leads.change_failed", FAILED)
        if done:
            self.chosen = {key: at for key, at in self.chosen.items() if key != own_id}
            name = next((row.name for row in self.rows if row.id == own_id), "")
            await self._show_done(change, done, name)
        else:
            await self._show_problem(problem)
        await self._refresh()

    async def _show_problem(self, text: str) -> None:
        (await self.get_state(ToastState))._show(text, "problem", seconds=6)

    async def _show_done(self, change: Change, done: submissions.Done, name: str = "") -> None:
        if done.left:
            (await self.get_state(ToastState))._show(
                f"{done.left:,} had changed meanwhile and were left as they are.", "problem"
            )
        if done.changed:
            undo = await self.get_state(UndoState)
            undo._offer(_done_text(change, done.changed, name), done.action_id)


class LostState(FormDialog, rx.State):
    """The question why a quote is lost, before its status says so."""

    FORM: ClassVar = "lost"
    FIELDS: ClassVar = Lost
    EVENT: ClassVar = "leads.lost_failed"

    name: str = ""  # of the company
    reason: str = ""  # as stored
    note: str = ""
    errors: dict[str, str] = Lost.blank()

    _lead: str = ""
    _seen: int = 0

    def _ask(self, lead_id: str, seen: int, name: str, reason: str = "", note: str = "") -> None:
        self._open()
        self._lead, self._seen = lead_id, seen
        self.name, self.reason, self.note = name, reason, note

    async def _send(self, sent: object) -> None:
        form, lead_id, seen = Lost.parse(sent), self._lead, self._seen
        self._close()
        lost = Change.lost(form.lost_reason, form.lost_note)
        await (await self.get_state(LeadsState))._change(lead_id, seen, lambda: lost)


def _done_text(change: Change, count: int, name: str) -> str:
    leads = name or "Lead" if count == 1 else f"{count:,} leads"
    if change == DELETE:
        return f"{leads} deleted."
    said = {
        "status": f"status set to {change.value}",
        "lead_source": f"source set to {change.value}",
        "owner_id": "owner changed" if change.value else "nobody owns it",
        "next_step": "next step planned" if change.value else "next step done",
    }
    return f"{leads}: {said[change.kind]}."


def _summary(page: Page[LeadRow], *, filtered: bool) -> str:
    if not page.counted:
        return (
            f"More than {page.total:,} matches. These are the first {leads.COMMON_REACH:,}: "
            "type more to narrow them down."
        )
    return counted(page.total, "match", "matches") if filtered else counted(page.total, "lead")

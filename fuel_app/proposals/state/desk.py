"""Proposals as staff see them: the list, one version with its editor, and its dialogs."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.dialogs import FormDialog, StaffForm
from fuel_app.accounts.state.screens import StaffList, follow
from fuel_app.accounts.state.session import Arriving, actor_of, staff_only
from fuel_app.kit import clock
from fuel_app.kit.errors import attempt, problem_of
from fuel_app.kit.signals import PROPOSALS
from fuel_app.kit.ui.forms import FormData
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import and_list, counted
from fuel_app.proposals.rules.calculator import Calculation
from fuel_app.proposals.rules.documents import Document, Refused, Remark
from fuel_app.proposals.rules.listing import Proposal, ProposalLine
from fuel_app.proposals.rules.states import ProposalGone, ProposalQuery
from fuel_app.proposals.rules.terms import TICKED, ProposalTerms, typed_terms
from fuel_app.proposals.service import drafts, offers


class ProposalsState(StaffList, rx.State):
    """The list of one tab."""

    PATH: ClassVar = routes.PROPOSALS
    TOPICS: ClassVar = (PROPOSALS,)

    question: ProposalQuery = ProposalQuery()
    rows: list[ProposalLine] = []

    async def _read(self, actor: Actor) -> None:
        page = await drafts.list_page(self.question, actor=actor)
        self.rows = list(page.rows)
        self._show_pages(page.page, page.pages)
        self.summary = counted(page.total, "proposal")


class ProposalState(StaffForm, Arriving, rx.State):
    """One version. A draft is saved as it is typed; its form's button leads to the sending."""

    FORM: ClassVar = "proposal"
    FIELDS: ClassVar = ProposalTerms
    MANY: ClassVar = TICKED
    EVENT: ClassVar = "proposal.send_failed"

    errors: dict[str, str] = ProposalTerms.blank()
    proposal: Proposal = Proposal()
    values: dict[str, str] = dict.fromkeys(ProposalTerms.names(), "")
    products: list[str] = []
    weekdays: list[str] = []
    calculation: Calculation = Calculation()
    problem: str = ""  # why nothing is shown
    saved: str = ""  # 'Saved 9:05 AM'
    previewing: bool = False
    preview: Document = Document()

    _asked: str = ""  # the id in the address
    _revision: int = 0
    _kept: int = 0  # fingerprint of what was saved last

    @staff_only
    async def load(self):
        """Show the version that the address names, or begin one from the lead that it names."""
        asked = self.router.url.path.rstrip("/").rpartition("/")[2]
        if asked == routes.NEW_PROPOSAL:
            lead = self.router.url.query_parameters.get("lead")
            beginning = drafts.begin(lead, actor=await actor_of(self))
            begun, self.problem = await attempt(beginning, "proposal.begin_failed")
            if begun:
                return rx.redirect(routes.proposal(begun), replace=True)
        else:
            if asked != self._asked:
                self._start_over()
            self._asked = asked
            await self._refresh()
        self._arrived()

    @staff_only(background=True)
    async def follow(self):
        """Show what contacts and others do without a reload."""
        await follow(self, self._refresh, PROPOSALS)

    async def _refresh(self) -> None:
        reading = self._read(await actor_of(self))
        self.problem = await problem_of(reading, "screen.read_failed", screen="ProposalState")

    async def _renew(self) -> None:
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        found = await drafts.show(self._asked, actor=actor)
        if found is None:
            raise ProposalGone
        proposal, terms, revision = found
        is_other = (proposal.id, revision) != (self.proposal.id, self._revision)
        self.proposal = proposal
        if is_other:  # what is typed stays, unless somebody else has typed, too
            self.values = {name: terms[name] for name in terms if name not in TICKED}
            self.products, self.weekdays = terms["products"], terms["weekdays"]
            self._revision, self.edition, self.saved = revision, self.edition + 1, ""
        if proposal.is_draft:
            self.calculation = await drafts.calculation_of(terms, actor=actor)

    @staff_only
    async def edit(self, form: FormData[str, Any]):
        """Save what is typed, and calculate anew."""
        self._edit(form)
        if self._takes(form) and self.proposal.is_draft:
            problem = await problem_of(self._keep(self._whole(form)), "proposal.save_failed")
            if problem:
                self.error = problem
                await self._refresh()

    async def _keep(self, sent: object) -> None:
        fingerprint = ProposalTerms.fingerprint(sent)
        if fingerprint == self._kept:  # a field was only left
            return
        actor = await actor_of(self)
        self._revision = await drafts.save(self.proposal.id, self._revision, sent, actor=actor)
        self._kept, self.error = fingerprint, ""
        self.saved = f"Saved {clock.time_of_day(clock.now())}"
        self.calculation = await drafts.calculation_of(typed_terms(sent), actor=actor)

    async def _send(self, sent: object) -> None:
        """Ask whether to send it, once it is right."""
        await self._keep(sent)
        actor = await actor_of(self)
        to, approval = await offers.prepare(self.proposal.id, self._revision, actor=actor)
        dialog = await self.get_state(SendProposalState)
        dialog._ask(self.proposal.id, self._revision, to, approval)

    @staff_only
    async def show_preview(self):
        """Show what the contacts will see, as it is saved."""
        await self._refresh()
        self.preview, self.previewing = self.proposal.document, True

    @staff_only
    async def close_preview(self, _opened: bool):
        self.previewing = False

    @staff_only
    async def revise(self):
        """Make a new version, and go there."""
        revising = drafts.revise(self.proposal.id, actor=await actor_of(self))
        newer, problem = await attempt(revising, "proposal.revise_failed")
        if newer:
            return rx.redirect(routes.proposal(newer))
        (await self.get_state(ToastState))._show(problem, "problem")


class SendProposalState(FormDialog, rx.State):
    """The question before a proposal goes out."""

    FORM: ClassVar = "proposal-send"
    FIELDS: ClassVar = Remark
    EVENT: ClassVar = "proposal.send_failed"

    errors: dict[str, str] = Remark.blank()
    to: str = ""
    approval: str = ""  # why an admin has to say why

    _proposal_id: str = ""
    _revision: int = 0

    def _ask(self, proposal_id: str, revision: int, to: list[str], approval: str) -> None:
        self._open()
        self._proposal_id, self._revision = proposal_id, revision
        self.to, self.approval = and_list(to), approval

    async def _send(self, sent: object) -> None:
        reason, actor = Remark.parse(sent).reason, await actor_of(self)
        await offers.send(self._proposal_id, self._revision, actor=actor, reason=reason)
        self._close()
        (await self.get_state(ToastState))._show("The proposal is on its way.")
        await (await self.get_state(ProposalState))._refresh()


class WithdrawProposalState(FormDialog, rx.State):
    """Why a proposal is withdrawn."""

    FORM: ClassVar = "proposal-withdraw"
    FIELDS: ClassVar = Refused
    EVENT: ClassVar = "proposal.withdraw_failed"

    errors: dict[str, str] = Refused.blank()

    @staff_only
    async def begin(self):
        self._open()

    async def _send(self, sent: object) -> None:
        screen = await self.get_state(ProposalState)
        reason = Refused.parse(sent).reason
        await offers.withdraw(screen.proposal.id, reason, actor=await actor_of(self))
        self._close()
        await screen._refresh()

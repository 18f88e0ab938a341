"""The staff's list of companies, and one company with its tabs, for staff and its own people."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, NotAllowed, Role, Session
from fuel_app.accounts.state.screens import StaffList, UndoState, follow
from fuel_app.accounts.state.session import (
    Answer,
    SessionState,
    StaffScreen,
    actor_of,
    once_for_page,
    person_only,
    screen_only,
    session_of,
    staff_only,
)
from fuel_app.companies.rules import companies as rules
from fuel_app.companies.rules.companies import (
    CompanyChange,
    CompanyGone,
    CompanyProfile,
    CompanyQuery,
    CompanyRow,
    CompanyTab,
    CostCenterLine,
    PurchaseOrderLine,
)
from fuel_app.companies.rules.documents import Exemption
from fuel_app.companies.rules.people import ROLE_NAMES, Action, Member
from fuel_app.companies.rules.sites import Site, to_do
from fuel_app.companies.service import access, books, companies, documents, people, sites
from fuel_app.kit.errors import attempt
from fuel_app.kit.signals import COMPANIES
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted

ALL_ACTIONS = [action.value for action in Action]
# What a tab shows; staff may see all of them.
TAB_ACTIONS = {
    rules.OVERVIEW: Action.SEE_OVERVIEW,
    rules.SITES: Action.SEE_SITES,
    rules.PEOPLE: Action.SEE_PEOPLE,
    rules.BOOKS: Action.SEE_INVOICES,
    rules.TAX: Action.SEE_INVOICES,
    rules.AUDIT: Action.CHANGE_COMPANY,
}


@dataclass(frozen=True, slots=True)
class CompanyChoice:
    """One of a person's companies."""

    id: str
    name: str


class CompaniesState(StaffList, rx.State):
    """The list."""

    PATH: ClassVar = routes.COMPANIES
    TOPICS: ClassVar = (COMPANIES,)

    question: CompanyQuery = CompanyQuery()
    rows: list[CompanyRow] = []

    async def _read(self, actor: Actor) -> None:
        page = await companies.list_companies(actor, self.question)
        self.rows = list(page.rows)
        self._show_pages(page.page, page.pages)
        nouns = ("match", "matches") if self.filtered else ("company", "companies")
        self.summary = counted(page.total, *nouns)


class CompanyScreen(StaffScreen, mixin=True):
    """A screen about a company: for staff, and on `/company` for its own people.

    Services decide by the role what a person may do; the screen lets in who belongs to the company.
    """

    @classmethod
    def _is_for(cls, session: Session) -> bool:
        return session.is_staff or session.has_own_pages  # who has left is told so

    def _open_to(self, connection: str) -> None:
        """Forget everything before another connection is sent it, and once a session has ended."""
        if connection != self._shown_to:
            self.reset()
        super()._open_to(connection)

    async def _admit(self) -> Answer:
        page = await self.get_state(CompanyState)
        if not page.is_own:
            return await super()._admit()
        if Role.DISPATCHER not in self.ROLES:
            return ()  # an admin's alone
        session = await (await self.get_state(SessionState))._find()
        if session and await page._find_member(session):
            return None
        await page._leave()
        return ()

    async def _by(self) -> Actor:
        """Return who acts: staff who are at a company's own page do so as one of its people."""
        actor = await actor_of(self)
        return actor.as_customer if (await self.get_state(CompanyState)).is_own else actor


class CompanyState(CompanyScreen, StaffList, rx.State):
    """One company, and what its open tab shows."""

    TOPICS: ClassVar = (COMPANIES,)

    is_own: bool = False  # on the page of its own people
    role: str = ""  # there, in words
    may: list[str] = ALL_ACTIONS
    choices: list[CompanyChoice] = []  # the person's companies, if there are several
    to_do: list[str] = []  # what its sites still need
    left: bool = False  # the person belongs to no company, or not to this one any more

    question: CompanyTab = CompanyTab()
    profile: CompanyProfile = CompanyProfile()
    owners: dict[str, str] = {}  # names of those who may look after it, by id
    sites: list[Site] = []
    people: list[Member] = []
    centers: list[CostCenterLine] = []
    orders: list[PurchaseOrderLine] = []
    exemptions: list[Exemption] = []
    changes: list[CompanyChange] = []
    missing: bool = False

    _asked: str = ""  # the id in the address

    @staff_only
    async def load(self):
        """Show the company that the address names."""
        asked = self.router.url.path.rstrip("/").rpartition("/")[2]
        if asked != self._asked or self.is_own:
            self._start_over()
            self._asked = asked
        self._arrive()
        yield
        await self._answer()
        self._arrived()

    @person_only
    async def load_own(self):
        """Show the company that the person last turned to."""
        if not self.is_own or self.left:
            self._start_over()
            self.is_own = True
        self._arrive()
        yield
        session = await session_of(self)
        if await self._find_member(session):
            await self._answer()
        else:
            await self._leave()
        self._arrived()

    @screen_only
    async def choose(self, company_id: str):
        """Turn to another one of the person's companies."""
        if not self.is_own:
            return
        choosing = access.choose(await self._by(), company_id)
        chosen, problem = await attempt(choosing, "company.choose_failed")
        if chosen is None:
            (await self.get_state(ToastState))._show(problem, "problem")
            return
        self._start_over()
        self.is_own, self._asked = True, chosen.company_id
        await self._answer()
        self._arrived()

    @screen_only
    async def open_tab(self, tab: str):
        """Show another tab."""
        await self._ask(tab=tab)

    @person_only(background=True)
    async def follow_own(self):
        """Show what others change; who is taken out of the company sees nothing of it any more."""
        await follow(self, self._refresh, *self.TOPICS)

    async def _refresh(self) -> None:
        """Show it as it is now; who has left the company sees nothing of it any more."""
        if not self.is_own or await self._admit() is None:
            await super()._refresh()

    async def _find_member(self, session: Session) -> bool:
        """Look up the person's place in the company, and show what it allows.

        Return whether there is one.
        """
        own = await once_for_page("companies", partial(access.list_memberships, session.person_id))
        chosen = (each for each in own if each.company_id == self._asked)
        member = next(chosen, None) if self._asked else next(iter(own), None)
        if member is None:
            return False
        self._asked, self.left, self.role = member.company_id, False, ROLE_NAMES[member.role]
        self.may = [action.value for action in Action if member.may(action)]
        several = own if len(own) > 1 else []
        self.choices = [CompanyChoice(each.company_id, each.company_name) for each in several]
        return True

    async def _leave(self) -> None:
        """Empty every screen about the company."""
        for screen in rx.State.get_substates():
            if issubclass(screen, CompanyScreen):
                (await self.get_state(screen))._start_over()
        self.is_own, self.left, self.loading, self.may = True, True, False, []
        self._arrived()

    @staff_only
    async def set_owner(self, person_id: str):
        """Let another member of the staff look after the company."""
        changing = companies.set_account_owner(await actor_of(self), self.profile.id, person_id)
        action, problem = await attempt(changing, "company.owner_failed")
        if action:
            (await self.get_state(UndoState))._offer("Account owner changed", action)
        else:
            (await self.get_state(ToastState))._show(problem, "problem")
        await self._refresh()

    def _path(self) -> str:
        return routes.COMPANY if self.is_own else routes.company(self._asked)

    async def _read(self, actor: Actor) -> None:
        actor = await self._by()
        self._clear()
        try:
            self.profile = await companies.read_company(actor, self._asked)
        except (CompanyGone, NotAllowed):
            self.missing, self.profile, self.owners = True, CompanyProfile(), {}
            return
        self.missing, company_id = False, self.profile.id
        if not self.is_own:
            self.owners = await companies.owner_choices(actor)
        if TAB_ACTIONS[self.question.tab] not in self.may:
            return  # the screen offers another tab
        match self.question.tab:
            case rules.OVERVIEW if self.is_own and Action.CHANGE_SITES in self.may:
                self.to_do = to_do(await sites.list_sites(actor, company_id))
            case rules.SITES:
                self.sites = await sites.list_sites(actor, company_id)
            case rules.PEOPLE:
                self.people = await people.list_people(actor, company_id)
                self.sites = await sites.list_sites(actor, company_id)  # to limit one to some
            case rules.BOOKS:
                self.centers = await books.list_cost_centers(actor, company_id)
                self.orders = await books.list_purchase_orders(actor, company_id)
            case rules.TAX:
                self.exemptions = await documents.list_exemptions(actor, company_id)
            case rules.AUDIT:
                self.changes = await companies.list_changes(actor, company_id)

    def _clear(self) -> None:
        """Drop what a tab has shown: the role may have changed, or another tab be open."""
        self.sites, self.people, self.centers, self.orders = [], [], [], []
        self.exemptions, self.changes, self.to_do = [], [], []

    def _show_nothing(self) -> None:
        """Leave what is there; without anything there it counts as not found."""
        self.missing = not self.profile.id

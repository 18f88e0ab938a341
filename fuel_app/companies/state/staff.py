"""The staff's list of companies, and one company with its tabs."""

from typing import ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.screens import StaffList, UndoState
from fuel_app.accounts.state.session import actor_of, staff_only
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
from fuel_app.companies.rules.people import Member
from fuel_app.companies.rules.sites import Site
from fuel_app.companies.service import books, companies, documents, people, sites
from fuel_app.kit.errors import attempt
from fuel_app.kit.signals import COMPANIES
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted


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


class CompanyState(StaffList, rx.State):
    """One company, and what its open tab shows."""

    TOPICS: ClassVar = (COMPANIES,)

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
        if asked != self._asked:
            self._start_over()
            self._asked = asked
        self._arrive()
        yield
        await self._answer()
        self._arrived()

    @staff_only
    async def open_tab(self, tab: str):
        """Show another tab."""
        await self._ask(tab=tab)

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
        return routes.company(self._asked)

    async def _read(self, actor: Actor) -> None:
        try:
            self.profile = await companies.read_company(actor, self._asked)
        except CompanyGone:
            self.missing, self.profile = True, CompanyProfile()
            return
        self.missing, company_id = False, self.profile.id
        self.owners = await companies.owner_choices(actor)
        match self.question.tab:
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

    def _show_nothing(self) -> None:
        """Leave what is there; without anything there it counts as not found."""
        self.missing = not self.profile.id

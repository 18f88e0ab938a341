"""The staff's list of customers, and the one that is chosen."""

from dataclasses import dataclass
from typing import ClassVar, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.lists import StaffList
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.areas.service import company
from fuel_app.billing.service import payments
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.slots import short_when
from fuel_app.bookings.service import access
from fuel_app.customers.rules.listing import (
    ACTIVE,
    CLOSING,
    DEACTIVATED,
    OWES,
    PLAN_STATES,
    STATES,
    CustomerQuery,
    CustomerRow,
    Profile,
    Sample,
)
from fuel_app.customers.service import directory
from fuel_app.customers.state.cards import CustomerCard
from fuel_app.kit import clock, contact
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS
from fuel_app.office.state.customer_tabs import DashboardTab, OfCustomer, tab_state
from fuel_app.plans.rules.plans import PLANS

log = structlog.get_logger(__name__)

_PLANS = {plan.id: plan.name for plan in PLANS}
SAMPLE, OPEN = "sample", "open"


@dataclass(frozen=True)
class CustomerLine:
    """A row of the list."""

    id: str
    name: str
    email: str
    plan: str
    plan_state: str
    zip_code: str
    since: str
    state: str
    owes: str

    @classmethod
    def of(cls, row: CustomerRow, owes: str = "") -> Self:
        since = clock.short_date(clock.day_of(row.since))
        plan = (_PLANS[row.plan_id], PLAN_STATES[row.plan_state])
        state = ACTIVE if row.is_active else CLOSING if row.is_closing else DEACTIVATED
        return cls(row.id, row.name, row.email, *plan, row.zip_code, since, STATES[state], owes)


@dataclass(frozen=True)
class ProfileCard:
    """The chosen customer; an empty one means none."""

    id: str = ""
    name: str = ""
    email: str = ""
    phone: str = ""
    digits: str = ""  # of the phone number
    address: str = ""
    area: str = ""
    plan: str = ""
    owes: str = ""  # empty where nothing is due
    next_booking: str = ""
    since: str = ""
    last_sign_in: str = ""
    state: str = ""  # where it is out of the ordinary
    active: bool = True

    @classmethod
    def of(cls, found: Profile, area: str, due: Money | None, following: Booking | None) -> Self:
        last = found.last_sign_in
        return cls(
            id=found.id,
            name=found.name,
            email=found.email,
            phone=contact.phone_text(found.phone),
            digits=found.phone,
            address=found.address,
            area=area,
            plan=f"{_PLANS[found.plan_id]}, {PLAN_STATES[found.plan_state].lower()}",
            owes=str(due or ""),
            next_booking=short_when(following.starts_at, following.ends_at) if following else "",
            since=clock.short_date(clock.day_of(found.since)),
            last_sign_in=clock.date_and_time(last) if last else "",
            state=_state(found),
            active=found.is_active,
        )


def _owes(due: Money | None) -> str:
    return f"Owes {due}" if due else ""


async def _profile(actor: Actor, found: Profile | None) -> ProfileCard:
    """Return who a customer is, with what they owe and their next booking."""
    if found is None:
        return ProfileCard()
    areas = (area.name for area in await company.areas() if found.zip_code in area.zips)
    owed = await payments.owed_by([found.id])
    following = await access.upcoming(actor, customer_id=found.id)
    next_one = following[0] if following else None
    return ProfileCard.of(found, next(areas, ""), owed.get(found.id), next_one)


def _state(found: Profile) -> str:
    if found.is_closing:
        return "To be deleted"
    if not found.is_active:
        return "Deactivated"
    return "" if found.email_verified else "Not verified"


class CustomerDashboardState(StaffList, rx.State):
    """The screen of one tab: the preview's sample, or the list and the chosen customer."""

    PATH: ClassVar = routes.CUSTOMER_DASHBOARD
    TOPICS: ClassVar = (BOOKINGS,)

    question: CustomerQuery = CustomerQuery()
    shows: str = ""  # SAMPLE or OPEN, empty until it is known
    rows: list[CustomerLine] = []
    areas: dict[str, str] = {}  # to filter by: names by id
    card: CustomerCard = CustomerCard()  # of the sample
    profile: ProfileCard = ProfileCard()
    tab: str = DashboardTab.KEY
    missing: bool = False

    _customer: str = ""  # whom the parts of the screen are about

    @staff_only
    async def choose(self, customer_id: str):
        """Show one customer; an empty id leads back to the list."""
        await self._ask(customer=customer_id, tab="")

    @staff_only
    async def open_tab(self, tab: str):
        """Show another tab of the chosen customer."""
        await self._ask(tab="" if tab == DashboardTab.KEY else tab)

    async def _refresh(self) -> None:
        actor = await actor_of(self)
        await self._turn_to(self.question.customer)
        try:
            sample = await directory.sample(actor, self.question)
            if sample:
                self._show_sample(sample)
            elif self.question.customer:
                found = await directory.find(actor, self.question.customer)
                await self._show_customer(await _profile(actor, found))
            else:
                await self._list()
            self.failed = False
        except Exception:
            log.exception("customers.read_failed")
            self.rows, self.card, self.profile = [], CustomerCard(), ProfileCard()
            self.failed, self.missing = True, False
        self.loading = False

    async def _turn_to(self, customer: str) -> None:
        """Drop all that is about another customer, with its dialogs."""
        if customer == self._customer:
            return
        self._customer, self.profile, self.card = customer, ProfileCard(), CustomerCard()
        for part in rx.State.get_substates():
            if issubclass(part, OfCustomer):
                (await self.get_state(part))._start_over()

    def _show_sample(self, sample: Sample) -> None:
        today = clock.day_of(clock.now())
        self.shows, self.rows = SAMPLE, [CustomerLine.of(row) for row in sample.found]
        self.card = CustomerCard.of(sample.chosen, today) if sample.chosen else CustomerCard()
        self.missing = bool(self.question.customer) and sample.chosen is None

    async def _show_customer(self, profile: ProfileCard) -> None:
        """Show one customer, and load the tab that is open."""
        self.shows, self.profile, self.missing = OPEN, profile, not profile.id
        state = tab_state(self.question.tab)
        self.tab = state.KEY
        await (await self.get_state(state))._show(profile.id)

    async def _list(self) -> None:
        self.shows, self.profile, self.missing = OPEN, ProfileCard(), False
        self.areas = {area.id: area.name for area in await company.areas()}
        actor, asked = await actor_of(self), self.question
        owed = await payments.owed_by() if asked.debt == OWES else None
        found = await directory.page(actor, asked, only=owed)
        if owed is None:
            owed = await payments.owed_by([row.id for row in found.rows])
        self.rows = [CustomerLine.of(row, _owes(owed.get(row.id))) for row in found.rows]
        self._show_pages(found.page, found.pages)
        unit = "customer" if found.total == 1 else "customers"
        self.summary = f"{found.total:,} {unit}"

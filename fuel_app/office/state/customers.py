"""The staff's list of customers, and the chosen one with tabs.

A class with a `KEY` is a tab, which office/ui/customers.py shows: the month, messages, notes,
vehicles, audit log and ledger are here, bookings and invoices beside it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self
from uuid import uuid4

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.rules.staff import PersonChange
from fuel_app.accounts.service import staff
from fuel_app.accounts.state.dialogs import StaffForm
from fuel_app.accounts.state.people import DeactivationDialog, reactivate
from fuel_app.accounts.state.screens import StaffList
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only, staff_only
from fuel_app.areas.service import company
from fuel_app.billing.service import payments
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.guests import guest_phone
from fuel_app.bookings.rules.slots import short_when
from fuel_app.bookings.rules.states import TRACKED_STATES
from fuel_app.bookings.service import access, guests
from fuel_app.customers.rules.customers import (
    ACTIVE,
    CLOSING,
    DEACTIVATED,
    OWES,
    PLAN_STATES,
    STATES,
    CustomerQuery,
    CustomerRow,
    NewNote,
    Note,
    Profile,
)
from fuel_app.customers.service import directory
from fuel_app.customers.state.customer import CustomerCard, VehicleCard
from fuel_app.customers.state.locations import LocationCard
from fuel_app.dashboard import service as dashboard
from fuel_app.dashboard.state import MonthCard
from fuel_app.dispatch.rules.arrivals import Tracked
from fuel_app.dispatch.service import arrivals
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import attempt, problem_of
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.messages import service as messages
from fuel_app.messages.rules.listing import MessageLine, MessageView
from fuel_app.messages.state import MessageDialog
from fuel_app.plans.rules.ledger import GUEST, Adjustment, Allowance, Entry
from fuel_app.plans.rules.plans import PLANS
from fuel_app.plans.service import ledger
from fuel_app.preview import samples
from fuel_app.preview.service.account import Sample, sample_customers

CUSTOMER_FIELD = "customer"  # the field of a form that names whom it is about


class OfCustomer(StaffScreen, mixin=True):
    """A part of the screen about the chosen customer: it starts over with another one."""


class CustomerTab(OfCustomer, mixin=True):
    """A tab of the chosen customer."""

    KEY: ClassVar[str]

    loading: bool = True
    failed: bool = False
    _customer_id: str = ""
    _guest_id: str = ""  # of a guest, the booking that the address names

    async def _show(self, customer_id: str, guest_id: str = "") -> None:
        """Load the tab of a customer, or of a guest; empty ids are none."""
        if (customer_id, guest_id) != (self._customer_id, self._guest_id):
            self._start_over()
            self._customer_id, self._guest_id = customer_id, guest_id
        if customer_id or guest_id:
            await self._load()

    async def _load(self) -> None:
        problem = await problem_of(self._read(), "customer.tab_failed", tab=self.KEY)
        self.failed, self.loading = problem != "", False

    async def _read(self) -> None:
        """Read what it shows of `_customer_id`."""
        raise NotImplementedError


class CustomerForm(CustomerTab, StaffForm, mixin=True):
    """A tab with a form about the chosen customer."""

    def _takes(self, form: object) -> bool:
        return super()._takes(form) and not self._is_of_another(form)

    def _is_of_another(self, form: object) -> bool:
        """Return whether a form was filled in while another customer was shown."""
        sent = form.get(CUSTOMER_FIELD) if isinstance(form, Mapping) else None
        return sent not in (None, self._customer_id)


class DashboardTab(CustomerTab, rx.State):
    """The customer's month and past services, as their own dashboard shows them."""

    KEY: ClassVar = "dashboard"

    card: CustomerCard = CustomerCard()
    month: MonthCard = MonthCard()

    async def _read(self) -> None:
        customer, overview = await dashboard.read_customer(await actor_of(self), self._customer_id)
        today = clock.day_of(clock.now())
        self.card = CustomerCard.of(customer, today)
        self.month = MonthCard.of(customer, overview, today)


class MessagesTab(CustomerTab, rx.State):
    """The messages to the customer; those about security are for admins."""

    KEY: ClassVar = "messages"

    rows: list[MessageLine] = []

    async def _read(self) -> None:
        self.rows = list(await messages.messages_of_person(await actor_of(self), self._customer_id))


class CustomerMessageState(OfCustomer, MessageDialog, rx.State):
    """The dialog of one message to the customer."""

    @staff_only
    async def begin(self, message_id: str):
        """Open one of the messages to the customer."""
        listed = (await self.get_state(MessagesTab)).rows
        if message_id in [each.id for each in listed]:
            await self._show(message_id)

    async def _renew(self) -> None:
        await (await self.get_state(MessagesTab))._load()


class NotesTab(CustomerForm, rx.State):
    """The notes of the staff, and the form of a new one."""

    KEY: ClassVar = "notes"
    FORM: ClassVar = "note"
    FIELDS: ClassVar = NewNote
    EVENT: ClassVar = "customer.note_failed"

    rows: list[Note] = []
    errors: dict[str, str] = NewNote.blank()

    async def _send(self, sent: object) -> None:
        note = NewNote.parse(sent)
        await directory.add_note(await actor_of(self), self._customer_id, note)
        self.edition += 1
        await self._load()

    async def _read(self) -> None:
        self.rows = await directory.notes(await actor_of(self), self._customer_id)


class VehiclesTab(CustomerTab, rx.State):
    """The customer's vehicles, without their photos, and addresses."""

    KEY: ClassVar = "vehicles"

    vehicles: list[VehicleCard] = []
    places: list[LocationCard] = []

    async def _read(self) -> None:
        vehicles, places = await directory.garage(await actor_of(self), self._customer_id)
        self.vehicles = [replace(VehicleCard.of(vehicle), image="") for vehicle in vehicles]
        self.places = [LocationCard.of(place) for place in places]


class AuditTab(CustomerTab, rx.State):
    """The audit log of the customer."""

    KEY: ClassVar = "audit"

    rows: list[PersonChange] = []

    async def _read(self) -> None:
        self.rows = await staff.list_changes(await actor_of(self), self._customer_id)


def find_tab(key: str) -> type[CustomerTab]:
    """Return the state of a tab; for what is no tab, of the dashboard."""
    tabs = (state for state in rx.State.get_substates() if issubclass(state, CustomerTab))
    return next((state for state in tabs if key == state.KEY), DashboardTab)


@dataclass(frozen=True)
class EntryLine:
    """One entry of the ledger."""

    when: str
    what: str
    fills: str
    booking: str
    who: str
    reason: str

    @classmethod
    def of(cls, entry: Entry) -> Self:
        return cls(
            when=clock.date_and_time(entry.at),
            what=f"{entry.kind.capitalize()}{', guest fill' * (entry.bucket == GUEST)}",
            fills=f"{entry.fills:+d}" if entry.fills else "–",  # noqa: RUF001 (reserved before)
            booking=entry.booking_id[-6:],
            who=entry.who,
            reason=entry.reason,
        )


class LedgerTab(CustomerForm, rx.State):
    """The ledger of the customer's fills, and the form that adds some or takes some away."""

    KEY: ClassVar = "ledger"
    FORM: ClassVar = "adjust"
    FIELDS: ClassVar = Adjustment
    EVENT: ClassVar = "customer.adjust_failed"

    left: dict[str, str] = {}  # of each period, by its label
    most: str = ""  # the fills that may be added, in words; empty for any number
    rows: list[EntryLine] = []
    errors: dict[str, str] = Adjustment.blank()

    _asked: dict[str, str] = {}  # until something else is typed
    _key: str = ""  # of what was sent: after a lost answer the same adjusts nothing

    def _recheck(self, form: object) -> bool:
        is_other = super()._recheck(form)
        if is_other:
            self._asked = {}
        return is_other

    async def _send(self, sent: object) -> None:
        if Adjustment.typed(sent) != self._asked:
            self._asked, self._key = Adjustment.typed(sent), str(uuid4())
        asked = Adjustment.parse(sent)
        try:
            await ledger.adjust_fills(await actor_of(self), self._customer_id, asked, self._key)
            self.edition += 1
        finally:
            await self._load()

    async def _read(self) -> None:
        fills = await ledger.ledger_of(await actor_of(self), self._customer_id)
        periods = {
            "This period": fills.current,
            "Next period": fills.following,
            "Guest fill of this quarter": fills.guest,
        }
        self.left = {label: _left_text(each) for label, each in periods.items() if each}
        room = fills.room
        self.most = (f"Up to {room.left} more." if room.left else room.refusal) if room else ""
        self.rows = [EntryLine.of(entry) for entry in fills.entries]


def _left_text(allowance: Allowance) -> str:
    return f"{allowance.left} of {allowance.fills} left, until {clock.short_date(allowance.ends)}"


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
    def of(cls, row: CustomerRow, due: Money | None = None) -> Self:
        state = ACTIVE if row.is_active else CLOSING if row.is_closing else DEACTIVATED
        return cls(
            id=row.id,
            name=row.name,
            email=row.email,
            plan=_PLANS[row.plan_id],
            plan_state=PLAN_STATES[row.plan_state],
            zip_code=row.zip_code,
            since=clock.short_date(clock.day_of(row.since)),
            state=STATES[state],
            owes=f"Owes {due}" if due else "",
        )


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
    def of(cls, profile: Profile, area: str, due: Money | None, following: Booking | None) -> Self:
        last = profile.last_sign_in
        return cls(
            id=profile.id,
            name=profile.name,
            email=profile.email,
            phone=contact.phone_text(profile.phone),
            digits=profile.phone,
            address=profile.address,
            area=area,
            plan=f"{_PLANS[profile.plan_id]}, {PLAN_STATES[profile.plan_state].lower()}",
            owes=str(due or ""),
            next_booking=short_when(following.starts_at, following.ends_at) if following else "",
            since=clock.short_date(clock.day_of(profile.since)),
            last_sign_in=clock.date_and_time(last) if last else "",
            state=_state_badge(profile),
            active=profile.is_active,
        )


def _state_badge(profile: Profile) -> str:
    if profile.is_closing:
        return "To be deleted"
    if not profile.is_active:
        return "Deactivated"
    return "" if profile.email_verified else "Not verified"


@dataclass(frozen=True)
class GuestCard:
    """A guest, by the booking that was made last; an empty one means none."""

    id: str = ""  # of that booking
    name: str = ""
    email: str = ""
    phone: str = ""
    digits: str = ""  # of the phone number
    about: str = ""  # '2020 Toyota Camry, GUL 123. Tue, Nov 24, 8-10 AM'
    bookings: str = ""  # how many
    next_booking: str = ""

    @classmethod
    def of(cls, last: Booking, bookings: int, following: Booking | None = None) -> Self:
        digits = guest_phone(last.contact)
        when = short_when(last.starts_at, last.ends_at)
        return cls(
            id=last.id,
            name=access.name_of_customer(last, {}),
            email=last.contact.get("email", ""),
            phone=contact.phone_text(digits),
            digits=digits,
            about=f"{last.cars}, {last.plates}. {when}",
            bookings=counted(bookings, "booking"),
            next_booking=short_when(following.starts_at, following.ends_at) if following else "",
        )


@dataclass(frozen=True)
class ArrivalCard:
    """When a technician comes to a booking, and what its customer was told last."""

    who: str = ""  # 'Dana, Heron'
    eta: str = ""  # as the customer reads it
    advice: str = ""  # if it is late
    told: str = ""
    told_how: str = ""  # 'Text message, Delivered, Nov 24, 2026, 8:00 AM'

    @classmethod
    def of(cls, tracked: Tracked | None, told: MessageView | None) -> Self:
        line = told.line if told else MessageLine()
        return cls(
            who=f"{tracked.technician}, {tracked.truck}" if tracked else "On no route",
            eta=tracked.sentence if tracked else "",
            advice=tracked.advice if tracked else "",
            told=told.subject if told else "",
            told_how=f"{line.channel}, {line.state}, {line.queued}" if told else "",
        )


class GuestState(OfCustomer, rx.State):
    """The guest who is shown, and the button that mails the link to a booking again."""

    card: GuestCard = GuestCard()
    sending: str = ""  # the id of the booking whose link is being sent
    error: str = ""  # why it was not

    @staff_only
    async def send_link(self, booking_id: str):
        """Mail the guest the link to one of the bookings that are listed."""
        if not self.card.id or self.sending or not isinstance(booking_id, str):
            return
        self.sending, self.error = booking_id, ""
        yield
        sending = guests.send_link(await actor_of(self), booking_id)
        sent_to, self.error = await attempt(sending, "customer.link_failed")
        self.sending = ""
        if sent_to:
            said = f"The link is on its way to {sent_to}."
            (await self.get_state(ToastState))._show(said, seconds=6)


class CustomerDashboardState(StaffList, rx.State):
    """The screen of one tab: the preview's sample, or the list and the chosen customer."""

    PATH: ClassVar = routes.CUSTOMER_DASHBOARD
    TOPICS: ClassVar = (BOOKINGS,)

    question: CustomerQuery = CustomerQuery()
    shows: str = ""  # SAMPLE or OPEN, empty until it is known
    rows: list[CustomerLine] = []
    guests: list[GuestCard] = []  # whom a search finds besides the customers
    more_guests: str = ""  # how many it finds that are not listed
    areas: dict[str, str] = {}  # to filter by: names by id
    card: CustomerCard = CustomerCard()  # of the sample
    month: MonthCard = MonthCard()
    profile: ProfileCard = ProfileCard()
    tab: str = DashboardTab.KEY
    arrivals: dict[str, ArrivalCard] = {}  # of bookings that a technician is to come to
    missing: bool = False

    _customer: str = ""  # whom the parts of the screen are about
    _tracked: dict[str, Booking] = {}  # of `arrivals`

    @staff_only
    async def choose(self, customer_id: str):
        """Show one customer; an empty id leads back to the list."""
        await self._ask(customer=customer_id, guest="", tab="")

    @staff_only
    async def choose_guest(self, booking_id: str):
        """Show the guest of a booking."""
        await self._ask(customer="", guest=booking_id, tab="")

    @staff_only
    async def open_tab(self, tab: str):
        """Show another tab of the chosen customer."""
        await self._ask(tab="" if tab == DashboardTab.KEY else tab)

    @staff_only
    async def track(self, booking_id: str):
        """Open the customer's page that follows the technician; its address is a secret."""
        booking = self._tracked.get(booking_id) if isinstance(booking_id, str) else None
        if booking is None:
            return None
        return rx.redirect(routes.track(access.track_token(booking)), is_external=True)

    async def _refresh(self) -> None:
        await self._turn_to(self.question.customer or self.question.guest)
        await super()._refresh()

    async def _read(self, actor: Actor) -> None:
        sample = await sample_customers(actor, self.question)
        if sample:
            self._show_sample(sample)
        elif self.question.customer:
            await self._show_customer(actor, self.question.customer)
        elif self.question.guest:
            await self._show_guest(actor, self.question.guest)
        else:
            await self._list(actor)

    def _show_nothing(self) -> None:
        self.rows, self.card, self.profile = [], CustomerCard(), ProfileCard()
        self.guests, self.missing = [], False
        self.arrivals, self._tracked = {}, {}

    async def _turn_to(self, customer: str) -> None:
        """Drop all that is about another customer or guest, with its dialogs."""
        if customer == self._customer:
            return
        self._customer, self.profile, self.card = customer, ProfileCard(), CustomerCard()
        self.arrivals, self._tracked = {}, {}
        for part in rx.State.get_substates():
            if issubclass(part, OfCustomer):
                (await self.get_state(part))._start_over()

    def _show_sample(self, sample: Sample) -> None:
        now = clock.now()
        today = clock.day_of(now)
        self.shows, self.rows = SAMPLE, [CustomerLine.of(row) for row in sample.found]
        self.card, self.month = CustomerCard(), MonthCard()
        if sample.chosen:
            self.card = CustomerCard.of(sample.chosen, today)
            self.month = MonthCard.of(sample.chosen, samples.overview(now), today)
        self.missing = bool(self.question.customer) and sample.chosen is None

    async def _show_customer(self, actor: Actor, customer_id: str) -> None:
        """Show who a customer is, and load the tab that is open."""
        card, profile = ProfileCard(), await directory.find(actor, customer_id)
        if profile:
            area = await company.name_of_zip(profile.zip_code)
            owed = await payments.owed_by([profile.id])
            upcoming = await access.upcoming(actor, customer_id=profile.id)
            following = upcoming[0] if upcoming else None
            card = ProfileCard.of(profile, area, owed.get(profile.id), following)
            await self._show_arrivals(actor, upcoming)
        self.shows, self.profile, self.missing = OPEN, card, not card.id
        state = find_tab(self.question.tab)
        self.tab = state.KEY
        await (await self.get_state(state))._show(card.id)

    async def _show_arrivals(self, actor: Actor, upcoming: Iterable[Booking]) -> None:
        """Show when technicians come, and what is known of it: four statements for each booking."""
        self._tracked = {each.id: each for each in upcoming if each.state in TRACKED_STATES}
        shown = {}
        for booking_id, each in self._tracked.items():
            told = await messages.last_about(
                actor, booking_id, person_id=each.person_id, email=each.contact.get("email", "")
            )
            shown[booking_id] = ArrivalCard.of(await arrivals.track_coming(each), told)
        self.arrivals = shown

    async def _show_guest(self, actor: Actor, booking_id: str) -> None:
        """Show a guest with all their bookings; the customer who has them by now."""
        found = await guests.find(actor, booking_id)
        if isinstance(found, str):
            self._set(self.question.asking(guest="", customer=found, tab="bookings"), replaces=True)
            await self._turn_to(found)
            await self._show_customer(actor, found)
            return
        shown, card = await self.get_state(GuestState), GuestCard()
        if found:
            count = len(found.upcoming) + len(found.ended)
            card = GuestCard.of(found.last, count, next(iter(found.upcoming), None))
            await self._show_arrivals(actor, found.upcoming)
        self.shows, shown.card, self.missing = OPEN, card, not card.id
        bookings = await self.get_state(find_tab("bookings"))
        await bookings._show("", booking_id if found else "")

    async def _list(self, actor: Actor) -> None:
        self.shows, self.profile, self.missing = OPEN, ProfileCard(), False
        self.areas = {area.id: area.name for area in await company.areas()}
        asked = self.question
        owed = await payments.owed_by() if asked.debt == OWES else None
        page = await directory.page(actor, asked, only=owed)
        if owed is None:
            owed = await payments.owed_by([row.id for row in page.rows])
        self.rows = [CustomerLine.of(row, owed.get(row.id)) for row in page.rows]
        self._show_pages(page.page, page.pages)
        self.summary = counted(page.total, "customer")
        # A filter asks for what guests have none of.
        is_search = bool(asked.q) and not asked.filters
        words, part = (asked.words, asked.phone_part) if is_search else ((), "")
        found, total = await guests.search(actor, words, part)
        self.guests = [GuestCard.of(each.booking, each.count) for each in found]
        more = counted(total - len(found), "more guest")
        self.more_guests = f"{more}. Add a word to narrow the search." if total > len(found) else ""


class CustomerAccessState(OfCustomer, DeactivationDialog, rx.State):
    """The question before the chosen customer is deactivated."""

    FORM: ClassVar = "customer-access"

    @admin_only
    async def begin(self):
        """Ask about the chosen customer."""
        profile = (await self.get_state(CustomerDashboardState)).profile
        self._ask_about(profile.id, profile.name)

    @admin_only
    async def reactivate(self):
        """Let the chosen customer sign in again."""
        profile = (await self.get_state(CustomerDashboardState)).profile
        await reactivate(self, profile.id, profile.name)
        await self._renew()

    async def _renew(self) -> None:
        await (await self.get_state(CustomerDashboardState))._refresh()

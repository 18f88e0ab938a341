"""The dashboard's state: a customer's month, next booking and steps; staff's figures; its views."""

import dataclasses
from collections.abc import Iterable, Sequence
from datetime import date
from typing import ClassVar, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import (
    SessionState,
    StaffScreen,
    actor_of,
    are_staff,
    note_for_page,
    once_for_page,
    session_of,
)
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.areas.state import are_staff_of_open
from fuel_app.billing.rules.reports import Earned
from fuel_app.billing.service import cards
from fuel_app.billing.state.cards import OfferCard, PayingScreen, back_to, come_back
from fuel_app.bookings.rules.bookings import Booking, Guest
from fuel_app.bookings.service import access, authorizations
from fuel_app.bookings.state.cards import BookingCard
from fuel_app.customers.rules.customers import Customer, days_since
from fuel_app.customers.state.customer import (
    CustomerScreen,
    CustomerState,
    for_own,
    for_sign_ups_too,
)
from fuel_app.dashboard import service as dashboard
from fuel_app.dashboard.rules import (
    DECLINED,
    DISPUTED,
    FLOW_DAYS,
    OWED,
    AtRisk,
    FuelFlow,
    Margin,
    Morning,
    NextStep,
    Overview,
    TypeCount,
    WindowLoad,
    list_steps,
)
from fuel_app.forecasts.state import DueState
from fuel_app.kit import clock
from fuel_app.kit.clock import short_date
from fuel_app.kit.money import Money
from fuel_app.kit.signals import (
    AREAS,
    BOOKINGS,
    LEADS,
    MEMBERS,
    PRICES,
    ROUTES,
    SHIFTS,
    TRUCKS,
)
from fuel_app.kit.ui.button import site_address
from fuel_app.kit.ui.cards import Bar, bars
from fuel_app.kit.ui.state import set_changed
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted, tenths
from fuel_app.leads.rules import TYPE_LABELS, TYPES
from fuel_app.neighborhoods.state import NeighborhoodLine
from fuel_app.outcomes.service import checkouts, plans
from fuel_app.scheduling.state.booking import OwnBookingScreen

COMING = "coming"  # the bookings, as `once_for_page` knows them
NONE = "–"  # noqa: RUF001 (a dash where there is no number yet)
# Ids of what has the focus after a change.
CARD_ID = "next-step"
HEADING = "dashboard-heading"
GALLONS = "Gallons, of what the trucks on shift carry"


@dataclasses.dataclass(frozen=True)
class ServiceRow:
    """One past service."""

    day: str
    vehicle: str
    gallons: str
    price: str
    receipt: str  # its address


@dataclasses.dataclass(frozen=True)
class MonthCard:
    """A customer's fills of this month and before; empty until they are loaded."""

    fills_remaining: str = ""
    fills_left: int = 0  # the same as a number, for the bar
    fills_total: int = 1
    fills_used: str = ""
    fills_note: str = ""
    gallons_used: str = ""
    gallons_note: str = "This month"
    cost_per_gallon: str = ""
    price_note: str = "Current market price"
    average_cost: str = ""
    days_since_last_fill: str = ""
    last_fill: str = ""
    has_booking: bool = False
    past_services: list[ServiceRow] = dataclasses.field(default_factory=list)
    chart: list[Bar] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, customer: Customer, overview: Overview, today: date) -> Self:
        last, start, left = overview.last_fill, customer.period_starts, customer.fills_remaining
        taken, price = overview.milligallons_used, overview.cost_per_gallon
        return cls(
            fills_remaining=NONE if left is None else str(left),
            fills_left=left or 0,
            fills_total=customer.fills_total,
            fills_used=_fills_used(customer, overview),
            fills_note=_fills_note(customer),
            gallons_used=NONE if taken is None else tenths(taken),
            gallons_note=f"Since {short_date(start)}" if start else "This month",
            cost_per_gallon=NONE if price is None else str(price),
            price_note=f"Current market price{overview.price_age}",
            average_cost=str(overview.average_cost or NONE),
            days_since_last_fill=str(days_since(last, today)) if last else NONE,
            last_fill=f"Last fill: {short_date(last)}" if last else "No fill yet",
            has_booking=overview.has_booking,
            past_services=[
                ServiceRow(
                    day=short_date(past.day),
                    vehicle=past.vehicle,
                    gallons=NONE if past.note else tenths(past.milligallons),
                    price=past.note or str(past.price),
                    receipt=past.receipt and routes.receipt_from(routes.DASHBOARD, past.receipt),
                )
                for past in overview.past_services
            ],
            chart=bars(  # the last six, the oldest first
                (f"{past.day:%b} {past.day.day}", past.milligallons, tenths(past.milligallons))
                for past in overview.past_services[5::-1]
                if not past.note
            ),
        )


def _fills_used(customer: Customer, overview: Overview) -> str:
    if customer.fills_remaining is None:
        return NONE
    used = customer.fills_total - customer.fills_remaining - overview.fills_booked
    booked = f", {overview.fills_booked} booked" if overview.fills_booked else ""
    return f"{used} of {customer.fills_total}{booked}"


def _fills_note(customer: Customer) -> str:
    if customer.fills_remaining is not None:
        rolled = f", {customer.fills_rolled} rolled over" if customer.fills_rolled else ""
        return f"{customer.fills_remaining} of {customer.fills_total} fills this month{rolled}"
    return "Start your plan" if customer.may_start_plan else "No fills just now"


@dataclasses.dataclass(frozen=True)
class NextSteps:
    """The steps of a signed-in customer; empty in a preview and once all are done."""

    title: str = ""  # of the next one
    steps: list[NextStep] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, customer: Customer, overview: Overview) -> Self:
        steps = list_steps(customer, overview) if customer.is_customer else []
        titles = [step.title for step in steps if not (step.done or step.is_optional)]
        return cls(titles[0], steps) if titles else cls()


class MonthState(CustomerScreen, rx.State):
    """The customer's fills and what is left to do before the next one."""

    card: MonthCard = MonthCard()
    following: NextSteps = NextSteps()

    _owed: str = ""  # of all unpaid invoices

    @for_sign_ups_too
    async def arrive(self):
        """Show the customer, their fills and their steps as they are now."""
        session = (await self.get_state(SessionState))._session
        if session and session.is_only_of_company:
            return rx.redirect(routes.COMPANY, replace=True)
        await self._refresh()
        return None

    async def _refresh(self) -> None:
        tab = await self.get_state(CustomerState)
        account, today = tab._opened, clock.day_of(clock.now())
        customer = await tab._read()
        overview = await dashboard.overview_of(account, customer)
        note_for_page(COMING, overview.coming)
        tab._become(customer)
        self._is_private, self._is_preview = not account.is_sample, account.is_sample
        self._owed = str(overview.owed or "")
        steps = NextSteps() if account.is_sample else NextSteps.of(customer, overview)
        set_changed(self, card=MonthCard.of(customer, overview, today), following=steps)


class NextBookingState(OwnBookingScreen, rx.State):
    """The customer's next booking, with those after it."""

    others: list[BookingCard] = []

    _has_history: ClassVar = False

    async def _look_up(self, by: Actor | Guest) -> Booking | None:
        if not isinstance(by, Actor):
            return None
        coming = await once_for_page(COMING, lambda: access.upcoming(by))
        states = await authorizations.card_states(coming[1:])
        self.others = [BookingCard.of(each, alert=states[each.id].alert) for each in coming[1:]]
        return coming[0] if coming else None

    def _own_booking_id(self) -> str:
        return ""  # the provider's page leads back to the booking's own

    async def _show_others(self) -> None:
        if self._is_private:
            await (await self.get_state(MonthState))._refresh()
            await (await self.get_state(DueState))._refresh()


class StepsState(PayingScreen, rx.State):
    """The buttons of the card 'Next'; `busy` is the kind of the step that is being taken."""

    start: OfferCard = OfferCard()  # of the chosen plan, once it can be started
    due: str = ""  # of all unpaid invoices

    @for_sign_ups_too
    async def arrive(self):
        """Finish a visit to the provider's page, and show what the plan costs."""
        customer, month = await self.get_state(CustomerState), await self.get_state(MonthState)
        self._begin("")
        self.start, self.due = OfferCard(), ""
        if not (customer.is_own and customer._opened.is_verified):
            return None
        by = await session_of(self)
        back = await come_back(self, lambda visit: checkouts.finish_checkout(by.person_id, visit))
        if back:
            await month._refresh()
        await self._show_start(month)
        self.due = month._owed
        return back

    @for_own
    async def add_card(self):
        """Go to the provider's page."""
        if self.busy:
            return
        person_id = (await session_of(self)).person_id
        async for sent in self._leave("card", cards.begin_checkout(person_id, back_to(self))):
            yield sent

    @for_own
    async def start_plan(self, agreed: str):
        """Start the plan as its button says; a press of what is not shown any more does nothing."""
        if self.busy or agreed != self.start.button or not agreed:
            return
        self._begin("plan")
        yield
        by, plan_id, back = await session_of(self), self.start.plan_id, back_to(self)
        began = clock.now()
        started, away = await self._pay(
            lambda key: plans.start_plan(by, plan_id, agreed, key),
            "plan.start_failed",
            lambda: plans.begin_plan_confirmation(by, plan_id, agreed, back),
        )
        if away:
            yield away
            return
        month = await self.get_state(MonthState)
        await month._refresh()
        await self._show_start(month)
        if started:
            covers = await plans.covered_text(by, began)
            (await self.get_state(ToastState))._show(f"Your plan has started{covers}")
            # After the last step the card goes.
            yield rx.set_focus(CARD_ID if month.following.title else HEADING)

    async def _show_start(self, month: MonthState) -> None:
        """Show the chosen plan with its amount, where starting it is a step."""
        self.start = OfferCard()
        if all(step.kind != "plan" for step in month.following.steps):
            return
        by = await session_of(self)
        own = await plans.read_plans(by)
        for offer in own.offers:
            if own.overview and offer.plan == own.overview.subscription.plan:
                self.start = OfferCard.of(offer)


@dataclasses.dataclass(frozen=True)
class StatusPart:
    """The part of a bar for one status."""

    status: str
    leads: str
    left: str
    width: str


@dataclasses.dataclass(frozen=True)
class TypeBar:
    """The leads of one type by status."""

    label: str
    leads: str
    parts: list[StatusPart]

    @classmethod
    def of(cls, count: TypeCount) -> Self:
        parts, before = [], 0
        for status, leads in count.by_status.items():
            left, width = 100 * before / count.leads, 100 * leads / count.leads
            parts.append(StatusPart(status, f"{leads:,}", f"{left:.2f}%", f"{width:.2f}%"))
            before += leads
        return cls(TYPE_LABELS[count.type], f"{count.leads:,}", parts)


class FiguresState(StaffScreen, rx.State):
    """The live figures of leads and neighborhoods."""

    leads: str = ""
    new: str = ""
    new_by_type: str = ""
    neighborhoods: str = ""
    members: str = ""
    types: list[TypeBar] = []
    days: list[Bar] = []
    nearest: list[NeighborhoodLine] = []

    @rx.event(background=True)
    async def follow(self):
        """Follow changes while the dashboard is open, for signed-in staff only."""
        async with self:
            if not await are_staff(self):
                return
            await self._refresh()
        await screens.follow(self, self._refresh, LEADS, MEMBERS)

    async def _refresh(self) -> None:
        now = await dashboard.latest_leads(await actor_of(self))
        self.leads, self.new = f"{now.leads:,}", f"{now.new:,}"
        self.new_by_type = ", ".join(  # such as '12 waitlist, 3 fleet'
            f"{now.new_by_type[type_]:,} {TYPE_LABELS[type_].lower()}"
            for type_ in reversed(TYPES)
            if now.new_by_type[type_]
        )
        self.neighborhoods, self.members = f"{now.neighborhoods:,}", f"{now.members:,}"
        self.types = [TypeBar.of(count) for count in now.types[::-1]]
        self.days = bars((f"{each.day:%a}", each.leads, f"{each.leads:,}") for each in now.days)
        site = site_address(self)
        self.nearest = [NeighborhoodLine.of_row(row, site=site) for row in now.nearest]


class TodayState(StaffScreen, rx.State):
    """The day's real figures, once the company is open."""

    figures: dict[str, str] = {}  # by label
    revenue: list[Bar] = []

    _before: tuple[date, dict[date, Earned]] | None = None  # the day, and what those before earned

    @rx.event(background=True)
    async def follow(self):
        """Follow the day while the dashboard is open, for staff of an open company only."""
        async with self:
            if not await are_staff_of_open(self):
                return
            await self._refresh()
        await screens.follow(self, self._refresh, SHIFTS, ROUTES, BOOKINGS)

    async def _refresh(self) -> None:
        actor, day = await actor_of(self), clock.day_of(clock.now())
        if self._before is None or self._before[0] != day:
            self._before = day, await dashboard.earned_before(actor, day)
        now = await dashboard.today_figures(actor, self._before[1])
        shown = bars(
            (str(each.day), max(0, amount.cents), Money(amount.cents // 100 * 100).short)
            for each, amount in now.by_day
        )
        if (now.texts, shown) != (self.figures, self.revenue):
            self.figures, self.revenue = now.texts, shown


@dataclasses.dataclass(frozen=True)
class RiskLine:
    """Money at risk: how much, and of how many."""

    label: str
    amount: str
    count: str
    href: str


@dataclasses.dataclass(frozen=True)
class LoadCell:
    """Booked of a capacity on a day; empty where there is no window."""

    day: str
    text: str = ""
    is_full: bool = False


@dataclasses.dataclass(frozen=True)
class LoadRow:
    """A window, or the gallons, on the days to come."""

    name: str
    cells: list[LoadCell]

    @classmethod
    def of_window(cls, load: WindowLoad, days: Sequence[str]) -> Self:
        cells = [
            LoadCell(day, f"{seats[0]} of {seats[1]}", seats[0] >= seats[1])
            if seats
            else LoadCell(day)
            for day, seats in zip(days, load.days, strict=True)
        ]
        return cls(load.window, cells)

    @classmethod
    def of_gallons(cls, gallons: Iterable[tuple[int, int]], days: Sequence[str]) -> Self:
        cells = [
            LoadCell(day, f"{-(-booked // 1000):,} of {carried // 1000:,}", booked > carried)
            for day, (booked, carried) in zip(days, gallons, strict=True)
        ]
        return cls("All areas", cells)


@dataclasses.dataclass(frozen=True)
class LoadTable:
    """Load of an area, as it is shown."""

    name: str
    rows: list[LoadRow]


@dataclasses.dataclass(frozen=True)
class FlowLine:
    """Gallons of a grade that were loaded and sold yesterday, as they are shown."""

    grade: str
    loaded: str
    sold: str
    difference: str

    @classmethod
    def of(cls, flow: FuelFlow, grade: str) -> Self:
        return cls(
            GRADE_LABELS[grade],
            tenths(flow.loaded.get(grade, 0)),
            tenths(flow.sold.get(grade, 0)),
            _signed(flow.missing(grade)),
        )


class MorningState(StaffScreen, rx.State):
    """The figures of the morning: money at risk, yesterday's margin, how full the days are."""

    loading: bool = True
    risks: list[RiskLine] = []
    per_gallon: str = ""
    per_stop: str = ""
    margin_note: str = ""
    flow: list[FlowLine] = []
    flow_note: str = ""
    days: list[str] = []
    tables: list[LoadTable] = []

    @rx.event(background=True)
    async def follow(self):
        """Follow them while the dashboard is open, for staff of an open company only."""
        async with self:
            if not await are_staff_of_open(self):
                return
            await self._refresh()
        topics = AREAS, BOOKINGS, PRICES, SHIFTS, TRUCKS  # but nothing says that money was moved
        await screens.follow(self, self._refresh, *topics, every_s=60)

    async def _refresh(self) -> None:
        actor = await actor_of(self)
        now = await dashboard.morning_figures(actor)
        days = [f"{day:%a}, {day:%b} {day.day}" for day in now.days]
        is_admin = actor.may(Role.ADMIN)
        set_changed(
            self,
            loading=False,
            risks=[_risk_line(each, is_admin=is_admin) for each in now.at_risk],
            days=days,
            tables=_load_tables(now, days),
            flow=[FlowLine.of(now.flow, each) for each in now.flow.grades] if is_admin else [],
            flow_note=_flow_note(now) if is_admin else "",
            **_margin_texts(now.margin if is_admin else None),
        )


def _load_tables(now: Morning, days: list[str]) -> list[LoadTable]:
    """Return how full each area's windows are, then what the trucks carry."""
    tables = [
        LoadTable(area.name, [LoadRow.of_window(each, days) for each in area.windows])
        for area in now.areas
    ]
    return [*tables, LoadTable(GALLONS, [LoadRow.of_gallons(now.gallons, days)])]


def _risk_line(risk: AtRisk, *, is_admin: bool) -> RiskLine:
    here = f"{routes.DASHBOARD}#{routes.NEEDS_AN_ANSWER}"
    owed = routes.SETTINGS_MONEY if is_admin else ""
    of = counted(risk.count, _RISKS[risk.label])
    return RiskLine(risk.label, str(risk.amount), of, owed if risk.label == OWED else here)


_RISKS = {OWED: "customer", DECLINED: "booking", DISPUTED: "payment"}


def _flow_note(now: Morning) -> str:
    """Return what of the last weeks was loaded and not sold, and what is not said of yesterday."""
    weeks, said = now.flow_before, list[str]()
    if unsaid := now.flow.unsaid:
        said.append(f"{counted(unsaid, 'refill')} without gallons: record them on the board.")
    if not now.flow.grades:
        said.append("Nothing was loaded or sold yesterday.")
    if loaded := sum(weeks.loaded.values()):
        missing = weeks.missing()
        share = f"{100 * missing / loaded:.1f}".replace("-", "−")  # noqa: RUF001
        said.append(
            f"In {FLOW_DAYS} days {tenths(loaded)} gallons were loaded, {_signed(missing)} "
            f"of them not sold ({share}%)."
        )
    return " ".join(said)


def _signed(milligallons: int) -> str:
    """'+12.4', '−3.0', '0.0': gallons."""  # noqa: RUF002
    sign = "+" if milligallons > 0 else "−" if milligallons < 0 else ""  # noqa: RUF001
    return f"{sign}{tenths(abs(milligallons))}"


def _margin_texts(margin: Margin | None) -> dict[str, str]:
    """Return the margin as admins see it; others see none."""
    if margin is None:
        return {"per_gallon": "", "per_stop": "", "margin_note": ""}
    if not margin.is_known:
        note = (
            f"Say what a gallon costs, under Prices: {'; '.join(margin.missing)}."
            if margin.missing
            else "No fill was billed."
        )
        return {"per_gallon": NONE, "per_stop": NONE, "margin_note": note}
    sold = f"{counted(margin.fills, 'fill')}, {tenths(margin.milligallons)} gallons"
    return {
        "per_gallon": str(margin.per_gallon),
        "per_stop": str(margin.per_stop),
        "margin_note": f"{sold}, fees included, without tax",
    }


class DashboardState(CustomerScreen, rx.State):
    """The toggle between both views: for all visitors in a preview, then for staff."""

    admin_view: bool = False
    may_switch: bool = True
    is_open: bool = False  # the company: the admin view shows the real day

    @for_sign_ups_too
    async def arrive(self):
        """Show staff the admin view; in a preview everyone else the one that they chose last."""
        session = await self.get_state(SessionState)
        self.is_open = not (await self.get_state(CustomerState))._opened.is_sample
        self.may_switch = session.is_staff or not self.is_open
        self.admin_view = session.is_staff or (self.may_switch and self.admin_view)

    @for_sign_ups_too
    async def switch_view(self):
        if self.may_switch:
            self.admin_view = not self.admin_view

"""A customer's overview, with the steps to a first fill-up; and the staff's figures."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Self

from fuel_app import routes
from fuel_app.areas.rules.hours import Hours
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.billing.rules.reports import Earned
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.estimates import fuel_cost
from fuel_app.bookings.rules.fills import Booked, DayFills, Sold
from fuel_app.bookings.rules.slots import SlotId, on_clock, parse_slot_id
from fuel_app.customers.rules.customers import Customer
from fuel_app.kit import clock
from fuel_app.kit.clock import time_span
from fuel_app.kit.money import FuelPrice, Money, total
from fuel_app.kit.words import tenths
from fuel_app.leads.rules import STATUSES, TYPES, WAITLIST_STATUS, LeadType
from fuel_app.neighborhoods.rules import NeighborhoodRow
from fuel_app.plans.rules.plans import ONE_TIME_FEE


@dataclass(frozen=True, slots=True)
class PastService:
    """One fill: what it took and what the fuel cost."""

    day: date
    vehicle: str
    milligallons: int
    price: Money
    receipt: str = ""  # the id of its invoice
    note: str = ""  # in place of its price while that is not known


@dataclass(frozen=True, slots=True)
class Overview:
    """A customer's bookings and fills, and what hinders the next one; None does not exist (yet)."""

    fills_booked: int = 0  # of this period, taken by a booking to come
    milligallons_used: int | None = None
    cost_per_gallon: FuelPrice | None = None
    price_age: str = ""
    average_cost: FuelPrice | None = None  # per gallon, of the fills of this period
    coming: tuple[Booking, ...] = ()  # the soonest first
    past_services: tuple[PastService, ...] = ()  # newest first
    free_fill: str = ""  # what a promised one is worth before the first booking, or why no more
    is_free_fill_used: bool = False
    card_problem: str = ""  # why the card was declined last
    owed: Money | None = None  # of all unpaid invoices

    @property
    def has_booking(self) -> bool:
        return bool(self.coming)

    @property
    def last_fill(self) -> date | None:
        return self.past_services[0].day if self.past_services else None


WITHOUT_PLAN = f"Until it starts, a fill-up costs the {ONE_TIME_FEE} fee."


ON_THEIR_PAGE = "On the secure page of our payment provider. Nothing is charged."


_DONE, _FIRST = "Done", "Add a card first"


@dataclass(frozen=True)
class NextStep:
    """One step; the first one that is not done is the next."""

    title: str
    note: str
    done: bool
    action: str = ""  # on its button; empty where it has to wait, or the button names an amount
    href: str = ""  # of a step on another screen
    kind: str = ""  # of a step on the card itself: 'card' or 'plan'
    asks_to_call: bool = False  # the note names how to reach us
    is_optional: bool = False  # offered beside the others, never the next


def _card_step(customer: Customer, problem: str) -> NextStep:
    """Return the step of the card, which is not done while the card is declined."""
    if customer.has_card and problem:
        return NextStep("Update your card", problem, False, "Update card", kind="card")
    note = problem or ON_THEIR_PAGE
    return NextStep("Add a card", note, customer.has_card, "Add a card", kind="card")


def list_steps(customer: Customer, overview: Overview) -> list[NextStep]:
    """Return the steps in their order."""
    ready = customer.email_verified and customer.has_card
    found = [
        NextStep("Verify your email", "Enter the code of our mail", customer.email_verified),
        _card_step(customer, overview.card_problem),
        NextStep("Add your vehicle", "", bool(customer.vehicles), "Add a vehicle", routes.SCHEDULE),
    ]
    if customer.plan:
        started = not customer.may_start_plan
        is_free = overview.free_fill != "" and not overview.is_free_fill_used
        note = "" if is_free else WITHOUT_PLAN
        found.append(
            NextStep("Start your plan", note, started, kind="plan")
            if ready
            else NextStep("Start your plan", _FIRST, started)
        )
    title, asks = "Book your first fill-up", overview.is_free_fill_used
    free = overview.free_fill
    booked = bool(overview.has_booking or overview.past_services)
    found.append(
        NextStep(title, free, booked, "Book a Fill-Up", routes.SCHEDULE, asks_to_call=asks)
        if ready
        else NextStep(title, free or _FIRST, booked, asks_to_call=asks)
    )
    found.append(
        NextStep(
            "Get text messages",
            "Optional: know when your technician is on the way",
            customer.notifications.sms,
            "Turn on",
            routes.NOTIFICATIONS,
            is_optional=True,
        )
    )
    return [NextStep(each.title, _DONE, done=True) if each.done else each for each in found]


REFUNDS = "Refunds and credit"
WEEK = 7  # days: today and the six before
NEAREST = 5
REVENUE_DAYS = 14  # of the chart
OTHER = "Other"  # any other status that the lead-source control has written
STATUS_ORDER = (WAITLIST_STATUS, *STATUSES, OTHER)

Counts = dict[LeadType, int]


@dataclass(frozen=True, slots=True)
class DayCount:
    """The new leads of one day."""

    day: date
    leads: int


@dataclass(frozen=True, slots=True)
class TypeCount:
    """The leads of one type by the status that the staff's list shows."""

    type: LeadType
    by_status: dict[str, int]  # in `STATUS_ORDER`, only those that some lead has

    @property
    def leads(self) -> int:
        return sum(self.by_status.values())


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of leads and neighborhoods."""

    types: tuple[TypeCount, ...]
    days: tuple[DayCount, ...]  # of the last week, the oldest first
    new_by_type: Counts
    neighborhoods: int
    members: int
    nearest: tuple[NeighborhoodRow, ...]  # to their next tier

    @property
    def leads(self) -> int:
        return sum(each.leads for each in self.types)

    @property
    def new(self) -> int:
        """The leads of the last week."""
        return sum(day.leads for day in self.days)


def type_counts(rows: Iterable[tuple[str, Counts]]) -> tuple[TypeCount, ...]:
    """Turn each status' counts by type into each type's counts by status."""
    counted: dict[str, Counts] = {status: {} for status in STATUS_ORDER}
    for status, counts in rows:
        known = counted[status if status in counted else OTHER]
        for type_, leads in counts.items():
            known[type_] = known.get(type_, 0) + leads
    return tuple(
        TypeCount(type_, {s: counts[type_] for s, counts in counted.items() if counts.get(type_)})
        for type_ in TYPES
    )


def week_until(moment: datetime) -> list[datetime]:
    """Return the starts of the last seven days in New York, today included."""
    return clock.mornings(clock.day_of(moment), WEEK)


def per_day(starts: Iterable[datetime], rows: dict[int, Counts]) -> tuple[DayCount, ...]:
    """Sum each day's leads from the counts by the day's index."""
    return tuple(
        DayCount(clock.day_of(start), sum(rows.get(index, {}).values()))
        for index, start in enumerate(starts)
    )


@dataclass(frozen=True, slots=True)
class Today:
    """The day's figures of the open company."""

    day: date
    fills: DayFills
    customers: int
    plans: int  # active ones
    areas: tuple[str, ...]  # names of the open ones
    earned: Mapping[date, Earned]  # by day: of this month, and of the chart

    @property
    def revenue(self) -> Money:
        """Return what today's fill-ups have earned, without plans and before refunds."""
        return self.earned[self.day].fills if self.day in self.earned else Money(0)

    @property
    def returned(self) -> Money:
        """Return what refunds, credit and losses of today have taken."""
        return self.earned[self.day].returned if self.day in self.earned else Money(0)

    @property
    def plan_revenue(self) -> Money:
        """Return what plans have earned since the month began."""
        first = self.day.replace(day=1)
        return total(each.plans for day, each in self.earned.items() if day >= first)

    @property
    def by_day(self) -> list[tuple[date, Money]]:
        """Return what each of the chart's days has earned in all, the oldest first."""
        days = [self.day - timedelta(days=back) for back in reversed(range(REVENUE_DAYS))]
        return [(day, self.earned[day].total if day in self.earned else Money(0)) for day in days]

    @property
    def texts(self) -> dict[str, str]:
        """Return the figures by the labels of their tiles."""
        average = self.fills.average_milligallons
        return {
            "Scheduled fill-ups": f"{self.fills.scheduled:,}",
            "Completed": f"{self.fills.completed:,}",
            "Average gallons": tenths(average) if average else "–",  # noqa: RUF001
            "Total customers": f"{self.customers:,}",
            "Active subscriptions": f"{self.plans:,}",
            "Service area": ", ".join(self.areas) or "None is open",
            "Today's revenue": str(self.revenue),
            "Average per fill-up": str(self.fills.average),
            REFUNDS: str(self.returned),
            "Subscription revenue": f"{self.plan_revenue.short} this month",
        }


OWED, DECLINED, DISPUTED = "Owed", "Cards declined", "Disputes to answer"
DAYS_AHEAD = 3  # of which staff see how full they are


@dataclass(frozen=True, slots=True)
class AtRisk:
    """Money that is owed, or may be lost."""

    label: str
    count: int
    amount: Money


@dataclass(frozen=True, slots=True)
class Margin:
    """Margin of a day's fills above the fuel's cost; unknown without a cost."""

    fills: int
    milligallons: int
    earned: Money
    missing: tuple[str, ...] = ()  # fuel that was sold, and whose cost nobody has said

    @classmethod
    def of(
        cls,
        sold: Iterable[Sold],
        costs: Mapping[tuple[str, str], int],
        areas: Mapping[str, str],
    ) -> Self:
        """Add up a day's fills.

        Args:
            costs: Mills of a gallon, by area and grade.
            areas: Their names by id.
        """
        days = list(sold)
        known = [(each, costs.get((each.area_id, each.grade))) for each in days]
        return cls(
            fills=sum(each.fills for each in days),
            milligallons=sum(each.milligallons for each in days),
            earned=total(
                each.income - fuel_cost(each.milligallons, mills or 0) for each, mills in known
            ),
            missing=tuple(
                f"{GRADE_LABELS[each.grade]}, {areas.get(each.area_id, 'an area that is closed')}"
                for each, mills in known
                if mills is None
            ),
        )

    @property
    def is_known(self) -> bool:
        return bool(self.fills) and not self.missing

    @property
    def per_gallon(self) -> FuelPrice:
        """Return what is earned with a gallon; only of one that is known."""
        return FuelPrice(10_000 * self.earned.cents // self.milligallons)

    @property
    def per_stop(self) -> Money:
        return self.earned.per(self.fills)


FLOW_DAYS = 30  # over which what the tanks hold at both ends hardly counts


@dataclass(frozen=True, slots=True)
class FuelFlow:
    """Gallons loaded at refills and sold on some days, in thousandths, by grade."""

    loaded: Mapping[str, int]
    sold: Mapping[str, int]
    unsaid: int = 0  # refills of which nobody has said what they loaded

    @classmethod
    def of(cls, loads: Iterable[Mapping[str, int] | None], sold: Iterable[Sold]) -> Self:
        """Add refills and fills up; a refill that is None says nothing."""
        loaded, taken, unsaid = Counter[str](), Counter[str](), 0
        for load in loads:
            loaded.update(load or {})
            unsaid += load is None
        for each in sold:
            taken[each.grade] += each.milligallons
        return cls(dict(loaded), dict(taken), unsaid)

    @property
    def grades(self) -> list[str]:
        """Return the grades that were loaded or sold."""
        return [each for each in GRADES if self.loaded.get(each) or self.sold.get(each)]

    def missing(self, grade: str = "") -> int:
        """Return what was loaded and not sold, of a grade or in all; below 0: from stock."""
        if grade:
            return self.loaded.get(grade, 0) - self.sold.get(grade, 0)
        return sum(self.loaded.values()) - sum(self.sold.values())


@dataclass(frozen=True, slots=True)
class WindowLoad:
    """A window of an area on some days: booked and capacity, None where it is not there."""

    window: str  # '8-10 AM'
    days: tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class AreaLoad:
    """Load of an area's windows."""

    name: str
    windows: tuple[WindowLoad, ...]


@dataclass(frozen=True, slots=True)
class Morning:
    """The three figures of the morning: money at risk, yesterday's margin, the days to come."""

    at_risk: tuple[AtRisk, ...]
    margin: Margin
    flow: FuelFlow  # yesterday's
    flow_before: FuelFlow  # of `FLOW_DAYS` until yesterday
    days: tuple[date, ...]
    areas: tuple[AreaLoad, ...]
    gallons: tuple[tuple[int, int], ...]  # by day: thousandths booked, and carried by the trucks


def load_of(
    areas: Iterable[tuple[str, str, Hours]], booked: Iterable[Booked], days: Sequence[date]
) -> tuple[AreaLoad, ...]:
    """Return how full each area's windows are on some days; areas are id, name, hours."""
    counts: Counter[str] = Counter()
    for each in booked:
        counts[each.slot_id] += each.count
    return tuple(
        AreaLoad(name, tuple(_windows_of(area_id, hours, counts, days)))
        for area_id, name, hours in areas
    )


def _windows_of(
    area_id: str, hours: Hours, counts: Mapping[str, int], days: Sequence[date]
) -> Iterator[WindowLoad]:
    on_days = [{(each.opens, each.closes): each.capacity for each in hours.on(day)} for day in days]
    for opens, closes in sorted({window for windows in on_days for window in windows}):
        yield WindowLoad(
            time_span(on_clock(days[0], opens), on_clock(days[0], closes)),
            tuple(
                (counts[str(SlotId(area_id, day, opens))], windows[opens, closes])
                if (opens, closes) in windows
                else None
                for day, windows in zip(days, on_days, strict=True)
            ),
        )


def gallons_of(
    booked: Iterable[Booked], carried: Mapping[date, int], days: Sequence[date]
) -> tuple[tuple[int, int], ...]:
    """Return the thousandths of a gallon that are booked and carried on each day."""
    wanted: Counter[str] = Counter()
    for each in booked:
        slot = parse_slot_id(each.slot_id)
        wanted[slot.day.isoformat() if slot else ""] += each.milligallons
    return tuple((wanted[day.isoformat()], carried.get(day, 0)) for day in days)

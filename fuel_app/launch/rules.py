"""Where people wait, the waves of invitations to an area, and what becomes of invitations.

The funnel is invited, signed up, first fill. A change of an area's hours or ZIP codes that touches
bookings raises a question to the admin, and lists those bookings.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple, Self

from fuel_app.areas.rules.areas import OPEN, AreaRow
from fuel_app.areas.rules.hours import Hours
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import WAITING
from fuel_app.customers.rules.customers import Resident
from fuel_app.kit.errors import Refusal
from fuel_app.kit.lists import Page, Question, pages_of
from fuel_app.kit.words import counted
from fuel_app.leads.rules import fold

RUNNING, PAUSED = STATES = ("running", "paused")
MESSAGE, TEST_MESSAGE = "area_open", "area_open_test"  # the kinds of messages
JOB = "launch.invite"


class Transition(NamedTuple):
    """A step of an area's waves; before the first one they have no state."""

    before: str | None
    after: str


TRANSITIONS: Mapping[str, Transition] = {
    "start": Transition(None, RUNNING),
    "pause": Transition(RUNNING, PAUSED),
    "resume": Transition(PAUSED, RUNNING),
}


class WavesChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = "Somebody else has changed these waves meanwhile. You now see the newer state."


class NothingPriced(Refusal):
    message = (
        "No grade has a current price there, so nobody whom you invite could book. "
        "Set the prices first."
    )


@dataclass(frozen=True, slots=True)
class InvitationMail:
    """The mail that the next one in line gets; links stand without their secrets."""

    sender: str = ""
    subject: str = ""
    text: str = ""


class AreaNotOpen(Refusal):
    message = "Only the waitlist of an open area is invited. Open the area first."


@dataclass(frozen=True, slots=True)
class OpenArea:
    """An area whose waves run; it was opened at a moment."""

    id: str
    name: str
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A submission to invite."""

    id: str
    email: str
    joined_at: datetime
    whole_fill: bool  # joined before the cap of the free first fill was shown

    def payload(self, area: OpenArea, cap: str) -> dict[str, str]:
        """Return what the message says; a free fill is for those who joined before the opening."""
        said = {"submission": self.id, "area": area.name}
        if self.joined_at >= area.opened_at:
            return said
        return said | ({"free_fill_whole": "yes"} if self.whole_fill else {"free_fill_cap": cap})


def forecast(waiting: int, per_day: int) -> str:
    """'1,240 waiting, about 13 days at 100 a day'."""
    if not waiting:
        return "Nobody is waiting for an invitation"
    days = counted(-(-waiting // per_day), "day")
    return f"{waiting:,} waiting, about {days} at {per_day:,} a day"


def waves_text(area_status: str, state: str, waiting: int, *, is_priced: bool = True) -> str:
    """Say in a sentence how an area's waves stand."""
    if area_status != OPEN:
        waits = "The waves wait until the area is open again."
        return waits if state == RUNNING else "Only an open area invites its waitlist."
    if state == PAUSED:
        return "Invitations are paused."
    if state == RUNNING and not is_priced:
        return "No grade has a current price: nobody is invited until there is one."
    if state == RUNNING and waiting:
        return "A wave goes out each day, 8 AM to 8 PM."
    return "Everybody has been invited." if state == RUNNING else "Nobody has been invited yet."


PAGE_SIZE = 25
NEIGHBORHOODS = "neighborhoods"
NO_ZIP = "No ZIP"
NO_AREA = "none"


@dataclass(frozen=True, slots=True)
class DemandRow:
    """A ZIP or a neighborhood by the people who wait there."""

    id: str  # of the neighborhood, or the ZIP itself; empty: people who gave none
    name: str
    zip_code: str
    waiting: int
    waiting_text: str
    area: str = ""
    status: str = ""  # of the area

    @classmethod
    def of(cls, row_id: str, name: str, zip_code: str, waiting: int, area: AreaRow | None) -> Self:
        return cls(
            row_id,
            name,
            zip_code,
            waiting,
            f"{waiting:,}",
            area.name if area else "",
            area.status if area else "",
        )


@dataclass(frozen=True)
class DemandQuery(Question):
    """The question that the list answers."""

    q: str = ""
    of: str = ""  # ZIPs, or neighborhoods
    area: str = ""  # all, or `NO_AREA`
    sort: str = "-waiting"

    COLUMNS = ("name", "zip", "waiting", "area")
    TYPED = ("q", "of", "area")

    @property
    def of_neighborhoods(self) -> bool:
        return self.of == NEIGHBORHOODS


@dataclass(frozen=True, slots=True)
class AreaWaves:
    """The waves of one area as admins see them."""

    area_id: str
    name: str
    status: str
    state: str  # of the waves; empty: never started
    waiting: int  # for an invitation
    invited: int
    invited_text: str
    forecast: str
    state_text: str

    @classmethod
    def of(
        cls,
        area: AreaRow,
        state: str,
        *,
        waiting: int,
        invited: int,
        today: int,
        per_day: int,
        is_priced: bool,
    ) -> Self:
        return cls(
            area.id,
            area.name,
            area.status,
            state,
            waiting,
            invited,
            f"{invited:,} invited, {today:,} today",
            forecast(waiting, per_day),
            waves_text(area.status, state, waiting, is_priced=is_priced),
        )


def page_of(rows: Iterable[DemandRow], query: DemandQuery) -> Page[DemandRow]:
    """Return a page of the rows that match; beyond the end, the last one."""
    typed = fold(query.q).strip()
    met = [each for each in rows if typed in fold(f"{each.name}\n{each.zip_code}\n{each.area}")]
    if query.area == NO_AREA:
        met = [each for each in met if not each.area and each.zip_code]
    met.sort(key=lambda each: (fold(each.name), each.id))
    met.sort(key=lambda each: _sort_key(each, query.column), reverse=query.descending)
    pages = pages_of(len(met), PAGE_SIZE)
    number = min(query.page, pages)
    shown = met[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return Page(tuple(shown), number, pages, len(met))


def _sort_key(row: DemandRow, column: str) -> tuple[int, str]:
    texts = {"name": fold(row.name), "zip": row.zip_code, "area": fold(row.area)}
    return (row.waiting, "") if column == "waiting" else (0, texts[column])


def people(count: int) -> str:
    """'1 person', '1,240 people'."""
    return counted(count, "person", "people")


DAYS_SHOWN = 30  # wave days, of all areas
NEIGHBORHOODS_SHOWN = 50  # the ones with most invitations


class FunnelRow(NamedTuple):
    """The invitations of one wave to one neighborhood, or to those in none."""

    area: str
    day: date
    neighborhood: str | None
    invited: int
    signed_up: int
    filled: int


@dataclass(frozen=True, slots=True)
class FunnelLine:
    """One line of the funnel; rates are whole percents of the invited."""

    name: str
    invited: int
    signed_up: int
    filled: int
    signed_up_rate: int
    filled_rate: int

    @classmethod
    def of(cls, name: str, invited: int, signed_up: int, filled: int) -> Self:
        """Return the line with its rates, half up."""
        rates = [(200 * count + invited) // (2 * invited) for count in (signed_up, filled)]
        return cls(name, invited, signed_up, filled, *rates)


@dataclass(frozen=True, slots=True)
class Funnel:
    areas: tuple[FunnelLine, ...] = ()
    days: tuple[FunnelLine, ...] = ()
    neighborhoods: tuple[FunnelLine, ...] = ()


KEEP, OFFER, CANCEL = ANSWERS = ("keep", "offer", "cancel")


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to the question about bookings whose window closes, or whose ZIP code leaves.

    They are kept; or held, so that their customers choose another time; or cancelled, free of
    charge. The customers of the latter two are told the reason.
    """

    how: str = KEEP
    reason: str = ""


def movable(bookings: Sequence[Booking]) -> tuple[Booking, ...]:
    """Return the bookings whose customers can be offered other times: no technician has begun."""
    return tuple(each for each in bookings if each.state in WAITING)


def count_told(bookings: Iterable[Booking]) -> int:
    """Count the customers of bookings, each once; guests by their e-mail."""
    return len({each.person_id or each.contact.get("email", "") for each in bookings})


@dataclass(frozen=True, slots=True)
class AffectedBookings:
    """The bookings that a change of hours touches."""

    closed: tuple[Booking, ...] = ()  # in windows that close
    over: tuple[tuple[str, int], ...] = ()  # windows with more booked than room, and how many

    @property
    def key(self) -> tuple[object, ...]:
        """Return what an answer refers to."""
        return (*(each.id for each in self.closed), *self.over)


class HoursNeedAnswer(Refusal):
    """A change of hours that closes windows with bookings or leaves them too little room."""

    def __init__(self, affected: AffectedBookings, names: Mapping[str, str]) -> None:
        super().__init__("There are bookings. Say what becomes of them.")
        self.affected, self.names = affected, names  # by the id of the person


def affected_by(seen: Hours, wanted: Hours, bookings: Iterable[Booking]) -> AffectedBookings:
    """Return the bookings whose windows close or get too small by a change."""
    by_window = defaultdict(list)
    for each in bookings:
        by_window[each.day, int(each.slot_id[-2:])].append(each)
    closed, over = [], []
    for window, booked in by_window.items():
        room, before = wanted.capacity(*window), seen.capacity(*window)
        if before and not room:
            closed += booked
        elif room < min(before, len(booked)):
            over.append((booked[0].when, len(booked)))
    return AffectedBookings(tuple(closed), tuple(over))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The bookings, customers and companies in ZIPs that no open or paused area has any more."""

    bookings: tuple[Booking, ...] = ()
    customers: tuple[Resident, ...] = ()
    companies: int = 0  # with an open site there

    @property
    def losing_plans(self) -> tuple[Resident, ...]:
        """Return the customers whose plan ends with its period."""
        return tuple(each for each in self.customers if each.loses_plan)

    @property
    def key(self) -> tuple[str, ...]:
        """Return what an answer refers to."""
        plans = (f"ends:{each.id}" for each in self.losing_plans)
        companies = [f"companies:{self.companies}"] if self.companies else []
        return (*(each.id for each in (*self.bookings, *self.customers)), *plans, *companies)


class ZipsNeedAnswer(Refusal):
    """A change of an area that takes ZIP codes with bookings or customers out of service."""

    def __init__(self, left_out: LeftOut, names: Mapping[str, str]) -> None:
        super().__init__("Customers live in ZIP codes that leave. Say what becomes of bookings.")
        self.left_out, self.names = left_out, names  # by the id of the person


class HasCompanies(Refusal):
    message = "A company has a site in this area, so it cannot be closed. Pause it instead."


class StillServed(Refusal):
    message = (
        "Undo would take ZIP codes out of service in which customers live. Edit the area instead."
    )

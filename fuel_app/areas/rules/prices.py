"""Fuel prices by grade: as staff type them, how old they are, which changes need a confirmation.

Also the weekly retail prices that the U.S. Energy Information Administration (EIA) publishes.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, Self

from pydantic import PlainValidator

from fuel_app.kit import clock, contact
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.money import FuelPrice

GRADE_LABELS = {"regular": "Regular", "plus": "Plus", "premium": "Premium", "diesel": "Diesel"}
GRADES = tuple(GRADE_LABELS)
DIESEL = "diesel"

MILLS_MIN, MILLS_MAX = 1_000, 15_000  # per gallon
SOURCE_MAX = 100
CHARTED = timedelta(days=90)
AHEAD = timedelta(days=30)  # a price may be set for later, until then
_TYPED = re.compile(r"\$?\s*([0-9]{1,2})\.([0-9]{1,3})")


class FuelPriceChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = "Somebody else has changed this price meanwhile. You now see the newer one."


class UnknownGrade(Refusal):
    message = "This area does not offer that grade."


@dataclass(frozen=True, slots=True)
class Jump:
    """A change so large that staff have to confirm it, with both prices before their eyes."""

    name: str  # 'Regular, Sarasota'
    before: int  # mills per gallon
    after: int

    @property
    def words(self) -> str:
        percent = abs(self.after - self.before) * 100 // self.before
        direction = "above" if self.after > self.before else "below"
        before, after = FuelPrice(self.before).exact, FuelPrice(self.after).exact
        return f"{self.name}: {after} is {percent} % {direction} {before}, the price in effect then"


class BigJumps(Refusal):
    message = "Some of these changes are large."

    def __init__(self, jumps: Sequence[Jump]) -> None:
        super().__init__()
        self.jumps = tuple(jumps)


class NothingTyped(Refusal):
    message = "Enter a new price first."


def clean_price(value: object) -> int:
    """Return the mills of a price as people type it, such as '$3.459', '3.45' or '3.1'."""
    typed = value.strip() if isinstance(value, str) and len(value) < 50 else ""
    if not typed:
        raise ValueError("Price is required")
    match = _TYPED.fullmatch(typed)
    if match is None:
        raise ValueError("Enter dollars per gallon, such as 3.459")
    mills = 1000 * int(match[1]) + int(match[2].ljust(3, "0"))
    if not MILLS_MIN <= mills <= MILLS_MAX:
        least, most = FuelPrice(MILLS_MIN), FuelPrice(MILLS_MAX)
        raise ValueError(f"Enter a price from {least} to {most} per gallon")
    return mills


def clean_moment(value: object) -> datetime | None:
    """Return the moment of a day and time in New York, such as '2026-11-24T08:00'.

    None for an empty text: at once.
    """
    typed = contact.text(value)
    if not typed:
        return None
    try:
        return datetime.strptime(typed, "%Y-%m-%dT%H:%M").replace(tzinfo=clock.NEW_YORK)
    except ValueError:
        raise ValueError("Enter a day and a time") from None


class PriceTerms(Form):
    """Terms that all prices share which are saved at once."""

    source: Annotated[str, line("Source", SOURCE_MAX)]
    effective: Annotated[datetime | None, PlainValidator(clean_moment)]


@dataclass(frozen=True, slots=True)
class NewPrice:
    """A price to set, and the revision that its admin has seen."""

    area_id: str
    grade: str
    mills: int  # per gallon
    cost: int | None  # mills that a gallon costs the company; None: as before
    seen: str


def grade_name(grade: str, area: str) -> str:
    """Return 'Regular, Sarasota'."""
    return f"{GRADE_LABELS[grade]}, {area}"


@dataclass(frozen=True, slots=True)
class PriceNow:
    """The price in effect at a moment. A stale one cannot be booked."""

    mills: int  # per gallon
    effective_at: datetime
    source: str
    is_stale: bool


@dataclass(frozen=True, slots=True)
class PriceRow:
    """A price that staff have set."""

    id: str
    grade: str
    mills: int
    effective_at: datetime
    source: str
    set_by: str
    cost: int | None = None  # mills that a gallon costs the company, if it was said


@dataclass(frozen=True, slots=True)
class Proposal:
    """A week's published price of a grade."""

    grade: str
    week: date  # its Monday
    mills: int
    source: str


def is_stale(effective_at: datetime, at: datetime, days: int) -> bool:
    """Return whether a price is too old to be booked."""
    return at - effective_at > timedelta(days=days)


def is_jump(before: int, after: int, percent: int) -> bool:
    """Return whether a change is larger than what goes unasked."""
    return abs(after - before) * 100 > percent * before


def effective_from(terms: PriceTerms, now: datetime) -> datetime:
    """Return when typed prices take effect.

    Raises:
        InvalidForm: If that is over, or too far ahead.
    """
    at = terms.effective or now
    if at < now:
        raise InvalidForm({"effective": "This time is over. Leave it empty for 'at once'"})
    if at > now + AHEAD:
        raise InvalidForm({"effective": f"Choose a time within {AHEAD.days} days"})
    return at


def charted(history: Iterable[PriceRow], now: datetime) -> list[PriceRow]:
    """Return the prices that were in effect in the last days, oldest first."""
    start = now - CHARTED
    past = [row for row in history if row.effective_at <= now]
    before = [row for row in past if row.effective_at <= start]
    return before[-1:] + past[len(before) :]


_LAST = 90  # of 100: today's price is a line, not a dot


def step_path(rows: Sequence[PriceRow], now: datetime) -> str:
    """Return charted prices as an SVG path in a box of 100 by 32; '' without any."""
    least, most = (pick((row.mills for row in rows), default=0) for pick in (min, max))
    path, start = "", now - CHARTED
    for row in rows:
        x = min(_LAST, max(0, 100 * (row.effective_at - start) // CHARTED))
        y = 2 + 28 * (most - row.mills) // (most - least) if most > least else 16
        path += f"H{x}V{y}" if path else f"M{x} {y}"
    return path and f"{path}H100"


def unpriced(grades: Collection[str], prices: Mapping[str, PriceNow]) -> list[str]:
    """Return the offered grades that cannot be booked: without a price, or with a stale one."""
    return [each for each in grades if each not in prices or prices[each].is_stale]


def age_words(effective_at: datetime, at: datetime) -> str:
    """Return the age of a price: 'today', 'yesterday', '3 days ago'."""
    days = (clock.day_of(at) - clock.day_of(effective_at)).days
    return {0: "today", 1: "yesterday"}.get(days, f"{days} days ago")


@dataclass(frozen=True)
class GradeLine:
    """A grade that an area offers, as admins see it."""

    area_id: str = ""
    grade: str = ""
    key: str = ""  # of its fields, '<area>-regular'
    name: str = ""  # 'Regular, Sarasota'
    price: str = ""  # empty: none yet
    cost: str = ""  # empty: not said
    source: str = ""
    problem: str = ""  # why it cannot be booked
    notes: tuple[str, ...] = ()
    path: str = ""
    trend: tuple[str, ...] = ()  # the chart in words, newest first
    proposal: str = ""
    proposal_source: str = ""
    revision: str = ""  # the id of the price that was set last

    @classmethod
    def of(
        cls,
        area_id: str,
        area: str,
        grade: str,
        history: Sequence[PriceRow],
        proposal: Proposal | None,
        now: datetime,
        days: int,
    ) -> Self:
        """Return a grade by its prices, oldest first, of which those of `days` can be booked."""
        past = [row for row in history if row.effective_at <= now]
        newest = past[-1] if past else None
        notes, problem = [], "" if newest else "No price: cannot be booked"
        if newest:
            notes = [f"Set {age_words(newest.effective_at, now)} by {newest.set_by}", newest.source]
            if is_stale(newest.effective_at, now, days):
                problem = f"Older than {days} days: cannot be booked"
        notes += [_from(row) for row in history[len(past) : len(past) + 1]]  # the next one
        shown = charted(history, now)
        return cls(
            area_id=area_id,
            grade=grade,
            key=f"{area_id}-{grade}",
            name=grade_name(grade, area),
            price=FuelPrice(newest.mills).exact if newest else "",
            cost=next((FuelPrice(row.cost).exact for row in reversed(past) if row.cost), ""),
            source=newest.source if newest else "",
            problem=problem,
            notes=tuple(notes),
            path=step_path(shown, now),
            trend=tuple(f"{_from(row)}, {row.source}, {row.set_by}" for row in reversed(shown)),
            proposal=FuelPrice(proposal.mills).exact if proposal else "",
            proposal_source=proposal.source if proposal else "",
            revision=max((row.id for row in history), default=""),
        )


PRICE, COST, SEEN = "price", "cost", "seen"  # what each line of the table sends


def parse_prices(sent: object, lines: Sequence[GradeLine]) -> tuple[PriceTerms, list[NewPrice]]:
    """Return the prices that are typed in the table of `lines`; a line without any stays as it is.

    Raises:
        InvalidForm: With the message of each field that is not right.
        NothingTyped
    """
    fields = sent if isinstance(sent, Mapping) else {}
    messages = {name: text for name, text in PriceTerms.problems(fields).items() if text}
    found: list[NewPrice] = []
    for each in lines:
        names = {kind: f"{kind}-{each.key}" for kind in (PRICE, COST, SEEN)}
        typed = {kind: contact.text(fields.get(name)) for kind, name in names.items()}
        if not typed[PRICE] and not typed[COST]:
            continue
        cleaned: dict[str, int] = {}
        for kind in (PRICE, COST):
            try:
                cleaned[kind] = clean_price(typed[kind]) if typed[kind] or kind == PRICE else 0
            except ValueError as wrong:
                messages[names[kind]] = str(wrong)
        if len(cleaned) == 2:
            new = NewPrice(
                each.area_id, each.grade, cleaned[PRICE], cleaned[COST] or None, typed[SEEN]
            )
            found.append(new)
    if messages:
        raise InvalidForm(messages)
    if not found:
        raise NothingTyped
    return PriceTerms.parse(fields), found


def _from(row: PriceRow) -> str:
    return f"{FuelPrice(row.mills).exact} from {clock.date_and_time(row.effective_at)}"


EIA_SERIES = {  # there is no series of Florida's diesel
    "EMM_EPMR_PTE_SFL_DPG": ("regular", "Florida"),
    "EMM_EPMM_PTE_SFL_DPG": ("plus", "Florida"),
    "EMM_EPMP_PTE_SFL_DPG": ("premium", "Florida"),
    "EMD_EPD2D_PTE_R1Z_DPG": ("diesel", "Lower Atlantic"),
}

FIRST_PUBLISHED = "regular"  # tells whether a week has been published
EIA_UNITS = "$/GAL"


def published_week(now: datetime) -> date:
    """Return the Monday of the newest week, which is published on Tuesday morning."""
    day = clock.day_of(now) - timedelta(days=1)
    return day - timedelta(days=day.weekday())


def read_proposals(answer: object) -> list[Proposal]:
    """Return the prices of an answer; missing, implausible and unknown values are left out.

    Raises:
        ValueError: If it is no answer to the question.
    """
    try:
        rows: Iterable[Any] = answer["response"]["data"]  # type: ignore[index]
        return [proposal for row in rows if (proposal := _proposal(row))]
    except (KeyError, TypeError, AttributeError):
        raise ValueError("not an answer of the EIA") from None


def _proposal(row: dict[str, Any]) -> Proposal | None:
    series = EIA_SERIES.get(str(row.get("series")))
    if series is None or row.get("units") != EIA_UNITS:
        return None
    try:
        week = date.fromisoformat(str(row.get("period")))
        mills = int((1000 * Decimal(str(row.get("value")))).quantize(Decimal(1), ROUND_HALF_UP))
    except (ValueError, ArithmeticError):  # a week without a value
        return None
    if not MILLS_MIN <= mills <= MILLS_MAX:
        return None
    grade, region = series
    return Proposal(grade, week, mills, f"EIA, {region}, week of {clock.short_date(week)}")

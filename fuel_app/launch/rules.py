"""Where people wait, the waves of invitations to an area, and what becomes of invitations.

The funnel is invited, signed up, first fill.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from fuel_app.kit.errors import Refusal
from fuel_app.kit.lists import Page, Question, pages_of
from fuel_app.leads.rules import fold

RUNNING, PAUSED = STATES = ("running", "paused")
MESSAGE = "area_open"  # the kind of message
JOB = "launch.invite"


class Step(NamedTuple):
    """A step of an area's waves; before the first one they have no state."""

    before: str | None
    after: str


STEPS: Mapping[str, Step] = {
    "start": Step(None, RUNNING),
    "pause": Step(RUNNING, PAUSED),
    "resume": Step(PAUSED, RUNNING),
}


class WavesChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = "Somebody else has changed these waves meanwhile. You now see the newer state."


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
    days = -(-waiting // per_day)
    return f"{waiting:,} waiting, about {days:,} day{'' if days == 1 else 's'} at {per_day:,} a day"


PAGE_SIZE = 25
NEIGHBORHOODS = "neighborhoods"
NO_ZIP = "No ZIP"
NO_AREA = "none"


@dataclass(frozen=True, slots=True)
class Place:
    """A ZIP or a neighborhood by the people who wait there; without an area its id is empty."""

    id: str  # of the neighborhood, or the ZIP itself; empty: people who gave none
    name: str
    zip_code: str
    waiting: int
    area: str = ""
    status: str = ""  # of the area


@dataclass(frozen=True)
class PlaceQuery(Question):
    """The question that the list of places answers."""

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
    sent_today: int
    per_day: int

    @property
    def forecast(self) -> str:
        return forecast(self.waiting, self.per_day)


def page_of(places: Iterable[Place], query: PlaceQuery) -> Page[Place]:
    """Return a page of the places that match; beyond the end, the last one."""
    typed = fold(query.q).strip()
    met = [each for each in places if typed in fold(f"{each.name}\n{each.zip_code}\n{each.area}")]
    if query.area == NO_AREA:
        met = [each for each in met if not each.area and each.zip_code]
    met.sort(key=lambda each: (fold(each.name), each.id))
    met.sort(key=lambda each: _sort_key(each, query.column), reverse=query.descending)
    pages = pages_of(len(met), PAGE_SIZE)
    number = min(query.page, pages)
    shown = met[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return Page(tuple(shown), number, pages, len(met))


def _sort_key(place: Place, column: str) -> tuple[int, str]:
    texts = {"name": fold(place.name), "zip": place.zip_code, "area": fold(place.area)}
    return (place.waiting, "") if column == "waiting" else (0, texts[column])


def people(count: int) -> str:
    """'1 person', '1,240 people'."""
    return f"{count:,} {'person' if count == 1 else 'people'}"


DAYS_SHOWN = 30  # wave days, of all areas
NEIGHBORHOODS_SHOWN = 50  # the ones with most invitations


@dataclass(frozen=True, slots=True)
class FunnelLine:
    """One line of the funnel; rates are whole percents of the invited."""

    name: str
    invited: int
    signed_up: int
    filled: int
    signed_up_rate: int
    filled_rate: int


@dataclass(frozen=True, slots=True)
class Funnel:
    areas: tuple[FunnelLine, ...] = ()
    days: tuple[FunnelLine, ...] = ()
    neighborhoods: tuple[FunnelLine, ...] = ()

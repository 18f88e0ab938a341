"""Where people wait: ZIPs and neighborhoods with the area that they belong to."""

from collections.abc import Iterable
from dataclasses import dataclass

from fuel_app.kit.lists import Page, Question, pages_of
from fuel_app.launch.rules.waves import forecast
from fuel_app.leads.rules import fold

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
    met.sort(key=lambda each: _key(each, query.column), reverse=query.descending)
    pages = pages_of(len(met), PAGE_SIZE)
    number = min(query.page, pages)
    shown = met[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return Page(tuple(shown), number, pages, len(met))


def _key(place: Place, column: str) -> tuple[int, str]:
    texts = {"name": fold(place.name), "zip": place.zip_code, "area": fold(place.area)}
    return (place.waiting, "") if column == "waiting" else (0, texts[column])


def people(count: int) -> str:
    """'1 person', '1,240 people'."""
    return f"{count:,} {'person' if count == 1 else 'people'}"

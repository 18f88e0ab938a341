"""What staff ask the table of groups: every order, every filter, and both together."""

from collections.abc import Iterator
from dataclasses import dataclass

from bench import QUICK
from bench.grouped import Sizes
from fuel_app.neighborhoods.rules.listing import SORTS, GroupQuery, pages_of

SIZES = Sizes(2_000, 100_000, 5_000) if QUICK else Sizes()
ORDERS = [f"{sign}{sort}" for sort in SORTS for sign in ("", "-")]
FILTERS: tuple[dict[str, str], ...] = (
    {"q": "palm court 1234"},  # one or none
    {"q": "heron"},  # a twentieth
    {"q": "o"},  # nearly all
    {"q": "zzqx"},
    {"zip": "34236"},
    {"zip": "342"},  # all
    {"zip": "7"},
    {"zip": "99999"},
    {"min": "20"},
    {"max": "4"},
    {"min": "5", "max": "9"},
    {"min": "1000"},
    {"min": "9", "max": "5"},
    {"pioneer": "smith"},  # the commonest
    {"pioneer": "featherstonehaugh"},
    {"pioneer": "ada l"},
    {"pioneer": "a"},
    {"missing": "1"},
    {"missing": "2"},
    {"q": "palm", "zip": "342", "min": "5", "max": "40", "pioneer": "jo", "missing": "5"},
)


@dataclass(frozen=True)
class Question:
    kind: str
    query: GroupQuery

    def __str__(self) -> str:
        return " ".join(f"{n}={value}" for n, value in self.query.parameters().items())


def questions() -> Iterator[Question]:
    last = pages_of(SIZES.groups)
    for order in ORDERS:
        for kind, page in (("first page", 1), ("middle page", last // 2), ("last page", last)):
            yield _asked(kind, sort=order, page=str(page))
    for each in FILTERS:
        for order in ORDERS:
            yield _asked("filter and sort", **each, sort=order)


def _asked(kind: str, **address: str) -> Question:
    return Question(kind, GroupQuery.parse(address))

"""The questions that staff ask of the list of leads: every kind that the bounds name."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from bench.people import Sizes
from fuel_app import routes
from fuel_app.kit.lists import pages_of
from fuel_app.leads.rules import PAGE_SIZE, SORTS, TYPES

BOTH_WAYS = [direction + sort for sort in SORTS for direction in ("", "-")]
USUAL = Sizes(90_000, 6_000, 4_000)
MILLION = Sizes()  # more than the site is built for

RARE = ("quackenbush", "featherstonehaugh", "james.smith111")  # 0.2 %, 0.2 %, a few
COMMON = ("gmail", "smith", "james")  # a third, a tenth and a fifth of all
ABSENT = ("zzqx", "nobody@nowhere.example")
SHORT = ("j", "@s", "zu", "q", "zq")  # in most, in many, in few, in few, in none
# Common, but not at the head of the order: all with the name, a trade (companies have another
# status than the waitlist), and one that is hardly common.
FAR = (
    ("mary", "name"),
    ("mary", "-name"),
    ("susan", "name"),
    ("plumbing", "-status"),
)
TOGETHER = (
    ("quackenbush", "fleet", "name"),
    ("quackenbush", "waitlist", "-status"),
    ("smith", "fleet", "-date"),
    ("smith", "business", "-status"),
    ("james", "waitlist", "source"),
    ("gmail", "fleet", "name"),
    ("gmail", "business", "-source"),
    ("plumbing", "fleet", "-name"),
    ("zzqx", "business", "type"),
)


@dataclass(frozen=True)
class Question:
    """One page of the list, as its address names it."""

    kind: str
    search: str = ""
    type: str = ""
    sort: str = "-date"
    page: int = 1

    def __str__(self) -> str:
        asked = (self.search and f"'{self.search}'", self.type, self.sort, f"page {self.page:,}")
        return " ".join(part for part in asked if part)

    @property
    def address(self) -> str:
        asked = {"q": self.search, "type": self.type, "sort": self.sort, "page": self.page}
        return f"{routes.SUBMISSIONS}?{urlencode(asked)}"


def questions(sizes: Sizes) -> Iterator[Question]:
    last = pages_of(sizes.total, PAGE_SIZE)
    for kind, page in (("first page", 1), ("middle page", last // 2), ("last page", last)):
        for sort in BOTH_WAYS:
            yield Question(kind, sort=sort, page=page)
    for lead_type in TYPES:
        middle = getattr(sizes, lead_type) // PAGE_SIZE // 2
        for sort in ("-date", "name", "-status", "source"):
            yield Question("one type", type=lead_type, sort=sort)
            yield Question("one type, middle page", type=lead_type, sort=sort, page=middle)
    for kind, terms in (
        ("rare search", RARE),
        ("absent search", ABSENT),
        ("one or two letters", SHORT),
    ):
        for term in terms:
            yield Question(kind, search=term)
            yield Question(kind, search=term, sort="name")
    for term in COMMON:
        for sort in ("-date", "-source", "status"):
            yield Question("common search", search=term, sort=sort)
        yield Question("common search", search=term, sort="name")
    for search, sort in FAR:
        yield Question("common search, far matches", search=search, sort=sort)
    yield Question("common search", search=COMMON[0], page=10)
    for search, lead_type, sort in TOGETHER:
        yield Question("search, filter and sort", search=search, type=lead_type, sort=sort)

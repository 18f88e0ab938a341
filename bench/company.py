"""Staff's screens and lists with 20,000 customers, 200,000 bookings and 100,000 leads.

Each question is the whole use case behind a screen's first read, or behind a page of its list. A
screen of a new package joins by a name in `questions`.
"""

import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import date, timedelta
from itertools import product
from typing import Any

from bench import QUICK, apart
from bench.company_rows import LEADS, PLANS, SIZES, TODAY, Company, fill
from bench.report import Figure
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import staff
from fuel_app.areas.service import areas, company, prices
from fuel_app.billing.rules.reports import MoneyQuery
from fuel_app.billing.service import payments, reports
from fuel_app.bookings.service import access, authorizations
from fuel_app.customers.rules.customers import PAGE_SIZE, STATES, CustomerQuery
from fuel_app.customers.service import directory
from fuel_app.dashboard import service as dashboard
from fuel_app.dispatch.service import arrivals, fill_records, phones, truck_routes, trucks
from fuel_app.kit.lists import pages_of
from fuel_app.launch.service import waves
from fuel_app.leads.rules import PAGE_SIZE as LEADS_A_PAGE
from fuel_app.leads.rules import SORTS, TYPES, LeadQuery
from fuel_app.messages import service as messages
from fuel_app.messages.rules.kinds import KINDS
from fuel_app.messages.rules.listing import STATES_SHOWN, MessageQuery
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import MemberQuery, NeighborhoodQuery
from fuel_app.office import service as office
from fuel_app.plans.service import ledger
from fuel_app.preview.service.account import sample_customers
from fuel_app.server import site
from fuel_app.submissions import service as submissions

Ask = Callable[[], Awaitable[Any]]
Questions = Mapping[str, Ask]
UUID = "00000000-0000-0000-0000-000000000000"
TOMORROW, MONTH = TODAY + timedelta(days=1), TODAY - timedelta(days=30)
RUNS = 1 if QUICK else 3
ASKED = 5 if QUICK else 10  # times in a run, each question
LIMIT_MS = 100
# Of the leads' names, companies and addresses: a third, a tenth, a fifth, few, few, none of them.
TERMS = ("gmail", "smith", "james", "quackenbush", "featherstonehaugh", "zzqx")
SHORT = ("j", "@s", "zu", "q", "zq")  # in most, in many, in few, in few, in none

Timings = dict[str, dict[str, list[list[float]]]]  # milliseconds: screen, question, run


def measure() -> list[Figure]:
    return [figure for name in apart.DATABASES for figure in _on(name)]


def _on(name: str) -> Iterator[Figure]:
    with apart.DATABASES[name]() as url:
        timings: Timings = apart.run("bench.company", "ask", url=url)
    for screen, asked in timings.items():
        p95 = {question: [_p95(run) for run in runs] for question, runs in asked.items()}
        for question, runs in p95.items():
            if (middle := statistics.median(runs)) > LIMIT_MS / 3:
                best = min(min(run) for run in asked[question])
                line = f"{name} {screen} {question}: p95 {middle:.0f} ms, fastest {best:.0f} ms"
                print(line, file=sys.stderr)
        slowest = max(p95, key=lambda question: statistics.median(p95[question]))
        what = f"{screen} on {name}, {len(asked)} questions: slowest ({slowest}), p95"
        yield Figure(what, "ms", p95[slowest], f"<= {LIMIT_MS}")


def _p95(run: list[float]) -> float:
    return statistics.quantiles(run, n=20, method="inclusive")[-1]


async def ask() -> Timings:
    """Fill the database. Return the milliseconds of each question."""
    started = time.perf_counter()
    asked = questions(await fill())
    print(f"filled in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    await site.tune()  # as the server does
    timings: Timings = {}
    for screen, of_screen in asked.items():
        for name, question in of_screen.items():
            await question()  # the first one warms up
            runs = [[await _milliseconds(question) for _ in range(ASKED)] for _ in range(RUNS)]
            timings.setdefault(screen, {})[name] = runs
    return timings


async def _milliseconds(question: Ask) -> float:
    before = time.perf_counter()
    await question()
    return 1000 * (time.perf_counter() - before)


def questions(made: Company) -> Mapping[str, Questions]:
    """Return every question by its screen; a customer is another one each time."""
    by = Actor(frozenset({Role.ADMIN, Role.DISPATCHER}), person_id=made.admin)
    return {
        "submissions": dict(_submissions(by)),
        "customers": dict(_customers(by, made)),
        "one customer": _one_customer(by, made),
        "dispatch": _dispatch(by, made),
        "neighborhoods": dict(_neighborhoods(by, made)),
        "messages": dict(_messages(by)),
        "money": _money(by),
        "dashboard": _dashboard(by),
        "settings": _settings(by),
        "launch": _launch(by),
    }


def _named(asked: Mapping[str, str]) -> str:
    """Return the values of a query; ids as "one"."""
    return ", ".join("one" if len(value) == len(UUID) else value for value in asked.values())


def _submissions(by: Actor) -> Iterator[tuple[str, Ask]]:
    """Yield every kind of question that staff ask of the list of leads."""

    def page(**asked: str) -> tuple[str, Ask]:
        query = LeadQuery.parse(asked)
        name = " ".join(asked.values()) or "first page"
        return name, lambda: submissions.list_page(query, actor=by)

    last = pages_of(LEADS, LEADS_A_PAGE)
    for way, sort in product(("", "-"), SORTS):
        for number in (1, last // 2, last):
            yield page(sort=way + sort, page=str(number))
    for lead_type, sort in product(TYPES, ("-date", "name", "-status", "source")):
        yield page(type=lead_type, sort=sort)
    for term, sort in product((*TERMS, *SHORT), ("-date", "name", "-source", "status")):
        yield page(q=term, sort=sort)
    for term, lead_type in product(TERMS, TYPES):
        yield page(q=term, type=lead_type, sort="-status")
    yield page(q="gmail", page="10")
    yield "imports", lambda: submissions.list_imports(actor=by)


def _customers(by: Actor, made: Company) -> Iterator[tuple[str, Ask]]:
    def page(**asked: Any) -> tuple[str, Ask]:
        query = CustomerQuery.parse(asked)

        async def ask() -> None:
            await sample_customers(by, query)
            await company.areas()
            found = await directory.page(by, query)
            await payments.owed_by([row.id for row in found.rows])

        return _named(query.parameters()), ask

    last = pages_of(SIZES.customers, PAGE_SIZE)
    filters = (
        *({"plan": plan} for plan in PLANS),
        *({"state": state} for state in STATES),
        *({"q": typed} for typed in ("o", "smith", "featherstonehaugh", "c")),
        {"area": made.area_id},
        {"q": "ja", "plan": "solo", "state": "active", "area": made.area_id},
    )
    for sort in ("-since", "since", "name", "-name", "plan", "-plan"):
        yield from (page(sort=sort, page=number) for number in (1, last // 2, last))
        yield from (page(sort=sort, **each) for each in filters)


def _one_customer(by: Actor, made: Company) -> Questions:
    chance = random.Random(9)

    def of(ask: Callable[[str], Awaitable[Any]]) -> Ask:
        return lambda: ask(chance.choice(made.customers))

    async def bookings(who: str) -> None:
        found = [
            *await access.upcoming(by, customer_id=who),
            *await access.past(by, customer_id=who),
        ]
        await fill_records.photos_of_bookings(by, [each.id for each in found])
        await authorizations.card_states(found)

    return {
        "overview": of(lambda who: directory.find(by, who)),
        "bookings": of(bookings),
        "vehicles": of(lambda who: directory.garage(by, who)),
        "ledger": of(lambda who: ledger.ledger_of(by, who)),
        "invoices": of(lambda who: reports.account_of(by, who)),
        "messages": of(lambda who: messages.messages_of_person(by, who)),
        "notes": of(lambda who: directory.notes(by, who)),
        "audit": of(lambda who: staff.list_changes(by, who)),
    }


def _dispatch(by: Actor, made: Company) -> Questions:
    chance = random.Random(10)

    def technicians_day() -> Awaitable[Any]:
        who = chance.choice(made.technicians)
        return phones.read_day(Actor(frozenset({Role.TECHNICIAN}), person_id=who))

    async def tracked() -> None:
        booking = await access.find(by, chance.choice(made.stops))
        assert booking
        await arrivals.read_link(access.track_token(booking))

    return {
        "the board today": lambda: truck_routes.read_board(by, TODAY),
        "the board tomorrow": lambda: truck_routes.read_board(by, TOMORROW),
        "the board in ten days": lambda: truck_routes.read_board(by, TODAY + timedelta(days=10)),
        "a booking": lambda: truck_routes.read_details(by, chance.choice(made.stops)),
        "shifts": lambda: trucks.read_shifts(by, TODAY),
        "a technician's day": technicians_day,
        "tracking": tracked,
        "today's routes": truck_routes.todays_board,
    }


def _neighborhoods(by: Actor, made: Company) -> Iterator[tuple[str, Ask]]:
    for way, sort in product(("", "-"), NeighborhoodQuery.COLUMNS):
        for asked in ({}, {"q": "o"}, {"pioneer": "smith"}):
            query = NeighborhoodQuery.parse({"sort": way + sort, **asked})
            yield (
                f"{way}{sort} {_named(asked)}".strip(),
                lambda query=query: neighborhoods.page(query, actor=by),
            )
    last = pages_of(made.members, 50)
    for page in (1, last):
        query = MemberQuery(page=page)
        yield (
            f"the largest, page {page}",
            lambda query=query: office.neighborhood_detail(made.largest, query, actor=by),
        )
    yield "map", lambda: neighborhoods.areas(NeighborhoodQuery(), actor=by)


def _messages(by: Actor) -> Iterator[tuple[str, Ask]]:
    for asked in (
        {},
        {"sort": "queued"},
        {"page": "5000"},
        *({"state": state} for state in STATES_SHOWN),
        *({"kind": kind} for kind in [*KINDS][-6:]),
        *({"q": typed} for typed in ("smith", "c", "nobody@nowhere")),
        {"q": "james", "state": "sent", "kind": "completed"},
    ):
        query = MessageQuery.parse(asked)
        yield _named(asked), lambda query=query: messages.list_messages(by, query)


def _money(by: Actor) -> Questions:
    def days(first: date, last: date, page: int = 1) -> Ask:
        return lambda: reports.of_days(by, first, last, page=page)

    first, last = MoneyQuery().days(TODAY)

    async def journal() -> None:
        rows = reports.stream_journal(by, MONTH, TODAY)
        for _ in range(2):  # the head, and the first rows
            await anext(rows)

    return {
        "as it opens": days(first, last),
        "a month": days(MONTH, TODAY),
        "a month, page 10": days(MONTH, TODAY, 10),
        "journal of a month, first rows": journal,
    }


def _dashboard(by: Actor) -> Questions:
    async def day() -> None:
        await dashboard.earned_before(by, TODAY)
        await dashboard.read_today()

    return {"leads": dashboard.lead_figures, "the day and its revenue by day": day}


def _settings(by: Actor) -> Questions:
    async def business() -> None:
        await office.values(actor=by)
        await office.list_changes(actor=by)

    return {
        "areas": lambda: areas.listing(actor=by),
        "prices": lambda: prices.board(actor=by),
        "trucks": lambda: trucks.list_trucks(by),
        "people": lambda: staff.list_staff(by),
        "business": business,
    }


def _launch(by: Actor) -> Questions:
    return {
        "ZIPs": lambda: waves.list_zips(actor=by),
        "neighborhoods": lambda: waves.list_neighborhoods(actor=by),
        "waves": lambda: waves.list_waves(actor=by),
        "funnel": lambda: waves.read_funnel(actor=by),
    }


if __name__ == "__main__":
    apart.answer({"ask": ask}, sys.argv[1])

"""Random walks over a plan: whatever happens, no balance is negative or differs from its entries.

Bookings are kept by hand, as the package above does.
"""

from contextlib import suppress
from datetime import date, timedelta
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuel_app.bookings.service import changes
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.plans import queries
from fuel_app.plans.rules.ledger import PLAN, Claim, fills_of
from fuel_app.plans.rules.plans import BY_ID, PLANS
from fuel_app.plans.service import ledger
from tests.helpers import periods as step
from tests.helpers import plans
from tests.helpers.periods import info, on
from tests.helpers.plans import actor, chosen

FIRST = date(2027, 1, 29)
PLAN_IDS = st.sampled_from([plan.id for plan in PLANS])
STEPS = st.one_of(
    st.tuples(st.sampled_from(["start", "switch", "switch_later"]), PLAN_IDS),
    st.tuples(st.sampled_from(["reserve", "pass"]), st.integers(0, 40)),
    st.tuples(st.sampled_from(["release", "use"]), st.integers(0, 5)),
    st.tuples(st.sampled_from(["cancel", "undo", "renew", "past_due", "active", "end"]), st.none()),
)


class Walk:
    """One customer, their clock, and the open bookings with their days."""

    def __init__(self, person_id, monkeypatch):
        self.person_id, self.monkeypatch = person_id, monkeypatch
        self.today = FIRST
        self.open: dict[str, date] = {}
        self.covered: dict[str, date | None] = {}

    async def claims(self, _session, _people, _gaining):
        ahead = sorted((day, each) for each, day in self.open.items() if day >= self.today)
        return [Claim(self.person_id, each, each, PLAN, day) for day, each in ahead]

    async def changed(self, _session, covered, _switched):
        self.covered |= covered

    async def take(self, kind, value):
        on(self.monkeypatch, self.today)
        who = self.person_id
        match kind:
            case "start":
                await step.start(who, self.today, value)
            case "switch":
                await self.switch(value)
            case "switch_later":
                await step.later(who, value)
            case "cancel":
                await step.later(who)
            case "pass":
                self.today += timedelta(days=value)
            case "reserve":
                await self.reserve(self.today + timedelta(days=value))
            case "release" | "use":
                await self.close(kind, value)
            case _:
                call = {"active": step.active_again}.get(kind) or getattr(step, kind)
                await call(who)

    async def switch(self, plan_id):
        """Switch up at once, down at the period's end, as customers can."""
        known = await info(self.person_id)
        if BY_ID[plan_id].price > known.plan.price:
            await step.switch(self.person_id, plan_id, self.today)
        else:
            await step.later(self.person_id, plan_id)

    async def reserve(self, day):
        booking = str(uuid4())
        async with transaction() as session:
            self.covered[booking] = await plans.reserve(session, self.person_id, day, booking)
        self.open[booking] = day

    async def close(self, kind, value):
        booking = next(iter(list(self.open)[value:]), "")
        async with transaction() as session:
            if kind == "use":
                await ledger.use_fill(session, booking, actor(self.person_id))
            else:
                await ledger.release_fill(session, booking, 2, actor(self.person_id))
        self.open.pop(booking, None)

    async def check(self):
        """Compare balances and entries, and what is reserved with the plan's fills."""
        known = await info(self.person_id)
        async with reading() as session:
            held = await queries.reservations(session, list(self.open))
            [stocks] = (await queries.stocks(session, {self.person_id: date.min})).values()
        for booking, day in self.open.items():
            where = held[booking].where if booking in held else None
            assert (where and where[1]) == self.covered[booking]
            if day >= self.today and (reached := known.in_reach(day)) and where:
                assert where[1] == reached[0].starts
        for stock in stocks:
            assert stock.balance >= 0
            fills = fills_of(known, stock.bucket, stock.period)
            if fills is not None:
                assert stock.change_to(fills) == 0


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(STEPS, min_size=8, max_size=25))
async def test_ledger_is_never_negative_and_each_balance_is_the_sum_of_its_entries(
    sqlite_database, monkeypatch, steps
):
    person_id = await chosen(email=f"{uuid4()}@example.com")
    walk = Walk(person_id, monkeypatch)
    monkeypatch.setattr(changes, "claims_on_plans", walk.claims)
    monkeypatch.setattr(changes, "follow_plans", walk.changed)
    for kind, value in (("start", "family"), *steps):
        with suppress(Refusal):
            await walk.take(kind, value)
        await walk.check()

"""Use cases of money, with what has to be true after them however often they were killed.

`python -m tests.faults.money_cases` reads which to kill and where. Each step that it has tried is a
line of JSON: the use case, the step, what is wrong.
"""

import json
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import update
from sqlmodel import col

import fuel_app.fuel_app  # noqa: F401 (every table and job)
from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import NEEDS_CONFIRMATION, WORKS, add_card
from fuel_app.billing.rules.corrections import TO_CARD, Correction
from fuel_app.billing.rules.payments import PaymentDeclined
from fuel_app.billing.service import cards
from fuel_app.billing.tables import Payer
from fuel_app.bookings.service import bookings, changes
from fuel_app.dispatch.service import fill_records, phones
from fuel_app.dispatch.tables import TechnicianAction
from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import dollars
from fuel_app.outcomes.service import checkouts, plans
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.faults.kills import Case, Context, Postgresql, Sqlite, results, set_clock, work
from tests.helpers import bookings as made
from tests.helpers import dispatch, fills, phone, plan_money
from tests.helpers.bookings import NOW, STAFF
from tests.helpers.books import Books, books
from tests.helpers.cards import add_at_page
from tests.helpers.people import rows
from tests.helpers.plan_money import by

BACK = "http://localhost:3000/billing"
HOUR = timedelta(hours=1)
TEN_DAYS = timedelta(days=10)
MONTH = timedelta(days=30)  # of November
WINDOW = timedelta(hours=22)  # from NOW to the booked one, tomorrow at 8:00
Prepare = Callable[[], Awaitable[Context]]
Act = Callable[[Context], Awaitable[Any]]
Check = Callable[[Context, Books], list[str]]


def checked(check: Check, again: Act | None = None) -> Callable[[Context], Awaitable[list[str]]]:
    """Return a check of the books and of a use case, whose button is pressed once more before."""

    async def all_of_it(context: Context) -> list[str]:
        if again:
            with suppress(Refusal):
                await again(context)
        found = await books()
        return [*found.problems(), *found.unfinished(), *check(context, found)]

    return all_of_it


def differs(**values: tuple[Any, Any]) -> list[str]:
    """Name each value that is not as expected."""
    return [f"{name}: {is_} != {want}" for name, (is_, want) in values.items() if is_ != want]


def summary(found: Books) -> dict[str, Any]:
    """Return what the provider has received and given back, invoices, payments and messages."""
    intents = found.of("payment_intent").values()
    return {
        "received": sum(each["amount_received"] for each in intents),
        "returned": sum(each["amount"] for each in found.of("refund").values()),
        "invoices": sorted((each.kind, each.state, each.total_cents) for each in found.invoices),
        "payments": sorted((e.kind, e.state, e.captured_cents) for e in found.payments),
        "plan": next((e.state, e.plan_id, str(e.period_starts)) for e in found.subscriptions),
        "told": dict(Counter(each.kind for each in found.messages if each.channel == "mail")),
    }


def ends_as(**expected: Any) -> Check:
    def check(_context: Context, found: Books) -> list[str]:
        is_ = summary(found)
        return differs(**{name: (is_[name], want) for name, want in expected.items()})

    return check


async def give_card(person_id: str, kind: str = WORKS) -> None:
    """Give a customer a card of the stand-in, as a visit to its page does."""
    name = {"name": "Ada", "email": "ada@example.com"}
    customer = await stripe.create_customer(f"c:{person_id}", **name)
    values = {"provider_id": customer, "card_id": await add_card(customer, kind)}
    async with transaction() as session:
        theirs = update(Payer).where(col(Payer.person_id) == person_id)
        await session.execute(theirs.values(card_last4="4242", card_brand="visa", **values))


# Plans


async def _customer() -> Context:
    person_id = await plan_money.a_customer(plan="solo")
    await give_card(person_id)
    offer = await plan_money.offered(person_id, "family")
    return {"person": person_id, "button": offer.button}


async def _start(context: Context) -> None:
    await plans.start_plan(by(context["person"]), "family", context["button"], "key")


async def _customer_whose_bank_asks() -> Context:
    context = await _customer()
    await give_card(context["person"], NEEDS_CONFIRMATION)
    return context


async def _confirm(context: Context) -> None:
    """Press the button, confirm on the page where one is needed, and come back."""
    who = by(context["person"])
    with suppress(PaymentDeclined):
        await plans.start_plan(who, "family", context["button"], "key")
    page = await plans.begin_plan_confirmation(who, "family", context["button"], BACK)
    if page:
        await checkouts.finish_checkout(who.person_id, await add_at_page(page, NEEDS_CONFIRMATION))


async def _solo() -> Context:
    context = await _customer()
    await plan_money.start(context["person"], "solo", "solo")
    set_clock(NOW + TEN_DAYS)
    offer = await plan_money.offered(context["person"], "family")
    return context | {"button": offer.button}


async def _switch(context: Context) -> None:
    await plans.switch_plan(by(context["person"]), "family", context["button"], "key")


async def _family() -> Context:
    context = await _customer()
    await _start(context)
    await work(NOW)
    return context


async def _family_without_funds() -> Context:
    context = await _family()
    await give_card(context["person"], "insufficient_funds")
    return context


async def _renew(_context: Context) -> None:
    async with transaction() as session:
        await jobs.enqueue(session, "billing.renew_plans")


async def _past_due_at_the_page() -> Context:
    context = await _family_without_funds()
    set_clock(NOW + MONTH)
    await _renew(context)
    await work(NOW + MONTH)
    return context | {"page": await cards.begin_checkout(context["person"], BACK)}


async def _new_card(context: Context) -> None:
    visit = await add_at_page(context["page"])
    await checkouts.finish_checkout(context["person"], visit)


# Fills


async def booker() -> Context:
    area = await made.an_area()
    who = await made.a_customer(state="incomplete")
    await fills.a_card(who)
    await give_card(who.id)
    return {"person": who.id, "car": who.car_id, "place": who.place_id, "area": area}


def _actor(context: Context) -> Actor:
    return Actor(frozenset({Role.CUSTOMER}), context["person"])


async def book(context: Context) -> None:
    who = made.Customer(_actor(context), context["car"], context["place"])
    wanted = who.wants(made.slot(context["area"]))
    seen = await bookings.estimate_fill(who.actor, wanted)
    await bookings.book(who.actor, wanted, key="k" * 36, seen=seen)


async def _held() -> Context:
    context = await booker()
    await book(context)
    await work(NOW + 9 * HOUR)
    return context


async def complete(_context: Context, gallons: str = "28.552") -> None:
    [row] = await made.stored()
    form = fills.FILLED | {"gallons": gallons}
    await fill_records.complete_booking(STAFF, row.id, row.revision, form, confirmed=True)


async def _pump_nothing(context: Context) -> None:
    await complete(context, "0")


async def _cancel(context: Context) -> None:
    [row] = await made.stored()
    await changes.cancel(_actor(context), row.id, row.revision, seen_fee=dollars(15))


async def _filled() -> Context:
    context = await _held()
    set_clock(NOW + WINDOW)
    await complete(context)
    await work(NOW + WINDOW + HOUR)
    [invoice] = (await books()).invoices
    return context | {"invoice": invoice.id}


async def _refund(context: Context) -> None:
    form = Correction.parse({"amount": "100.00", "reason": "Spilled"})
    await outcomes_corrections.correct_invoice(ADMIN, context["invoice"], TO_CARD, form, "key")


# A technician's phone

STEPS = ("drive", "arrive", "fuel", "photo", "complete")
_SECOND = {"meter_start": "112.345", "meter_end": "121.345", "ticket": "T-2"}
_TOLD = {"booking_confirmed": 1, "hour_before": 1, "on_the_way": 1, "arrived": 1, "completed": 1}


async def _on_the_road() -> Context:
    context = await booker()
    await book(context)
    return context | await _route(*STEPS)


async def _on_the_road_to_two_cars() -> Context:
    who, booking = await fills.a_booking(1, cars=2)
    await give_card(who.id)
    context = await _route(*STEPS[:3])
    at, meters = phone.ms(NOW + WINDOW), (phone.METER, _SECOND)
    filled = [
        phone.action("complete", booking.id, meter | {"fill": fill.id}, at=at)
        for meter, fill in zip(meters, booking.fills, strict=True)
    ]
    return context | {"batch": context["batch"] + filled}


async def _route(*kinds: str) -> Context:
    """Lead a technician to the one booking. Return who it is, and what their phone sends."""
    await work(NOW + 9 * HOUR)
    [row] = await made.stored()
    technician = await dispatch.a_technician()
    shift = await dispatch.a_shift(await dispatch.a_truck(), technician)
    await dispatch.on_route(shift, row, published=True)
    at = phone.ms(NOW + WINDOW)
    batch = [phone.action(kind, row.id, at=at) for kind in kinds]
    return {"technician": technician.person_id, "batch": batch}


async def _send(context: Context) -> None:
    person_id = context["technician"]
    technician = Actor(frozenset({Role.TECHNICIAN}), person_id)
    await phones.receive_actions(technician, person_id, context["batch"])


def _filled_once(_context: Context, found: Books) -> list[str]:
    is_ = summary(found)
    return differs(
        received=(is_["received"], 5770),
        invoices=(is_["invoices"], [("fill", "paid", 5770)]),
        told=(is_["told"], _TOLD),
    )


def _both_filled_once(_context: Context, found: Books) -> list[str]:
    is_, [booking] = summary(found), found.bookings
    entries = Counter((each.kind, each.fill_id) for each in found.entries if each.fill_id)
    each_once = Counter((kind, each.id) for kind in ("reserved", "used") for each in booking.fills)
    return differs(
        received=(is_["received"], 4270 + 3113),
        invoices=(is_["invoices"], [("fill", "paid", 4270 + 3113)]),
        lines=(sorted(each.amount_cents for each in found.lines), [3113, 4270]),
        filled=([each.filled_milligallons for each in booking.fills], [12_345, 9_000]),
        entries=(entries, each_once),
        told=(is_["told"], _TOLD),
    )


def _sent_again(once: Check) -> Callable[[Context], Awaitable[list[str]]]:
    """Return a check that sends the batch once more, as the phone does: it has happened once."""

    async def check(context: Context) -> list[str]:
        await _send(context)
        await work(clock.now() + 3 * HOUR)
        wrong = await checked(once)(context)
        heard = Counter(each.kind for each in await rows(TechnicianAction))
        sent = Counter(each["kind"] for each in context["batch"])
        return wrong + differs(heard=(heard, sent))

    return check


ADMIN = Actor(frozenset({Role.ADMIN}), session_id="s" * 36)
_STARTED = ("start", "paid", 4400)
_CONFIRMED = {"booking_confirmed": 1, "hour_before": 1}


def _case(name: str, prepare: Prepare, act: Act, when: dict[str, Any], **expected: Any) -> Case:
    """Make a case whose button is pressed again after all, where that is a customer's."""
    again = act if name in PRESSED else None
    return Case(name, prepare, act, checked(ends_as(**expected), again), **when)


PRESSED = {"start of a plan", "start confirmed", "switch up", "hold", "refund"}
CASES = {
    case.name: case
    for case in (
        _case(
            "start of a plan",
            _customer,
            _start,
            {},
            received=4400,
            invoices=[_STARTED],
            plan=("active", "family", "2026-11-23"),
            told={"plan_changed": 1},
        ),
        _case(
            "start confirmed",
            _customer_whose_bank_asks,
            _confirm,
            {"lasts": 2 * HOUR},
            received=4400,
            plan=("active", "family", "2026-11-23"),
            told={"plan_changed": 1},
        ),
        _case(
            "switch up",
            _solo,
            _switch,
            {"after": TEN_DAYS},
            received=5233,
            invoices=[("start", "paid", 2500), ("switch", "paid", 2733)],
            plan=("active", "family", "2026-12-03"),
            told={"plan_changed": 2},
        ),
        _case(
            "renewal",
            _family,
            _renew,
            {"after": MONTH},
            received=8800,
            invoices=[("renewal", "paid", 4400), _STARTED],
            plan=("active", "family", "2026-12-23"),
            told={"plan_changed": 1, "receipt": 1},
        ),
        _case(
            "renewal declined",
            _family_without_funds,
            _renew,
            {"after": MONTH},
            received=4400,
            invoices=[("renewal", "open", 4400), _STARTED],
            payments=[("charge", "failed", 0), ("charge", "succeeded", 4400)],
            plan=("past_due", "family", "2026-12-23"),
            told={"plan_changed": 1, "payment_failed": 1},
        ),
        _case(
            "new card for a debt",
            _past_due_at_the_page,
            _new_card,
            {"after": MONTH},
            received=8800,
            invoices=[("renewal", "paid", 4400), _STARTED],
            plan=("active", "family", "2026-12-23"),
            told={"plan_changed": 1, "payment_failed": 1, "receipt": 1},
        ),
        _case(
            "hold",
            booker,
            book,
            {"lasts": 9 * HOUR},
            received=0,
            payments=[("hold", "authorized", 0)],
            told=_CONFIRMED,
        ),
        _case(
            "capture above the hold",
            _held,
            complete,
            {"after": WINDOW},
            received=11_376,
            invoices=[("fill", "paid", 11_376)],
            payments=[("charge", "succeeded", 3776), ("hold", "succeeded", 7600)],
            told=_CONFIRMED | {"completed": 1},
        ),
        _case(
            "nothing pumped",
            _held,
            _pump_nothing,
            {"after": WINDOW},
            received=0,
            invoices=[("fill", "void", 0)],
            payments=[("hold", "cancelled", 0)],
        ),
        _case(
            "late fee",
            _held,
            _cancel,
            {"after": WINDOW - HOUR},
            received=1500,
            invoices=[("late_fee", "paid", 1500)],
            payments=[("hold", "succeeded", 1500)],
            told=_CONFIRMED | {"booking_cancelled": 1},
        ),
        _case(
            "refund",
            _filled,
            _refund,
            {"after": WINDOW + 2 * HOUR},
            received=11_376,
            returned=10_000,
            payments=[("charge", "succeeded", 3776), ("hold", "succeeded", 7600)],
        ),
        Case("phone's batch", _on_the_road, _send, _sent_again(_filled_once), WINDOW),
        Case(
            "two cars of a visit",
            _on_the_road_to_two_cars,
            _send,
            _sent_again(_both_filled_once),
            WINDOW,
        ),
    )
}


def main() -> None:
    structlog.configure(processors=[_drop])
    spec = json.loads(sys.stdin.readline())
    kind = Sqlite if spec["engine"] == "sqlite" else Postgresql
    database = kind(spec["template"], spec["at"])
    for name in spec["cases"]:
        for step, problems in results(CASES[name], database, every=spec["every"]):
            print(json.dumps([name, step, problems]), flush=True)


def _drop(*_: Any) -> Any:
    raise structlog.DropEvent


if __name__ == "__main__":
    main()

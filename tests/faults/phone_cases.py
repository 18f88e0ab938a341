"""A technician's batch of actions, with what is true however often it was killed."""

from collections import Counter
from datetime import timedelta

from fuel_app.accounts.rules import Actor, Role
from fuel_app.dispatch.service import phones
from fuel_app.dispatch.tables import TechnicianAction
from fuel_app.kit import clock
from tests.faults.kills import Case, Context, work
from tests.faults.money_cases import HOUR, WINDOW, book, booker, checked, differs, summary
from tests.helpers import bookings, dispatch, phone
from tests.helpers.bookings import NOW
from tests.helpers.books import Books
from tests.helpers.people import rows

LASTS = timedelta(hours=3)
STEPS = ("drive", "arrive", "fuel", "photo", "complete")
TOLD = {"booking_confirmed": 1, "hour_before": 1, "on_the_way": 1, "arrived": 1, "completed": 1}


async def _on_the_road() -> Context:
    context = await booker()
    await book(context)
    await work(NOW + 9 * HOUR)
    [row] = await bookings.stored()
    technician = await dispatch.a_technician()
    shift = await dispatch.a_shift(await dispatch.a_truck(), technician)
    await dispatch.on_route(shift, row, published=True)
    at = phone.ms(NOW + WINDOW)
    batch = [phone.action(kind, row.id, at=at) for kind in STEPS]
    return context | {"technician": technician.person_id, "batch": batch}


async def _send(context: Context) -> None:
    person_id = context["technician"]
    by = Actor(frozenset({Role.TECHNICIAN}), person_id)
    await phones.receive_actions(by, person_id, context["batch"])


def _filled_once(_context: Context, found: Books) -> list[str]:
    is_ = summary(found)
    return differs(
        received=(is_["received"], 5770),
        invoices=(is_["invoices"], [("fill", "paid", 5770)]),
        told=(is_["told"], TOLD),
    )


async def _check(context: Context) -> list[str]:
    """Send the batch once more, as the phone does; each action of it has happened once."""
    await _send(context)
    await work(clock.now() + LASTS)
    wrong = await checked(_filled_once)(context)
    heard = Counter(each.kind for each in await rows(TechnicianAction))
    return wrong + differs(heard=(heard, Counter(STEPS)))


CASE = Case("phone's batch", _on_the_road, _send, _check, WINDOW, LASTS)

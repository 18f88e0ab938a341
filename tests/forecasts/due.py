"""Customers whose cars are due, and the seats that are held for them."""

from datetime import timedelta

from fuel_app.forecasts.service import due_bookings
from fuel_app.forecasts.tables import SeatProposal
from fuel_app.kit.outbox import Message
from tests.helpers.bookings import NOW, Customer, a_customer, an_area
from tests.helpers.outbox import run_worker
from tests.helpers.people import messages, rows
from tests.helpers.stored_bookings import a_fill

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


async def filled(area_id: str, who: Customer, days_ago: float, fills: int = 4) -> None:
    """Store weekly fills of 11.2 of 16 gallons, from 10 on: due a week after the last one."""
    for week in range(fills):
        at = NOW + HOUR - (days_ago + 7 * week) * DAY
        await a_fill(area_id, who.id, at, 11_200, 4000, vehicle_id=who.car_id)


async def a_due_car(days_ago: float = 4, *, capacity: int = 6) -> tuple[str, Customer]:
    """Store a customer whose car is due on Thursday, three days from now."""
    area_id, who = await an_area(capacity=capacity), await a_customer()
    await filled(area_id, who, days_ago)
    return area_id, who


async def proposed() -> tuple[str, Customer, SeatProposal]:
    """Have a seat held for a car. Return the area, the customer and the proposal."""
    area_id, who = await a_due_car()
    await due_bookings.switch_on(who.actor, who.car_id)
    await run_worker()
    return area_id, who, await the_proposal()


async def the_proposal() -> SeatProposal:
    (row,) = await rows(SeatProposal)
    return row


async def mails(kind: str) -> list[Message]:
    return [each for each in await messages(kind) if each.channel == "mail"]

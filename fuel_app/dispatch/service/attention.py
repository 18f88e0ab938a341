"""List what waits for dispatchers: stops at risk, questions about fills, seals."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.slots import short_when
from fuel_app.bookings.service import fills
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules.arrivals import AFTER_SHIFT, TOO_LATE, Expected
from fuel_app.dispatch.rules.drives import duration_text
from fuel_app.dispatch.service.truck_routes import Board, board_of
from fuel_app.kit import policies
from fuel_app.kit.attention import Attention, Waiting
from fuel_app.kit.clock import day_of, short_date, time_of_day
from fuel_app.kit.policies import policy
from fuel_app.kit.words import counted

SEAL_DAYS = policy(
    "seal_days", "A meter's seal holds for", unit="days", default=365, least=30, most=1830
)
SEAL_NOTICE_DAYS = policy(
    "seal_notice_days",
    "Seals need attention before they end",
    unit="days",
    default=30,
    least=1,
    most=180,
)
STOPS = Attention("stops", "Late and unserved stops", href=routes.DISPATCH)
FILLS = Attention("fills", "Fills to decide about")
SEALS = Attention("seals", "Meter seals that end", href=routes.SETTINGS_TRUCKS, is_for_admins=True)


async def stops_at_risk(session: AsyncSession, now: datetime) -> Attention:
    """Return what goes wrong today and on the next published day, by the window.

    Eleven statements for a day: O(its bookings).
    """
    today = day_of(now)
    following = await queries.next_published(session, today)
    lines: list[Waiting] = []
    for day in filter(None, (today, following)):
        lines += _at_risk(await board_of(session, day))
    return STOPS.with_lines(lines)


def _at_risk(board: Board) -> Iterator[Waiting]:
    """Yield the routes that nobody drives, then the stops by their windows; no closed day's."""
    if board.day.closed_at:
        return
    place = routes.asking(routes.DISPATCH, {"day": board.day.day.isoformat()})
    for route in board.day.routes:
        if route.shift.id in board.without_technician and route.left:
            what = f"{counted(len(route.left), 'stop')}, and its technician is no longer active."
            yield Waiting(route.shift.id, f"{route.shift.truck.name}: nobody drives", what, place)
    late = (
        (each.stop.booking, each.stop.customer, f"{route.shift.truck.name}, {_lateness(each)}")
        for route in board.day.routes
        for each in board.expected[route.shift.id]
        if each.stop.booking and each.lateness in TOO_LATE
    )
    unassigned = (
        (each.booking, each.customer, f"On no route: {each.reason or 'not planned yet'}")
        for each in board.day.unassigned
    )
    on_hold = (
        (each.booking, each.customer, f"On hold: {each.reason}") for each in board.day.on_hold
    )
    found: list[tuple[Booking, str, str]] = [*late, *unassigned, *on_hold]
    for booking, name, why in sorted(found, key=lambda each: each[0].starts_at):
        when = short_when(booking.starts_at, booking.ends_at)
        yield Waiting(booking.id, f"{name}: {when}", why, place)


def _lateness(at: Expected) -> str:
    """'expected at 10:25 AM, late by 25 min'."""
    expected = f"expected at {time_of_day(at.begins_at)}"
    if at.lateness == AFTER_SHIFT or at.stop.booking is None:
        return f"{expected}, after the shift's end"
    late = at.begins_at - at.stop.booking.ends_at
    return f"{expected}, late by {duration_text(late.total_seconds())}"


async def fills_to_decide(session: AsyncSession, _now: datetime) -> Attention:
    """Count the questions about fills: one statement. `read_questions` reads them."""
    return FILLS.with_lines((), await fills.count_unanswered(session))


async def seals_ending(session: AsyncSession, now: datetime) -> Attention:
    """Return the trucks in use whose seal ends soon or has ended: two statements."""
    numbers = await policies.values(session)
    today = day_of(now)
    ends = [
        (truck.meter_sealed_on + timedelta(days=numbers[SEAL_DAYS.name]), truck)
        for truck in await queries.list_trucks(session)
        if truck.is_active
    ]
    soon = today + timedelta(days=numbers[SEAL_NOTICE_DAYS.name])
    return SEALS.with_lines(
        Waiting(
            id=truck.id,
            text=f"{truck.name}, meter {truck.meter_number}",
            detail=f"The seal {'ended' if day < today else 'ends'} on {short_date(day)}.",
            href=routes.SETTINGS_TRUCKS,
        )
        for day, truck in sorted(ends, key=lambda each: each[0])
        if day <= soon
    )

"""Fuel that the trucks on shift carry, beside what is booked."""

from collections import Counter, defaultdict

from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.dispatch.rules.day import Day


def shortages(day: Day) -> tuple[str, ...]:
    """Return a warning for each grade of which the trucks carry too little, without refills.

    Broken trucks carry nothing. A day without trucks has no warnings.
    """
    if not day.routes:
        return ()
    waiting = [stop.booking for route in day.routes for stop in route.left if stop.booking]
    waiting += [each.booking for each in day.unassigned]
    wanted, carried = defaultdict[str, list[int]](list), Counter[str]()
    for booking in waiting:
        wanted[booking.grade].append(booking.estimated_milligallons)
    for route in day.routes:
        if route.shift.broken_at is None:
            carried.update(route.shift.truck.tanks)
    short = (each for each in GRADES if sum(wanted[each]) > carried[each])
    return tuple(_warning(each, wanted[each], carried[each]) for each in short)


def _warning(grade: str, wanted: list[int], carried: int) -> str:
    if not carried:
        need = "1 booking needs" if len(wanted) == 1 else f"{len(wanted)} bookings need"
        return f"No truck on shift carries {GRADE_LABELS[grade].lower()}, and {need} it."
    booked = -(-sum(wanted) // 1000)  # gallons, rounded up
    return (
        f"{GRADE_LABELS[grade]}: {booked:,} gallons are booked, the trucks on shift carry "
        f"{carried // 1000:,}. They will have to refill."
    )

"""The hours of messages: quiet ones, and the limit for a day."""

from datetime import UTC, datetime, time, timedelta

from fuel_app.kit.clock import NEW_YORK
from fuel_app.messages.rules.kinds import Category, kind_of

MORNING, EVENING = time(8), time(20)
_BEFORE_EVENING = time(19, 30)  # a reminder that falls into the quiet hours after it
DAY = timedelta(hours=24)


def is_quiet(moment: datetime) -> bool:
    """Return whether a moment is from 20:00 to 08:00 in New York."""
    local = moment.astimezone(NEW_YORK).time()
    return local >= EVENING or local < MORNING


def send_at(kind: str, wanted: datetime, now: datetime) -> datetime:
    """Return when to send a message that is wanted at a moment; never before now.

    A reminder that falls into the quiet hours goes at 19:30 before them, if that is still to come.
    """
    at = max(wanted, now)
    rules = kind_of(kind)
    if not rules.waits or not is_quiet(at):
        return at
    evening = _at(at, _BEFORE_EVENING)
    if evening > at:
        evening = _at(at, _BEFORE_EVENING, days=-1)
    if rules.category is Category.REMINDER and (evening >= now or not is_quiet(now)):
        return max(evening, now)
    morning = _at(at, MORNING)
    return morning if morning > at else _at(at, MORNING, days=1)


def _at(moment: datetime, clock_time: time, *, days: int = 0) -> datetime:
    """Return a time of day in New York on the moment's day, or some days later."""
    day = moment.astimezone(NEW_YORK).date() + timedelta(days=days)
    return datetime.combine(day, clock_time, NEW_YORK).astimezone(UTC)

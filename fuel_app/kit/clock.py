"""The clock and the calendar. Times are stored in UTC and shown in New York's."""

import calendar
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

NEW_YORK = ZoneInfo("America/New_York")


def now() -> datetime:
    return datetime.now(UTC)


def day_of(moment: datetime) -> date:
    """Return the day in New York on which a moment falls."""
    return moment.astimezone(NEW_YORK).date()


def morning(day: date) -> datetime:
    """Return when a day begins in New York."""
    return datetime.combine(day, time.min, NEW_YORK).astimezone(UTC)


def mornings(last: date, days: int) -> list[datetime]:
    """Return when the `days` days up to `last` begin in New York; not all have 24 hours."""
    each = (last - timedelta(days=back) for back in reversed(range(days)))
    return [morning(day) for day in each]


def months_later(day: date, months: int) -> date:
    """Return the same day of another month, or that month's last: 31 January, then 28 February.

    Count from the first billing day, not from the last one, or the 31st would be lost for good.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def long_date(day: date) -> str:
    """Format a day: 'March 5, 2026'."""
    return f"{day:%B} {day.day}, {day.year}"


def short_date(day: date) -> str:
    """Format a day: 'Mar 5, 2026'."""
    return f"{day:%b} {day.day}, {day.year}"


def date_and_time(moment: datetime) -> str:
    """Format a moment in New York: 'Mar 5, 2026, 9:05 AM'."""
    return f"{short_date(day_of(moment))}, {time_of_day(moment)}"


def time_of_day(moment: datetime) -> str:
    """Format the time of a moment in New York: '9:05 AM'."""
    local = moment.astimezone(NEW_YORK)
    return f"{local.hour % 12 or 12}:{local.minute:02} {'AM' if local.hour < 12 else 'PM'}"


def time_span(starts_at: datetime, ends_at: datetime) -> str:
    """Format a span in New York: '8–10 AM', '11:40 AM–12:10 PM', '7 AM–3 PM'."""  # noqa: RUF002
    both = [moment.astimezone(NEW_YORK) for moment in (starts_at, ends_at)]
    if any(each.minute for each in both):
        return span_of(*map(time_of_day, both))
    return span_of(*(hour_of_day(each.hour) for each in both))


def hour_of_day(hour: int) -> str:
    """Format a full hour of 0 to 24: '8 AM'."""
    return f"{hour % 12 or 12} {'AM' if hour % 24 < 12 else 'PM'}"


def span_of(first: str, last: str) -> str:
    """Join two times of day; the half of the day that they share is said once."""
    half = first[-3:]
    return f"{first.removesuffix(half) if last.endswith(half) else first}–{last}"  # noqa: RUF001

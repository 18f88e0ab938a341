"""Where the company's day begins and ends. Times are stored in UTC and shown in New York's."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

NEW_YORK = ZoneInfo("America/New_York")


def now() -> datetime:
    return datetime.now(UTC)


def day_of(moment: datetime) -> date:
    """The day in New York on which a moment falls."""
    return moment.astimezone(NEW_YORK).date()


def mornings(last: date, days: int) -> list[datetime]:
    """When so many days up to the last one begin in New York; they are not all 24 hours long."""
    each = (last - timedelta(days=back) for back in reversed(range(days)))
    return [datetime.combine(day, time.min, NEW_YORK).astimezone(UTC) for day in each]


def long_date(day: date) -> str:
    """'March 5, 2026'."""
    return f"{day:%B} {day.day}, {day.year}"


def short_date(day: date) -> str:
    """'Mar 5, 2026'."""
    return f"{day:%b} {day.day}, {day.year}"


def date_and_time(moment: datetime) -> str:
    """'Mar 5, 2026, 9:05 AM' in New York."""
    return f"{short_date(day_of(moment))}, {time_of_day(moment)}"


def time_of_day(moment: datetime) -> str:
    """'9:05 AM' in New York."""
    local = moment.astimezone(NEW_YORK)
    return f"{local.hour % 12 or 12}:{local:%M %p}"

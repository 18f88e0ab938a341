"""Hours of areas in tests."""

from dataclasses import replace

from fuel_app.areas.rules.hours import Hours


def without_window(hours: Hours, weekday: int, opens: int) -> Hours:
    """Return hours without a window of a weekday."""
    week = list(hours.windows_by_weekday)
    week[weekday] = tuple(window for window in week[weekday] if window.opens != opens)
    return replace(hours, windows_by_weekday=tuple(week))

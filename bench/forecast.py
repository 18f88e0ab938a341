"""Rolling forecasts of when a car is due, on simulated drivers, beside two plain guesses.

From each refill that the product knows, once it has made three fills, every method says when 70 %
of the tank will be used; what is known later is held out. It is measured against the day on which
the tank was really so low, which the simulation alone knows (a refill elsewhere that nobody told us
of moves it), and against the day of the next fill. The plain guesses know the same refills.

The constants of `forecasts/rules/forecasts.py` were chosen on `TUNED_ON`, which is not among
`SEEDS`.
"""

import statistics
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from bench import QUICK
from bench.drivers import Driver, Refill, drivers
from bench.report import Figure
from fuel_app.forecasts.rules import forecasts as rules
from fuel_app.forecasts.rules.forecasts import FILLS_NEEDED, USED, Forecast

TUNED_ON = 1
SEEDS = (2,) if QUICK else (2, 3, 4, 5, 6)
DRIVERS = 400  # for each seed
LATE_DAYS = 2  # a forecast so much later than the day itself is too late
OURS, LAST, MEAN = METHODS = ("forecast", "same interval as last time", "mean interval")
OFF, LATE, HELD = "days off", "too late", "within the span"  # a mean, and two shares
_START = datetime(2026, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)

Errors = dict[tuple[str, str], list[float]]  # days by which a method was late, by question


def measure() -> list[Figure]:
    runs: dict[tuple[str, str, str], list[float]] = {}
    for seed in SEEDS:
        for key, value in _run(seed).items():
            runs.setdefault(key, []).append(value)
    return [
        Figure(f"{question}: {method}", unit, values, _bound(runs, question, method, unit))
        for (question, method, unit), values in sorted(runs.items(), key=lambda run: run[0][::2])
    ]


def _bound(
    runs: dict[tuple[str, str, str], list[float]], question: str, method: str, unit: str
) -> str:
    """Return that the forecast is better than each plain guess, and its span honest."""
    if unit == HELD:
        return ">= 0.75"
    if method != OURS:
        return ""
    return f"<= {min(statistics.median(runs[question, each, unit]) for each in (LAST, MEAN)):.4f}"


def _run(seed: int) -> dict[tuple[str, str, str], float]:
    errors: Errors = {}
    held: list[bool] = []
    for driver in drivers(DRIVERS, seed):
        known = [each for each in driver.refills if each.is_known]
        for number in range(1, len(known) + 1):
            _ask(driver, known[:number], known[number:], errors, held)
    found = {}
    for (question, method), days in errors.items():
        found[question, method, OFF] = statistics.fmean(map(abs, days))
        found[question, method, LATE] = statistics.fmean(each > LATE_DAYS for each in days)
    return found | {("tank low", OURS, HELD): statistics.fmean(held)}


def _ask(
    driver: Driver, before: list[Refill], after: list[Refill], errors: Errors, held: list[bool]
) -> None:
    """Have each method forecast from the last refill."""
    if sum(each.is_ours for each in before) < FILLS_NEEDED:
        return
    since = before[-1].at
    ours = rules.forecast(
        [rules.Refill(_at(each.at), _milligallons(each)) for each in before],
        tank_gallons=driver.tank,
        plan_id="solo",
    )
    assert isinstance(ours, Forecast)
    intervals = [later.at - sooner.at for sooner, later in pairwise(before)]
    guesses = {
        OURS: (ours.due - _START) / _DAY,
        LAST: since + intervals[-1],
        MEAN: since + statistics.fmean(intervals),
    }
    low = driver.when_low(since, USED)
    for method, guess in guesses.items():
        if low is not None:
            for question in ("tank low", f"tank low, {driver.kind}"):
                errors.setdefault((question, method), []).append(guess - low)
        if after and after[0].is_ours:
            errors.setdefault(("next fill", method), []).append(guess - after[0].at)
    if low is not None:
        held.append(ours.earliest <= _at(low) <= ours.latest)


def _at(days: float) -> datetime:
    return _START + days * _DAY


def _milligallons(refill: Refill) -> int | None:
    return round(1000 * refill.gallons) if refill.is_ours else None

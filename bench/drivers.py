"""Simulated drivers with their tanks, for `forecast`: what they do is no rule of the product's.

A day's miles are drawn, so is when a driver thinks of fuel; what the tank holds is known to the
simulation alone. The product sees the fills that it made, and what a driver says.
"""

import math
import random
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

DAYS = 540
ELSEWHERE = 0.2  # of all refills
SAID = 0.5  # of those, how many their driver tells us
CARS = (  # gallons of the tank, miles a gallon
    (11.9, 33),
    (13.2, 31),
    (14.0, 29),
    (14.8, 28),
    (15.9, 26),
    (18.5, 23),
    (19.5, 22),
    (21.7, 20),
    (24.0, 17),
    (26.0, 19),
)
KINDS = ("commuter", "weekender", "holidays", "errands")


@dataclass(frozen=True)
class Refill:
    """A full tank; `gallons` is what it took."""

    at: float  # days since the first
    gallons: float
    is_ours: bool
    is_known: bool  # ours, or said to be made elsewhere


@dataclass
class Driver:
    """A car's life: what it has used by each day's end, and its refills."""

    kind: str
    tank: float
    used: list[float]
    refills: list[Refill] = field(default_factory=list)

    def used_by(self, at: float) -> float:
        """Return the gallons used since the first day."""
        day = min(int(at), len(self.used) - 2)
        return self.used[day] + (at - day) * (self.used[day + 1] - self.used[day])

    def when_used(self, gallons: float) -> float | None:
        """Return when so many gallons are used since the first day; None if that is later."""
        if gallons >= self.used[-1]:
            return None
        day = max(bisect_left(self.used, gallons) - 1, 0)
        burned = self.used[day + 1] - self.used[day]
        return day + (gallons - self.used[day]) / burned

    def when_low(self, since: float, share: float) -> float | None:
        """Return when a share of the tank is used that was full at a moment, whoever fills it."""
        fulls = [since, *(each.at for each in self.refills if each.at > since and not each.is_ours)]
        for full, following in zip(fulls, [*fulls[1:], math.inf], strict=True):
            at = self.when_used(self.used_by(full) + share * self.tank)
            if at is None or at < following:
                return at
        return None


def drivers(count: int, seed: int) -> Iterator[Driver]:
    """Draw drivers with a year and a half of their refills."""
    chance = random.Random(seed)
    for number in range(count):
        yield _driver(chance, KINDS[number % len(KINDS)])


def _driver(chance: random.Random, kind: str) -> Driver:
    tank, miles_a_gallon = chance.choice(CARS)
    miles_a_gallon *= chance.gauss(1, 0.08)
    miles = [each / miles_a_gallon for each in _miles(chance, kind)]
    driver = Driver(kind, tank, [0.0, *accumulate(miles)])
    _refuel(chance, driver)
    return driver


def _miles(chance: random.Random, kind: str) -> list[float]:
    """Return the miles of each day."""
    daily = chance.lognormvariate(math.log(33), 0.35)
    moves_on = chance.randrange(DAYS) if chance.random() < 0.25 else DAYS  # another job or home
    factor, away, trip = chance.uniform(0.6, 1.6), 0, 0.0
    trips_a_year = 4 if kind == "holidays" else 1
    miles = []
    for day in range(DAYS):
        is_weekend = day % 7 >= 5
        if away:
            away -= 1
        elif chance.random() < trips_a_year / 365:
            away = chance.randint(4, 16)
            trip = chance.choice((0, 0.05, 2.5))  # by plane, the car stays or is lent; or by car
        if away:
            miles.append(daily * trip * chance.uniform(0.7, 1.3))
            continue
        match kind:
            case "commuter":
                share = chance.expovariate(2) if is_weekend else chance.gauss(1.2, 0.12)
            case "weekender":
                share = chance.lognormvariate(0.75, 0.5) if is_weekend else chance.expovariate(2.5)
            case "holidays":
                share = chance.gauss(1, 0.25)
            case _:
                share = chance.expovariate(1)
        miles.append(max(0.0, daily * share * (factor if day >= moves_on else 1)))
    return miles


def _refuel(chance: random.Random, driver: Driver) -> None:
    """Refuel by the driver's own habit: a share of the tank, now and then sooner or later."""
    habit, at = chance.gauss(0.68, 0.07), 0.4
    while True:
        share = min(max(chance.gauss(habit, 0.07), 0.3), 0.9)
        full = driver.used_by(at)
        wanted = driver.when_used(full + share * driver.tank)
        if wanted is None:
            return
        is_ours = chance.random() >= ELSEWHERE
        if is_ours:  # the next day on which the driver is at home and a window is free
            wanted = int(wanted) + chance.choices((0.4, 1.4, 2.4), (3, 4, 2))[0]
        empty = driver.when_used(full + 0.96 * driver.tank)
        if is_ours and empty is not None and empty < wanted:
            is_ours, wanted = False, empty
        if wanted >= DAYS:
            return
        is_known = is_ours or chance.random() < SAID
        at = max(wanted, at + 0.05)
        driver.refills.append(Refill(at, driver.used_by(at) - full, is_ours, is_known))

"""Breaks: who has worked for a while rests, before the stop that would make it too long.

Numbers are of one unit of time, such as seconds from now. A wait for a window that is as long as a
break is one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Breaks:
    """A break of `lasts` after at most `after` of work; without any if it lasts nothing."""

    lasts: float = 0
    after: float = inf


NO_BREAKS = Breaks()


@dataclass(frozen=True, slots=True)
class Leg:
    """The drive to a stop, when its window opens, and how long it takes."""

    drive: float
    opens: float
    service: float


@dataclass(frozen=True, slots=True)
class Visit:
    """When service begins and ends, and when a break before the drive there begins, if any does."""

    begins: float
    ends: float
    rests_at: float | None = None


def visit(
    legs: Sequence[Leg], free_at: float, works_from: float, breaks: Breaks
) -> tuple[list[Visit], float]:
    """Drive legs as early as possible. Return the visits, and since when it is work at the end.

    A break is due before the stop at whose end the work would be too long; it is put before the
    last stop until then that leaves most time for it, where it delays the least. O(legs).
    """
    visits: list[Visit] = []
    waits: list[float] = []
    since = [works_from]  # before each leg
    rests, first = set[int](), 0  # the first leg before which the next break may be
    while (at := len(visits)) < len(legs):
        leg, start = legs[at], visits[-1].ends if visits else free_at
        rested = start + breaks.lasts if at in rests else None
        arrives = (start if rested is None else rested) + leg.drive
        begins = max(arrives, leg.opens)
        waits.append(begins - arrives)
        from_ = since[at] if rested is None else rested
        if 0 < breaks.lasts <= waits[at]:
            from_, first = begins, at + 1
        ends = begins + leg.service
        if breaks.lasts and ends - from_ > breaks.after and first <= at:
            _, best = max((min(waits[each], breaks.lasts), each) for each in range(first, at + 1))
            rests.add(best)
            first = best + 1
            del visits[best:], waits[best:], since[best + 1 :]
            continue
        visits.append(Visit(begins, ends, start if at in rests else None))
        since.append(from_)
    return visits, since[-1]

"""What must hold of the open company: the rows of a run that prove it, together at the end."""

import re
from collections.abc import Sequence

from bench.report import Figure, show

# What is promised, and the names of the figures that show it.
PROMISES = {
    "200 for the last place of a slot, 500 for 50: exactly so many are booked": (
        r"\d+ for the last \d+ of a slot .*: (booked|other)"
    ),
    "'Schedule Service' by 100 within 10 s, and in one instant": r"100 press 'Schedule Service'",
    "slots of 21 days at 100,000 bookings": r"slots of 21 days",
    "a day of 150 bookings for 8 trucks is planned": r"\d+ bookings, \d+ trucks: .*",
    "published instances": r".*: (solved|stops left out|above the best known)",
    "10,000 renewals, killed in the middle": r"[\d,]+ renewals",
    "20,000 reminders, the worker killed twice": r"[\d,]+ reminders",
    "every webhook five times, shuffled": r"webhooks of \d+ customers",
    "actions made on a phone without a line": r"15 actions",
    "a random walk over the whole company": r"a random walk over the whole company",
}


def of(promise: str, figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures with a bound that show a promise."""
    pattern = re.compile(PROMISES[promise])
    return [each for each in figures if each.bound and pattern.match(each.what)]


def show_all(figures: Sequence[Figure]) -> None:
    """Print each promise with its figures; one that nothing has measured says so."""
    print("\nWhat must hold of the open company")
    found = {promise: of(promise, figures) for promise in PROMISES}
    show([each for theirs in found.values() for each in theirs])
    for promise, theirs in found.items():
        held = "ok" if all(each.holds for each in theirs) else "MISSED"
        print(f"{held if theirs else 'not measured':14}{promise}")

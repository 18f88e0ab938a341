"""The open company on made-up data: `python -m demo`, or `make demo`.

Days are lived through by the services themselves under a clock that is moved, so that the books
agree and nothing waits that the site would send or charge for the past.
"""

from dataclasses import dataclass

VISITOR = "sam.rivera@gulfside.example"  # the customer as whom visitors of the demo sign in


@dataclass(frozen=True)
class Size:
    """How much a demo has."""

    customers: int = 240
    days: int = 40
    leads: int = 120  # who wait where we do not drive yet

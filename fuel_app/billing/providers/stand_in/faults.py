"""Faults of the stand-in, for tests and benchmarks: what its next answers meet."""

from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache

# Not done: an error's status, or no connection. Done, but we get no answer: lost and slow.
DOWN, LOST, SLOW = "down", "lost", "slow"
_WHOLE_CALL = 3  # the library retries twice


@dataclass(slots=True)
class Faults:
    """The faults of this process."""

    delay: timedelta = timedelta(0)  # before each answer
    _next: deque[tuple[str, str]] = field(default_factory=deque)

    def fail_next(self, kind: str, times: int = _WHOLE_CALL, on: str = "") -> None:
        """Let the next requests meet a fault: '500', '503', '429', '409', down, lost or slow.

        Args:
            on: A part of their address, such as 'capture'; empty for all.
        """
        self._next.extend([(kind, on)] * times)

    def take(self, path: str) -> str:
        """Return the fault of a request; empty for none."""
        if self._next and self._next[0][1] in path:
            return self._next.popleft()[0]
        return ""


@cache
def faults() -> Faults:
    return Faults()

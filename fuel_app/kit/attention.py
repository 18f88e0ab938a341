"""Values of the list of what waits for staff, which each package adds to."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

MOST = 20  # lines of a kind


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing that waits, with the exact place where it is dealt with."""

    id: str
    text: str
    detail: str = ""
    href: str = ""
    act: str = ""  # label of the button that deals with it by one press
    decline: str = ""  # or of the one that says no to it


@dataclass(frozen=True, slots=True)
class Attention:
    """The things of one kind that wait: the first ones, and how many there are."""

    kind: str
    title: str
    lines: tuple[Waiting, ...] = ()
    total: int = 0
    href: str = ""  # where all of them are
    is_for_admins: bool = False  # dispatchers may do nothing about them

    def with_lines(self, lines: Iterable[Waiting], total: int | None = None) -> "Attention":
        """Return it with at most `MOST` lines; without a total all lines are given."""
        given = tuple(lines)
        return replace(self, lines=given[:MOST], total=len(given) if total is None else total)

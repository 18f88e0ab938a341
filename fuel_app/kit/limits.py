"""Limits of what staff may give within 24 hours: what is left of one, and how that is said."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from fuel_app.kit import clock
from fuel_app.kit.money import Money
from fuel_app.kit.policies import Policy

WITHIN = timedelta(hours=24)
MORE = "An admin can give more."


@dataclass(frozen=True, slots=True)
class Given:
    """Cents or fills that a member of the staff has given."""

    actor: str
    number: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Room:
    """The rest of a limit; a part of it comes back at `until`."""

    left: int
    most: int
    unit: str
    whose: str  # 'for this customer'
    until: datetime | None = None  # None where nothing was given

    @classmethod
    def of(cls, limit: Policy, most: int, given: Iterable[Given], whose: str) -> Self:
        """Return what is left of a limit after what was given within 24 hours."""
        counted = list(given)
        left = max(0, most - sum(each.number for each in counted))
        first = min((each.at for each in counted), default=None)
        return cls(left, most, limit.unit, whose, first and first + WITHIN)

    @property
    def refusal(self) -> str:
        """'$16.00 of $50.00 are left for this customer until tomorrow 3:15 PM. An admin ...'.

        Of money that is used up: 'Your $50.00 for this customer are used up until ...'.
        """
        most = f"{self._text(self.most)}{'' if self.unit == 'cents' else f' {self.unit}'}"
        if self.until is None:
            return f"At most {most} in 24 hours {self.whose}. {MORE}"
        if self.unit == "cents" and not self.left:
            return f"Your {most} {self.whose} are used up until {_when(self.until)}. {MORE}"
        left, is_one = self._text(self.left) if self.left else "Nothing", self.left < 2
        verb = "is" if is_one else "are"
        return f"{left} of {most} {verb} left {self.whose} until {_when(self.until)}. {MORE}"

    @property
    def hint(self) -> str:
        """Return what may be given: 'Up to $16.00'; the whole refusal where nothing is left."""
        return f"Up to {self._text(self.left)}" if self.left else self.refusal

    def _text(self, number: int) -> str:
        return str(Money(number)) if self.unit == "cents" else str(number)


def _when(moment: datetime) -> str:
    """Return a moment of the next 24 hours: 'today 3:15 PM', 'tomorrow 3:15 PM'."""
    is_today = clock.day_of(moment) == clock.day_of(clock.now())
    return f"{'today' if is_today else 'tomorrow'} {clock.time_of_day(moment)}"

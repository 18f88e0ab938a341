"""What a customer pays for a plan, and when. Money is integer cents."""

import calendar
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """A card as far as we ever know it."""

    kind: str
    last_four: str
    expires: date  # any day of its last month

    @property
    def expiry(self) -> str:
        return f"{self.expires:%m/%y}"


@dataclass(frozen=True, slots=True)
class Invoice:
    """One month of a plan, paid."""

    day: date
    description: str
    cents: int


def dollars(cents: int) -> str:
    """'$44.00', '$1,234.56'."""
    return f"${cents // 100:,}.{cents % 100:02}"


def months_later(day: date, months: int) -> date:
    """The same day of another month, or that month's last: 31 January is followed by 28 February.

    Count from the first billing day, not from the last one, or the 31st would be lost for good.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))

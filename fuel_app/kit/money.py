"""Money: US dollars in integer cents, prices per gallon in integer mills. Never a float."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_TYPED = re.compile(r"\$?\s*([0-9]{1,3}(?:,[0-9]{3}){1,2}|[0-9]{1,9})(?:\.([0-9]{2}))?")


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount of US dollars. `str()` shows '$1,234.56', and '-$5.00' below nothing."""

    cents: int

    def __str__(self) -> str:
        sign = "-" if self.cents < 0 else ""
        return f"{sign}${abs(self.cents) // 100:,}.{abs(self.cents) % 100:02}"

    @property
    def short(self) -> str:
        """Return '$44' for whole dollars, else '$12.50'."""
        return str(self).removesuffix(".00")

    @property
    def decimal(self) -> str:
        """Return '44.00', for machines."""
        sign = "-" if self.cents < 0 else ""
        return f"{sign}{abs(self.cents) // 100}.{abs(self.cents) % 100:02}"

    def __add__(self, other: "Money") -> "Money":
        return Money(self.cents + other.cents)

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.cents - other.cents)

    def __neg__(self) -> "Money":
        return Money(-self.cents)

    def __mul__(self, count: int) -> "Money":
        return Money(self.cents * count)

    def per(self, count: int) -> "Money":
        """Return one of `count` equal shares, half a cent rounded up; nothing among none."""
        return Money((2 * self.cents + count) // (2 * count) if count else 0)

    def share(self, part: int, whole: int) -> "Money":
        """Return a part of the amount, half a cent rounded up; `taxed.share(825, 10_000)`."""
        return Money((2 * self.cents * part + whole) // (2 * whole))


def total(amounts: Iterable[Money]) -> Money:
    return Money(sum(each.cents for each in amounts))


@dataclass(frozen=True, slots=True, order=True)
class FuelPrice:
    """A price per gallon. `str()` shows '$3.45'."""

    mills: int  # tenths of a cent, as on a pump

    def __str__(self) -> str:
        return str(Money(self.mills).per(10))

    @property
    def exact(self) -> str:
        """Return '$3.459', or '$3.45' without tenths of a cent."""
        return f"${self.mills // 1000}.{self.mills % 1000:03}".removesuffix("0")


def dollars(whole: int) -> Money:
    return Money(100 * whole)


def parse(typed: object) -> Money | None:
    """Return an amount as people type it, such as '$1,234.50'; None for other texts."""
    parts = _TYPED.fullmatch(typed.strip()) if isinstance(typed, str) and len(typed) < 50 else None
    if parts is None:
        return None
    return Money(100 * int(parts[1].replace(",", "")) + int(parts[2] or 0))

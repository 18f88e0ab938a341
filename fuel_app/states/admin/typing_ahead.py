"""Typing that leads to addresses: whoever types is further, perhaps, than the browser is."""

from dataclasses import dataclass, replace
from typing import Generic, Self, TypeVar

T = TypeVar("T")

_SENT_MOST = 20  # addresses on their way to the browser; more than anybody types in that time


@dataclass(frozen=True, slots=True)
class TypedAhead(Generic[T]):
    """What the fields hold."""

    value: T
    sent: tuple[T, ...] = ()  # where typing has led, and the browser has not been yet

    def further(self, value: T) -> Self:
        """Something else is typed."""
        if value == self.value:
            return self
        return replace(self, value=value, sent=(*self.sent[1 - _SENT_MOST :], value))

    def arrived(self, at: T) -> Self:
        """The browser is at an address: one that typing has led to, or by Back or by a link another
        one, which the fields then follow."""
        if at in self.sent:
            return replace(self, sent=self.sent[self.sent.index(at) + 1 :])
        return self if at == self.value else replace(self, value=at, sent=())

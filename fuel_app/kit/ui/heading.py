"""Where a tab is heading for: whoever types and clicks is further, perhaps, than the browser is."""

from typing import Any, Generic, NamedTuple, Self, TypeVar

import reflex as rx

T = TypeVar("T")

_SENT_MOST = 20  # addresses on their way to the browser; more than anybody causes in that time


class Heading(NamedTuple, Generic[T]):
    """The address that the next step starts from: a step changes one part of it, and what the steps
    before it have changed stays, whether the browser has been there yet or not."""

    to: T
    sent: tuple[T, ...] = ()  # where the browser was told to go, and has not been yet
    connection: str = ""  # the tab's; what was sent on another one is lost

    def towards(self, to: T, connection: str) -> Self:
        """The browser is told to go to an address."""
        sent = self.sent if connection == self.connection else ()
        if to != self.to:
            sent = (*sent[1 - _SENT_MOST :], to)
        return self._replace(to=to, sent=sent, connection=connection)

    def arrived(self, at: T, connection: str) -> Self:
        """The browser is at an address: one that it was told to go to, perhaps not the last, or by
        Back, by a link or by a reload another one, from which everything goes on."""
        if connection == self.connection and at in self.sent:
            return self._replace(sent=self.sent[self.sent.index(at) + 1 :])
        return self._replace(to=at, sent=(), connection=connection)


class Headed(rx.State, mixin=True):
    """A screen of which the address says all that it shows; a step is a step to another address."""

    _heading: Heading[Any] = Heading(())  # a named tuple; as text it is the address

    def _arrive(self, at: Any) -> None:
        """Take note of where the browser is."""
        self._heading = self._heading.arrived(at, self.router.session.session_id)

    def _go(self, *, replace: bool = False, **differs: Any) -> Any:
        """To the address that the tab is heading for, with what differs; nowhere if the screen has
        been left meanwhile."""
        before, to = self._heading.to, self._heading.to._replace(**differs)
        if self.router.url.path.rstrip("/") != str(to).partition("?")[0]:
            return None
        self._heading = self._heading.towards(to, self.router.session.session_id)
        return rx.redirect(str(to), replace=replace or to == before)

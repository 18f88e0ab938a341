"""What a screen of the staff holds is told to nobody else, whichever event has put it there."""

from typing import Any

import reflex as rx
from reflex.state import _override_base_method


class StaffScreen(rx.State, mixin=True):
    """A screen of the staff: it tells what it holds to the connection that has signed in.

    The guard keeps strangers from its events. This keeps them from what an event still does that
    began before: when the browser has signed out meanwhile, or when somebody else connects as
    this tab, whose name is in the address of its websocket.
    """

    _told_to: str = ""  # the connection

    @_override_base_method
    def dict(self, include_computed: bool = True, initial: bool = False, **more: Any) -> Any:
        """What a tab is told when it connects; `initial` is what every page is built with."""
        if not initial and not self._is_open():
            return {}
        return super().dict(include_computed, initial, **more)

    @_override_base_method
    def get_delta(self) -> Any:
        """What a tab is told after an event."""
        delta = super().get_delta()
        return delta if self._is_open() or self._is_blank() else {}

    def _open_to(self, connection: str) -> None:
        """From now on all of it is told to a connection; to none if it is empty."""
        self._told_to = connection
        if connection:  # what was kept back meanwhile, too
            self.dirty_vars.update(self.base_vars)
            self._mark_dirty()

    def _is_open(self) -> bool:
        return bool(self._told_to) and self._told_to == self.router.session.session_id

    def _is_blank(self) -> bool:
        """As every page is built, such as after it has been emptied."""
        fields = self.get_fields()
        return all(self.get_value(name) == fields[name].default_value() for name in self.base_vars)

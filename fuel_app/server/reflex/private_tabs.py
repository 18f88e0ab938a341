"""States sent to one signed-in connection only; tokens of links stay out of tab states."""

from contextvars import ContextVar
from typing import Any
from urllib.parse import urlencode

import reflex as rx
from reflex.app import App
from reflex.istate.data import PageData, URLData
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate, _override_base_method
from reflex_base.constants import RouteVar
from reflex_base.event import Event

from fuel_app import routes


class PrivateScreen(rx.State, mixin=True):
    """A screen with private data, sent only to the connection that was seen signed in.

    The guard keeps strangers from its events. This keeps them from the results of events that began
    earlier: when the browser has signed out meanwhile, or when an attacker connects with the tab's
    token, which is in the address of its websocket.
    """

    _shown_to: str = ""  # the connection
    _is_private: bool = True  # a preview's is not

    @classmethod
    def _is_for(cls, _session: Any) -> bool:
        """Return whether a session's owner may see this screen."""
        return False

    @_override_base_method
    def dict(self, include_computed: bool = True, initial: bool = False, **more: Any) -> Any:
        """Return what a connecting tab is sent; `initial` is what every page is built with."""
        if not initial and not self._is_open():
            return {}
        return super().dict(include_computed, initial, **more)

    @_override_base_method
    def get_delta(self) -> Any:
        """Return what the tab is sent after an event."""
        delta = super().get_delta()
        return delta if self._is_open() or self._is_blank() else {}

    def _open_to(self, connection: str) -> None:
        """Send everything to a connection from now on; to none if it is empty."""
        self._shown_to = connection
        if connection:  # with what was kept back meanwhile
            self.dirty_vars.update(self.base_vars)
            self._mark_dirty()

    def _start_over(self) -> None:
        """Forget everything, and stay open to the connection."""
        connection, is_private = self._shown_to, self._is_private
        self.reset()
        self._is_private = is_private
        self._open_to(connection)

    def _is_open(self) -> bool:
        if not self._is_private:
            return True
        return bool(self._shown_to) and self._shown_to == self.router.session.session_id

    def _is_blank(self) -> bool:
        """Return whether nothing differs from the built page, such as after a reset."""
        fields = self.get_fields()
        return all(self.get_value(name) == fields[name].default_value() for name in self.base_vars)


HIDDEN = "link"  # stands for the token in the state

_token: ContextVar[str] = ContextVar("link_token", default="")


def link_token(tab: rx.State) -> str:
    """Return the token in the address of the page that has sent this event; empty if none."""
    return _token.get() or routes.link_in(tab.router.url.path)


class LinkTokens(Middleware):
    """Cuts the token off the address before an event runs."""

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        root: Any = state._get_root_state()
        link = routes.link_in(root.rx_router_url.path)
        if link != HIDDEN:
            _token.set(link)
        if link and link != HIDDEN:
            before, _, _ = root.rx_router_url.path.rstrip("/").rpartition("/")
            asked = root.rx_router_url.query_parameters
            visit = urlencode({name: asked[name] for name in routes.VISITS if asked.get(name)})
            address = f"{before}/{HIDDEN}" + f"?{visit}" * bool(visit)
            hidden = {RouteVar.ORIGIN: address, RouteVar.QUERY: {}}
            data = {**root.router_data, **hidden}
            root.router_data = data
            root.rx_router_page = PageData.from_router_data(data)
            root.rx_router_url = URLData.from_router_data(data)
        return None

"""Keep the tokens of links out of tab states.

A browser sends its page's address with every event, and Reflex keeps it in the tab's state, from
where it goes to Redis and back to the browser. Here the token is cut off first; the event that runs
reads it with `link_token`.
"""

from contextvars import ContextVar
from typing import Any
from urllib.parse import urlencode

import reflex as rx
from reflex.app import App
from reflex.istate.data import PageData, URLData
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate
from reflex_base.constants import RouteVar
from reflex_base.event import Event

from fuel_app import routes

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
            known = {**root.router_data, **hidden}
            root.router_data = known
            root.rx_router_page = PageData.from_router_data(known)
            root.rx_router_url = URLData.from_router_data(known)
        return None

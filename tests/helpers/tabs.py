"""One browser tab, without a browser."""

from collections.abc import AsyncIterator
from typing import Any

import reflex as rx
from reflex.istate.data import RouterData

SITE = "http://localhost:3000"


def tab_at(
    address: str = "/",
    client_ip: str = "203.0.113.7",
    cookie: str = "",
    connection: str = "connection-1",
) -> rx.State:
    """A tab that has opened an address of the site: the whole state tree."""
    tab = rx.State(_reflex_internal_init=True)  # type: ignore[call-arg]
    go_to(tab, address, client_ip, cookie, connection)
    return tab


def go_to(
    tab: rx.State,
    address: str,
    client_ip: str = "203.0.113.7",
    cookie: str = "",
    connection: str = "connection-1",
) -> None:
    """The tab is at another address, or has another connection."""
    tab.router = RouterData.from_router_data(
        {
            "asPath": address,
            "pathname": address.partition("?")[0],
            "ip": client_ip,
            "sid": connection,
            "headers": {"origin": SITE, "cookie": cookie},
        }
    )


async def run(event: Any) -> list[Any]:
    """Run one event handler to its end, whatever its kind; returns what it sent to the browser."""
    if isinstance(event, AsyncIterator):
        return [sent async for sent in event]
    sent = await event if hasattr(event, "__await__") else event
    return [sent]


def redirected(sent: Any) -> str | None:
    """Where an answer sends the browser; None if it lets it stay."""
    return _argument(sent, "_redirect", "path")


def focused(sent: Any) -> str | None:
    """What an answer sends the focus to: an element's id, as the framework writes it."""
    reference = _argument(sent, "_set_focus", "ref")
    return reference and reference.removeprefix("ref_")


def problems(errors: dict[str, str]) -> dict[str, str]:
    """Return the messages of a form that are shown."""
    return {field: message for field, message in errors.items() if message}


def _argument(sent: Any, event: str, name: str) -> str | None:
    if sent is None or sent.handler.fn.__qualname__ != event:
        return None
    given = {str(key): value for key, value in sent.args}
    return str(given[name]).strip('"')

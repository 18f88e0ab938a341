"""One browser tab, without a browser."""

from collections.abc import AsyncIterator
from typing import Any

import reflex as rx
from reflex.istate.data import RouterData
from reflex.state import BaseState

SITE = "http://localhost:3000"


def tab_at(
    address: str = "/",
    client_ip: str = "203.0.113.7",
    cookie: str = "",
    connection: str = "connection-1",
) -> rx.State:
    """Return the state tree of a tab at an address of the site."""
    tab = rx.State(_reflex_internal_init=True)  # type: ignore[call-arg]
    go_to(tab, address, client_ip, cookie, connection)
    return tab


def go_to(
    tab: BaseState,
    address: str,
    client_ip: str = "203.0.113.7",
    cookie: str = "",
    connection: str = "connection-1",
) -> None:
    """Move the tab to another address or connection."""
    tab.router = RouterData.from_router_data(
        {
            "asPath": address,
            "pathname": address.partition("?")[0],
            "ip": client_ip,
            "sid": connection,
            "headers": {"origin": SITE, "cookie": cookie},
        }
    )


async def unavailable(*_: object, **__: object) -> None:
    """Stand in for a service whose database is unavailable."""
    raise ConnectionError


async def run(event: Any) -> list[Any]:
    """Run an event handler of any kind. Return its answers to the browser."""
    if isinstance(event, AsyncIterator):
        return [sent async for sent in event]
    sent = await event if hasattr(event, "__await__") else event
    return [sent]


async def answer(event: Any) -> Any:
    """Run an event handler of any kind. Return its last answer, None without one."""
    return next(reversed(await run(event)), None)


def redirected(sent: Any) -> str | None:
    """Return the address of a redirect; None for other answers."""
    return _argument(sent, "_redirect", "path")


def focused(sent: Any) -> str | None:
    """Return the id of the element that an answer focuses; None for other answers."""
    reference = _argument(sent, "_set_focus", "ref")
    return reference and reference.removeprefix("ref_")


def problems(errors: dict[str, str]) -> dict[str, str]:
    """Return the messages of a form that are shown."""
    return {field: message for field, message in errors.items() if message}


def _argument(sent: Any, event: str, name: str) -> str | None:
    handler = getattr(sent, "handler", sent)  # one that is sent without arguments is its own
    if sent is None or handler.fn.__qualname__ != event:
        return None
    given = {str(key): value for key, value in sent.args}
    return str(given[name]).strip('"')

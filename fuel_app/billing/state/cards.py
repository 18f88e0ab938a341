"""The way to the provider's page and back, for each screen where a card is added."""

from collections.abc import Awaitable, Callable
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.kit.errors import FAILED, Refusal, problem_of
from fuel_app.kit.ui.share import site_address
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings

log = structlog.get_logger()

# What was done, by the name of the visit in the address.
_DONE = {
    routes.CARD_VISIT: "Card added",
    routes.PAYMENT_VISIT: "Payment confirmed",
    routes.LEFT_VISIT: "Payment confirmed",  # before it was left
}


class TestPayments(rx.State):
    """A setting of the running site, which the built pages do not know."""

    on: bool = settings.test_payments


def back_to(tab: rx.State) -> str:
    """Return the address of the tab's page, to which the provider leads back."""
    return site_address(tab) + tab.router.url.path.rstrip("/")


async def leave(begin: Awaitable[str]) -> tuple[Any, str]:
    """Return the event that leads to the provider's page, or else why there is none."""
    try:
        return rx.redirect(await begin), ""
    except Refusal as refusal:
        return None, str(refusal)
    except Exception:
        log.exception("card.begin_failed")
        return None, FAILED


async def come_back(
    tab: rx.State, finish: Callable[[str], Awaitable[None]], *, to: str = ""
) -> Any:
    """Finish the visit that the address names, and say what has come of it.

    Args:
        to: The path without the visit, by default as the tab has it.

    Returns:
        The event that leaves it out of the address; None where it names none.
    """
    asked = tab.router.url.query_parameters
    done = next((name for name in routes.VISITS if asked.get(name)), None)
    if done is None:
        return None
    problem = await problem_of(finish(asked[done]), "card.finish_failed")
    toast = await tab.get_state(ToastState)
    if problem:
        toast._show(problem, "problem", seconds=8)
    else:
        toast._show(_DONE[done])
    return rx.redirect(to or tab.router.url.path, replace=True)

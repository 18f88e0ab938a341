"""The one list of what waits for staff, from all packages; the worst kind first."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.service import company, prices
from fuel_app.bookings.service import attention as bookings
from fuel_app.companies.service import attention as companies
from fuel_app.dispatch.service import attention as dispatch
from fuel_app.kit import clock
from fuel_app.kit.attention import Attention
from fuel_app.kit.cache import Cached
from fuel_app.kit.db.session import reading
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.signals import (
    AREAS,
    BOOKINGS,
    COMPANIES,
    FIGURES,
    MESSAGES,
    PEOPLE,
    PRICES,
    QUOTES,
    REQUESTS,
    ROUTES,
    SHIFTS,
    TRUCKS,
)
from fuel_app.messages import service as messages
from fuel_app.outcomes.service import attention as money
from fuel_app.outcomes.service import corrections, requests
from fuel_app.submissions import service as submissions

Source = Callable[[AsyncSession, datetime], Awaitable[Attention]]

BEFORE_OPENING: tuple[Source, ...] = (submissions.quotes_unanswered, submissions.next_steps_due)
SOURCES: tuple[Source, ...] = (  # the worst first
    dispatch.stops_at_risk,
    dispatch.fills_to_decide,
    bookings.cards_declined,
    bookings.left_at_work,
    money.disputes,
    money.refunds,
    money.requests,
    money.renewals,
    *BEFORE_OPENING,
    companies.exemptions_to_decide,
    messages.messages_failed,
    companies.permits_ending,
    dispatch.seals_ending,
    prices.prices_old,
)
TOPICS = (
    AREAS,
    BOOKINGS,
    COMPANIES,
    FIGURES,
    MESSAGES,
    PEOPLE,
    PRICES,
    QUOTES,
    REQUESTS,
    ROUTES,
    SHIFTS,
    TRUCKS,
)


@dataclass(frozen=True, slots=True)
class Press:
    """Press on a line: the change it makes, and the text once it is done."""

    run: Callable[[Actor, object], Awaitable[None]]
    done: str


PRESSES = {
    money.REFUNDS.kind: Press(corrections.retry_refund, "Refund on its way"),
    money.REQUESTS.kind: Press(requests.approve, "Approved and done"),
    messages.FAILED_MESSAGES.kind: Press(messages.send_again, "Message on its way"),
}
DECLINES = {money.REQUESTS.kind: Press(requests.decline, "Declined")}


class NothingToPress(Refusal):
    message = "This does not wait any more. You now see the list as it is."


async def _read_all() -> tuple[Attention, ...]:
    """Return what waits: of an open company some 35 statements, for all tabs of this process."""
    sources = SOURCES if await company.is_open() else BEFORE_OPENING
    now = clock.now()
    async with reading() as session:
        found = [await source(session, now) for source in sources]
    return tuple(each for each in found if each.total)


_WAITING = Cached(_read_all, *TOPICS)


async def read_attention(actor: Actor) -> tuple[Attention, ...]:
    """Return the kinds of which something waits that an actor may do something about.

    Nothing else than a clock makes money wait, such as a refund that fails: it is here within a
    minute.
    """
    actor.require(Role.DISPATCHER)
    is_admin = actor.may(Role.ADMIN)
    return tuple(each for each in await _WAITING.get() if is_admin or not each.is_for_admins)


async def press(actor: Actor, kind: object, line_id: object, *, declines: bool = False) -> str:
    """Do what the button of a line does. Return what is said then.

    Args:
        declines: It is the one that says no.

    Raises:
        NotAllowed
        NothingToPress: If the kind has no such button.
        Refusal: As the use case itself raises it.
    """
    actor.require(Role.DISPATCHER)
    presses = DECLINES if declines else PRESSES
    found = presses.get(kind) if isinstance(kind, str) else None
    if found is None:
        raise NothingToPress
    try:
        await found.run(actor, line_id)
    except InvalidForm as wrong:  # there is no form beside the button
        raise Refusal(next(filter(None, wrong.messages.values()))) from None
    finally:
        _WAITING.forget()
    return found.done

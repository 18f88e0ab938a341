"""Money that waits for staff: disputes, failed refunds, unpaid renewals, requests to an admin."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.accounts.service import directory
from fuel_app.billing.queries import attention as queries
from fuel_app.billing.rules.corrections import REQUEST_WORDS
from fuel_app.billing.rules.payments import code_words
from fuel_app.billing.rules.reports import deadline_words
from fuel_app.billing.service.reports import GUEST
from fuel_app.kit import clock
from fuel_app.kit.attention import Attention, Waiting
from fuel_app.kit.money import Money

DISPUTES = Attention(
    "disputes", "Disputes to answer", href=routes.SETTINGS_MONEY, is_for_admins=True
)
REFUNDS = Attention("refunds", "Refunds that failed", href=routes.SETTINGS_MONEY)
REQUESTS = Attention("requests", "Asked of an admin", is_for_admins=True)
RENEWALS = Attention("renewals", "Renewals that were not paid", href=routes.SETTINGS_MONEY)


async def disputes(session: AsyncSession, now: datetime) -> Attention:
    """Return the disputes that wait for evidence, by their deadline: two statements."""
    rows = await queries.unanswered_disputes(session)
    names = await _names(session, [person for _, person, *_ in rows])
    return DISPUTES.with_lines(
        (
            Waiting(
                id=payment_id,
                text=f"{_name(person, names)}, {Money(cents)}",
                detail=f"Answer by: {deadline_words(due_at, now)}",
                href=routes.SETTINGS_MONEY,
            )
            for payment_id, person, cents, due_at, _ in rows
        ),
        rows[0][-1] if rows else 0,
    )


async def owed(session: AsyncSession) -> tuple[int, Money]:
    """Return how many customers owe something, and what together."""
    count, cents = await queries.owed_in_all(session)
    return count, Money(cents)


async def disputed(session: AsyncSession) -> tuple[int, Money]:
    """Return how many payments wait for our evidence, and their sum."""
    count, cents = await queries.disputed_in_all(session)
    return count, Money(cents)


async def refunds(session: AsyncSession, _now: datetime) -> Attention:
    """Return the refunds that failed, the oldest first: two statements."""
    rows = await queries.failed_refunds(session)
    names = await _names(session, [person for _, person, *_ in rows])
    return REFUNDS.with_lines(
        (
            Waiting(
                id=refund_id,
                text=f"{_name(person, names)}, {Money(cents)}",
                detail=f"Begun {clock.date_and_time(at)}",
                href=_place(person),
                act="Try again",
            )
            for refund_id, person, cents, at, _ in rows
        ),
        rows[0][-1] if rows else 0,
    )


async def requests(session: AsyncSession, _now: datetime) -> Attention:
    """Return the amounts that staff ask an admin for, the oldest first: two statements."""
    rows = await queries.open_requests(session)
    asked_by = [row.asked_by for row, *_ in rows]
    names = await _names(session, [*(person for _, person, _ in rows), *asked_by])
    return REQUESTS.with_lines(
        (
            Waiting(
                id=row.id,
                text=f"{_name(person, names)}: {REQUEST_WORDS[row.way]}, {Money(row.amount_cents)}",
                detail=f"{names[row.asked_by]}, {clock.date_and_time(row.asked_at)}: {row.reason}",
                href=_place(person),
                act="Approve",
                decline="Decline",
            )
            for row, person, _ in rows
        ),
        rows[0][-1] if rows else 0,
    )


async def renewals(session: AsyncSession, _now: datetime) -> Attention:
    """Return the renewals that were not paid, the oldest first: two statements."""
    rows = await queries.failed_renewals(session)
    names = await _names(session, [person for _, person, *_ in rows])
    return RENEWALS.with_lines(
        (
            Waiting(
                id=invoice_id,
                text=f"{_name(person, names)}, {Money(cents)}",
                detail=f"{code_words(code)}. Of the period from {clock.short_date(period)}.",
                href=_place(person),
            )
            for invoice_id, person, cents, period, code, _ in rows
        ),
        rows[0][-1] if rows else 0,
    )


async def _names(session: AsyncSession, people: list[str | None]) -> dict[str, str]:
    known = [each for each in people if each]
    return await directory.names_in(session, known) if known else {}


def _name(person: str | None, names: dict[str, str]) -> str:
    return names[person] if person else GUEST


def _place(person: str | None) -> str:
    """Return where a payment is shown: with its customer, or a guest's among all money."""
    return routes.customer_tab(person, "invoices") if person else routes.SETTINGS_MONEY

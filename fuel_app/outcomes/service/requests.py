"""Requests of staff to an admin, for more than they may give: approved or declined once."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries import payers
from fuel_app.billing.rules.corrections import (
    APPROVED,
    DECLINED,
    GIFT,
    REQUEST_WORDS,
    AskedBefore,
    Correction,
    Item,
    RequestGone,
    check,
    most_of,
)
from fuel_app.billing.service import corrections, invoices
from fuel_app.billing.tables import CorrectionRequest, Payer
from fuel_app.kit import clock
from fuel_app.kit.db.session import find_row, get_row, publish, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.signals import REQUESTS
from fuel_app.outcomes.service.corrections import correct_locked, credit_locked, lock_invoice

_SHOWN = 20


async def ask(
    actor: Actor, way: str, person_id: object, invoice_id: object, form: Correction, key: str
) -> None:
    """Ask an admin to correct an invoice, or to give credit (`GIFT`), for the actor.

    Args:
        key: Of the dialog: the same one again asks nothing, and the correction will take it.

    Raises:
        NotAllowed, InvoiceGone
        AskedBefore: If just this waits already, whoever has asked.
        NothingLeft, InvalidForm: As the correction itself would be refused by what is left.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        if way == GIFT:
            whose = well_formed_id(person_id) or ""
            payer_id = (await invoices.payer_of_person(session, whose, lock=True)).id
            of_invoice = None
        else:
            invoice = await lock_invoice(session, actor, invoice_id)
            check(form.amount, most_of(invoices.invoice_of(invoice), way), None)
            payer_id, of_invoice = invoice.payer_id, invoice.id
        if await queries.row_by(session, CorrectionRequest, key=key):
            return
        if await payers.is_requested(session, payer_id, of_invoice, way, form.amount):
            raise AskedBefore
        row = CorrectionRequest(
            key=key,
            way=way,
            payer_id=payer_id,
            invoice_id=of_invoice,
            amount_cents=form.amount.cents,
            reason=form.reason,
            asked_by=str(actor),
        )
        session.add(row)
        await _log(session, actor, "correction_asked", payer_id, way, form)
        publish(session, REQUESTS)


async def approve(actor: Actor, request_id: object) -> None:
    """Do what was asked for, once, as the admin who approves it.

    Raises:
        NotAllowed
        RequestGone: If it is answered already.
        Refusal: As the correction itself raises it; the request goes on waiting.
    """
    async with transaction() as session:
        row = await _answer(session, actor, request_id, APPROVED)
        form = Correction.model_construct(None, amount=Money(row.amount_cents), reason=row.reason)
        if row.invoice_id is None:
            payer = await get_row(session, Payer, row.payer_id, lock=True)
            await credit_locked(session, actor, payer, form, row.key)
        else:
            invoice = await lock_invoice(session, actor, row.invoice_id)
            await correct_locked(session, actor, invoice, row.way, form, row.key)


async def decline(actor: Actor, request_id: object) -> None:
    """Decline what was asked for, once.

    Raises:
        NotAllowed
        RequestGone: If it is answered already.
    """
    async with transaction() as session:
        row = await _answer(session, actor, request_id, DECLINED)
        form = Correction.model_construct(None, amount=Money(row.amount_cents), reason=row.reason)
        await _log(session, actor, "correction_declined", row.payer_id, row.way, form)


async def requests_of(actor: Actor, person_id: object) -> tuple[Item, ...]:
    """Return the last requests about a customer, in words, the newest first."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        payer = await queries.row_by(session, Payer, person_id=well_formed_id(person_id) or "")
        rows = await payers.requests_of(session, payer.id, _SHOWN) if payer else []
    who = await directory.names(each for row in rows for each in (row.asked_by, row.answered_by))
    return tuple(
        Item(REQUEST_WORDS[row.way].capitalize(), _said(row, who), str(Money(row.amount_cents)))
        for row in rows
    )


def _said(row: CorrectionRequest, who: dict[str, str]) -> str:
    asked = f"{row.reason}. Asked by {who[row.asked_by]}, {clock.date_and_time(row.asked_at)}."
    if row.answer:
        return f"{asked} {row.answer.capitalize()} by {who[row.answered_by]}."
    return f"{asked} Waits for an admin."


async def _answer(
    session: AsyncSession, actor: Actor, request_id: object, answer: str
) -> CorrectionRequest:
    """Lock a request before what it is about, and answer it."""
    actor.require(Role.ADMIN)
    row = await find_row(session, CorrectionRequest, well_formed_id(request_id), lock=True)
    if row is None or row.answer:
        raise RequestGone
    row.answer, row.answered_by, row.answered_at = answer, str(actor), clock.now()
    publish(session, REQUESTS)
    return row


async def _log(
    session: AsyncSession, actor: Actor, kind: str, payer_id: str, way: str, form: Correction
) -> None:
    what = f"{REQUEST_WORDS[way].capitalize()}, {form.amount}, {form.reason}"
    await corrections.log_correction(session, actor, kind, payer_id, what)

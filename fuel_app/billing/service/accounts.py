"""Staff look at a customer's invoices and credit."""

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.queries import accounts as queries
from fuel_app.billing.queries import invoices
from fuel_app.billing.rules.accounts import Account, InvoiceCard, Item
from fuel_app.billing.rules.corrections import TO_CARD, TO_CREDIT, WAIVED
from fuel_app.billing.service.cards import card_of
from fuel_app.billing.service.invoicing import invoice_of
from fuel_app.billing.service.paying import payment_of
from fuel_app.billing.tables import CreditEntry, CreditNote, Refund, StoredInvoice, StoredPayment
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money

_WAYS = {TO_CARD: "refunded to the card", TO_CREDIT: "refunded as credit", WAIVED: "waived"}
_REFUNDS = {"new": "on its way", "succeeded": "arrived", "failed": "failed", "retried": "failed"}


async def of_person(actor: Actor, person_id: object) -> Account:
    """Return a customer's account, by seven queries that each use an index."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        payer = await queries.payer_of(session, well_formed_id(person_id) or "")
        if payer is None:
            return Account()
        rows = await queries.latest(session, StoredInvoice, payer.id)
        ids = [row.id for row in rows]
        lines = await invoices.lines_of_all(session, ids)
        payments = await queries.by(session, StoredPayment.invoice_id, ids)
        notes = await queries.by(session, CreditNote.invoice_id, ids)
        note_ids = [note.id for theirs in notes.values() for note in theirs]
        refunds = await queries.by(session, Refund.credit_note_id, note_ids)
        entries = await queries.latest(session, CreditEntry, payer.id)
    actors = {note.actor for theirs in notes.values() for note in theirs}
    who = await directory.names(actors | {entry.actor for entry in entries})

    def note_of(row: CreditNote) -> Item:
        theirs = refunds[row.id]
        said = (row.reason, _made(row, who), *(f"refund {_REFUNDS[each.state]}" for each in theirs))
        failed = next((each.id for each in theirs if each.state == "failed"), "")
        text, amount = f"CN-{row.number:06}, {_WAYS[row.way]}", str(Money(row.amount_cents))
        return Item(text, ". ".join(said), amount, failed)

    invoice_cards = [
        InvoiceCard.of(
            invoice_of(row, lines.get(row.id, ())),
            [payment_of(each) for each in payments[row.id]],
            tuple(note_of(each) for each in notes[row.id]),
        )
        for row in rows
    ]
    changes = [Item(each.text, _made(each, who), str(Money(each.amount_cents))) for each in entries]
    card = card_of(payer).name
    return Account(tuple(invoice_cards), str(Money(payer.credit_cents)), tuple(changes), card)


def _made(row: CreditNote | CreditEntry, who: dict[str, str]) -> str:
    return f"{who[row.actor]}, {clock.date_and_time(row.at)}"

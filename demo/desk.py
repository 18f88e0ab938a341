"""What the office of the demo does: notes about customers, a refund, a dispute, waves."""

from datetime import timedelta

from demo.company import Company
from demo.customers import actor_of
from demo.people import Customer
from fuel_app.billing.providers.stand_in.objects import DISPUTE, add, seconds
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.corrections import TO_CARD, Correction
from fuel_app.billing.rules.invoices import FILL, Invoice
from fuel_app.billing.service import invoices
from fuel_app.customers.rules.customers import NewNote
from fuel_app.customers.service import directory
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.launch.service import waves
from fuel_app.outcomes.service import corrections as outcomes_corrections
from fuel_app.outcomes.service import webhooks

NOTES = (
    "Likes a call ten minutes before we come.",
    "Asked by phone whether diesel cans are filled, too: no.",
    "The gate code changes on the first of each month; ask for it.",
)
_MUCH = Money(10_00)
_SORRY = {"amount": "5", "reason": "We came an hour after the window"}


async def write_note(company: Company, who: Customer) -> None:
    if who.person_id:  # has signed up by now
        note = NewNote.parse({"text": NOTES[who.number % len(NOTES)]})
        await directory.add_note(company.dispatcher, who.person_id, note)


async def refund(company: Company, who: Customer) -> None:
    """Give a part of the latest fill back."""
    for invoice in await _fills(who):
        form = Correction.parse(_SORRY)
        key = f"demo:{who.number}"
        await outcomes_corrections.correct_invoice(
            company.dispatcher, invoice.id, TO_CARD, form, key
        )


async def dispute(who: Customer) -> None:
    """Let a customer's bank ask for the latest fill back."""
    for invoice in await _fills(who):
        async with transaction() as session:
            [payment, *_] = await queries.payments_of(session, invoice.id)
            about = {"amount": payment.amount_cents, "payment_intent": payment.provider_id}
            due = {"evidence_details": {"due_by": seconds(timedelta(days=10))}}
            about |= {"status": "needs_response"} | due
            made = add(session, DISPUTE, payment.provider_id or "", **about)
        await webhooks.sync_dispute(made.id)


async def _fills(who: Customer) -> list[Invoice]:
    """Return the latest paid fill of a customer, if there is one; some were free."""
    own = await invoices.invoices_of(actor_of(who))
    return [each for each in own if each.kind == FILL and each.paid > _MUCH][:1]


async def invite(company: Company, area_id: str) -> None:
    """Start the waves that invite those who waited for an area."""
    await waves.step_waves("start", area_id, actor=company.admin)

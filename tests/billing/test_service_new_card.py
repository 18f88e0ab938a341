"""A new card pays what is open, once."""

from fuel_app.accounts.rules import Session
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.rules.invoices import OPEN, PAID
from fuel_app.billing.tables import Payer
from fuel_app.outcomes.service import charges, checkouts
from tests.billing.test_service_cards import added, by
from tests.helpers.bank import an_invoice, invoice, stored_payments
from tests.helpers.jobs import run_due
from tests.helpers.people import rows

__all__ = ["by"]


async def an_unpaid_invoice(by: Session) -> str:
    """Return the id of an invoice whose charge was declined."""
    await added(by, "insufficient_funds")
    (payer,) = await rows(Payer)
    owed = await an_invoice(payer, 1500)
    await charges.settle_invoice(owed.id, "1")
    return owed.id


async def test_what_is_unpaid_is_charged_once_to_a_new_card_while_the_customer_waits(by):
    owed = await an_unpaid_invoice(by)
    visit = await added(by)
    assert (await invoice(owed)).state == PAID
    await checkouts.finish_checkout(by.person_id, visit)
    await run_due()
    assert [row.state for row in await stored_payments()] == ["failed", "succeeded"]


async def test_new_card_counts_while_the_provider_is_down_and_its_jobs_charge_it_later(by):
    owed = await an_unpaid_invoice(by)
    faults().fail_next("503", on="payment_intents")
    await added(by)
    assert (await invoice(owed)).state == OPEN
    await run_due()
    assert (await invoice(owed)).state == PAID

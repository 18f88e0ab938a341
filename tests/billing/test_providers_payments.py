"""Holds, charges and refunds by Stripe's library, on the stand-in."""

from datetime import timedelta

import pytest

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in import payments
from fuel_app.billing.providers.stand_in.objects import add_card
from fuel_app.billing.providers.stripe import Rejected
from fuel_app.kit import clock
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.money import Money
from tests.helpers.stripe import (
    FORTY,
    a_charge,
    a_customer,
    a_customer_with_card,
    a_hold,
    close_dispute,
    expire_hold,
    fail_refund,
    open_dispute,
)

pytestmark = pytest.mark.usefixtures("sqlite_database")

DECLINES = {
    "declined": "generic_decline",
    "declined_later": "generic_decline",
    "insufficient_funds": "insufficient_funds",
    "expires": "expired_card",
    "needs_confirmation": "authentication_required",
}


async def test_hold_is_captured_in_part_and_read_anew():
    held = await a_hold()
    assert (held.status, held.received) == ("requires_capture", Money(0))
    assert held.capture_before
    assert timedelta(days=4) < held.capture_before - clock.now() < timedelta(days=5)
    captured = await stripe.capture(held.id, amount=Money(3_150), key="capture")
    assert (captured.status, captured.received) == ("succeeded", Money(3_150))
    assert await stripe.read_intent(held.id) == captured


async def test_charge_succeeds_at_once_and_carries_our_id():
    customer_id, card_id = await a_customer_with_card()
    payment_id = new_id()
    about = {"customer_id": customer_id, "card_id": card_id, "amount": FORTY, "text": "Plan"}
    charged = await stripe.charge(payment_id, **about)
    assert (charged.status, charged.received, charged.code) == ("succeeded", FORTY, "")
    assert charged.payment_id == payment_id
    assert await stripe.charge(payment_id, **about) == charged


@pytest.mark.parametrize(("test_card", "code"), DECLINES.items())
@pytest.mark.parametrize("pay", [a_hold, a_charge])
async def test_declined_card_is_a_failed_intent_with_its_code(pay, test_card, code):
    failed = await pay(test_card)
    assert (failed.status, failed.code, failed.received) == ("failed", code, Money(0))
    assert (await stripe.read_intent(failed.id)).code == code


async def test_removed_card_is_rejected():
    customer_id, card_id = await a_customer_with_card()
    await stripe.detach_card(card_id)
    with pytest.raises(Rejected) as rejected:
        await stripe.charge(
            new_id(), customer_id=customer_id, card_id=card_id, amount=FORTY, text="Plan"
        )
    assert rejected.value.code == "resource_missing"


async def test_amount_below_stripes_minimum_is_rejected():
    with pytest.raises(Rejected, match="amount_too_small"):
        await a_charge(amount=Money(49))


async def test_same_key_with_another_card_returns_the_first_payment():
    customer_id, card_id = await a_customer_with_card()
    payment_id = new_id()
    about = {"customer_id": customer_id, "amount": FORTY, "text": "Plan"}
    first = await stripe.charge(payment_id, card_id=card_id, **about)
    again = await stripe.charge(payment_id, card_id=await add_card(customer_id), **about)
    assert again == first
    other = await a_customer()
    with pytest.raises(Rejected, match="idempotency_error"):
        await stripe.charge(
            payment_id, customer_id=other, card_id=card_id, amount=FORTY, text="Plan"
        )


async def test_capture_above_the_authorisation_is_rejected():
    held = await a_hold()
    with pytest.raises(Rejected, match="amount_too_large"):
        await stripe.capture(held.id, amount=Money(4_001), key="capture")
    assert (await stripe.read_intent(held.id)).status == "requires_capture"
    with pytest.raises(Rejected, match="parameter_invalid_integer"):
        await stripe.capture(held.id, amount=Money(0), key="nothing")


async def test_captured_hold_is_returned_whatever_the_key():
    held = await a_hold()
    captured = await stripe.capture(held.id, amount=FORTY, key="first")
    assert await stripe.capture(held.id, amount=FORTY, key="second") == captured
    assert await stripe.release(held.id, key="release") == captured


async def test_expired_hold_cannot_be_captured_any_more():
    held = await a_hold()
    await expire_hold(held.id)
    with pytest.raises(Rejected, match="payment_intent_unexpected_state"):
        await stripe.capture(held.id, amount=FORTY, key="capture")
    assert (await stripe.release(held.id, key="release")).status == "canceled"


async def test_hold_expires_by_itself(monkeypatch):
    held = await a_hold()
    later = clock.now() + payments.HOLD_LASTS
    monkeypatch.setattr(clock, "now", lambda: later)
    with pytest.raises(Rejected, match="payment_intent_unexpected_state"):
        await stripe.capture(held.id, amount=FORTY, key="capture")
    assert (await stripe.read_intent(held.id)).status == "canceled"


async def test_payment_is_found_by_our_id_among_many():
    customer_id, card_id = await a_customer_with_card()
    about = {"customer_id": customer_id, "card_id": card_id, "amount": FORTY, "text": "Plan"}
    ids = [new_id() for _ in range(5)]
    made = [await stripe.charge(payment_id, **about) for payment_id in ids]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fuel_app.billing.providers.stripe._PAGE", 2)
        for intent in made:
            assert await stripe.find_intent(customer_id, intent.payment_id) == intent
        assert await stripe.find_intent(customer_id, new_id()) is None
    assert await stripe.find_intent(await a_customer(), ids[0]) is None


async def test_refunds_end_at_what_was_paid():
    paid = await a_charge()
    refund_id = new_id()
    for _ in range(2):
        made = await stripe.refund(refund_id, intent_id=paid.id, amount=Money(1_500))
        assert (made.status, made.refund_id) == ("succeeded", refund_id)
        assert await stripe.read_refund(made.id) == made
    with pytest.raises(Rejected, match="amount_too_large"):
        await stripe.refund(new_id(), intent_id=paid.id, amount=Money(2_501))
    await stripe.refund(new_id(), intent_id=paid.id, amount=Money(2_500))
    with pytest.raises(Rejected, match="charge_already_refunded"):
        await stripe.refund(new_id(), intent_id=paid.id, amount=Money(100))


async def test_refund_that_the_bank_sends_back_has_failed():
    paid = await a_charge()
    made = await stripe.refund(new_id(), intent_id=paid.id, amount=FORTY)
    await fail_refund(made.id)
    assert (await stripe.read_refund(made.id)).status == "failed"
    await stripe.refund(new_id(), intent_id=paid.id, amount=FORTY)


async def test_dispute_is_read_anew():
    paid = await a_charge()
    dispute_id = await open_dispute(paid.id)
    opened = await stripe.read_dispute(dispute_id)
    assert (opened.status, opened.intent_id, opened.amount) == ("needs_response", paid.id, FORTY)
    assert opened.due_at is not None
    assert opened.due_at > clock.now()
    await close_dispute(dispute_id, "won")
    assert (await stripe.read_dispute(dispute_id)).status == "won"


@pytest.mark.parametrize(
    "read", [stripe.read_intent, stripe.read_refund, stripe.read_dispute, stripe.read_card]
)
async def test_unknown_object_is_rejected(read):
    with pytest.raises(Rejected, match="resource_missing"):
        await read("pi_unknown")

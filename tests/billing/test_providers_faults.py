"""Stripe that is slow, down, answers twice or answers too late: nothing happens twice."""

import asyncio
from datetime import timedelta

import pytest
from sqlmodel import select

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers import stripe as module
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.providers.stripe import Intent, Rejected, Unavailable
from fuel_app.billing.tables import StandInObject
from fuel_app.kit.db.session import reading
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.money import Money
from tests.helpers.stripe import FORTY, a_charge, a_customer_with_card, a_hold

ON_SQLITE = pytest.mark.usefixtures("sqlite_database")


async def stored(kind: str) -> int:
    async with reading() as session:
        found = await session.scalars(select(StandInObject).where(StandInObject.kind == kind))
        return len(list(found))


async def charge(payment_id: str, customer_id: str, card_id: str) -> Intent:
    return await stripe.charge(
        payment_id, customer_id=customer_id, card_id=card_id, amount=FORTY, text="Plan"
    )


@ON_SQLITE
@pytest.mark.parametrize("fault", ["500", "503", "409", "429", "down", "lost", "slow"])
async def test_unknown_outcome_is_unavailable_and_its_key_charges_once(fault):
    who = await a_customer_with_card()
    payment_id = new_id()
    faults().fail_next(fault, times=1 if fault == "429" else 3)  # no retries of a rate limit
    with pytest.raises(Unavailable):
        await charge(payment_id, *who)
    assert await stored("payment_intent") == (fault in {"lost", "slow"})
    paid = await charge(payment_id, *who)
    assert paid == await stripe.find_intent(who[0], payment_id)
    assert (paid.status, await stored("payment_intent")) == ("succeeded", 1)


@ON_SQLITE
@pytest.mark.parametrize("fault", ["500", "503", "409", "down", "lost", "slow"])
async def test_library_retries_with_the_same_key(fault):
    who = await a_customer_with_card()
    faults().fail_next(fault, times=2)
    assert (await charge(new_id(), *who)).status == "succeeded"
    assert await stored("payment_intent") == 1


@ON_SQLITE
async def test_silent_provider_keeps_a_press_no_longer_than_one_timeout(monkeypatch):
    who = await a_customer_with_card()
    payment_id = new_id()
    with monkeypatch.context() as silence:
        silence.setattr(module, "_TIMEOUT_S", 0.2)
        silence.setattr(faults(), "delay", timedelta(seconds=30))
        with pytest.raises(Unavailable):
            await asyncio.wait_for(charge(payment_id, *who), 5)
    assert (await charge(payment_id, *who)).status == "succeeded"
    assert await stored("payment_intent") == 1


@ON_SQLITE
async def test_declined_charge_whose_answer_was_lost_is_declined_again():
    who = await a_customer_with_card("insufficient_funds")
    payment_id = new_id()
    faults().fail_next("lost")
    with pytest.raises(Unavailable):
        await charge(payment_id, *who)
    assert (await charge(payment_id, *who)).code == "insufficient_funds"
    assert await stored("payment_intent") == 1


@ON_SQLITE
async def test_capture_and_refund_whose_answers_were_lost_happen_once():
    held = await a_hold()
    faults().fail_next("lost", on="capture")
    with pytest.raises(Unavailable):
        await stripe.capture(held.id, amount=FORTY, key="capture")
    captured = await stripe.capture(held.id, amount=FORTY, key="capture")
    assert captured.received == FORTY
    refund_id = new_id()
    about = {"intent_id": held.id, "amount": Money(1_000)}
    await stripe.refund(refund_id, **about)
    assert await stripe.refund(refund_id, **about) == await stripe.refund(refund_id, **about)
    assert await stored("refund") == 1


@pytest.mark.usefixtures("database")
async def test_calls_at_once_with_one_key_make_one_payment():
    who = await a_customer_with_card()
    payment_id = new_id()
    made = await asyncio.gather(*(charge(payment_id, *who) for _ in range(5)))
    assert len({intent.id for intent in made}) == 1
    assert await stored("payment_intent") == 1


@ON_SQLITE
async def test_bug_of_the_stand_in_is_no_outage(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("fuel_app.billing.providers.stand_in.transport.decoded", broken)
    with pytest.raises(ZeroDivisionError):
        await a_charge()


@ON_SQLITE
@pytest.mark.parametrize("status", ["401", "403"])
async def test_refused_key_is_an_outage_not_a_decline(status):
    faults().fail_next(status, times=1)
    with pytest.raises(Unavailable):
        await stripe.read_intent("pi_1")


@ON_SQLITE
async def test_log_holds_neither_secrets_nor_names(logged):
    with pytest.raises(Rejected):
        await stripe.create_customer(new_id(), name="Ada Lovelace", email="")
    faults().fail_next("500")
    with pytest.raises(Unavailable):
        await stripe.create_customer(new_id(), name="Ada Lovelace", email="ada@example.com")
    assert [entry["event"] for entry in logged] == ["stripe.rejected", "stripe.unavailable"]
    assert not {word for word in ("Ada", "ada@", module._NO_KEY) if word in str(logged)}


def test_key_reaches_stripe_with_the_pinned_version(configure):
    configure(module, stripe_secret_key="sk_test_1", stripe_webhook_secret="whsec_1")
    options = stripe.client()._requestor._options
    assert (options.api_key, options.stripe_version) == ("sk_test_1", module.API_VERSION)
    assert options.max_network_retries == 2

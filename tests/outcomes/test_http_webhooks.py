"""Stripe's webhooks over HTTP: signed, recent, each once."""

import json
import time

import pytest
from sqlmodel import col, select
from stripe import WebhookSignature
from structlog.testing import capture_logs

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers import stripe as module
from fuel_app.billing.providers.stand_in import objects
from fuel_app.billing.providers.stripe import BadSignature, read_event
from fuel_app.billing.tables import WebhookEvent
from fuel_app.kit.db.session import reading
from fuel_app.outcomes.service import webhooks
from tests.helpers.jobs import run_due
from tests.helpers.stripe import FORTY, a_hold

pytestmark = pytest.mark.usefixtures("sqlite_database")


ADDRESS = "/api/webhooks/stripe"
ABOUT = {"type": "payment_intent.succeeded", "id": "pi_1", "object": "payment_intent", "at": 0}
BODY = objects.signed("1", ABOUT)[0]


def signature(secret: str = "", age_s: int = 0, body: bytes = BODY) -> str:
    at = int(time.time()) - age_s
    secret = secret or objects.secret()
    return WebhookSignature.generate_signature_header(body.decode(), secret, at)


async def post(browser, signed: str | None, body: bytes = BODY):
    headers = {"stripe-signature": signed} if signed is not None else {}
    return await browser.post(ADDRESS, content=body, headers=headers)


async def noted() -> list[str]:
    async with reading() as session:
        return list(await session.scalars(select(WebhookEvent.object_id)))


async def test_signed_event_is_noted_once(browser):
    for _ in range(5):
        answer = await post(browser, signature())
        assert (answer.status_code, answer.content) == (204, b"")
    assert await noted() == ["pi_1"]


@pytest.mark.parametrize(
    "signed",
    [
        None,
        "",
        "nonsense",
        "t=1,v1=é".encode(),
        f"t={'9' * 5000},v1=0",
        signature("whsec_of_another"),
        signature(age_s=301),
        signature(age_s=-86_400),
        signature().replace("v1=", "v0="),
        signature(body=BODY + b" "),
    ],
    ids=[
        *("none", "empty", "nonsense", "not ASCII", "huge"),
        *("forged", "old", "ahead", "scheme", "changed"),
    ],
)
async def test_bad_signature_is_refused(browser, signed):
    assert (await post(browser, signed)).status_code == 400
    assert await noted() == []


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"nonsense"])
async def test_body_that_is_no_event_is_refused(browser, body):
    text = body.decode(errors="replace").encode()
    assert (await post(browser, signature(body=text), body)).status_code == 400


@pytest.mark.parametrize(
    "changes",
    [
        {"id": None},
        {"id": ["evt_1"]},
        {"id": "e" * 101},
        {"id": ""},
        {"id": "evt\x00"},
        {"id": "evt\ud800"},
        {"type": None},
        {"type": "t" * 101},
        {"data": None},
        {"data": {}},
        {"data": {"object": None}},
        {"data": {"object": {"id": ["pi_1"]}}},
        {"data": {"object": {"id": "p" * 101}}},
        {},
        [],
        "an event",
        None,
    ],
    ids=str,
)
async def test_signed_body_that_is_no_event_is_refused_in_words_and_logged_once(browser, changes):
    known = json.loads(BODY)
    body = json.dumps(known | changes if changes and isinstance(changes, dict) else changes)
    with capture_logs() as logged:
        answer = await post(browser, signature(body=body.encode()), body.encode())
    assert (answer.status_code, answer.text) == (400, "This is no event.")
    assert [each["event"] for each in logged if each["log_level"] != "info"] == [
        "stripe.malformed_webhook"
    ]
    assert await noted() == []


@pytest.mark.parametrize("age_s", [299, -290])
async def test_signature_of_five_minutes_around_now_is_good(browser, age_s):
    assert (await post(browser, signature(age_s=age_s))).status_code == 204


async def test_event_without_an_object_of_its_own_is_ignored(browser):
    event = json.loads(BODY) | {"type": "balance.available", "data": {"object": {}}}
    body = json.dumps(event).encode()
    assert (await post(browser, signature(body=body), body)).status_code == 204
    assert await noted() == [""]


async def test_huge_body_is_refused_unread(browser):
    assert (await post(browser, signature(), b"x" * 300_000)).status_code == 413


async def test_stripe_sends_again_what_could_not_be_noted(browser, monkeypatch):
    async def no_database(*_):
        raise OSError("the database is away")

    monkeypatch.setattr(webhooks, "receive", no_database)
    assert (await post(browser, signature())).status_code == 503


async def test_burst_of_events_is_not_rate_limited(browser):
    for n in range(50):
        body = BODY.replace(b"evt_1", b"evt_%d" % n)
        assert (await post(browser, signature(body=body), body)).status_code == 204
    assert len(await noted()) == 50


@pytest.mark.parametrize("secret", ["whsec_old", "whsec_new"])
def test_both_secrets_hold_while_one_is_rolled(configure, secret):
    both = {"stripe_secret_key": "sk_test_1", "stripe_webhook_secret": "whsec_old,whsec_new"}
    configure(module, **both)
    event = read_event(BODY, signature(secret))
    assert (event.id, event.type, event.object_id) == ("evt_1", ABOUT["type"], "pi_1")
    with pytest.raises(BadSignature):  # the stand-in's counts no more
        read_event(BODY, signature())


async def test_stand_in_sends_signed_events_of_what_it_changes():
    held = await a_hold()
    await stripe.capture(held.id, amount=FORTY, key="capture")
    await run_due()
    async with reading() as session:
        heard = list(await session.scalars(select(WebhookEvent).order_by(col(WebhookEvent.id))))
    assert [(event.type, event.object_id, event.outcome) for event in heard] == [
        ("payment_intent.amount_capturable_updated", held.id, "unmatched"),
        ("payment_intent.succeeded", held.id, "unmatched"),
    ]

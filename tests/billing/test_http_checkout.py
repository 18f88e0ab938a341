"""The stand-in's page, where a visitor chooses a test card."""

import pytest

from fuel_app import routes
from fuel_app.billing import http
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import TEST_CARDS
from fuel_app.billing.providers.stripe import CheckoutSession
from fuel_app.kit import clock
from fuel_app.kit.db.tables import new_id
from tests.helpers.stripe import FORTY, a_customer

pytestmark = pytest.mark.usefixtures("sqlite_database")

SITE = "http://testserver"
BACK = {"success_url": f"{SITE}/billing?card={{CHECKOUT_SESSION_ID}}", "cancel_url": f"{SITE}/back"}


async def setup(customer_id: str = "") -> CheckoutSession:
    return await stripe.begin_setup(new_id(), customer_id=customer_id or await a_customer(), **BACK)


async def payment(customer_id: str) -> CheckoutSession:
    return await stripe.begin_hosted(
        "ours",
        amount=FORTY,
        customer_id=customer_id,
        text="Fill <b>",
        success_url=BACK["success_url"],
        cancel_url=BACK["cancel_url"],
    )


async def choose(browser, visit: CheckoutSession, card: str):
    return await browser.post(visit.url, data={"card": card})


async def test_visitor_adds_a_card(browser):
    customer_id = await a_customer()
    visit = await setup(customer_id)
    assert visit.url == f"{SITE}/test-checkout/{visit.id}"
    assert (visit.is_complete, visit.is_expired, visit.card_id) == (False, False, "")
    page = await browser.get(visit.url)
    assert "Test payments: no money moves" in page.text
    assert "<button>Add card</button>" in page.text
    assert all(f'value="{kind}"' in page.text for kind in TEST_CARDS)
    assert "form-action 'self'" in page.headers["content-security-policy"]
    answer = await choose(browser, visit, "works")
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        f"{SITE}/billing?card={visit.id}",
    )
    done = await stripe.read_session(visit.id)
    assert done.is_complete
    card = await stripe.read_card(done.card_id)
    assert (card.last4, card.customer_id) == ("4242", customer_id)
    assert (await browser.get(f"/test-checkout/{visit.id}")).headers["location"] == answer.headers[
        "location"
    ]


async def test_declined_card_is_not_added_and_another_can_be(browser):
    visit = await setup()
    page = await choose(browser, visit, "declined")
    assert page.status_code == 200
    assert "Your card was declined." in page.text
    assert not (await stripe.read_session(visit.id)).is_complete
    assert (await choose(browser, visit, "expires")).status_code == 303


async def test_visitor_pays_what_the_bank_wants_confirmed(browser):
    customer_id = await a_customer()
    visit = await payment(customer_id)
    page = await browser.get(visit.url)
    assert "<button>Confirm $40.00</button>" in page.text
    assert 'value="needs_confirmation" checked' in page.text
    assert "Fill &lt;b&gt;: <strong>$40.00</strong>" in page.text
    assert "Decline</button>" in page.text
    both = {"card": ["needs_confirmation", "declined"]}  # the chosen card, then the button
    assert "Your card was declined." in (await browser.post(visit.url, data=both)).text
    assert (await choose(browser, visit, "insufficient_funds")).status_code == 200
    tried = await stripe.read_session(visit.id)
    assert (tried.is_complete, tried.card_id) == (False, "")
    assert (await stripe.read_intent(tried.intent_id)).status == "failed"
    assert (await choose(browser, visit, "needs_confirmation")).status_code == 303
    done = await stripe.read_session(visit.id)
    assert (done.is_complete, done.intent_id) == (True, tried.intent_id)
    paid = await stripe.read_intent(done.intent_id)
    assert (paid.status, paid.received, paid.payment_id) == ("succeeded", FORTY, "ours")
    assert (await stripe.read_card(done.card_id)).customer_id == customer_id


async def test_expired_visit_adds_nothing(browser):
    visit = await setup()
    for _ in range(2):
        await stripe.expire_session(visit.id)
    assert (await stripe.read_session(visit.id)).is_expired
    for answer in (await choose(browser, visit, "works"), await browser.get(visit.url)):
        assert (answer.status_code, answer.headers["location"]) == (303, f"{SITE}/back")
    assert not (await stripe.read_session(visit.id)).card_id


async def test_visit_expires_after_a_day(monkeypatch):
    visit = await setup()
    later = clock.now() + http.payments._SESSION_LASTS
    monkeypatch.setattr(clock, "now", lambda: later)
    assert (await stripe.read_session(visit.id)).is_expired


async def test_completed_visit_is_not_expired(browser):
    visit = await setup()
    await choose(browser, visit, "works")
    await stripe.expire_session(visit.id)
    assert (await stripe.read_session(visit.id)).is_complete


@pytest.mark.parametrize("card", ["", "diamond", "works&card=works", "\ufffd"])
async def test_unknown_card_is_refused(browser, card):
    visit = await setup()
    assert (await choose(browser, visit, card)).status_code == 400
    assert (await browser.post(visit.url)).status_code == 400


async def test_huge_form_is_refused(browser):
    visit = await setup()
    assert (await choose(browser, visit, "x" * 2_000)).status_code == 413


async def test_page_is_not_there_for_unknown_visits_or_with_a_key(browser, configure):
    visit = await setup()
    assert (await browser.get(routes.test_checkout("cs_test_unknown"))).status_code == 404
    configure(http, stripe_secret_key="sk_test_1", stripe_webhook_secret="whsec_1")
    assert (await browser.get(visit.url)).status_code == 404
    assert (await choose(browser, visit, "works")).status_code == 404

"""Unsubscribing by link, and text messages to us, over HTTP."""

from urllib.parse import urlencode, urlsplit

import pytest

from fuel_app.kit import outbox, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.messages import http, providers
from fuel_app.messages import service as messages
from fuel_app.messages.rules.delivery import ConsentNeeded, PhoneStopped
from tests.factories import UNKNOWN_ID
from tests.helpers.mail_server import text_of
from tests.helpers.outbox import sent
from tests.helpers.people import a_person
from tests.messages.twilio import SETTINGS, signature

pytestmark = pytest.mark.usefixtures("sqlite_database")

PHONE, NUMBER = "9415550123", "+19415550123"
NEW = "new@example.com"
WEBHOOK = "/api/webhooks/twilio"
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


async def link_of(inbox, kind: str, **to) -> str:
    """Send a message. Return the address by which mail programs unsubscribe."""
    await sent(kind, {"submission": "x"}, **to)
    address = urlsplit(inbox.last()["List-Unsubscribe"].strip("<>"))
    assert address.path == "/unsubscribe"
    assert f"{address.path}?{address.query}" in text_of(inbox.last(), "html")
    return f"{address.path}?{address.query}"


async def test_opening_the_link_ends_nothing(browser, inbox, at_noon):
    person = await a_person()
    link = await link_of(inbox, "day_before", person_id=person.id)
    for method in ("GET", "HEAD"):
        assert (await browser.request(method, link)).status_code == 200
    page = await browser.get(link)
    assert "<button>Unsubscribe</button>" in page.text
    assert "Day before" in page.text
    assert page.headers["cache-control"] == "no-store"
    assert (await messages.preferences_of(person.id)).day_before


async def test_mail_program_unsubscribes_by_one_click(browser, inbox, at_noon):
    person = await a_person()
    link = await link_of(inbox, "day_before", person_id=person.id)
    for _ in range(2):  # a used link answers alike
        answer = await browser.post(link, data=ONE_CLICK)
        assert (answer.status_code, answer.cookies) == (200, {})
        assert "You are unsubscribed" in answer.text
    chosen = await messages.preferences_of(person.id)
    assert (chosen.day_before, chosen.hour_before, chosen.email) == (False, True, True)
    row = await sent("day_before", person_id=person.id)
    assert row.state == "skipped"


async def test_message_without_a_switch_of_its_own_turns_mail_off(browser, inbox, at_noon):
    person = await a_person()
    link = await link_of(inbox, "arrived", person_id=person.id)
    assert "not about money" in (await browser.get(link)).text
    other_site = await browser.post(link, headers={"origin": "https://evil.example"})
    assert other_site.status_code == 403
    assert (await messages.preferences_of(person.id)).email
    own = await browser.post(link, headers={"origin": "http://testserver"})
    assert own.status_code == 200
    assert not (await messages.preferences_of(person.id)).email
    assert (await sent("payment_failed", person_id=person.id)).state == "sent"
    async with transaction() as session:  # the account is deleted
        await outbox.erase(session, outbox.about(person.id, "ada@example.com"))
    assert (await browser.post(link)).status_code == 404


async def test_address_of_no_person_is_unsubscribed_until_it_is_a_persons(browser, inbox):
    await browser.post(await link_of(inbox, "waitlist_welcome", to=NEW))
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    assert (row.state, row.error) == ("skipped", "The recipient has unsubscribed.")
    person = await a_person(email=NEW)
    assert (await sent("arrived", person_id=person.id)).state == "sent"


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_link_that_is_none_of_ours_or_of_a_security_mail_is_explained(browser, inbox, method):
    row = await sent("new_sign_in", person_id=(await a_person()).id)
    assert "nsubscribe" not in str(inbox.last())
    for token in ("", "x", "é", f"{UNKNOWN_ID}.x", secrets.token("unsubscribe", row.id)):
        answer = await browser.request(method, "/unsubscribe", params={"t": token})
        assert answer.status_code == 404
        assert "This link is incomplete" in answer.text


@pytest.fixture
def signed(configure, browser):
    """Return a function that sends a webhook as Twilio does."""
    configure(providers, **SETTINGS)
    configure(http, site_url="https://fuel.example")

    async def send(form: dict[str, str], sign: str | None = None, query: str = ""):
        address = f"{WEBHOOK}{query}"
        given = signature(f"https://fuel.example{address}", form) if sign is None else sign
        headers = {
            "X-Twilio-Signature": given,
            "content-type": "application/x-www-form-urlencoded",
        }
        return await browser.post(address, content=urlencode(form), headers=headers)

    return send


async def test_stop_and_start_are_honoured_at_once(signed):
    for text, stopped in (("Stop.", True), ("START", False), ("opt out", True), ("unstop", False)):
        answer = await signed({"From": NUMBER, "Body": text, "Empty": ""})
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/xml")
        assert "<Response><Message>Gulfside Fuel: you get" in answer.text
        assert isinstance(await messages.text_refusal(PHONE), PhoneStopped) is stopped


async def test_help_and_other_texts_change_nothing(signed):
    answer = await signed({"From": NUMBER, "Body": "help"}, query="?a=1")
    assert "(941) 555-0100" in answer.text
    for form in (
        {"From": NUMBER, "Body": "Please do not stop at the gate"},
        {"From": "+4917012345678", "Body": "STOP"},
    ):
        assert (await signed(form)).text.endswith("<Response></Response>")
    for forged in ("", "x"):
        answer = await signed({"From": NUMBER, "Body": "STOP"}, forged)
        assert answer.status_code == 403
    assert isinstance(await messages.text_refusal(PHONE), ConsentNeeded)


async def test_word_that_twilio_has_answered_itself_is_not_answered_again(signed):
    answer = await signed({"From": NUMBER, "Body": "arret", "OptOutType": "STOP"})
    assert answer.text.endswith("<Response></Response>")
    assert isinstance(await messages.text_refusal(PHONE), PhoneStopped)


@pytest.mark.parametrize(
    "body", [b"x" * 20_000, b"&".join(b"a=1" for _ in range(200)), b"\xff=%ff&From=" + b"9" * 9000]
)
async def test_huge_or_odd_body_is_refused(signed, browser, body):
    answer = await browser.post(WEBHOOK, content=body)
    assert answer.status_code in {403, 413}

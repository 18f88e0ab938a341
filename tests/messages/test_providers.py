"""Mail by SMTP and text messages by Twilio, against real servers."""

import ssl
from base64 import b64encode
from urllib.parse import urlsplit

import pytest
from aiosmtplib import SMTP

from fuel_app.messages import providers
from fuel_app.messages.providers import (
    Refused,
    Rejected,
    Rendered,
    Taken,
    Unavailable,
    letter,
    rendered,
    sms_is_signed,
)
from fuel_app.messages.rules.content import CONTENTS, content_of
from tests.helpers.mail_server import text_of
from tests.helpers.outbox import VALUES
from tests.messages.twilio import ACCOUNT, SENDER, SETTINGS, TOKEN, signature

ADA = "ada@example.com"
ID = "019ab000-0000-7000-8000-000000000000"


def a_letter(kind: str = "booking_confirmed", to: str = ADA, **differs: str):
    return letter(ID, to, rendered(content_of(kind, VALUES | differs)))


async def test_mail_has_both_parts_and_its_headers(inbox, configure):
    configure(providers, smtp_url=inbox.url, mail_from="fuel@fuel.example", brand_name="Büro & Öl")
    made = letter(
        ID, ADA, Rendered("Grüße", "Text ⛽", "<p>⛽</p>"), unsubscribe="https://x.example/u"
    )
    assert await providers.send_mail(ADA, made) == ""
    got = inbox.last()
    assert str(got["From"]) == "Büro & Öl <fuel@fuel.example>"
    assert (str(got["To"]), got["Subject"]) == (ADA, "Grüße")
    assert got["Message-ID"] == f"<{ID}@localhost>"
    assert got["Auto-Submitted"] == "auto-generated"
    assert got["List-Unsubscribe"] == "<https://x.example/u>"
    assert got["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert text_of(got).strip() == "Text ⛽"
    assert text_of(got, "html").strip() == "<p>⛽</p>"


@pytest.mark.parametrize("kind", CONTENTS)
def test_mail_is_ascii_on_the_wire(kind, configure):
    configure(providers, brand_name="Büro & Öl")
    made = a_letter(kind, vehicle="2020 Citroën ¢", neighborhood="Łąka ¢", plan="Família")
    assert made.as_bytes().isascii()


def test_mail_has_the_postal_address_where_one_is_set(configure):
    content = content_of("area_open", VALUES)
    assert "1 Bay St" not in rendered(content).text + rendered(content).html
    configure(providers, company_address="1 Bay St, Sarasota, FL 34236")
    shown = rendered(content)
    assert "1 Bay St, Sarasota, FL 34236" in shown.text
    assert "1 Bay St, Sarasota, FL 34236" in shown.html


def test_address_or_subject_that_adds_a_header_is_an_error():
    for to in (f"{ADA}\nBcc: all@example.com", f"{ADA}\r\n\r\nHello", "ada"):
        with pytest.raises(ValueError):  # noqa: PT011 (the parser's own)
            a_letter(to=to)
    with pytest.raises(ValueError, match="linefeed"):
        letter(ID, ADA, Rendered("Hi\nBcc: all@example.com", "", ""))


async def test_server_that_is_away_is_unavailable(configure):
    configure(providers, smtp_url="smtp://127.0.0.1:1")
    with pytest.raises(Unavailable, match="SMTPConnectError"):
        await providers.send_mail(ADA, a_letter())


async def test_server_without_tls_or_sign_in_gets_no_mail(inbox, configure, monkeypatch):
    configure(providers, smtp_url=inbox.url.replace("//", "//user:p%40ss@"))
    with pytest.raises(Unavailable):  # it offers no sign-in
        await providers.send_mail(ADA, a_letter())
    configure(providers, smtp_url=inbox.url)
    monkeypatch.setattr(providers, "_LOCAL", set())
    with pytest.raises(Unavailable):
        await providers.send_mail(ADA, a_letter())
    assert not inbox.mails


@pytest.mark.parametrize(
    ("url", "port", "is_tls", "starts_tls"),
    [
        ("smtp://mail.example.com", 587, False, True),
        ("smtp://user:p%40ss@mail.example.com:25", 25, False, True),
        ("smtps://mail.example.com", 465, True, False),
        ("smtp://localhost:2525", 2525, False, False),
    ],
)
def test_outside_of_this_machine_tls_is_required(url, port, is_tls, starts_tls):
    server: SMTP = providers._connection(urlsplit(url))
    assert (server.port, server.use_tls, server._start_tls_on_connect) == (port, is_tls, starts_tls)
    assert server._login_password in (None, "p@ss")


async def test_broken_end_of_a_connection_is_no_failure(inbox, monkeypatch):
    async def fail(_self: SMTP) -> None:
        raise ssl.SSLError("closed")

    monkeypatch.setattr(SMTP, "quit", fail)
    assert await providers.send_mail(ADA, a_letter()) == ""
    assert len(inbox.mails) == 1


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ("421 Too busy", Unavailable),
        ("452 4.2.2 Mailbox full", Unavailable),
        ("550 5.1.1 No such user", Refused),
        ("554 Delivery refused", Refused),
        ("550 5.7.1 Relay denied", Unavailable),
        ("530 Sign in first", Unavailable),
    ],
)
async def test_answers_to_a_recipient(inbox, answer, failure):
    inbox.answers[ADA] = answer
    with pytest.raises(failure, match=answer[:3]):
        await providers.send_mail(ADA, a_letter())


@pytest.mark.parametrize(
    ("answer", "failure"), [("451 Try later", Unavailable), ("554 5.6.0 No", Rejected)]
)
async def test_answers_to_a_text(inbox, answer, failure):
    inbox.after_data = answer
    with pytest.raises(failure):
        await providers.send_mail(ADA, a_letter())


async def test_text_message_is_sent(twilio):
    taken = await providers.send_sms("9415550123", "Hi ⛽ & bye", message_id=ID)
    assert taken == Taken(provider_id="SM" + "0" * 32)
    assert twilio.asked == [{"To": "+19415550123", "From": SENDER, "Body": "Hi ⛽ & bye"}]
    assert twilio.signed_in == ["Basic " + b64encode(f"{ACCOUNT}:{TOKEN}".encode()).decode()]


async def test_messaging_service_sends_and_a_public_site_asks_for_the_status(twilio, configure):
    service = {"twilio_from": "MG" + "0" * 32}
    configure(providers, **SETTINGS | service, site_url="https://fuel.example")
    await providers.send_sms("9415550123", "Hi", message_id=ID)
    address = f"https://fuel.example/api/webhooks/twilio/status?message={ID}"
    asked = {"To": "+19415550123", "MessagingServiceSid": service["twilio_from"], "Body": "Hi"}
    assert twilio.asked == [asked | {"StatusCallback": address}]


@pytest.mark.parametrize(
    ("answer", "failure", "text"),
    [
        ((400, 21211), Rejected, "400 21211"),  # no such number
        ((400, 21610), Refused, "400 21610"),  # STOP
        ((401, 20003), Unavailable, "401 20003"),
        ((429, 20429), Unavailable, "429 20429"),
        ((500, 0), Unavailable, "500"),
        ((404, 0), Unavailable, "404"),
        ((400, 21606), Unavailable, "400 21606: the sender is no number .*"),
    ],
)
async def test_answers_of_the_text_message_service(twilio, answer, failure, text):
    twilio.answers["+19415550123"] = answer
    with pytest.raises(failure, match=f"^{text}$"):
        await providers.send_sms("9415550123", "Hi", message_id=ID)


@pytest.mark.parametrize("body", ["", "[]", '{"sid": ', "{}"])
async def test_answer_without_an_id_is_taken_all_the_same(twilio, body):
    twilio.body = body
    assert await providers.send_sms("9415550123", "Hi", message_id=ID) == Taken()


@pytest.mark.parametrize(
    ("status", "code", "problem"),
    [
        ("delivered", "", ""),
        ("undelivered", "30007", "Not delivered 30007: a carrier has filtered it"),
        ("failed", "21659", "Not delivered 21659: the sender is no number of this account"),
        ("failed", "12345", "Not delivered 12345"),
        ("failed", "", "Not delivered"),
        ("undelivered", "x", "Not delivered"),
        ("undelivered", "9" * 5_000, "Not delivered"),
        ("undelivered", "٣", "Not delivered"),
    ],
)
def test_status_of_a_text_message_is_read(status, code, problem):
    form = {"MessageSid": "SM1", "MessageStatus": status, "ErrorCode": code}
    assert providers.sms_outcome(form) == providers.Outcome("SM1", problem)
    for on_the_way in ({}, {"MessageStatus": "sent"}, {"MessageStatus": "Delivered"}):
        assert providers.sms_outcome(on_the_way) is None


async def test_service_that_is_away_is_unavailable(configure, monkeypatch):
    configure(providers, **SETTINGS)
    monkeypatch.setattr(providers, "SMS_API", "http://127.0.0.1:1")
    with pytest.raises(Unavailable, match="ConnectError"):
        await providers.send_sms("9415550123", "Hi", message_id=ID)


ADDRESS = "https://fuel.example/api/webhooks/twilio"


def test_signature_of_a_webhook_is_checked(configure):
    form = {"From": "+19415550123", "Body": "STOP", "A": ""}
    signed = signature(ADDRESS, form)
    assert not sms_is_signed(ADDRESS, list(form.items()), signed)  # no token is set
    configure(providers, **SETTINGS)
    assert sms_is_signed(ADDRESS, list(form.items()), signed)
    assert not sms_is_signed(ADDRESS, list((form | {"Body": "START"}).items()), signed)
    assert not sms_is_signed("https://evil.example/", list(form.items()), signed)
    for forged in ("", "x", "é\udc00", signed[:-1]):
        assert not sms_is_signed(ADDRESS, list(form.items()), forged)

"""Web push: the vectors of the RFCs, the signature, and the addresses that may be reached."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from fuel_app.kit.outbox import PUSH
from fuel_app.messages.rules import push
from fuel_app.messages.rules.content import content_of
from fuel_app.messages.rules.kinds import KINDS
from fuel_app.messages.rules.parts import BRAND, SITE
from fuel_app.messages.rules.push import BadSubscription, Subscription, to_bytes
from tests.helpers.outbox import NOON, VALUES
from tests.helpers.push_service import KEY, PushBrowser

ENDPOINT = "https://fcm.googleapis.com/fcm/send/abc:DEF_ghi-123"
POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"


def test_message_of_rfc_8291_appendix_a_is_encrypted_byte_for_byte():
    number = int.from_bytes(to_bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    to = Subscription("https://push.example.net/", POINT, "BTBZMqHH6r4Tts7J_aSIgg")
    encrypted = push.encrypt(
        b"When I grow up, I want to be a watermelon",
        to,
        salt=to_bytes("DGv6ra1nlYgDCS1FRnbzlw"),
        key=ec.derive_private_key(number, ec.SECP256R1()),
    )
    assert push.to_text(encrypted) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY"
        "WAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexS"
        "gSxsj_Qulcy4a-fN"
    )


def test_each_message_is_encrypted_anew_and_read_by_its_browser_alone():
    browser, other = PushBrowser(), PushBrowser()
    to = Subscription.parse(browser.subscription(ENDPOINT))
    first, second = (push.encrypt(b'{"a": "\xc3\xa9"}', to) for _ in range(2))
    assert first != second
    assert browser.read(first) == {"a": "é"}
    with pytest.raises(InvalidTag):
        other.read(first)
    push.encrypt(b"x" * push.PAYLOAD_MAX, to)
    with pytest.raises(ValueError, match="3993 bytes"):
        push.encrypt(b"x" * (push.PAYLOAD_MAX + 1), to)


def test_signature_of_rfc_8292_names_the_service_and_who_sends(configure):
    configure(push, vapid_private_key=KEY, support_email="help@fuel.example")
    to = Subscription.parse(PushBrowser().subscription(ENDPOINT))
    notice = push.notice_of(
        "x" * 1000, "/track/a", about="b", is_urgent=True, good_until=NOON, now=NOON
    )
    headers = push.headers(to, notice, NOON)
    scheme, _, said = headers["Authorization"].partition(" ")
    token, key = said.removeprefix("t=").split(", k=")
    assert (scheme, key) == ("vapid", push.public_key())
    signed, _, signature = token.rpartition(".")
    header, claims = (json.loads(to_bytes(part)) for part in signed.split("."))
    assert header == {"typ": "JWT", "alg": "ES256"}
    until = datetime.fromtimestamp(claims["exp"], UTC)
    assert claims["aud"] == "https://fcm.googleapis.com"
    assert claims["sub"] == "mailto:help@fuel.example"
    assert NOON < until < NOON + timedelta(days=1)
    numbers = to_bytes(signature)
    r, s = int.from_bytes(numbers[:32]), int.from_bytes(numbers[32:])
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), to_bytes(key))
    public.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(hashes.SHA256()))
    assert headers["TTL"] == "0"
    assert headers["Urgency"] == "high"
    assert len(headers["Topic"]) == 32
    assert len(notice.payload) < 700


def test_a_notification_is_kept_as_long_as_it_is_true_and_a_day_at_most():
    def ttl(good_until):
        how = {"about": "b", "is_urgent": False, "good_until": good_until, "now": NOON}
        return push.notice_of("x", "/", **how).ttl_s

    assert ttl(NOON + timedelta(minutes=5)) == 300
    assert ttl(NOON - timedelta(minutes=5)) == 0
    assert ttl(None) == ttl(NOON + timedelta(days=3)) == 86_400


def test_without_a_key_notifications_are_off():
    assert not push.is_on()
    assert push.public_key() == ""
    with pytest.raises(LookupError):
        push._own_key()


@pytest.mark.parametrize(
    "endpoint",
    [
        ENDPOINT,
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAA=",
        "https://web.push.apple.com/QGu",
        "https://wns2-par02p.notify.windows.com/w/?token=BQY%3d",
    ],
)
def test_known_push_services_may_be_reached(endpoint):
    assert push.is_allowed(endpoint)
    assert Subscription.parse(PushBrowser().subscription(endpoint)).endpoint == endpoint


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/a",
        "https://fcm.googleapis.com",
        "https://fcm.googleapis.com:8443/a",
        "https://fcm.googleapis.com@10.0.0.1/a",
        "https://fcm.googleapis.com\\@10.0.0.1/a",
        "https://fcm.googleapis.com/\\10.0.0.1",
        "https://fcm.googleapis.com.attacker.example/a",
        "https://attacker.example/fcm.googleapis.com",
        "https://notify.windows.com/a",
        "https://xnotify.windows.com/a",
        "https://push.apple.com/a",
        "https://10.0.0.1/a",
        "https://[::1]/a",
        "https://localhost/a",
        "https://169.254.169.254/latest/meta-data",
        "https://FCM.googleapis.com/a",
        "https://fcm.googleapis.com/a b",
        "https://fcm.googleapis.com/a\n",
        "http://127.0.0.1:9000/a",
        "file:///etc/passwd",
        "",
    ],
)
def test_no_other_address_may_be_reached(endpoint):
    assert not push.is_allowed(endpoint)
    with pytest.raises(BadSubscription):
        Subscription.parse(PushBrowser().subscription(endpoint))


def test_service_of_a_test_may_be_reached_where_it_is_set(configure):
    configure(push, push_test_service="http://127.0.0.1:9000")
    assert push.is_allowed("http://127.0.0.1:9000/a")
    assert not push.is_allowed("http://127.0.0.1:90001/a")
    assert push.is_allowed(ENDPOINT)


@pytest.mark.parametrize(
    "differs",
    [
        {"p256dh": None},
        {"p256dh": 7},
        {"p256dh": ""},
        {"p256dh": "not base64!"},
        {"p256dh": "A" * 87},  # no point of the curve
        {"p256dh": "é"},
        {"auth": ""},
        {"auth": "AAAA"},
        {"auth": ["x"]},
    ],
)
def test_a_subscription_without_its_keys_is_refused(differs):
    sent = PushBrowser().subscription(ENDPOINT)
    with pytest.raises(BadSubscription):
        Subscription.parse(sent | {"keys": sent["keys"] | differs})


@pytest.mark.parametrize("sent", [None, 7, "x", [], {}, {"endpoint": ENDPOINT}, {"keys": {}}])
def test_what_is_no_subscription_is_refused(sent):
    with pytest.raises(BadSubscription):
        Subscription.parse(sent)


def test_an_endless_or_odd_endpoint_is_refused():
    sent = PushBrowser().subscription(f"{ENDPOINT}{'x' * push.ENDPOINT_MAX}")
    for endpoint in (sent["endpoint"], None, 7, [ENDPOINT]):
        with pytest.raises(BadSubscription):
            Subscription.parse(sent | {"endpoint": endpoint})


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if PUSH in kind.channels])
def test_a_notification_says_no_more_than_the_text_message_in_a_few_words(kind):
    content = content_of(kind, VALUES)
    said = content.at_a_glance
    assert content.button
    assert said[0] == said[0].upper()
    assert said[-1] in ".!"
    assert not any(part in said for part in (BRAND, SITE, "STOP", "http", ": ."))
    assert len(said) < 200
    words = said.removesuffix(".").casefold()
    assert words in (content.push or content.sms).casefold()


def test_a_notification_loses_its_link_alone():
    says = {kind: content_of(kind, VALUES).at_a_glance for kind in KINDS}
    assert says["on_the_way"] == "Joe is on the way, arriving at 8:40 AM. Follow on the map."
    assert says["payment_failed"].endswith("did not go through. Update your card.")
    assert says["booking_confirmed"] == (
        "Booked for Thursday, March 5, 8-10 AM, 2022 Toyota Camry."
    )
    assert says["verify"] == ""

"""Web push: whom it may reach, how a notification is encrypted and signed, and the scripts for it.

The message is RFC 8291 (in the coding of RFC 8188), the signature RFC 8292 (VAPID).
"""

import json
import os
import re
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Self

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from fuel_app.kit.errors import Refusal
from fuel_app.settings import settings, vapid_key

PayloadKey = ec.EllipticCurvePrivateKey

ENDPOINT_MAX = 1000  # characters
KEY_MAX, AUTH_MAX = 100, 40
DEVICES_MOST = 10  # of one person; the one that was added first goes
FAILURES_MOST = 10  # refusals in a row, after which a subscription is removed
HAD = "had"  # in the payload of a message: the subscriptions that have it,
REFUSED = "refused"  # and why it was refused for others
PAYLOAD_MAX = 3993  # bytes that one record of 4,096 holds
TTL_MOST = timedelta(days=1)
_BODY_MAX = 400  # characters, more than any device shows
_SIGNED_FOR = timedelta(hours=12)
_CURVE = ec.SECP256R1()
_SERVICES = ("fcm.googleapis.com", "updates.push.services.mozilla.com")
_SERVICE_DOMAINS = (".push.apple.com", ".notify.windows.com")
_ENDPOINT = re.compile(r"https://([a-z0-9-]+(?:\.[a-z0-9-]+)+)/[!-\[\]-~]+")
_HERE = Path(__file__).parent.parent


# What a browser says of its notifications, and of why they are not possible.
WORDS = {
    "turn_on": "Turn on notifications on this device",
    "turn_off": "Turn off on this device",
    "busy": "One moment...",
    "failed": "This did not work just now. Please try again.",
    "is_on": "Notifications are on at this device, until you sign out here.",
    "is_blocked": "Notifications from this site are blocked on this device. Allow them in the "
    "browser's settings for this site, then open this page again.",
    "is_home": "On an iPhone or iPad, first add this page to the home screen: press Share, then "
    "'Add to Home Screen'. Open it from there, and turn notifications on.",
    "is_unsupported": "This browser shows no notifications.",
}


class BadSubscription(Refusal):
    message = "This browser's notifications cannot be used here."
    http_status = 400


class DeviceNeeded(Refusal):
    message = "Turn on notifications on this device first."


def is_on() -> bool:
    """Return whether notifications are sent at all: with a key to sign them."""
    return settings.vapid_private_key is not None


def is_allowed(endpoint: str) -> bool:
    """Return whether an address is one of a known push service: a browser may claim any.

    A test may add a service on its own machine.
    """
    test = settings.push_test_service
    if test and endpoint.startswith(f"{test}/"):
        return True
    found = _ENDPOINT.fullmatch(endpoint)
    host = found[1] if found else ""
    return host in _SERVICES or host.endswith(_SERVICE_DOMAINS)


def to_text(data: bytes) -> str:
    """Return bytes as base64url without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def to_bytes(text: str) -> bytes:
    """Return the bytes of base64url. Raises ValueError."""
    if not re.fullmatch(r"[\w-]*={0,2}", text, re.ASCII):
        raise ValueError(text)
    bare = text.rstrip("=")
    return urlsafe_b64decode(bare + "=" * (-len(bare) % 4))


@dataclass(frozen=True, slots=True)
class Subscription:
    """A browser's address at its push service, with the keys that only the browser can use."""

    endpoint: str
    p256dh: str
    auth: str

    @classmethod
    def parse(cls, sent: object) -> Self:
        """Return what `PushSubscription.toJSON()` says. Raises BadSubscription."""
        try:
            endpoint, keys = sent["endpoint"], sent["keys"]  # type: ignore[index]
            point, secret = to_bytes(keys["p256dh"]), to_bytes(keys["auth"])
            ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, point)
            is_whole = len(point) == 65 and len(secret) == 16 and len(endpoint) <= ENDPOINT_MAX
            is_known = is_allowed(endpoint)
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise BadSubscription from problem
        if not (is_whole and is_known):
            raise BadSubscription
        return cls(endpoint, to_text(point), to_text(secret))


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification as a device shows it.

    Args:
        path: The page of this site that it opens.
        tag: A newer one with the same tag takes its place, on the device and on the way.
    """

    title: str
    body: str
    path: str
    tag: str
    ttl_s: int
    is_urgent: bool

    @property
    def payload(self) -> bytes:
        said = {"title": self.title, "body": self.body, "url": self.path, "tag": self.tag}
        return json.dumps(said, ensure_ascii=False).encode()


def notice_of(
    text: str,
    path: str,
    *,
    about: str,
    is_urgent: bool,
    good_until: datetime | None,
    now: datetime,
) -> Notice:
    """Return a notification; `about` is what a newer one has to be about to take its place."""
    left = good_until - now if good_until else TTL_MOST
    return Notice(
        title=settings.brand_name,
        body=text[:_BODY_MAX],
        path=path,
        tag=to_text(sha256(about.encode()).digest())[:32],
        ttl_s=max(0, int(min(left, TTL_MOST).total_seconds())),
        is_urgent=is_urgent,
    )


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derive(salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def encrypt(
    text: bytes, to: Subscription, *, salt: bytes | None = None, key: PayloadKey | None = None
) -> bytes:
    """Encrypt a payload for one browser (RFC 8291, section 3). `salt` and `key` are a test's."""
    if len(text) > PAYLOAD_MAX:
        raise ValueError(f"a push message holds {PAYLOAD_MAX} bytes at most")
    salt, key = salt or os.urandom(16), key or ec.generate_private_key(_CURVE)
    theirs, ours = to_bytes(to.p256dh), _point(key.public_key())
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, theirs))
    secret = _derive(to_bytes(to.auth), shared, b"WebPush: info\0" + theirs + ours, 32)
    content_key = _derive(salt, secret, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(salt, secret, b"Content-Encoding: nonce\0", 12)
    header = salt + struct.pack(">IB", 4096, len(ours)) + ours
    return header + AESGCM(content_key).encrypt(nonce, text + b"\2", None)  # \2: the last record


def new_private_key() -> str:
    """Return a new key to sign with, as base64url."""
    number = ec.generate_private_key(_CURVE).private_numbers().private_value
    return to_text(number.to_bytes(32))


@cache
def _signer(text: str) -> PayloadKey:
    return vapid_key(text)


def _own_key() -> PayloadKey:
    if settings.vapid_private_key is None:
        raise LookupError("FUEL_VAPID_PRIVATE_KEY is not set")
    return _signer(settings.vapid_private_key.get_secret_value())


def public_key() -> str:
    """Return the key that browsers subscribe with; empty while notifications are off."""
    return to_text(_point(_own_key().public_key())) if is_on() else ""


def headers(to: Subscription, notice: Notice, now: datetime) -> Mapping[str, str]:
    """Return the headers of a push, its signature among them (RFC 8030, RFC 8292)."""
    origin = "/".join(to.endpoint.split("/")[:3])
    key, until = _own_key(), int((now + _SIGNED_FOR).timestamp())
    claims = {"aud": origin, "exp": until, "sub": f"mailto:{settings.support_email}"}
    signed = ".".join(
        to_text(json.dumps(each).encode()) for each in ({"typ": "JWT", "alg": "ES256"}, claims)
    )
    numbers = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    signature = to_text(b"".join(number.to_bytes(32) for number in numbers))
    return {
        "Authorization": f"vapid t={signed}.{signature}, k={public_key()}",
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(notice.ttl_s),
        "Urgency": "high" if notice.is_urgent else "normal",
        "Topic": notice.tag,
    }


def script(name: str) -> str:
    """Return one of the scripts of this package: `push_worker.js`, `push_device.js`."""
    return (_HERE / name).read_text()

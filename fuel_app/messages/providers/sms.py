"""Text messages by Twilio's API."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from hmac import new as hmac_of

import httpx

from fuel_app import routes
from fuel_app.kit import secrets
from fuel_app.messages.providers.failures import Refused, Rejected, Unavailable
from fuel_app.messages.providers.taken import Taken
from fuel_app.messages.rules.delivery import NO_SMS_SERVICE
from fuel_app.settings import settings

API = "https://api.twilio.com"
TIMEOUT_S = 15
SID_MAX = 64  # characters
_OPTED_OUT = 21610
# Faults of our own account: texts go out by themselves once they are mended.
_OUR_FAULTS = {
    21408: "the account may not send to this country",
    21603: "no sender is set",
    21606: "the sender is no number of this account that can send texts",
    21659: "the sender is no number of this account",
    21660: "the sender belongs to another account",
    21701: "the messaging service does not exist",
    21703: "the messaging service has no number",
    21704: "the messaging service has no number",
}
# Twilio's codes for a text that it took and a carrier did not.
_UNDELIVERED = {
    30003: "the phone cannot be reached",
    30005: "the number does not exist",
    30006: "the number is a landline, or its carrier takes no texts",
    30007: "a carrier has filtered it",
    30034: "the sender is not registered with the carriers (A2P 10DLC)",
}
_FAILED = {"undelivered", "failed"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a text message that the provider took; `problem` is empty if it has arrived."""

    provider_id: str
    problem: str


async def send(to: str, text: str, *, message_id: str) -> Taken:
    """Send a text to ten digits; its outcome comes later, to the address of status callbacks.

    Without a service messages stay in the outbox.

    Raises:
        Refused: If the phone has sent STOP.
        Rejected: If this number or text is not accepted.
        Unavailable: If a retry may succeed.
    """
    account, token = settings.twilio_account_sid, settings.twilio_auth_token
    sender = settings.twilio_from
    if not (account and token and sender):
        return Taken(note=NO_SMS_SERVICE)
    named = "MessagingServiceSid" if sender.startswith("MG") else "From"
    form = {"To": f"+1{to}", named: sender, "Body": text}
    if settings.is_public:  # Twilio refuses an address that it cannot reach
        form["StatusCallback"] = status_address(message_id)
    address = f"{API}/2010-04-01/Accounts/{account}/Messages.json"
    signed_in = (account, token.get_secret_value())
    try:
        async with httpx.AsyncClient(auth=signed_in, timeout=TIMEOUT_S) as client:
            answer = await client.post(address, data=form)
    except httpx.HTTPError as problem:
        raise Unavailable(type(problem).__name__) from None
    if answer.status_code < 300:
        return Taken(provider_id=_sid(answer))
    raise _failure(answer)


def status_address(message_id: str) -> str:
    """Return the address to which the provider reports a message's status."""
    return f"{settings.public_url}{routes.TWILIO_STATUS}?message={message_id}"


def outcome(form: Mapping[str, str]) -> Outcome | None:
    """Return the outcome that a status callback reports; None as long as there is none."""
    status, code = form.get("MessageStatus", ""), form.get("ErrorCode", "")
    provider_id = form.get("MessageSid", "")[:SID_MAX]
    if status == "delivered":
        return Outcome(provider_id, "")
    if status not in _FAILED:
        return None
    number = int(code) if re.fullmatch("[0-9]{1,9}", code) else 0
    words = _UNDELIVERED.get(number) or _OUR_FAULTS.get(number, "")
    said = f"Not delivered {number or ''}".strip()
    return Outcome(provider_id, ": ".join(filter(None, (said, words))))


def _sid(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["sid"])[:SID_MAX]
    except (ValueError, KeyError, TypeError):
        return ""


def _failure(answer: httpx.Response) -> Exception:
    try:
        code = int(answer.json()["code"])
    except (ValueError, KeyError, TypeError):
        code = 0
    said = f"{answer.status_code} {code or ''}".strip()
    if code == _OPTED_OUT:
        return Refused(said)
    if words := _OUR_FAULTS.get(code):
        return Unavailable(f"{said}: {words}")
    # 401, 403 and 429 are about our account.
    return Rejected(said) if answer.status_code in {400, 404} and code else Unavailable(said)


def is_set() -> bool:
    return settings.twilio_from is not None


def is_signed(address: str, form: Sequence[tuple[str, str]], signature: str) -> bool:
    """Return whether Twilio has signed this call of our address; without a token, nothing is."""
    token = settings.twilio_auth_token
    if not token:
        return False
    signed = address + "".join(name + value for name, value in sorted(set(form)))
    mac = hmac_of(token.get_secret_value().encode(), signed.encode(errors="replace"), sha1)
    return secrets.same(signature, b64encode(mac.digest()).decode())

"""Text messages by Twilio's API."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha1
from hmac import new as hmac_of

import httpx

from fuel_app.kit import secrets
from fuel_app.messages.providers.failures import Refused, Rejected, Unavailable
from fuel_app.messages.rules.delivery import NO_SMS_SERVICE
from fuel_app.settings import settings

API = "https://api.twilio.com"
TIMEOUT_S = 15
_OPTED_OUT = 21610


async def send(to: str, text: str) -> str:
    """Send a text to ten digits. Return a note for the staff, or an empty text.

    Without a service messages stay in the outbox.

    Raises:
        Refused: If the phone has sent STOP.
        Rejected: If this number or text is not accepted.
        Unavailable: If a retry may succeed.
    """
    account, token = settings.twilio_account_sid, settings.twilio_auth_token
    sender = settings.twilio_from
    if not (account and token and sender):
        return NO_SMS_SERVICE
    named = "MessagingServiceSid" if sender.startswith("MG") else "From"
    form = {"To": f"+1{to}", named: sender, "Body": text}
    address = f"{API}/2010-04-01/Accounts/{account}/Messages.json"
    signed_in = (account, token.get_secret_value())
    try:
        async with httpx.AsyncClient(auth=signed_in, timeout=TIMEOUT_S) as client:
            answer = await client.post(address, data=form)
    except httpx.HTTPError as problem:
        raise Unavailable(type(problem).__name__) from None
    if answer.status_code < 300:
        return ""
    raise _failure(answer)


def _failure(answer: httpx.Response) -> Exception:
    try:
        code = int(answer.json()["code"])
    except (ValueError, KeyError, TypeError):
        code = 0
    said = f"{answer.status_code} {code or ''}".strip()
    if code == _OPTED_OUT:
        return Refused(said)
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

"""Text messages by Twilio's API, and the stand-in where none is set."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha1
from hmac import new as hmac_of
from typing import Protocol

import httpx

from fuel_app.kit import secrets
from fuel_app.messages.providers.failures import Refused, Rejected, Unavailable
from fuel_app.messages.rules.delivery import NO_SMS_SERVICE
from fuel_app.settings import settings

API = "https://api.twilio.com"
TIMEOUT_S = 15
_OPTED_OUT = 21610


class Sms(Protocol):
    """A way to send text messages.

    Raises:
        Refused: If the phone has sent STOP.
        Rejected: If this number or text is not accepted.
        Unavailable: If a retry may succeed.
    """

    async def send(self, to: str, text: str) -> str:
        """Send a text to ten digits. Return a note for the staff, or an empty text."""
        ...


class KeptSms:
    """Sends nothing: messages stay in the outbox, where the staff read them."""

    async def send(self, to: str, text: str) -> str:
        return NO_SMS_SERVICE


class TwilioSms:
    """Sends by Twilio."""

    def __init__(self, account: str, token: str, sender: str, api: str) -> None:
        self._account, self._token, self._sender, self._api = account, token, sender, api

    async def send(self, to: str, text: str) -> str:
        sender = "MessagingServiceSid" if self._sender.startswith("MG") else "From"
        form = {"To": f"+1{to}", sender: self._sender, "Body": text}
        address = f"{self._api}/2010-04-01/Accounts/{self._account}/Messages.json"
        try:
            async with httpx.AsyncClient(
                auth=(self._account, self._token), timeout=TIMEOUT_S
            ) as client:
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


def sms() -> Sms:
    """Return the way to send text messages, by the settings."""
    account, token, sender = (
        *(settings.twilio_account_sid, settings.twilio_auth_token),
        settings.twilio_from,
    )
    if not (account and token and sender):
        return KeptSms()
    return TwilioSms(account, token.get_secret_value(), sender, API)


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

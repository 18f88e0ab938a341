"""Delivery: mail by SMTP, texts by Twilio's API, notifications by push services; their frame."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from hashlib import sha1
from hmac import new as hmac_of
from urllib.parse import SplitResult, unquote, urlsplit

import aiosmtplib
import httpx
from aiosmtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from fuel_app import routes
from fuel_app.kit import contact, secrets
from fuel_app.kit.calendar_file import FILE_NAME, Entry, calendar_file
from fuel_app.kit.outbox import Pdf
from fuel_app.messages.rules.delivery import NO_MAIL_SERVER, NO_SMS_SERVICE
from fuel_app.messages.rules.parts import Content
from fuel_app.messages.rules.push import Notice, Subscription, encrypt, headers, is_allowed
from fuel_app.settings import settings


class Refused(Exception):  # noqa: N818 (an answer, not a bug)
    """The recipient's address or phone takes no messages: nothing more is sent there."""


class Gone(Exception):  # noqa: N818 (an answer, not a bug)
    """The browser has given up its notifications: its subscription is to be removed."""


class Rejected(Exception):  # noqa: N818 (an answer, not a bug)
    """This one message is not accepted; a retry would not help."""


class Unavailable(Exception):  # noqa: N818 (a state, not a bug)
    """The provider gave no answer, or asks for a retry."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A message that its provider took, with its id there if it gives one; or why none was sent."""

    provider_id: str = ""
    note: str = ""


_MOST = 160  # characters of a subject
_environment = Environment(
    loader=PackageLoader("fuel_app.messages"),
    autoescape=select_autoescape(["html"], default=False, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A message as it goes out."""

    subject: str
    text: str
    html: str


def rendered(content: Content, *, unsubscribe: str = "") -> Rendered:
    """Return a mail's subject, text and HTML; `unsubscribe` is a whole address."""
    values = {
        "content": content,
        "address": settings.public_url + content.button.path if content.button else "",
        "unsubscribe": unsubscribe,
        "site": settings.public_url,
        "brand": settings.brand_name,
        "company_address": settings.company_address,
        "support_email": settings.support_email,
        "support_phone": settings.support_phone,
    }
    # Names may be part of it: one line without control characters.
    subject = contact.text(content.subject)[:_MOST]
    return Rendered(subject, page_of("frame.txt", **values), page_of("frame.html", **values))


def link_page(
    title: str,
    heading: str,
    text: str,
    *,
    asks: str = "",
    action: str = "",
    other: tuple[str, str] | None = None,
) -> str:
    """Return the page of a mail's link.

    Args:
        asks: The text of the button that acts.
        action: The address to which it is sent; the page's own by default.
        other: What can be done instead, and its address.
    """
    values = {"title": title, "heading": heading, "text": text}
    values |= {"asks": asks, "action": action, "other": other}
    return page_of("link.html", **values, brand=settings.brand_name)


def page_of(name: str, **values: object) -> str:
    return _environment.get_template(name).render(**values)


SMTP_TIMEOUT_S = 20
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_PORTS = {"smtp": 587, "smtps": 465}
# Only ASCII on the wire: a relay that recodes 8-bit text would break the signature (DKIM).
_POLICY = SMTP.clone(cte_type="7bit")
_SMTP_OUR_FAULT = {530, 534, 535, 538}  # the relay wants us to sign in otherwise


def letter(
    message_id: str,
    to: str,
    shown: Rendered,
    *,
    unsubscribe: str = "",
    entry: Entry | None = None,
    files: Sequence[Pdf] = (),
) -> EmailMessage:
    """Return the mail of a message; its Message-ID is the same at every try.

    Args:
        entry: For the recipient's calendar; it comes as a file.

    Raises:
        ValueError: If a header would hold a line break.
    """
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = Address(settings.brand_name, addr_spec=settings.sender)
    mail["To"] = Address(addr_spec=to)
    mail["Subject"] = shown.subject
    mail["Date"] = datetime.now(UTC)
    mail["Message-ID"] = f"<{message_id}@{urlsplit(settings.public_url).hostname}>"
    mail["Auto-Submitted"] = "auto-generated"
    if unsubscribe:  # RFC 8058
        mail["List-Unsubscribe"] = f"<{unsubscribe}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail.set_content(shown.text)
    mail.add_alternative(shown.html, subtype="html")
    if entry:
        mail.add_attachment(
            calendar_file(replace(entry, attendee=to)),
            maintype="text",
            subtype="calendar",
            filename=FILE_NAME,
            params={"method": entry.method, "charset": "utf-8"},
        )
    for file in files:
        mail.add_attachment(file.data, maintype="application", subtype="pdf", filename=file.name)
    return mail


async def send_mail(to: str, letter: EmailMessage) -> str:
    """Send a mail on a connection of its own. Return a note for the staff, or an empty text.

    Outside of this machine the connection is never one without TLS. Without a server messages stay
    in the outbox, where the staff read them.

    Raises:
        Refused: If the address takes no mail.
        Rejected: If this mail is not accepted.
        Unavailable: If a retry may succeed.
    """
    if settings.smtp_url is None:
        return NO_MAIL_SERVER
    server = _connection(urlsplit(settings.smtp_url.get_secret_value()))
    try:
        await server.connect()
        await server.sendmail(settings.sender, [to], letter.as_bytes())
    except SMTPRecipientsRefused as refused:
        raise _mail_failure(refused.recipients[0]) from None
    except SMTPResponseException as answer:
        raise _mail_failure(answer) from None
    except (SMTPException, OSError) as problem:
        raise Unavailable(f"{type(problem).__name__}") from None
    finally:
        with suppress(SMTPException, OSError):  # only its answer to the mail counts
            await server.quit()
        server.close()
    return ""


def _connection(url: SplitResult) -> aiosmtplib.SMTP:
    is_tls, is_local = url.scheme == "smtps", url.hostname in _LOCAL
    return aiosmtplib.SMTP(
        hostname=url.hostname,
        port=url.port or _PORTS[url.scheme],
        username=unquote(url.username) if url.username else None,
        password=unquote(url.password) if url.password else None,
        use_tls=is_tls,
        start_tls=not is_tls and not is_local,
        timeout=SMTP_TIMEOUT_S,
        # Unless it is given, the library asks the DNS for each mail.
        local_hostname=urlsplit(settings.public_url).hostname,
    )


def _mail_failure(answer: SMTPResponseException) -> Exception:
    """Return what an SMTP answer means: 4xx a retry, 5xx never again."""
    said = f"{answer.code} {answer.message}"
    text = answer.message.strip()
    if answer.code < 500 or answer.code in _SMTP_OUR_FAULT:
        return Unavailable(said)
    if not isinstance(answer, aiosmtplib.SMTPRecipientRefused):
        is_sender = isinstance(answer, aiosmtplib.SMTPSenderRefused)
        return Unavailable(said) if is_sender else Rejected(said)
    # 5.7.x is a policy, such as 'relay denied': of the server, not of the address.
    return Unavailable(said) if text.startswith("5.7.") else Refused(said)


def mail_server() -> str:
    """Return the host that mail goes to; empty without one."""
    url = settings.smtp_url.get_secret_value() if settings.smtp_url else ""
    return urlsplit(url).hostname or ""


SMS_API = "https://api.twilio.com"
SMS_TIMEOUT_S = 15
SID_MAX = 64  # characters
_OPTED_OUT = 21610
# Faults of our own account: texts go out by themselves once they are mended.
_SMS_OUR_FAULTS = {
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


async def send_sms(to: str, text: str, *, message_id: str) -> Taken:
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
    address = f"{SMS_API}/2010-04-01/Accounts/{account}/Messages.json"
    signed_in = (account, token.get_secret_value())
    try:
        async with httpx.AsyncClient(auth=signed_in, timeout=SMS_TIMEOUT_S) as client:
            answer = await client.post(address, data=form)
    except httpx.HTTPError as problem:
        raise Unavailable(type(problem).__name__) from None
    if answer.status_code < 300:
        return Taken(provider_id=_sid(answer))
    raise _sms_failure(answer)


def status_address(message_id: str) -> str:
    """Return the address to which the provider reports a message's status."""
    return f"{settings.public_url}{routes.TWILIO_STATUS}?message={message_id}"


def sms_outcome(form: Mapping[str, str]) -> Outcome | None:
    """Return the outcome that a status callback reports; None as long as there is none."""
    status, code = form.get("MessageStatus", ""), form.get("ErrorCode", "")
    provider_id = form.get("MessageSid", "")[:SID_MAX]
    if status == "delivered":
        return Outcome(provider_id, "")
    if status not in _FAILED:
        return None
    number = int(code) if re.fullmatch("[0-9]{1,9}", code) else 0
    words = _UNDELIVERED.get(number) or _SMS_OUR_FAULTS.get(number, "")
    said = f"Not delivered {number or ''}".strip()
    return Outcome(provider_id, ": ".join(filter(None, (said, words))))


def _sid(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["sid"])[:SID_MAX]
    except (ValueError, KeyError, TypeError):
        return ""


def _sms_failure(answer: httpx.Response) -> Exception:
    try:
        code = int(answer.json()["code"])
    except (ValueError, KeyError, TypeError):
        code = 0
    said = f"{answer.status_code} {code or ''}".strip()
    if code == _OPTED_OUT:
        return Refused(said)
    if words := _SMS_OUR_FAULTS.get(code):
        return Unavailable(f"{said}: {words}")
    # 401, 403 and 429 are about our account.
    return Rejected(said) if answer.status_code in {400, 404} and code else Unavailable(said)


def sms_is_set() -> bool:
    return settings.twilio_from is not None


def sms_is_signed(address: str, form: Sequence[tuple[str, str]], signature: str) -> bool:
    """Return whether Twilio has signed this call of our address; without a token, nothing is."""
    token = settings.twilio_auth_token
    if not token:
        return False
    signed = address + "".join(name + value for name, value in sorted(set(form)))
    mac = hmac_of(token.get_secret_value().encode(), signed.encode(errors="replace"), sha1)
    return secrets.same(signature, b64encode(mac.digest()).decode())


PUSH_TIMEOUT_S = 10
_GONE = {404, 410}
_LATER = {406, 408, 429}  # Windows says 406 for too many


def push_client() -> httpx.AsyncClient:
    """Return the client for some pushes. It follows no redirect: it would leave the known hosts."""
    return httpx.AsyncClient(timeout=PUSH_TIMEOUT_S, follow_redirects=False)


async def send_push(client: httpx.AsyncClient, to: Subscription, notice: Notice) -> None:
    """Hand a notification to a browser's push service, encrypted for that browser.

    Raises:
        Gone: If the browser has ended the subscription.
        Rejected: If this one is not accepted, or its address is none of a known service (any more).
        Unavailable: If a retry may succeed.
    """
    if not is_allowed(to.endpoint):
        raise Rejected("unknown push service")
    sent, body = headers(to, notice, datetime.now(UTC)), encrypt(notice.payload, to)
    try:
        answer = await client.post(to.endpoint, content=body, headers=dict(sent))
    except httpx.HTTPError as problem:
        raise Unavailable(type(problem).__name__) from None
    status = answer.status_code
    if answer.is_success:
        return
    said = f"Push service: {status}"
    if status in _GONE:
        raise Gone(said)
    raise Unavailable(said) if status in _LATER or status >= 500 else Rejected(said)

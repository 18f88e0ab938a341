"""Mail by SMTP."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from urllib.parse import SplitResult, unquote, urlsplit

import aiosmtplib
from aiosmtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException

from fuel_app.kit.attachments import Pdf
from fuel_app.kit.calendar_file import FILE_NAME, Entry, calendar_file
from fuel_app.messages.providers.failures import Refused, Rejected, Unavailable
from fuel_app.messages.providers.frame import Rendered
from fuel_app.messages.rules.delivery import NO_MAIL_SERVER
from fuel_app.settings import settings

TIMEOUT_S = 20
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_PORTS = {"smtp": 587, "smtps": 465}
# Only ASCII on the wire: a relay that recodes 8-bit text would break the signature (DKIM).
_POLICY = SMTP.clone(cte_type="7bit")
_OUR_FAULT = {530, 534, 535, 538}  # the relay wants us to sign in otherwise


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


async def send(to: str, letter: EmailMessage) -> str:
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
        raise _failure(refused.recipients[0]) from None
    except SMTPResponseException as answer:
        raise _failure(answer) from None
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
        timeout=TIMEOUT_S,
        # Unless it is given, the library asks the DNS for each mail.
        local_hostname=urlsplit(settings.public_url).hostname,
    )


def _failure(answer: SMTPResponseException) -> Exception:
    """Return what an SMTP answer means: 4xx a retry, 5xx never again."""
    said = f"{answer.code} {answer.message}"
    text = answer.message.strip()
    if answer.code < 500 or answer.code in _OUR_FAULT:
        return Unavailable(said)
    if not isinstance(answer, aiosmtplib.SMTPRecipientRefused):
        is_sender = isinstance(answer, aiosmtplib.SMTPSenderRefused)
        return Unavailable(said) if is_sender else Rejected(said)
    # 5.7.x is a policy, such as 'relay denied': of the server, not of the address.
    return Unavailable(said) if text.startswith("5.7.") else Refused(said)


def server() -> str:
    """Return the host that mail goes to; empty without one."""
    url = settings.smtp_url.get_secret_value() if settings.smtp_url else ""
    return urlsplit(url).hostname or ""

"""Consents to text messages: given by a person, ended and renewed by a word from the phone."""

from collections.abc import Sequence
from dataclasses import replace

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.messages.providers import sms
from fuel_app.messages.queries import recipients
from fuel_app.messages.rules.texting import ANSWERS, WORDING, PhoneStopped, Word, phone_of, word_of

log = structlog.get_logger()


async def agree(session: AsyncSession, phone: str, person_id: str) -> None:
    """Store the consent of a person to text messages to a verified phone, in its wording and with
    its time, and turn their switch on; in the caller's transaction.

    Raises:
        PhoneStopped: If it has sent STOP.
    """
    before = await recipients.consent(session, phone)
    if before and before.stopped_at:
        raise PhoneStopped
    await recipients.agree(session, phone, person_id, WORDING, clock.now())
    chosen = await recipients.lock_preferences(session, person_id)
    await recipients.save_preferences(session, person_id, replace(chosen, sms=True))


async def may_text(phone: str) -> bool:
    """Return whether a phone's owner has agreed to text messages, and has not sent STOP since."""
    async with reading() as session:
        consent = await recipients.consent(session, phone)
    return consent is not None and consent.agreed_at is not None and consent.stopped_at is None


async def has_stopped(phone: str) -> bool:
    """Return whether a phone has sent STOP: nothing reaches it until it sends START."""
    async with reading() as session:
        consent = await recipients.consent(session, phone)
    return consent is not None and consent.stopped_at is not None


async def check(phone: str) -> None:
    """Refuse to text a phone that nothing would reach.

    Raises:
        PhoneStopped
    """
    if await has_stopped(phone):
        raise PhoneStopped


def is_genuine(address: str, form: Sequence[tuple[str, str]], signature: str) -> bool:
    """Return whether the provider itself has sent this form to our address."""
    return sms.is_signed(address, form, signature)


async def hear(number: object, text: object, opt_out: object = "") -> str:
    """Honour STOP, START or HELP from a phone. Return the answer, empty if none is due.

    Args:
        opt_out: The word as the provider has understood it, which answers by itself then.
    """
    phone, word = phone_of(number), word_of(opt_out) or word_of(text)
    if not phone or word is None:
        return ""
    if word is not Word.HELP:
        stopped_at = clock.now() if word is Word.STOP else None
        async with transaction() as session:
            await recipients.stop(session, phone, stopped_at)
    log.info("sms.heard", word=word.value)
    return "" if word_of(opt_out) else ANSWERS[word]

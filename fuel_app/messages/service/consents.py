"""Consents to text messages: given by a person, ended and renewed by a word from the phone."""

from dataclasses import replace

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.messages.queries import recipients
from fuel_app.messages.rules.texting import (
    ANSWERS,
    WORDING,
    ConsentNeeded,
    PhoneStopped,
    Word,
    phone_of,
    word_of,
)

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


async def refusal(phone: str) -> Refusal | None:
    """Return why text messages to a phone are not possible: its STOP, or a missing consent."""
    async with reading() as session:
        consent = await recipients.consent(session, phone)
    if consent and consent.stopped_at:
        return PhoneStopped()
    return None if consent and consent.agreed_at else ConsentNeeded()


async def check(phone: str) -> None:
    """Refuse to text a phone that nothing would reach. Raises PhoneStopped."""
    if isinstance(found := await refusal(phone), PhoneStopped):
        raise found


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

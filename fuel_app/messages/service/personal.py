"""One person's data in messages, for their own download, and its removal."""

from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import outbox
from fuel_app.messages.queries import recipients

_OF_CONSENT = {"phone", "wording", "agreed_at", "stopped_at"}
_OF_MESSAGE = {"kind", "channel", "recipient", "subject", "body", "created_at", "sent_at"}


async def data_of(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's switches, consents and messages."""
    return {
        "notifications": asdict(await recipients.preferences(session, person_id)),
        "text_message_consents": [
            each.model_dump(include=_OF_CONSENT)
            for each in await recipients.consents_of(session, person_id)
        ],
        "messages": [
            each.model_dump(include=_OF_MESSAGE)
            for each in await outbox.sent_to(session, person_id)
        ],
    }


async def empty(session: AsyncSession, person_id: str, email: str) -> None:
    """Remove a person's switches and consents; a STOP stays in force."""
    await recipients.forget(session, person_id)
    await clear_address(session, email)


async def clear_address(session: AsyncSession, address: str) -> None:
    """Forget that an address has refused mail or unsubscribed, as when its owner has just read
    some, and has a person's switches from now on."""
    await recipients.forgive(session, address)
    await recipients.resubscribe(session, address)

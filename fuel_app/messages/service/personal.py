"""What messages hold about one person: for their own download, and to remove it."""

from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import outbox
from fuel_app.messages.queries import personal, recipients


async def data_of(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's switches, consents and messages."""
    return {
        "notifications": asdict(await recipients.preferences(session, person_id)),
        "text_message_consents": [
            {
                "phone": each.phone,
                "wording": each.wording,
                "agreed_at": each.agreed_at,
                "stopped_at": each.stopped_at,
            }
            for each in await personal.consents(session, person_id)
        ],
        "messages": [
            {
                "kind": each.kind,
                "channel": each.channel,
                "created_at": each.created_at,
                "sent_at": each.sent_at,
            }
            for each in await outbox.sent_to(session, person_id)
        ],
    }


async def empty(session: AsyncSession, person_id: str, email: str) -> None:
    """Remove a person's switches and consents; a STOP stays in force."""
    await personal.empty(session, person_id, email)

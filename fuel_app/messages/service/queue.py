"""Queueing messages for a person, each channel a message of its own."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import clock, outbox
from fuel_app.messages.rules.kinds import kind_of
from fuel_app.messages.rules.timing import send_at


async def notify(
    session: AsyncSession,
    kind: str,
    person_id: str,
    payload: Mapping[str, Any],
    *,
    key: str = "",
    wanted: datetime | None = None,
    good_until: datetime | None = None,
) -> None:
    """Queue a message on all channels of its kind, in the caller's transaction.

    Which of them go is decided when they are sent, by the person's switches and consent then.

    Args:
        key: Makes it happen once on each channel.
        wanted: When it should go; the quiet hours may move it.
    """
    now = clock.now()
    at = send_at(kind, wanted or now, now)
    for channel in kind_of(kind).channels:
        await outbox.add(
            session,
            kind,
            channel=channel,
            person_id=person_id,
            payload=payload,
            key=f"{key}:{channel}" if key else None,
            send_at=at,
            good_until=good_until,
        )

"""Queueing messages, each channel a message of its own."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import clock, outbox
from fuel_app.kit.outbox import CHANNELS, MAIL, Draft
from fuel_app.messages.rules.delivery import OUTDATED
from fuel_app.messages.rules.kinds import kind_of
from fuel_app.messages.rules.timing import send_at


def drafts(
    kind: str,
    person_id: str | None,
    payload: Mapping[str, Any],
    *,
    to: str = "",
    key: str = "",
    wanted: datetime | None = None,
    good_until: datetime | None = None,
) -> list[Draft]:
    """Return a message on all channels of its kind.

    Which of them go is decided when they are sent, by the person's switches and consent then.

    Args:
        to: The address of a guest instead of a person, who is mailed alone.
        key: Makes it happen once on each channel.
        wanted: When it should go; the quiet hours may move it.
    """
    now = clock.now()
    at = send_at(kind, wanted or now, now)
    return [
        Draft(
            kind=kind,
            channel=channel,
            person_id=person_id,
            to=to,
            payload=payload,
            key=f"{key}:{channel}" if key else None,
            send_at=at,
            good_until=good_until,
        )
        for channel in (kind_of(kind).channels if person_id else (MAIL,))
    ]


async def take_back(session: AsyncSession, *keys: str) -> None:
    """Skip the messages queued with these keys that are not sent yet, in the caller's transaction.

    Such as the reminders of a booking that was moved: they would be wrong.
    """
    full = [f"{key}:{channel}" for key in keys for channel in CHANNELS]
    await outbox.skip(session, full, OUTDATED)

"""Unsubscribing by the link of a mail, without a sign-in."""

from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import secrets
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.outbox import Message
from fuel_app.messages.preview import UNSUBSCRIBE
from fuel_app.messages.queries import outbox, recipients
from fuel_app.messages.rules.kinds import KINDS, BadLink, kind_of, title

_ALL = "messages that are not about money, security or safety"


async def find(token: object) -> str:
    """Return which messages a link would end; opening it ends nothing, since mail scanners do.

    Raises:
        BadLink
    """
    async with reading() as session:
        return _what(await _row(session, token))


async def unsubscribe(token: object) -> str:
    """End the messages that a link is for, and return which; a second time changes nothing.

    Raises:
        BadLink
    """
    async with transaction() as session:
        row = await _row(session, token)
        if row.person_id is None:
            await recipients.unsubscribe(session, row.recipient)
        else:
            chosen = await recipients.lock_preferences(session, row.person_id)
            without = replace(chosen, **{kind_of(row.kind).switch or "email": False})
            await recipients.save_preferences(session, row.person_id, without)
        return _what(row)


def _what(row: Message) -> str:
    switch = kind_of(row.kind).switch if row.person_id else ""
    return f"messages of the kind '{title(row.kind)}'" if switch else _ALL


async def _row(session: AsyncSession, token: object) -> Message:
    message_id = secrets.row_of(UNSUBSCRIBE, token)
    row = await outbox.find(session, message_id) if message_id else None
    if row is None or row.kind not in KINDS or kind_of(row.kind).always:
        raise BadLink
    if not row.person_id and not row.recipient:  # of a deleted account
        raise BadLink
    return row

"""The staff's list of messages: what was sent, to whom, and sending it again."""

from collections.abc import Sequence

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import challenges, directory
from fuel_app.kit import audit, outbox
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page
from fuel_app.kit.outbox import QUEUED, Message
from fuel_app.kit.signals import MESSAGES, signals
from fuel_app.messages.preview import compose, says_of
from fuel_app.messages.providers import mail, sms
from fuel_app.messages.queries import listing, recipients
from fuel_app.messages.queries import outbox as rows
from fuel_app.messages.rules.content import MissingValue
from fuel_app.messages.rules.kinds import MessageGone, SentAgain, UnknownKind
from fuel_app.messages.rules.listing import MessageLine, MessageQuery, MessageView
from fuel_app.settings import settings

# A person's messages that were queued for another address than theirs.
_OTHER_ADDRESS = {"email_code", "email_changed", "phone_code"}
_NO_TEXT = "The text is not stored (any more)."


def where() -> str:
    """Return where mails go now, for the note above the list."""
    host = mail.server()
    return f"Mails go to {host}." if host else "No mail server is set: messages are kept here."


async def page(actor: Actor, query: MessageQuery) -> Page[MessageLine]:
    """Return a page of all messages; beyond the end, the last one."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        found = await listing.page(session, query)
    return Page(await _lines(found.rows), found.page, found.pages, found.total)


async def waiting(actor: Actor) -> list[str]:
    """Return what keeps messages from going out, a sentence for each channel."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        return [each.text for each in await listing.waiting(session)]


async def of_person(actor: Actor, person_id: str) -> tuple[MessageLine, ...]:
    """Return a person's latest messages, newest first; those about security for admins alone."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        security = actor.may(Role.ADMIN)
        found = await listing.of_person(session, person_id, security=security)
    return await _lines(found)


async def find(actor: Actor, message_id: object) -> MessageView:
    """Return one message with its text. Raises NotAllowed or MessageGone."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        row = await rows.find(session, well_formed_id(message_id) or "")
    if row is None:
        raise MessageGone
    full = await _full_text(row)
    (line,) = await _lines([row])
    return MessageView(line, row.subject, full or row.body or _NO_TEXT, bool(full))


async def send_again(actor: Actor, message_id: object) -> None:
    """Queue a message again: a second click finds it queued.

    Raises:
        NotAllowed
        MessageGone
        SentAgain: If it has been already.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        row = await rows.find(session, well_formed_id(message_id) or "", lock=True)
        if row is None or row.state == QUEUED:
            raise MessageGone if row is None else SentAgain
        key = f"again:{row.id}"
        if await rows.has_key(session, key):
            raise SentAgain
        # An admin knows better than a refusal of the past.
        await recipients.forgive(session, row.recipient)
        await outbox.add(
            session,
            row.kind,
            channel=row.channel,
            person_id=row.person_id,
            to=row.recipient if row.kind in _OTHER_ADDRESS or not row.person_id else "",
            payload=row.payload,
            key=key,
            good_until=row.good_until,
        )
        action = Action("message", "sent_again", str(actor))
        await audit.record(session, action, [Change(row.id, None, {"kind": row.kind})])
    await signals().publish(MESSAGES)


async def _full_text(row: Message) -> str:
    """Return the text with its codes and links, recomputed, where nothing can be mailed and no one
    else reads along: on the machine of someone who tries the site out."""
    if settings.is_public or mail.server() or sms.is_set():
        return ""
    revealed = await challenges.peek(str(row.payload.get("challenge", "")))
    try:
        says = await says_of(row, row.recipient, revealed.person_id if revealed else None)
        composed = await compose(row, says, revealed)
    except (MissingValue, UnknownKind):
        return ""
    return composed.shown.text if row.channel == outbox.MAIL else composed.sms


async def _lines(found: Sequence[Message]) -> tuple[MessageLine, ...]:
    people = {row.person_id for row in found if row.person_id and not row.recipient}
    names = await directory.names(people) if people else {}
    return tuple(MessageLine.of(row, names.get(row.person_id or "", "")) for row in found)

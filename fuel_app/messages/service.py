"""Messages: queueing, reported delivery, consents, switches, unsubscribing, the staff's list.

Also one person's messages for the download, and as the account is erased.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.service import directory
from fuel_app.kit import audit, clock, outbox, secrets
from fuel_app.kit.attention import MOST, Attention, Waiting
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page
from fuel_app.kit.outbox import CHANNELS, FAILED, MAIL, PUSH, QUEUED, SENT, SMS, Draft, Message
from fuel_app.kit.signals import MESSAGES, signals
from fuel_app.kit.throttle import MESSAGES_AGAIN, MESSAGES_AGAIN_TO, PUSH_DEVICES, throttle
from fuel_app.messages import providers, queries
from fuel_app.messages.compose import UNSUBSCRIBE, compose, says_of
from fuel_app.messages.providers import Outcome
from fuel_app.messages.rules import push
from fuel_app.messages.rules.content import MissingValue, content_of
from fuel_app.messages.rules.delivery import (
    ANSWERS,
    OFFERS_WORDING,
    OUTDATED,
    WORDING,
    ConsentNeeded,
    PhoneStopped,
    Word,
    phone_of,
    word_of,
)
from fuel_app.messages.rules.kinds import (
    BLANK,
    KINDS,
    SECURITY,
    BadLink,
    MessageGone,
    NoOwnAddress,
    NotificationSettings,
    NotTrueAnyMore,
    SentAgain,
    UnknownKind,
    kind_of,
    send_at,
    title,
)
from fuel_app.messages.rules.listing import (
    MessageLine,
    MessageQuery,
    MessageView,
    waiting_text,
)
from fuel_app.settings import settings


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
        if channel != PUSH or push.is_on()
    ]


@dataclass(frozen=True, slots=True)
class Preview:
    """A mail as it will be sent; codes and links stand without their secrets."""

    sender: str
    subject: str
    text: str


def preview(kind: str, payload: Mapping[str, Any]) -> Preview:
    """Return the mail of a kind with these values."""
    shown = _previewed(kind, payload)
    return Preview(f"{settings.brand_name} <{settings.sender}>", shown.subject, shown.text)


def preview_page(kind: str, payload: Mapping[str, Any]) -> str:
    """Return the HTML of that mail."""
    return _previewed(kind, payload).html


def _previewed(kind: str, payload: Mapping[str, Any]) -> providers.Rendered:
    rules = kind_of(kind)
    content = content_of(kind, {**payload, **dict.fromkeys(rules.secrets, BLANK)})
    link = "" if rules.always else f"{settings.public_url}{routes.UNSUBSCRIBE}?t={BLANK}"
    return providers.rendered(content, unsubscribe=link)


async def own_address(actor: Actor) -> directory.Recipient:
    """Return where a test of a message goes that a member of the staff tries out.

    Raises:
        NoOwnAddress: If they are signed in by the shared password.
        TooManyRequests: After 30 in an hour.
    """
    to = await directory.find_recipient(actor.person_id) if actor.person_id else None
    if to is None:
        raise NoOwnAddress
    await throttle().spend(MESSAGES_AGAIN, str(actor))
    return to


async def cancel_queued(session: AsyncSession, *keys: str) -> None:
    """Skip the messages queued with these keys that are not sent yet, in the caller's transaction.

    Such as the reminders of a booking that was moved: they would be wrong.
    """
    full = [f"{key}:{channel}" for key in keys for channel in CHANNELS]
    await outbox.skip(session, full, OUTDATED)


log = structlog.get_logger()


async def record_delivery(message_id: object, outcome: Outcome) -> None:
    """Store that a text message has arrived, or why it has not. A repeated report changes nothing.

    A report may come before the sending is stored, and may be of an earlier try of the message.
    """
    async with transaction() as session:
        row = await queries.find_message(session, well_formed_id(message_id) or "", lock=True)
        if row is None or row.channel != SMS or row.state not in (QUEUED, SENT):
            return
        if row.provider_id and row.provider_id != outcome.provider_id:
            return
        if row.delivered_at:  # the first outcome is the last word
            return
        row.provider_id = outcome.provider_id
        if outcome.problem:
            row.state, row.error = FAILED, outcome.problem
        else:
            row.delivered_at = clock.now()
    log.info("sms.reported", kind=row.kind, problem=outcome.problem)
    await signals().publish(MESSAGES)


async def agree_to_texts(session: AsyncSession, phone: str, person_id: str) -> None:
    """Store the consent of a person to text messages to a verified phone, in its wording and with
    its time, and turn their switch on; in the caller's transaction.

    Raises:
        PhoneStopped: If it has sent STOP.
    """
    before = await queries.consent_of(session, phone)
    if before and before.stopped_at:
        raise PhoneStopped
    await queries.add_consent(session, phone, person_id, WORDING, clock.now())
    chosen = await queries.lock_preferences(session, person_id)
    await queries.save_preferences(session, person_id, replace(chosen, sms=True))


async def text_refusal(phone: str) -> Refusal | None:
    """Return why text messages to a phone are not possible: its STOP, or a missing consent."""
    async with reading() as session:
        consent = await queries.consent_of(session, phone)
    if consent and consent.stopped_at:
        return PhoneStopped()
    return None if consent and consent.agreed_at else ConsentNeeded()


async def gets_offer_texts(person_id: str) -> bool:
    """Return whether a person has agreed to offers by text message."""
    to = await directory.find_recipient(person_id)
    async with reading() as session:
        return bool(to) and await queries.has_agreed_to_offers(session, to.phone, to.person_id)


async def agree_to_offer_texts(actor: Actor) -> None:
    """Store the actor's consent to offers by text message, in its wording and with its time.

    Raises:
        ConsentNeeded: If their phone gets no text messages.
    """
    to = await directory.find_recipient(actor.person_id)
    phone, now = to.phone if to else "", clock.now()
    async with transaction() as session:
        if not await queries.agree_to_offers(session, phone, actor.person_id, OFFERS_WORDING, now):
            raise ConsentNeeded


async def end_offer_texts(actor: Actor) -> None:
    """End the actor's consent to offers by text message."""
    async with transaction() as session:
        await queries.end_offers(session, actor.person_id)


async def check_consent(phone: str) -> None:
    """Refuse to text a phone that nothing would reach. Raises PhoneStopped."""
    if isinstance(refusal := await text_refusal(phone), PhoneStopped):
        raise refusal


async def receive_text(number: object, text: object, opt_out: object = "") -> str:
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
            await queries.stop_consents(session, phone, stopped_at)
    log.info("sms.heard", word=word.value)
    return "" if word_of(opt_out) else ANSWERS[word]


async def preferences_of(person_id: str) -> NotificationSettings:
    """Return a person's switches as their screens show them: notifications need a device."""
    async with reading() as session:
        return await queries.shown_preferences(session, person_id)


async def toggle_preference(actor: Actor, name: object) -> NotificationSettings:
    """Turn one of the actor's own switches over; an unknown one changes nothing.

    Raises:
        NotAllowed: If the actor is no person.
        ConsentNeeded: If text messages would be turned on without a consent.
        PhoneStopped: Or to a phone that has sent STOP.
        DeviceNeeded: If notifications would be turned on without a device that shows them.
    """
    if not actor.person_id:
        raise NotAllowed
    refusal = None
    if name == "sms":
        person = await directory.find_recipient(actor.person_id)
        refusal = await text_refusal(person.phone if person else "")
    async with transaction() as session:
        before = await queries.lock_preferences(session, actor.person_id)
        if name == "push" and not await queries.has_device(session, actor.person_id):
            raise push.DeviceNeeded
        after = before.toggled(name)
        if after.sms and not before.sms and refusal:
            raise refusal
        if after != before:
            await queries.save_preferences(session, actor.person_id, after)
    return after


async def endpoints_of(actor: Actor) -> list[str]:
    """Return the addresses at push services of the actor's own browsers."""
    async with reading() as session:
        return [each.endpoint for each in await queries.devices_of(session, actor.person_id)]


async def add_device(actor: Actor, sent: object, device: str) -> None:
    """Have the browser of this session show its person's notifications, and turn them on.

    Args:
        sent: The browser's subscription; the same one again stays one device.

    Raises:
        NotAllowed: If the session is not of a customer or technician, or notifications are off.
        BadSubscription: If it is none, of no known push service, or another person's.
        TooManyRequests: After 20 changes in an hour.
    """
    actor.require(Role.CUSTOMER, Role.TECHNICIAN)
    if not push.is_on():
        raise NotAllowed
    await throttle().spend(PUSH_DEVICES, actor.person_id)
    of = push.Subscription.parse(sent)
    async with transaction() as session:
        await directory.lock(session, actor.person_id)
        owner = {"person_id": actor.person_id, "session_id": actor.session_id}
        if not await queries.add_device(session, of, device=device, **owner):
            raise push.BadSubscription
        chosen = await queries.lock_preferences(session, actor.person_id)
        await queries.save_preferences(session, actor.person_id, replace(chosen, push=True))
    log.info("push.turned_on", device=device)


async def remove_device(actor: Actor, endpoint: object) -> None:
    """End notifications at one of the actor's own browsers; another's stays as it is.

    Raises:
        NotAllowed: If the session is not of a customer or technician.
        TooManyRequests: After 20 changes in an hour.
    """
    actor.require(Role.CUSTOMER, Role.TECHNICIAN)
    await throttle().spend(PUSH_DEVICES, actor.person_id)
    address = endpoint if isinstance(endpoint, str) else ""
    async with transaction() as session:
        await queries.remove_device(session, address[: push.ENDPOINT_MAX], actor.person_id)


_ALL_MESSAGES = "messages that are not about money, security or safety"


async def find_unsubscription(token: object) -> str:
    """Return which messages a link would end; opening it ends nothing, since mail scanners do.

    Raises:
        BadLink
    """
    async with reading() as session:
        return _unsubscribed_from(await _row_of_token(session, token))


async def unsubscribe(token: object) -> str:
    """End the messages that a link is for, and return which; a second time changes nothing.

    Raises:
        BadLink
    """
    async with transaction() as session:
        row = await _row_of_token(session, token)
        if row.person_id is None:
            await queries.unsubscribe_address(session, row.recipient)
        else:
            chosen = await queries.lock_preferences(session, row.person_id)
            without = replace(chosen, **{kind_of(row.kind).switch or "email": False})
            await queries.save_preferences(session, row.person_id, without)
        return _unsubscribed_from(row)


def _unsubscribed_from(row: Message) -> str:
    switch = kind_of(row.kind).switch if row.person_id else ""
    return f"messages of the kind '{title(row.kind)}'" if switch else _ALL_MESSAGES


async def _row_of_token(session: AsyncSession, token: object) -> Message:
    message_id = secrets.row_of(UNSUBSCRIBE, token)
    row = await queries.find_message(session, message_id) if message_id else None
    if row is None or row.kind not in KINDS or kind_of(row.kind).always:
        raise BadLink
    if not row.person_id and not row.recipient:  # of a deleted account
        raise BadLink
    return row


# A person's messages that were queued for another address than theirs.
_OTHER_ADDRESS = {"callers_code", "email_code", "email_changed", "phone_code"}
_NO_TEXT = "The text is not stored (any more)."


_NO_SERVER = (
    "No mail server is set: messages are kept here. Set FUEL_SMTP_URL where the site runs, and "
    "start it again."
)


def addresses_of() -> str:
    """Return where mails go now, for the note above the list."""
    host = providers.mail_server()
    return f"Mails go to {host}." if host else _NO_SERVER


async def list_messages(actor: Actor, query: MessageQuery) -> Page[MessageLine]:
    """Return a page of all messages; beyond the end, the last one."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        page = await queries.list_page(session, query)
    return Page(await _lines(page.rows), page.page, page.pages, page.total)


async def count_waiting(actor: Actor) -> list[str]:
    """Return what keeps messages from going out, a sentence for each channel."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        return [waiting_text(*row) for row in await queries.waiting(session)]


_ATTENTION_FOR = timedelta(days=3)  # an older one says nothing that is still true
FAILED_MESSAGES = Attention(
    "messages",
    "Messages that could not be sent",
    href=routes.asking(routes.SETTINGS_MESSAGES, {"state": FAILED}),
    is_for_admins=True,
)


async def unsent_bookings(session: AsyncSession, now: datetime) -> frozenset[str]:
    """Return the bookings of which a message has failed lately: one statement."""
    return await queries.bookings_failed_since(session, now - _ATTENTION_FOR)


async def messages_failed(session: AsyncSession, now: datetime) -> Attention:
    """Return what keeps messages of a channel from going out, then the messages that failed.

    Three statements by the index of states; lines for at most `MOST` messages.
    """
    waiting = [
        Waiting(row[0], waiting_text(*row), href=routes.SETTINGS_MESSAGES)
        for row in await queries.waiting(session)
    ]
    rows, total = await queries.failed_since(session, now - _ATTENTION_FOR, MOST)
    people = {row.person_id for row in rows if row.person_id and not row.recipient}
    names = await directory.names_in(session, people) if people else {}
    lines = [MessageLine.of(row, names.get(row.person_id or "", "")) for row in rows]
    failed = (
        Waiting(
            id=each.id,
            text=f"{each.what} to {each.recipient}",
            detail=f"{each.channel}, {each.queued}: {each.note}",
            href=FAILED_MESSAGES.href,
            act="Send again",
        )
        for each in lines
    )
    return FAILED_MESSAGES.with_lines((*waiting, *failed), len(waiting) + total)


async def messages_of_person(actor: Actor, person_id: str) -> tuple[MessageLine, ...]:
    """Return a person's latest messages, newest first; those about security for admins alone."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        security = actor.may(Role.ADMIN)
        rows = await queries.of_person(session, person_id, security=security)
    return await _lines(rows)


async def last_about(
    actor: Actor, booking_id: str, *, person_id: str, email: str
) -> MessageView | None:
    """Return what the customer of a booking was told about it last; of a guest, by their email."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        row = await queries.last_about(session, booking_id, person_id, email)
    return MessageView(MessageLine.of(row, ""), row.subject) if row else None


async def find_message(actor: Actor, message_id: object) -> MessageView:
    """Return one message with its text; what a dispatcher may not see is gone.

    Codes and links are for admins alone. Raises NotAllowed or MessageGone.
    """
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        row = _shown_to(actor, await queries.find_message(session, _id_of(message_id)))
    full = await _full_text(row) if actor.may(Role.ADMIN) else ""
    (line,) = await _lines([row])
    return MessageView(line, row.subject, full or row.body or _NO_TEXT, bool(full))


async def send_again(actor: Actor, message_id: object) -> None:
    """Queue a message again: a second click finds it queued.

    Raises:
        NotAllowed
        MessageGone: Also of what a dispatcher may not see.
        SentAgain: If it has been already.
        NotTrueAnyMore: If it was not sent for that.
        TooManyRequests: After 30 in an hour by one of the staff, or 10 to one customer by all.
    """
    actor.require(Role.DISPATCHER)
    await throttle().spend(MESSAGES_AGAIN, str(actor))
    async with transaction() as session:
        found = await queries.find_message(session, _id_of(message_id), lock=True)
        row = _shown_to(actor, found)
        if row.state == QUEUED:
            raise SentAgain
        if row.error == OUTDATED:
            raise NotTrueAnyMore
        key = f"{queries.AGAIN}{row.id}"
        if await queries.has_key(session, key):
            raise SentAgain
        await throttle().spend(MESSAGES_AGAIN_TO, row.person_id or row.recipient)
        # Staff, who hear it from its owner, know better than a refusal of the past.
        await queries.forgive_address(session, row.recipient)
        await outbox.add(
            session,
            row.kind,
            channel=row.channel,
            person_id=row.person_id,
            to=row.recipient if row.kind in _OTHER_ADDRESS or not row.person_id else "",
            payload={k: v for k, v in row.payload.items() if k not in {push.HAD, push.REFUSED}},
            key=key,
            good_until=row.good_until,
        )
        action = Action("message", "sent_again", str(actor))
        await audit.record(session, action, [Change(row.id, None, {"kind": row.kind})])
        if row.person_id:
            theirs = Action("person", "message_again", str(actor), id=action.id)
            what = {"what": title(row.kind)}
            await audit.record(session, theirs, [Change(row.person_id, None, what)])
    await signals().publish(MESSAGES)


def _id_of(message_id: object) -> str:
    return well_formed_id(message_id) or ""


def _shown_to(actor: Actor, row: Message | None) -> Message:
    """Return a message that an actor may see: dispatchers those to customers, not about security.

    Raises:
        MessageGone: If it is another one, or none.
    """
    is_open = row is not None and row.person_id is not None and row.kind not in SECURITY
    if row is None or not (is_open or actor.may(Role.ADMIN)):
        raise MessageGone
    return row


async def _full_text(row: Message) -> str:
    """Return the text with its codes and links, recomputed, where nothing can be mailed and no one
    else reads along: on the machine of someone who tries the site out."""
    if settings.is_public or providers.mail_server() or providers.sms_is_set():
        return ""
    revealed = await directory.peek_challenge(str(row.payload.get("challenge", "")))
    try:
        says = await says_of(row, row.recipient, revealed.person_id if revealed else None)
        composed = await compose(row, says, revealed)
    except (MissingValue, UnknownKind):
        return ""
    return composed.shown.text if row.channel == outbox.MAIL else composed.sms


async def _lines(rows: Sequence[Message]) -> tuple[MessageLine, ...]:
    people = {row.person_id for row in rows if row.person_id and not row.recipient}
    names = await directory.names(people) if people else {}
    return tuple(MessageLine.of(row, names.get(row.person_id or "", "")) for row in rows)


_OF_DEVICE = {"device", "created_at", "last_used_at"}
_OF_CONSENT = {"phone", "wording", "agreed_at", "stopped_at"}
_OF_CONSENT |= {"offers_wording", "offers_agreed_at"}
_OF_MESSAGE = {"kind", "channel", "recipient", "subject", "body", "created_at", "sent_at"}


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's switches, consents, devices and messages."""
    return {
        "notifications": asdict(await queries.preferences_of(session, person_id)),
        "text_message_consents": [
            each.model_dump(include=_OF_CONSENT)
            for each in await queries.consents_of(session, person_id)
        ],
        "notification_devices": [
            each.model_dump(include=_OF_DEVICE)
            for each in await queries.devices_of(session, person_id)
        ],
        "messages": [
            each.model_dump(include=_OF_MESSAGE)
            for each in await outbox.sent_to(session, person_id)
        ],
    }


async def erase_person(session: AsyncSession, person_id: str, email: str) -> None:
    """Remove a person's switches, devices and consents; a STOP stays in force."""
    await queries.forget_person(session, person_id)
    await queries.clear_address(session, email)


async def clear_address(session: AsyncSession, address: str) -> None:
    """Forget that an address has refused mail or unsubscribed, as its owner signs up."""
    await queries.clear_address(session, address)

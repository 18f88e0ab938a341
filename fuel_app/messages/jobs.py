"""Background jobs of messages: sending one, and emptying the texts of old ones."""

from datetime import datetime, time
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.service import directory
from fuel_app.accounts.service.directory import Revealed
from fuel_app.kit import clock, jobs, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import GiveUp, Job, Later
from fuel_app.kit.outbox import (
    COMPOSERS,
    FAILED,
    JOB,
    MAIL,
    PUSH,
    QUEUED,
    SENT,
    SKIPPED,
    Message,
    Shared,
    Skip,
)
from fuel_app.kit.signals import MESSAGES, signals
from fuel_app.kit.words import counted
from fuel_app.messages import providers, queries
from fuel_app.messages.compose import Composed, compose, says_of
from fuel_app.messages.providers import Gone, Refused, Rejected, Taken, Unavailable
from fuel_app.messages.rules import delivery
from fuel_app.messages.rules.content import MissingValue
from fuel_app.messages.rules.delivery import Destination, reason_against
from fuel_app.messages.rules.kinds import (
    DAY,
    MARKETING,
    TEXT_KEPT,
    Category,
    UnknownKind,
    kind_of,
    send_at,
)
from fuel_app.messages.rules.push import HAD, REFUSED, Notice, Subscription

log = structlog.get_logger(__name__)

ATTEMPTS = 22  # with the backoff of jobs about twelve hours: a mail server may be away for a night
_CHUNK = 500
_RETRY = " (we retry)"
_GAVE_UP = "It could not be sent."
_BROKEN = "Its text could not be made."


class _Skip(Exception):  # noqa: N818 (expected)
    """The message is not sent, for a reason."""

    def __init__(self, reason: str, to: str = "") -> None:
        super().__init__(reason)
        self.reason, self.to = reason, to


async def _fail(session: AsyncSession, job: Job) -> None:
    """Mark a message whose job is dead; the last failure stays beside it."""
    row = await queries.find_message(session, job.payload["id"])
    if row:
        error = (row.error or _GAVE_UP).removesuffix(_RETRY)
        await queries.change_message(session, row.id, state=FAILED, error=error)


@jobs.handler(JOB, attempts=ATTEMPTS, on_dead=_fail)
async def send(job: Job) -> None:
    """Send a message of the outbox.

    1. Have its kind's composer say what is true now, if there is one.
    2. Skip it where it may not go, or wait for the end of the quiet hours.
    3. Put its codes and links in, and hand it to the provider.
    4. Store the outcome and end the job in one transaction. Killed before that, it goes again, with
       the same Message-ID.
    """
    async with reading() as session:
        row = await queries.find_message(session, job.payload["id"])
    if row is None or row.state != QUEUED:
        return
    if row.delivered_at:  # its provider took it in a try that seemed to fail
        await _settle(job, row, SENT, to=row.recipient, sent_at=row.delivered_at)
        return
    if not await _claim(job, row):
        return
    try:
        to, composed = await _prepare(row)
    except _Skip as skip:
        await _settle(job, row, SKIPPED, skip.reason, to=skip.to)
        return
    try:
        taken = await _hand_over(row, to, composed)
    except _Skip as skip:
        await _settle(job, row, SKIPPED, skip.reason, to=skip.to)
    except Refused as refused:
        await _settle(job, row, FAILED, str(refused), to=to, refused=True)
    except Rejected as rejected:
        await _settle(job, row, FAILED, str(rejected), to=to)
    except Unavailable as unavailable:
        async with transaction() as session:
            await queries.change_message(session, row.id, error=f"{unavailable}{_RETRY}")
        await signals().publish(MESSAGES)
        raise
    else:
        await _settle(
            job,
            row,
            SENT,
            taken.note,
            to=to,
            sent=composed,
            provider_id=taken.provider_id,
        )


async def _claim(job: Job, row: Message) -> bool:
    """Store what a message's composer says, in `row` too. Return False if it is skipped for that.

    Raises:
        LeaseLost: If another worker has the message by now.
    """
    compose_now = COMPOSERS.get(row.kind)
    if compose_now is None:
        return True
    async with transaction() as session:
        says = await compose_now(session, row)
        await jobs.extend_lease(session, job)
        if isinstance(says, Skip):
            await queries.change_message(session, row.id, state=SKIPPED, error=says.reason)
            await jobs.end(session, job)
        elif isinstance(says, Shared):
            row.payload = {**row.payload, **says.values}
        else:
            row.payload = {**row.payload, **says}
            await queries.change_message(session, row.id, payload=row.payload)
    if not isinstance(says, Skip):
        return True
    log.info("message.settled", kind=row.kind, channel=row.channel, state=SKIPPED)
    await signals().publish(MESSAGES)
    return False


async def _prepare(row: Message) -> tuple[str, Composed]:
    """Return where a message goes now, and as what."""
    try:
        rules = kind_of(row.kind)
        now = clock.now()
        to = await _destination(row)
        if reason := reason_against(rules, row.channel, to, row.good_until, now):
            raise _Skip(reason, to.address)
        await _wait(row, to.address, now)
        says, revealed = await _reveal(row, to.address)
        return to.address, await compose(row, says, revealed)
    except (MissingValue, UnknownKind) as bug:
        async with transaction() as session:
            await queries.change_message(session, row.id, error=f"{_BROKEN} ({bug})")
        raise GiveUp(str(bug)) from bug


async def _destination(row: Message) -> Destination:
    """Return where a message goes by now: the person may have another address since."""
    person = await directory.find_recipient(row.person_id) if row.person_id else None
    if row.person_id and person is None:
        raise _Skip(delivery.NO_PERSON)
    of_person = (person.email if row.channel == MAIL else person.phone) if person else ""
    address = row.recipient or of_person
    is_marketing = kind_of(row.kind).category is Category.MARKETING
    async with reading() as session:
        chosen = await queries.preferences_of(session, person.person_id) if person else None
        if row.channel == PUSH:
            devices = await queries.devices_of(session, person.person_id) if person else []
            return Destination(counted(len(devices), "device") if devices else "", chosen)
        if row.channel == MAIL:
            refused = await queries.is_refused(session, address)
            # A person has switches instead, which the link of a mail to them turns off.
            unsubscribed = not person and await queries.is_unsubscribed(session, address)
            unverified = is_marketing and bool(person and not person.email_verified)
            return Destination(address, chosen, refused, unsubscribed, unverified=unverified)
        consent = await queries.consent_of(session, address)
    if consent is None:
        return Destination(address, chosen)
    agreed_at = consent.offers_agreed_at if is_marketing else consent.agreed_at
    return Destination(
        address, chosen, refused=bool(consent.stopped_at), agreed=agreed_at is not None
    )


async def _wait(row: Message, to: str, now: datetime) -> None:
    """Postpone a message that has to wait for the morning or for its recipient's next day."""
    rules = kind_of(row.kind)
    at = send_at(row.kind, now, now)
    if rules.per_day:
        is_marketing = rules.category is Category.MARKETING
        kinds = MARKETING if is_marketing else (row.kind,)
        async with reading() as session:
            had = await queries.earlier(session, row, to, kinds, now - DAY)
        if len(had) >= rules.per_day:
            if not is_marketing:
                raise _Skip(delivery.LIMIT, to)
            at = send_at(row.kind, had[-rules.per_day] + DAY, now)
    if at <= now:
        return
    if row.good_until and at > row.good_until:
        raise _Skip(delivery.TOO_LATE, to)
    async with transaction() as session:
        await queries.change_message(session, row.id, send_at=at)
    await signals().publish(MESSAGES)
    raise Later(at)


async def _reveal(row: Message, to: str) -> tuple[str, Revealed | None]:
    """Return what a message says and its secrets. For a known e-mail a sign-up says otherwise."""
    if "challenge" not in row.payload:
        return row.kind, None
    if row.kind == "password_reset" and await directory.find_active_id(to) is None:
        raise _Skip(delivery.NO_ACCOUNT, to)
    revealed = await directory.reveal_challenge(str(row.payload["challenge"]))
    if revealed is None:
        raise _Skip(delivery.USED, to)
    return await says_of(row, to, revealed.person_id), revealed


async def _hand_over(row: Message, to: str, composed: Composed) -> Taken:
    if composed.notice:
        return await _push(row, composed.notice)
    if row.channel != MAIL:
        return await providers.send_sms(to, composed.sms, message_id=row.id)
    files = await outbox.of(row.payload)
    try:
        made = providers.letter(
            row.id,
            to,
            composed.shown,
            unsubscribe=composed.unsubscribe,
            entry=composed.entry,
            files=files,
        )
    except ValueError as impossible:
        raise Rejected(f"{_BROKEN} ({impossible})"[:100]) from None
    return Taken(note=await providers.send_mail(to, made))


async def _push(row: Message, notice: Notice) -> Taken:
    """Hand a notification to those browsers of a person that have not answered yet.

    A retry leaves out those that have it, or were refused, by what is noted in the message.

    Raises:
        Unavailable: If a retry may reach one more.
        Rejected: If none has it, and one's push service does not accept it.
    """
    had_before, refused_before = row.payload.get(HAD, ()), row.payload.get(REFUSED, {})
    taken, refused, gone = set[str](), dict[str, str](), set[str]()
    problem: Unavailable | None = None
    async with reading() as session:
        devices = await queries.devices_of(session, row.person_id or "")
    async with providers.push_client() as client:
        for device in devices:
            if device.id in had_before or device.id in refused_before:
                continue
            to = Subscription(device.endpoint, device.p256dh, device.auth)
            try:
                await providers.send_push(client, to, notice)
            except Gone:
                gone.add(device.id)
            except Rejected as rejected:
                refused[device.id] = str(rejected)
            except Unavailable as unavailable:
                problem = unavailable
            else:
                taken.add(device.id)
    async with transaction() as session:
        now = clock.now()
        await queries.settle_pushes(session, taken=taken, refused=refused, gone=gone, now=now)
        had, all_refused = sorted(taken.union(had_before)), refused_before | refused
        row.payload = {**row.payload, HAD: had, REFUSED: all_refused}
        await queries.change_message(session, row.id, payload=row.payload)
    if problem:
        raise problem
    if not had and all_refused:
        raise Rejected(next(iter(all_refused.values())))
    if not had:
        raise _Skip(delivery.NO_DEVICE)
    return Taken()


async def _settle(
    job: Job,
    row: Message,
    state: str,
    note: str = "",
    *,
    to: str,
    sent: Composed | None = None,
    sent_at: datetime | None = None,
    refused: bool = False,
    provider_id: str = "",
) -> None:
    """Store the outcome of a message and end its job in one transaction."""
    now = clock.now()
    values: dict[str, Any] = {"recipient": to, "provider_id": provider_id, "sent_at": sent_at}
    if sent:
        values |= {"sent_at": now, "subject": sent.shown.subject, "body": sent.stored}
    values = {name: value for name, value in values.items() if value}
    async with transaction() as session:
        await queries.change_message(session, row.id, state=state, error=note, **values)
        if sent and row.channel == MAIL:  # the address takes mail again
            await queries.forgive_address(session, to)
        if refused and row.channel == MAIL:
            await queries.refuse_address(session, to, note)
        elif refused:
            await queries.stop_consents(session, to, now)
        await jobs.end(session, job)
    log.info("message.settled", kind=row.kind, channel=row.channel, state=state)
    await signals().publish(MESSAGES)


@jobs.scheduled("messages.empty_bodies", jobs.daily(time(3, 45)))
async def empty_bodies(now: datetime) -> None:
    """Empty the texts of messages that are 30 days old, in short transactions."""
    emptied = 1
    while emptied:
        async with transaction() as session:
            emptied = await queries.empty_bodies(session, now - TEXT_KEPT, _CHUNK)

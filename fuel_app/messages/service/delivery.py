"""Delivery of text messages, as the provider reports it after it took them."""

import structlog

from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.outbox import FAILED, QUEUED, SENT, SMS
from fuel_app.kit.signals import MESSAGES, signals
from fuel_app.messages.providers.sms import Outcome
from fuel_app.messages.queries import outbox

log = structlog.get_logger()


async def record(message_id: object, outcome: Outcome) -> None:
    """Store that a text message has arrived, or why it has not. A repeated report changes nothing.

    A report may come before the sending is stored, and may be of an earlier try of the message.
    """
    async with transaction() as session:
        row = await outbox.find(session, well_formed_id(message_id) or "", lock=True)
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

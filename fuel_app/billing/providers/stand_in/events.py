"""Events of the stand-in: a job in the transaction that changes an object, then a webhook."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from stripe import WebhookSignature

from fuel_app.billing.providers.stand_in.objects import seconds
from fuel_app.billing.tables import StandInObject
from fuel_app.kit import jobs, secrets

JOB = "stand_in.event"


def secret() -> str:
    """Return the webhooks' secret of this installation."""
    return f"whsec_{secrets.digest('stand-in', 'webhooks').hex()}"


async def tell(session: AsyncSession, kind: str, row: StandInObject) -> None:
    """Send an event about an object, once this transaction is committed."""
    about = {"type": kind, "id": row.id, "object": row.kind, "at": seconds()}
    await jobs.enqueue(session, JOB, about)


def signed(event_id: str, about: Mapping[str, Any]) -> tuple[bytes, str]:
    """Return a webhook's body and its signature, as Stripe sends them."""
    body = json.dumps(
        {
            "id": f"evt_{event_id}",
            "object": "event",
            "type": about["type"],
            "created": about["at"],
            "livemode": False,
            "data": {"object": {"id": about["id"], "object": about["object"]}},
        }
    )
    return body.encode(), WebhookSignature.generate_signature_header(body, secret())

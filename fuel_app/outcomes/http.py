"""Stripe's webhooks."""

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.billing.providers.stripe import BadSignature, NoEvent
from fuel_app.kit.http import FRESH, body_of, text_answer
from fuel_app.outcomes.service import webhooks

log = structlog.get_logger()

_BODY_MAX = 256_000  # bytes; an event holds one object


async def stripe_webhook(request: Request) -> Response:
    """Note a signed event. It is not rate-limited: Stripe sends what it has kept in bursts."""
    body = await body_of(request, _BODY_MAX)
    if isinstance(body, Response):
        return body
    try:
        await webhooks.receive(body, request.headers.get("stripe-signature", ""))
    except BadSignature:
        log.warning("stripe.forged_webhook")
        return text_answer("Bad signature", 400)
    except NoEvent:
        log.warning("stripe.malformed_webhook")
        return text_answer("This is no event.", 400)
    except Exception:  # such as no database: Stripe sends it again for three days
        log.exception("stripe.webhook_not_noted")
        return text_answer("Try again later", 503)
    return Response(status_code=204, headers=FRESH)


ROUTES = [Route(routes.STRIPE_WEBHOOK, stripe_webhook, methods=["POST"])]

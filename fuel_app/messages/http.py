"""HTTP of messages: unsubscribing by a mail's link, text messages to us, devices with pushes."""

import json
from collections.abc import Awaitable
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

import structlog
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import requires
from fuel_app.accounts.rules import Role, device_of
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import FRESH, body_of, refused, text_answer
from fuel_app.messages import providers
from fuel_app.messages import service as messages
from fuel_app.messages.providers import link_page
from fuel_app.messages.rules import push
from fuel_app.messages.rules.kinds import BadLink
from fuel_app.settings import settings

log = structlog.get_logger()

# Other sites do not learn the link. With 'no-referrer' the button's POST would be of no origin.
_PRIVATE = FRESH | {"Referrer-Policy": "same-origin"}

_UNSUBSCRIBE = "Unsubscribe"
_FORM_MAX = 16_000  # bytes; a text message with all of Twilio's fields has two thousand
_FIELDS_MAX = 100


def link_answer(
    title: str,
    heading: str,
    text: str,
    *,
    asks: str = "",
    action: str = "",
    other: tuple[str, str] | None = None,
    status: int = 200,
) -> Response:
    """Answer a link of a message with its page, as `link_page` makes it."""
    page = link_page(title, heading, text, asks=asks, action=action, other=other)
    return HTMLResponse(page, status, headers=_PRIVATE)


def link_refused(title: str, refusal: Refusal) -> Response:
    is_bad = isinstance(refusal, BadLink)
    heading = "This link does not work" if is_bad else "This did not work"
    return link_answer(title, heading, str(refusal), status=404 if is_bad else 409)


async def unsubscribe(request: Request) -> Response:
    """Show what a link ends; end it on POST, by the page's button or by a mail program (RFC 8058).

    A POST needs neither cookie nor Origin: the link's token is enough, and reaches nothing else.
    """
    token = request.query_params.get("t")
    try:
        if request.method != "POST":
            what = await messages.find_unsubscription(token)
            text = f"You will get no more {what}."
            return link_answer(_UNSUBSCRIBE, f"{_UNSUBSCRIBE}?", text, asks=_UNSUBSCRIBE)
        what = await messages.unsubscribe(token)
    except Refusal as refusal:
        return link_refused(_UNSUBSCRIBE, refusal)
    return link_answer(_UNSUBSCRIBE, "You are unsubscribed", f"You get no more {what}.")


async def twilio(request: Request) -> Response:
    """Take a text message that Twilio hands over: STOP, START and HELP are honoured at once."""
    form = await _signed_form(request, routes.TWILIO_WEBHOOK)
    if isinstance(form, Response):
        return form
    answer = await messages.receive_text(form.get("From"), form.get("Body"), form.get("OptOutType"))
    message = f"<Message>{escape(answer)}</Message>" if answer else ""
    xml = f'<?xml version="1.0" encoding="UTF-8"?><Response>{message}</Response>'
    return Response(xml, media_type="text/xml", headers=FRESH)


async def twilio_status(request: Request) -> Response:
    """Take what Twilio reports of a text message that it took from us."""
    form = await _signed_form(request, routes.TWILIO_STATUS)
    if isinstance(form, Response):
        return form
    if outcome := providers.sms_outcome(form):
        await messages.record_delivery(request.query_params.get("message"), outcome)
    return Response(status_code=204, headers=FRESH)


async def _signed_form(request: Request, path: str) -> dict[str, str] | Response:
    """Return the form of a call that Twilio has signed, or the refusal of any other."""
    body = await body_of(request, _FORM_MAX)
    if isinstance(body, Response):
        return body
    text = body.decode(errors="replace")
    try:
        form = parse_qsl(text, keep_blank_values=True, max_num_fields=_FIELDS_MAX)
    except ValueError:
        return text_answer("", 413)
    signature = request.headers.get("x-twilio-signature", "")
    address = settings.public_url + path
    if request.url.query:
        address += f"?{request.url.query}"
    if not providers.sms_is_signed(address, form, signature):
        log.warning("sms.forged_webhook")
        return text_answer("Forbidden", 403)
    return dict(form)


_WORKER = push.script("push_worker.js")
# A worker's policy is that of its own answer: it fetches nothing but the picture that it shows.
_WORKER_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "default-src 'none'; img-src 'self'",
}
_SUBSCRIPTION_MAX = 4_000  # bytes


async def push_worker(_request: Request) -> Response:
    """Return the service worker that shows notifications, and does nothing else."""
    return Response(_WORKER, headers=_WORKER_HEADERS, media_type="text/javascript")


@requires(Role.CUSTOMER, Role.TECHNICIAN)
async def devices(request: Request) -> Response:
    """Return the key to subscribe with, '' while notifications are off, and one's own browsers."""
    known = await messages.endpoints_of(request.state.session.actor)
    return JSONResponse({"key": push.public_key(), "endpoints": known}, headers=FRESH)


@requires(Role.CUSTOMER, Role.TECHNICIAN)
async def add_device(request: Request) -> Response:
    """Take the subscription of this browser."""
    sent = await _sent(request)
    if isinstance(sent, Response):
        return sent
    device = device_of(request.headers.get("user-agent"))
    return await _change(messages.add_device(request.state.session.actor, sent, device))


@requires(Role.CUSTOMER, Role.TECHNICIAN)
async def remove_device(request: Request) -> Response:
    """End the notifications at a browser."""
    sent = await _sent(request)
    if isinstance(sent, Response):
        return sent
    endpoint = sent.get("endpoint") if isinstance(sent, dict) else None
    return await _change(messages.remove_device(request.state.session.actor, endpoint))


async def _sent(request: Request) -> object:
    """Return the JSON of a short body, None if it is none; or the answer to a body too long."""
    body = await body_of(request, _SUBSCRIPTION_MAX)
    if isinstance(body, Response):
        return body
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


async def _change(change: Awaitable[None]) -> Response:
    try:
        await change
    except Refusal as refusal:
        return refused(refusal)
    return Response(status_code=204, headers=FRESH)


ROUTES = [
    Route(routes.PUSH_WORKER, push_worker, methods=["GET"]),
    Route(routes.PUSH_DEVICES, devices, methods=["GET"]),
    Route(routes.PUSH_DEVICES, add_device, methods=["POST"]),
    Route(routes.PUSH_DEVICES, remove_device, methods=["DELETE"]),
    Route(routes.UNSUBSCRIBE, unsubscribe, methods=["GET", "POST"]),
    Route(routes.TWILIO_WEBHOOK, twilio, methods=["POST"]),
    Route(routes.TWILIO_STATUS, twilio_status, methods=["POST"]),
]

"""HTTP of messages: unsubscribing by a mail's link, and text messages to us."""

from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

import structlog
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import FRESH, body_of, text_answer
from fuel_app.messages import providers
from fuel_app.messages import service as messages
from fuel_app.messages.providers import page_of
from fuel_app.settings import settings

log = structlog.get_logger()

_FORM_MAX = 16_000  # bytes; a text message with all of Twilio's fields has two thousand
_FIELDS_MAX = 100


async def unsubscribe(request: Request) -> Response:
    """Show what a link ends; end it on POST, by the page's button or by a mail program (RFC 8058).

    A POST needs neither cookie nor Origin: the link's token is enough, and reaches nothing else.
    """
    token = request.query_params.get("t")
    try:
        if request.method != "POST":
            what = await messages.find_unsubscription(token)
            return _page("Unsubscribe?", f"You will get no more {what}.", asks=True)
        what = await messages.unsubscribe(token)
    except Refusal as refusal:
        return _page("This link does not work", str(refusal), status=404)
    return _page("You are unsubscribed", f"You get no more {what}.")


def _page(heading: str, text: str, *, asks: bool = False, status: int = 200) -> Response:
    values = {"heading": heading, "text": text, "asks": asks, "brand": settings.brand_name}
    return HTMLResponse(page_of("unsubscribe.html", **values), status, headers=FRESH)


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


ROUTES = [
    Route(routes.UNSUBSCRIBE, unsubscribe, methods=["GET", "POST"]),
    Route(routes.TWILIO_WEBHOOK, twilio, methods=["POST"]),
    Route(routes.TWILIO_STATUS, twilio_status, methods=["POST"]),
]

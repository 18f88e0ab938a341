"""HTTP of billing: receipts as PDF, Stripe's webhooks, and the page of its stand-in."""

from html import escape
from pathlib import Path
from string import Template

import structlog
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import requires
from fuel_app.accounts.rules import Role
from fuel_app.billing.providers.stand_in import payments
from fuel_app.billing.providers.stand_in.objects import DECLINED as DECLINED_CARD
from fuel_app.billing.providers.stand_in.objects import NEEDS_CONFIRMATION, TEST_CARDS, WORKS
from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.rules.payments import DECLINED
from fuel_app.billing.rules.receipts import Receipt
from fuel_app.billing.service import invoices
from fuel_app.kit.http import FRESH, body_of, text_answer
from fuel_app.server.html import inline
from fuel_app.server.security import page_policy
from fuel_app.settings import settings


@requires(Role.CUSTOMER, Role.DISPATCHER)
async def receipt_pdf(request: Request) -> Response:
    """Return a receipt as PDF: a customer's own, any for staff."""
    by = request.state.session.actor
    return await pdf_answer(await invoices.find_receipt(by, request.path_params["invoice_id"]))


async def pdf_answer(receipt: Receipt | None) -> Response:
    """Answer with a receipt as PDF; another's and none are the same to who asks."""
    if receipt is None:
        return text_answer(InvoiceGone.message, 404)
    file = await invoices.receipt_pdf(receipt)
    disposition = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    headers = FRESH | disposition | {"Referrer-Policy": "no-referrer"}
    return Response(file.data, headers=headers, media_type="application/pdf")


log = structlog.get_logger()


_FORM_MAX = 1_000  # bytes
_DECLINE = f'<button class="other" name="card" value="{DECLINED_CARD}">Decline</button>'
_PAGE = Template(Path(__file__).with_name("test_checkout.html").read_text())
_HEADERS = FRESH | {
    "Content-Security-Policy": page_policy(inline(_PAGE.template)),
    "X-Robots-Tag": "noindex",
}


async def test_checkout(request: Request) -> Response:
    """Show a checkout; on POST add the chosen card or pay with it, and lead back to our page."""
    session_id = request.path_params["session_id"]
    if settings.stripe_secret_key or not (page := await payments.read_page(session_id)):
        return text_answer("Not found", 404)
    problem = ""
    if request.method == "POST" and page.is_open:
        body = await body_of(request, _FORM_MAX)
        if isinstance(body, Response):
            return body
        # The button 'Decline' comes after the card that is chosen.
        kind = body.decode(errors="replace").rpartition("card=")[2]
        if kind not in TEST_CARDS:
            return text_answer("No such card", 400)
        if await payments.complete_page(session_id, kind):
            return RedirectResponse(page.success_url, 303, FRESH)
        problem = DECLINED
    elif not page.is_open:
        back = page.success_url if page.is_complete else page.cancel_url
        return RedirectResponse(back, 303, FRESH)
    return HTMLResponse(_test_page(page, problem), headers=_HEADERS)


def _test_page(page: payments.CheckoutPage, problem: str) -> str:
    about = f"<p>{escape(page.text)}: <strong>{page.amount}</strong></p>" if page.amount else ""
    if problem:
        about += f'<p class="problem" role="alert">{escape(problem)}</p>'
    first = NEEDS_CONFIRMATION if page.amount else WORKS
    cards = "\n".join(
        f'<label><input type="radio" name="card" value="{key}"{" checked" * (key == first)}/>'
        f"{escape(card.label)} (•••• {card.last4})</label>"
        for key, card in TEST_CARDS.items()
    )
    return _PAGE.substitute(
        brand=escape(settings.brand_name),
        heading="Confirm your payment" if page.amount else "Add a card",
        button=f"Confirm {page.amount}" if page.amount else "Add card",
        decline=_DECLINE if page.amount else "",
        about=about,
        cards=cards,
        back=escape(page.cancel_url),
    )


ROUTES = [
    Route(routes.RECEIPT_FILE_PATTERN, receipt_pdf, methods=["GET"]),
    Route(routes.test_checkout("{session_id}"), test_checkout, methods=["GET", "POST"]),
]

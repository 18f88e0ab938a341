"""The stand-in's page in Stripe's place, with a choice of test cards. Only without a key."""

from html import escape
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from fuel_app.billing.providers.stand_in import visits
from fuel_app.billing.providers.stand_in.cards import DECLINED as DECLINED_CARD
from fuel_app.billing.providers.stand_in.cards import NEEDS_CONFIRMATION, TEST_CARDS, WORKS
from fuel_app.billing.rules.payments import DECLINED
from fuel_app.kit.http import FRESH, body_of, text_answer
from fuel_app.server.html import inline
from fuel_app.server.security import page_policy
from fuel_app.settings import settings

_FORM_MAX = 1_000  # bytes
_DECLINE = f'<button class="other" name="card" value="{DECLINED_CARD}">Decline</button>'
_PAGE = Template(Path(__file__).with_name("test_checkout.html").read_text())
_HEADERS = FRESH | {
    "Content-Security-Policy": page_policy(inline(_PAGE.template)),
    "X-Robots-Tag": "noindex",
}


async def test_checkout(request: Request) -> Response:
    """Show a visit; on POST add the chosen card or pay with it, and lead back to our page."""
    session_id = request.path_params["session_id"]
    if settings.stripe_secret_key or not (visit := await visits.visit(session_id)):
        return text_answer("Not found", 404)
    problem = ""
    if request.method == "POST" and visit.is_open:
        body = await body_of(request, _FORM_MAX)
        if isinstance(body, Response):
            return body
        # The button 'Decline' comes after the card that is chosen.
        kind = body.decode(errors="replace").rpartition("card=")[2]
        if kind not in TEST_CARDS:
            return text_answer("No such card", 400)
        if await visits.complete(session_id, kind):
            return RedirectResponse(visit.success_url, 303, FRESH)
        problem = DECLINED
    elif not visit.is_open:
        back = visit.success_url if visit.is_complete else visit.cancel_url
        return RedirectResponse(back, 303, FRESH)
    return HTMLResponse(_page(visit, problem), headers=_HEADERS)


def _page(visit: visits.Visit, problem: str) -> str:
    about = f"<p>{escape(visit.text)}: <strong>{visit.amount}</strong></p>" if visit.amount else ""
    if problem:
        about += f'<p class="problem" role="alert">{escape(problem)}</p>'
    first = NEEDS_CONFIRMATION if visit.amount else WORKS
    cards = "\n".join(
        f'<label><input type="radio" name="card" value="{key}"{" checked" * (key == first)}/>'
        f"{escape(card.label)} (•••• {card.last4})</label>"
        for key, card in TEST_CARDS.items()
    )
    return _PAGE.substitute(
        brand=escape(settings.brand_name),
        heading="Confirm your payment" if visit.amount else "Add a card",
        button=f"Confirm {visit.amount}" if visit.amount else "Add card",
        decline=_DECLINE if visit.amount else "",
        about=about,
        cards=cards,
        back=escape(visit.cancel_url),
    )

"""Second factors by plain HTTP: what has to be seen once and never reaches a tab's state."""

from html import escape
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from fuel_app import routes
from fuel_app.accounts.http.guards import requires_person, visitor
from fuel_app.accounts.rules.factors import NotProved, NotSetUp
from fuel_app.accounts.service import authenticator, factors
from fuel_app.kit import clock, pictures
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import FRESH
from fuel_app.server.html import inline
from fuel_app.server.security import page_policy
from fuel_app.settings import settings

_PRIVATE = FRESH | {"Cross-Origin-Resource-Policy": "same-origin", "X-Robots-Tag": "noindex"}
_SHEET = Template(Path(__file__).with_name("recovery_codes.html").read_text())
_SHEET_HEADERS = _PRIVATE | {"Content-Security-Policy": page_policy(inline(_SHEET.template))}


@requires_person
async def authenticator_code(request: Request) -> Response:
    """Return the QR code of the authenticator app that is being set up."""
    address = await _of_setup(request, authenticator.address)
    if isinstance(address, Response):
        return address
    return Response(await pictures.drawn(address), media_type="image/svg+xml", headers=_PRIVATE)


@requires_person
async def authenticator_key(request: Request) -> Response:
    """Return the key to type where no camera is at hand."""
    key = await _of_setup(request, authenticator.key)
    return key if isinstance(key, Response) else PlainTextResponse(key, headers=_PRIVATE)


@requires_person
async def open_authenticator(request: Request) -> Response:
    """Lead to the authenticator app of this device."""
    address = await _of_setup(request, authenticator.address)
    if isinstance(address, Response):
        return address
    return RedirectResponse(address, 303, headers=_PRIVATE)


async def _of_setup(request: Request, ask) -> str | Response:
    try:
        found = await ask(request.state.session)
    except Refusal as refusal:
        return PlainTextResponse(str(refusal), 403, headers=_PRIVATE)
    return found or PlainTextResponse(NotSetUp.message, 404, headers=_PRIVATE)


@requires_person
async def recovery_codes(request: Request) -> Response:
    """Make new recovery codes and show them, this once; answers a plain form."""
    session = request.state.session
    try:
        codes = await factors.new_recovery_codes(session, visitor(request, session))
    except NotProved:  # the page asks for the password
        return RedirectResponse(routes.SECURITY, 303, headers=_PRIVATE)
    except Refusal as refusal:
        return PlainTextResponse(str(refusal), 403, headers=_PRIVATE)
    return HTMLResponse(_sheet(codes), headers=_SHEET_HEADERS)


def _sheet(codes: tuple[str, ...]) -> str:
    return _SHEET.substitute(
        brand=escape(settings.brand_name),
        codes="".join(f"<li><code>{escape(code)}</code></li>" for code in codes),
        today=clock.long_date(clock.day_of(clock.now())),
        back=routes.SECURITY,
    )

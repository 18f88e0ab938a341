"""A visitor as a request shows them."""

from starlette.requests import Request

from fuel_app.accounts.rules import Session, device_of
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.kit.http import client_address


def visitor(request: Request, session: Session | None = None) -> Visitor:
    """Return the visitor; `session` is the one that the browser has."""
    return Visitor(
        client_address(request),
        device_of(request.headers.get("user-agent")),
        session.id if session else "",
    )

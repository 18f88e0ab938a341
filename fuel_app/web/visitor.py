"""Who asks, as far as the network tells."""

from starlette.requests import Request

from fuel_app.settings import settings


def client_address(request: Request) -> str:
    """The visitor's network address: by the proxies that we trust, else the connection's own.

    The same rule by which the framework finds it for events.
    """
    hops = settings.trusted_proxy_hops
    forwarded = request.headers.get("x-forwarded-for", "").split(",") if hops else []
    known = [address.strip() for address in forwarded if address.strip()]
    if hops and len(known) >= hops:
        return known[-hops]
    return request.client.host if request.client else ""

"""Plain HTTP below a join link: its page, pictures and flyer."""

from functools import partial

from starlette.routing import Route

from fuel_app import routes
from fuel_app.joining.http.card import share_card
from fuel_app.joining.http.flyer import flyer, join_code
from fuel_app.joining.http.links import join_page
from fuel_app.server.pages import Site

_JOIN_LINK = f"{routes.JOIN_NEIGHBORHOOD}/{{neighborhood_id}}"


def join_routes(site: Site) -> list[Route]:
    """Return the routes below a join link; in development Vite serves its page."""
    return [
        Route(f"{_JOIN_LINK}/card.png", share_card),
        Route(f"{_JOIN_LINK}/code.svg", join_code),
        Route(f"{_JOIN_LINK}/flyer", partial(flyer, site.not_found)),
        *([Route(_JOIN_LINK, partial(join_page, site.shell))] if site.shell else []),
    ]

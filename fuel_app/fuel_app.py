"""The app assembled: its pages, its HTTP routes, and what runs beside them."""

from functools import partial

import reflex as rx
from redis.exceptions import RedisError
from reflex_components_core.base.error_boundary import error_boundary
from starlette.responses import RedirectResponse
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts import http as accounts
from fuel_app.accounts import jobs as accounts_jobs  # noqa: F401 (registers its jobs)
from fuel_app.accounts.http import staff_only
from fuel_app.accounts.state.session import greet
from fuel_app.announcements import http as announcements_http
from fuel_app.announcements import jobs as announcements_jobs  # noqa: F401 (registers its jobs)
from fuel_app.areas import jobs as areas_jobs  # noqa: F401 (registers its jobs)
from fuel_app.billing import http as billing_http
from fuel_app.bookings import http as bookings_http
from fuel_app.bookings import jobs as bookings_jobs  # noqa: F401 (registers its jobs)
from fuel_app.companies import http as companies_http
from fuel_app.customers import http as customers
from fuel_app.customers import jobs as customers_jobs  # noqa: F401 (registers its jobs)
from fuel_app.dispatch import http as dispatch_http
from fuel_app.dispatch import jobs as dispatch_jobs  # noqa: F401 (registers its jobs)
from fuel_app.forecasts import http as forecasts_http
from fuel_app.forecasts import jobs as forecasts_jobs  # noqa: F401 (registers its jobs)
from fuel_app.joining.http import join_routes
from fuel_app.kit.jobs.worker import WORKER
from fuel_app.kit.ui.frame import HEAD, error_page, overlay
from fuel_app.kit.ui.toast import ToastState
from fuel_app.launch import jobs as launch_jobs  # noqa: F401 (registers its jobs)
from fuel_app.marketing import http as marketing
from fuel_app.marketing.http import PublicPages
from fuel_app.membership import http as membership_http
from fuel_app.membership import jobs as membership_jobs  # noqa: F401 (registers its jobs)
from fuel_app.messages import http as messages_http
from fuel_app.messages import jobs as messages_jobs  # noqa: F401 (registers its jobs)
from fuel_app.neighborhoods import http as neighborhoods_http
from fuel_app.office import http as office_http
from fuel_app.outcomes import http as outcomes_http
from fuel_app.outcomes import jobs as outcomes_jobs  # noqa: F401 (registers its jobs)
from fuel_app.pages import add_pages, is_wrong_link
from fuel_app.proposals import http as proposals_http
from fuel_app.repeats import http as repeats_http
from fuel_app.repeats import jobs as repeats_jobs  # noqa: F401 (registers its jobs)
from fuel_app.server import health, logs, metrics, site
from fuel_app.server.pages import Site
from fuel_app.server.reflex import redis_tabs, shutdown
from fuel_app.server.reflex.events import ConnectHook, EventLog
from fuel_app.server.reflex.private_tabs import LinkTokens
from fuel_app.submissions import http as submissions_http
from fuel_app.submissions import jobs as submissions_jobs  # noqa: F401 (registers its jobs)
from fuel_app.waitlist import service as waitlist


def _failed_page(_stateful: bool) -> rx.Component:
    message = rx.Var("event_args.error.message", _var_type=str)
    return error_boundary(fallback_render=error_page(message))


def _failed_event(exception: Exception) -> rx.event.EventSpec | None:
    logs.on_backend_error(exception)
    if isinstance(exception, RedisError):  # a toast is an event too, and would fail again
        return None
    return ToastState.apologise()  # type: ignore[return-value]


app = rx.App(
    stylesheets=["/styles.css"],
    head_components=HEAD,
    html_lang="en",
    toaster=None,  # ours is in the overlay; the stock one inserts style elements
    app_wraps={
        (55, "ErrorBoundary"): _failed_page,
        (5, "Overlay"): lambda stateful: overlay() if stateful else None,
    },
    backend_exception_handler=_failed_event,
    frontend_exception_handler=logs.on_frontend_error,
)


def http_routes(built: Site) -> list[Route]:
    """Return every route that is plain HTTP."""
    return [
        Route(routes.HEALTH, health.health),
        Route(routes.READY, health.ready),
        Route(routes.METRICS, metrics.metrics(staff_only)),
        *accounts.ROUTES,
        *companies_http.ROUTES,
        *customers.ROUTES,
        *membership_http.ROUTES,
        *billing_http.ROUTES,
        *outcomes_http.ROUTES,
        *bookings_http.ROUTES,
        *repeats_http.ROUTES,
        *forecasts_http.ROUTES,
        *dispatch_http.ROUTES,
        *submissions_http.ROUTES,
        *proposals_http.ROUTES,
        *neighborhoods_http.ROUTES,
        *office_http.ROUTES,
        *messages_http.ROUTES,
        *announcements_http.ROUTES,
        *marketing.ROUTES,
        *PublicPages(built).routes(),
        # The first of the settings.
        Route(routes.SETTINGS, RedirectResponse(routes.SETTINGS_AREAS), methods=["GET"]),
        *join_routes(built),
    ]


add_pages(app)
redis_tabs.share(app)
app.add_middleware(LinkTokens())  # before all that reads the address
app.add_middleware(ConnectHook(greet))
app.add_middleware(EventLog(), index=0)  # before Reflex's own, which answers some events itself
app.register_lifespan_task(site.tune)
app.register_lifespan_task(logs.announce, count_waitlist=waitlist.count)
app.register_lifespan_task(WORKER.run)
app.register_lifespan_task(shutdown.finish_first)
app.register_lifespan_task(redis_tabs.watch)
app.api_transformer = [  # last: the router has to know every page
    partial(site.wrap, router=app.router, routes=http_routes, is_wrong_link=is_wrong_link)
]

"""The app assembled: every page with its address, title and first event, and the HTTP side."""

from functools import partial

import reflex as rx
from redis.exceptions import RedisError
from reflex_components_core.base.error_boundary import error_boundary
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts import http as accounts
from fuel_app.accounts import jobs as accounts_jobs  # noqa: F401 (registers its jobs)
from fuel_app.accounts.pages.email_undo import undo_email
from fuel_app.accounts.pages.invitation import invitation
from fuel_app.accounts.pages.sign_in import forgot_password, reset_password, sign_in
from fuel_app.accounts.state.email_undo import EmailUndoState
from fuel_app.accounts.state.invitation import InvitationState
from fuel_app.accounts.state.people.listing import PeopleState
from fuel_app.accounts.state.reset import ForgotPasswordState, ResetPasswordState
from fuel_app.accounts.state.session import SessionState, greet
from fuel_app.accounts.state.sign_in_page import SignInState
from fuel_app.areas import jobs as areas_jobs  # noqa: F401 (registers its jobs)
from fuel_app.areas.state.areas import AreasState
from fuel_app.areas.state.prices import PricesState
from fuel_app.billing.pages import billing
from fuel_app.billing.state import BillingState
from fuel_app.bookings import http as bookings_http
from fuel_app.bookings.pages import wizards as bookings
from fuel_app.bookings.pages.booking import booking, manage
from fuel_app.bookings.service import personal as bookings_personal  # noqa: F401 (registers it)
from fuel_app.bookings.state.booking import GuestBookingState, OwnBookingState
from fuel_app.bookings.state.hours import HoursState
from fuel_app.bookings.state.one_time_fill import GuestFillState
from fuel_app.bookings.state.preview import OneTimeFillState, ScheduleState
from fuel_app.bookings.state.schedule import FillUpState
from fuel_app.customers import http as customers
from fuel_app.customers import jobs as customers_jobs  # noqa: F401 (registers its jobs)
from fuel_app.customers import pages as my
from fuel_app.customers.pages.onboarding import sign_up, sign_up_plan
from fuel_app.customers.state.account import AccountState
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.email import EmailState
from fuel_app.customers.state.neighborhood import OwnNeighborhoodState
from fuel_app.customers.state.own_places import PlacesState
from fuel_app.customers.state.security.own import OwnSecurityState
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.state.verify import VerifyState
from fuel_app.dashboard.pages import dashboard
from fuel_app.dashboard.service import fills  # noqa: F401 (a part of customers)
from fuel_app.dashboard.state import DashboardState
from fuel_app.joining.http import join_routes
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.jobs.worker import WORKER
from fuel_app.kit.ui.brand import TAGLINE
from fuel_app.kit.ui.frame import ERROR_TITLE, HEAD, error_page, not_found, overlay
from fuel_app.kit.ui.toast import ToastState
from fuel_app.marketing import http as marketing
from fuel_app.marketing.pages.business import business
from fuel_app.marketing.pages.fleet import fleet
from fuel_app.marketing.pages.home import home
from fuel_app.marketing.pages.landing import landing
from fuel_app.marketing.pages.privacy import privacy
from fuel_app.marketing.pages.terms import terms
from fuel_app.marketing.state import OpeningState, TermsState
from fuel_app.messages import http as messages_http
from fuel_app.messages import jobs as messages_jobs  # noqa: F401 (registers its jobs)
from fuel_app.messages.state.listing import MessagesState
from fuel_app.neighborhoods import http as neighborhoods_http
from fuel_app.neighborhoods.pages import neighborhood, neighborhoods
from fuel_app.neighborhoods.state.detail import NeighborhoodState
from fuel_app.neighborhoods.state.listing import NeighborhoodsState
from fuel_app.neighborhoods.state.tools import NeighborhoodToolsState
from fuel_app.office import http as office_http
from fuel_app.office.pages.customers import customer_dashboard as office
from fuel_app.office.pages.settings import (
    settings_areas,
    settings_business,
    settings_messages,
    settings_people,
    settings_prices,
)
from fuel_app.office.state.business import BusinessState
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.plans import jobs as plans_jobs  # noqa: F401 (registers its jobs)
from fuel_app.server import health, logs, metrics, runtime, site
from fuel_app.server.pages import Site
from fuel_app.server.reflex import redis_tabs, redis_watch, shutdown
from fuel_app.server.reflex.events import ConnectHook, EventLog
from fuel_app.server.reflex.link_tokens import LinkTokens
from fuel_app.settings import settings
from fuel_app.submissions import http as submissions_http
from fuel_app.submissions import jobs as submissions_jobs  # noqa: F401 (registers its jobs)
from fuel_app.submissions.pages import submissions
from fuel_app.submissions.state.dialogs import LeadDetailsState
from fuel_app.submissions.state.imports import LeadImportState
from fuel_app.submissions.state.leads import LeadsState
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


_BRAND = settings.brand_name
_ARRIVE = [ToastState.drop_stale, WaitlistState.arrive, OpeningState.arrive]


def _add(
    page, route: str, title: str, description: str, social: str = "social", arrive=_ARRIVE
) -> None:
    """Add a public page with its title, description and link preview."""
    app.add_page(
        page,
        route=route,
        title=title,
        description=description,
        image=f"{settings.public_url}/{social}.png",
        meta=[
            {"property": "og:title", "content": title},
            {"property": "og:description", "content": description},
            {"property": "og:type", "content": "website"},
            {"property": "og:site_name", "content": _BRAND},
            {"property": "og:url", "content": settings.public_url + route},
            {"name": "twitter:card", "content": "summary_large_image"},
            rx.el.link(rel="canonical", href=settings.public_url + route),
        ],
        on_load=arrive,
    )


_add(
    landing,
    routes.HOME,
    f"{_BRAND}: {TAGLINE.lower()}",
    "Mobile fuel delivery in Sarasota and Bradenton. Join the waitlist, get your first fill-up "
    "free (fuel up to the cap in our Terms), and save every month with your neighbors.",
)
_add(
    home,
    routes.PLANS,
    f"Plans for families | {_BRAND}",
    "Solo, Family or Big Family: choose how many fill-ups you need a month. We come to your home "
    "or work in Sarasota and Bradenton. Or book a one-time fill.",
    "social-plans",
)
_add(
    fleet,
    routes.FLEET,
    f"Fleet fueling | {_BRAND}",
    "Gasoline and diesel for your company's vehicles, filled where they park in Sarasota and "
    "Bradenton. Request a fleet quote: we answer within one business day.",
    "social-fleet",
)
_add(
    business,
    routes.BUSINESS,
    f"Employee fuel benefit | {_BRAND}",
    "We fill your employees' cars in your parking lot in Sarasota or Bradenton while they work. "
    "Ask for a quote: we answer within one business day.",
    "social-business",
)
_add(
    privacy,
    routes.PRIVACY,
    f"Privacy policy | {_BRAND}",
    f"What {_BRAND} collects, how we use it, who we share it with, and your choices.",
)
_add(
    terms,
    routes.TERMS,
    f"Terms of service | {_BRAND}",
    f"What {_BRAND} and you agree on: who may have a car fueled where, what fueling needs, what "
    "we hold on your card, and how to cancel.",
    arrive=[*_ARRIVE, TermsState.arrive],
)
# Its link previews are written per neighborhood: `joining/http/links.py`.
app.add_page(
    landing,
    route=routes.JOIN_NEIGHBORHOOD_PATTERN,
    title=f"Join your neighborhood | {_BRAND}",
    on_load=_ARRIVE,
)


def _add_unlisted(arrivals: list, *pages: tuple) -> None:
    """Add pages that search engines leave out, each as (page, route, title, *its own arrivals)."""
    for page, route, title, *own in pages:
        app.add_page(
            page,
            route=route,
            title=f"{title} | {_BRAND}",
            meta=[{"name": "robots", "content": "noindex"}],
            on_load=[ToastState.drop_stale, *arrivals, *own],
        )


_add_unlisted(
    [],
    (sign_in, routes.SIGN_IN, "Sign In", SignInState.arrive),
    (forgot_password, routes.FORGOT_PASSWORD, "Forgot Password", ForgotPasswordState.arrive),
    (undo_email, routes.UNDO_EMAIL_PATTERN, "Undo the Change", EmailUndoState.arrive),
    (reset_password, routes.RESET_PASSWORD_PATTERN, "New Password", ResetPasswordState.arrive),
    (invitation, routes.INVITATION_PATTERN, "Invitation", InvitationState.arrive),
    (invitation, routes.INVITATION, "Invitation", InvitationState.arrive),
)
_DASHBOARD = (
    *(SessionState.look, VerifyState.arrive, DashboardState.arrive, DashboardState.follow),
    *(OwnBookingState.arrive, OwnBookingState.follow),
)
_add_unlisted(
    [CustomerState.arrive, SessionState.follow],
    (dashboard, routes.DASHBOARD, "Dashboard", *_DASHBOARD),
    (
        *(my.account, routes.ACCOUNT, "Account Settings", AccountState.arrive),
        *(EmailState.arrive, OwnNeighborhoodState.arrive, PlacesState.arrive),
    ),
    (billing, routes.BILLING, "Billing & Plans", BillingState.arrive),
    (my.notifications, routes.NOTIFICATIONS, "Notification Settings"),
    (my.security, routes.SECURITY, "Privacy & Security", OwnSecurityState.arrive),
    (my.support, routes.SUPPORT, "Help & Support"),
)
_add_unlisted(
    [SignupState.arrive],
    (sign_up, routes.ONBOARDING, "Contact Information"),
    (sign_up_plan, routes.ONBOARDING_PLAN, "Choose Your Plan"),
)
_add_unlisted(
    [ScheduleState.arrive, FillUpState.arrive, SessionState.follow],
    (bookings.vehicle, routes.SCHEDULE, "Schedule a Fill-Up: vehicle"),
    (bookings.location, routes.SCHEDULE_LOCATION, "Schedule a Fill-Up: location"),
    (bookings.time, routes.SCHEDULE_TIME, "Schedule a Fill-Up: time", FillUpState.follow),
)
_add_unlisted(
    [OneTimeFillState.arrive, GuestFillState.arrive, SessionState.look],
    (bookings.contact, routes.ONE_TIME_FILL, "Book a One-Time Fill"),
    (bookings.one_time_fill_vehicle, routes.ONE_TIME_FILL_VEHICLE, "Book a One-Time Fill: vehicle"),
    (
        bookings.schedule,
        routes.ONE_TIME_FILL_SCHEDULE,
        "Book a One-Time Fill: schedule",
        GuestFillState.follow,
    ),
    (
        bookings.payment,
        routes.ONE_TIME_FILL_PAYMENT,
        "Book a One-Time Fill: payment",
        GuestFillState.watch,
    ),
)
_BOOKING = (CustomerState.arrive, SessionState.follow, OwnBookingState.arrive)
_add_unlisted(
    [],
    (booking, routes.BOOKING_PATTERN, "Your Fill-Up", *_BOOKING, OwnBookingState.follow),
    (
        *(manage, routes.MANAGE_PATTERN, "Your Fill-Up"),
        *(GuestBookingState.arrive, GuestBookingState.follow),
    ),
)
# The staff's pages are built without data, and the guard checks each of their events.
_LEADS = (LeadsState, LeadDetailsState, LeadImportState)
_ON_LEADS = (*(state.load for state in _LEADS), *(state.follow for state in _LEADS))
_NEIGHBORHOODS = (NeighborhoodsState.load, NeighborhoodsState.follow)
_NEIGHBORHOOD = (NeighborhoodState.load, NeighborhoodToolsState.load, NeighborhoodState.follow)
_MESSAGES = (MessagesState.load, MessagesState.follow)
_AREAS = (AreasState.load, AreasState.follow, HoursState.follow)
_BUSINESS = (BusinessState.load, BusinessState.follow)
_add_unlisted(
    [SessionState.require, SessionState.follow],
    (submissions, routes.SUBMISSIONS, "Submissions", *_ON_LEADS),
    (neighborhoods, routes.NEIGHBORHOODS, "Neighborhoods", *_NEIGHBORHOODS),
    (neighborhood, routes.NEIGHBORHOOD_PATTERN, "Neighborhood", *_NEIGHBORHOOD),
    (office, routes.CUSTOMER_DASHBOARD, "Customer Dashboard", CustomerDashboardState.load),
    (settings_business, routes.SETTINGS_BUSINESS, "Business", *_BUSINESS),
    (settings_areas, routes.SETTINGS_AREAS, "Areas", *_AREAS),
    (settings_prices, routes.SETTINGS_PRICES, "Prices", PricesState.load, PricesState.follow),
    (settings_messages, routes.SETTINGS_MESSAGES, "Messages", *_MESSAGES),
    (settings_people, routes.SETTINGS_PEOPLE, "People", PeopleState.load, PeopleState.follow),
)
app.add_page(not_found, route="404", title=ERROR_TITLE)


def http_routes(built: Site) -> list[Route]:
    """Return every route that is plain HTTP."""
    return [
        Route(routes.HEALTH, health.health),
        Route(routes.READY, health.ready),
        Route(routes.METRICS, metrics.metrics(accounts.staff_only)),
        *accounts.ROUTES,
        *customers.ROUTES,
        *bookings_http.ROUTES,
        *submissions_http.ROUTES,
        *neighborhoods_http.ROUTES,
        *messages_http.ROUTES,
        *marketing.ROUTES,
        *office_http.ROUTES,
        *join_routes(built),
    ]


redis_tabs.share(app)
app.add_middleware(LinkTokens())  # before all that reads the address
app.add_middleware(ConnectHook(greet))
app.add_middleware(EventLog(), index=0)  # before Reflex's own, which answers some events itself
app.register_lifespan_task(runtime.tune)
app.register_lifespan_task(logs.announce, count_waitlist=waitlist.count)
app.register_lifespan_task(WORKER.run)
app.register_lifespan_task(shutdown.finish_first)
app.register_lifespan_task(redis_watch.watch)
app.api_transformer = [  # last: the router has to know every page
    partial(site.wrap, router=app.router, routes=http_routes)
]

"""Every page with its address, title and first events."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.pages import forgot_password, invitation, reset_password, sign_in, undo_email
from fuel_app.accounts.state.people import PeopleState
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.state.sign_in_pages import (
    EmailUndoState,
    ForgotPasswordState,
    InvitationState,
    ResetPasswordState,
    SignInState,
)
from fuel_app.areas.state import AreasState, PricesState
from fuel_app.billing.state.preview import BillingState
from fuel_app.billing.state.receipts import HistoryState, OwnReceiptState
from fuel_app.customers import pages as my
from fuel_app.customers.pages import sign_up, sign_up_plan
from fuel_app.customers.state.account import OwnNeighborhoodState
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.locations import PlacesState
from fuel_app.customers.state.security import OwnSecurityState
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.dashboard.pages import dashboard
from fuel_app.dashboard.state import DashboardState
from fuel_app.dispatch.pages import dispatch
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.questions import QuestionsState
from fuel_app.dispatch.state.tracking import TrackingState
from fuel_app.dispatch.state.trucks import TrucksState
from fuel_app.dispatch.ui.tracking import tracking
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.ui.frame import ERROR_TITLE, TAGLINE, not_found
from fuel_app.kit.ui.toast import ToastState
from fuel_app.launch.pages import LAUNCH_STATES, launch
from fuel_app.launch.state.areas import HoursState
from fuel_app.marketing.pages.business import business
from fuel_app.marketing.pages.fleet import fleet
from fuel_app.marketing.pages.home import home
from fuel_app.marketing.pages.landing import landing
from fuel_app.marketing.pages.privacy import privacy
from fuel_app.marketing.pages.terms import terms
from fuel_app.marketing.rules import DESCRIPTION
from fuel_app.marketing.state import OpeningState, TermsState
from fuel_app.membership.pages import account
from fuel_app.membership.state import AccountState, EmailState, VerifyState
from fuel_app.messages.state import MessagesState
from fuel_app.neighborhoods.pages import neighborhood, neighborhoods
from fuel_app.neighborhoods.state import (
    NeighborhoodsState,
    NeighborhoodState,
    NeighborhoodToolsState,
)
from fuel_app.office.pages import customer_dashboard as office
from fuel_app.office.pages import (
    settings_areas,
    settings_business,
    settings_messages,
    settings_money,
    settings_people,
    settings_prices,
    settings_trucks,
)
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.office.state.settings import BusinessState, MoneyState
from fuel_app.outcomes.pages import billing, receipt
from fuel_app.outcomes.state import PlansState, StepsState
from fuel_app.scheduling import pages as bookings
from fuel_app.scheduling.pages import booking, manage, manage_receipt
from fuel_app.scheduling.state.booking import GuestBookingState, GuestReceiptState, OwnBookingState
from fuel_app.scheduling.state.preview import OneTimeFillState, ScheduleState
from fuel_app.scheduling.state.wizards import FillUpState, GuestFillState
from fuel_app.settings import settings
from fuel_app.submissions.pages import submissions
from fuel_app.submissions.state.dialogs import LeadDetailsState
from fuel_app.submissions.state.imports import LeadImportState
from fuel_app.submissions.state.leads import LeadsState

_BRAND = settings.brand_name
_ONE_TIME = "Book a One-Time Fill"
_ARRIVE = [ToastState.drop_stale, WaitlistState.arrive, OpeningState.arrive]

# Page, address, title, description, picture of the link preview, its own first events.
PUBLIC = (
    (landing, routes.HOME, f"{_BRAND}: {TAGLINE.lower()}", DESCRIPTION),
    (
        home,
        routes.PLANS,
        f"Plans for families | {_BRAND}",
        "Solo, Family or Big Family: choose how many fill-ups you need a month. We come to your "
        "home or work in Sarasota and Bradenton. Or book a one-time fill.",
        "social-plans",
    ),
    (
        fleet,
        routes.FLEET,
        f"Fleet fueling | {_BRAND}",
        "Gasoline and diesel for your company's vehicles, filled where they park in Sarasota and "
        "Bradenton. Request a fleet quote: we answer within one business day.",
        "social-fleet",
    ),
    (
        business,
        routes.BUSINESS,
        f"Employee fuel benefit | {_BRAND}",
        "We fill your employees' cars in your parking lot in Sarasota or Bradenton while they "
        "work. Ask for a quote: we answer within one business day.",
        "social-business",
    ),
    (
        privacy,
        routes.PRIVACY,
        f"Privacy policy | {_BRAND}",
        f"What {_BRAND} collects, how we use it, who we share it with, and your choices.",
    ),
    (
        terms,
        routes.TERMS,
        f"Terms of service | {_BRAND}",
        f"What {_BRAND} and you agree on: who may have a car fueled where, what fueling needs, "
        "what we hold on your card, and how to cancel.",
        "social",
        TermsState.arrive,
    ),
)

_DASHBOARD = (
    SessionState.look,
    VerifyState.arrive,
    DashboardState.arrive,
    DashboardState.follow,
    OwnBookingState.arrive,
    StepsState.arrive,
)
_BOOKING = (CustomerState.arrive, SessionState.follow, OwnBookingState.arrive)


def _live(*states) -> list:
    """Return the first events of screens that follow what others do."""
    return [*(state.load for state in states), *(state.follow for state in states)]


# The first events of a group, then its pages: page, address, title, its own first events.
# Search engines leave them out.
UNLISTED = (
    (
        [],
        (sign_in, routes.SIGN_IN, "Sign In", SignInState.arrive),
        (forgot_password, routes.FORGOT_PASSWORD, "Forgot Password", ForgotPasswordState.arrive),
        (undo_email, routes.UNDO_EMAIL_PATTERN, "Undo the Change", EmailUndoState.arrive),
        (reset_password, routes.RESET_PASSWORD_PATTERN, "New Password", ResetPasswordState.arrive),
        (invitation, routes.INVITATION_PATTERN, "Invitation", InvitationState.arrive),
        (invitation, routes.INVITATION, "Invitation", InvitationState.arrive),
    ),
    (
        [CustomerState.arrive, SessionState.follow],
        (dashboard, routes.DASHBOARD, "Dashboard", *_DASHBOARD),
        (
            *(account, routes.ACCOUNT, "Account Settings", AccountState.arrive),
            *(EmailState.arrive, OwnNeighborhoodState.arrive, PlacesState.arrive),
        ),
        (
            *(billing, routes.BILLING, "Billing & Plans", BillingState.arrive),
            *(PlansState.arrive, HistoryState.arrive),
        ),
        (my.notifications, routes.NOTIFICATIONS, "Notification Settings"),
        (my.security, routes.SECURITY, "Privacy & Security", OwnSecurityState.arrive),
        (my.support, routes.SUPPORT, "Help & Support"),
    ),
    (
        [SignupState.arrive],
        (sign_up, routes.ONBOARDING, "Contact Information"),
        (sign_up_plan, routes.ONBOARDING_PLAN, "Choose Your Plan"),
    ),
    (
        [ScheduleState.arrive, FillUpState.arrive, SessionState.follow],
        (bookings.own_vehicle, routes.SCHEDULE, "Schedule a Fill-Up: vehicle"),
        (bookings.own_location, routes.SCHEDULE_LOCATION, "Schedule a Fill-Up: location"),
        (
            *(bookings.own_time, routes.SCHEDULE_TIME, "Schedule a Fill-Up: time"),
            *(FillUpState.follow, FillUpState.watch),
        ),
    ),
    (
        [OneTimeFillState.arrive, GuestFillState.arrive, SessionState.look],
        (bookings.guest_contact, routes.ONE_TIME_FILL, _ONE_TIME),
        (bookings.guest_vehicle, routes.ONE_TIME_FILL_VEHICLE, f"{_ONE_TIME}: vehicle"),
        (
            *(bookings.guest_time, routes.ONE_TIME_FILL_SCHEDULE),
            *(f"{_ONE_TIME}: schedule", GuestFillState.follow),
        ),
        (
            *(bookings.guest_payment, routes.ONE_TIME_FILL_PAYMENT),
            *(f"{_ONE_TIME}: payment", GuestFillState.watch),
        ),
    ),
    (
        [],
        (booking, routes.BOOKING_PATTERN, "Your Fill-Up", *_BOOKING),
        (manage, routes.MANAGE_PATTERN, "Your Fill-Up", GuestBookingState.arrive),
        (
            *(receipt, routes.RECEIPT_PATTERN, "Receipt"),
            *(OwnReceiptState.arrive, SessionState.follow),
        ),
        (manage_receipt, routes.MANAGE_RECEIPT_PATTERN, "Receipt", GuestReceiptState.arrive),
        (
            *(tracking, routes.TRACK_PATTERN, "Track Your Fill-Up"),
            *(TrackingState.arrive, TrackingState.follow),
        ),
    ),
    # The staff's pages are built without data, and the guard checks each of their events.
    (
        [SessionState.require, SessionState.follow],
        (
            submissions,
            routes.SUBMISSIONS,
            "Submissions",
            *_live(LeadsState, LeadDetailsState, LeadImportState),
        ),
        (neighborhoods, routes.NEIGHBORHOODS, "Neighborhoods", *_live(NeighborhoodsState)),
        (
            neighborhood,
            routes.NEIGHBORHOOD_PATTERN,
            "Neighborhood",
            NeighborhoodState.load,
            NeighborhoodToolsState.load,
            NeighborhoodState.follow,
        ),
        (
            dispatch,
            routes.DISPATCH,
            "Dispatch",
            *_live(BoardState),
            BoardState.watch,
            QuestionsState.follow,
        ),
        (office, routes.CUSTOMER_DASHBOARD, "Customer Dashboard", *_live(CustomerDashboardState)),
        (launch, routes.LAUNCH, "Launch", *_live(*LAUNCH_STATES)),
        (settings_business, routes.SETTINGS_BUSINESS, "Business", *_live(BusinessState)),
        (settings_areas, routes.SETTINGS_AREAS, "Areas", *_live(AreasState), HoursState.follow),
        (settings_prices, routes.SETTINGS_PRICES, "Prices", *_live(PricesState)),
        (settings_trucks, routes.SETTINGS_TRUCKS, "Trucks", *_live(TrucksState)),
        (settings_messages, routes.SETTINGS_MESSAGES, "Messages", *_live(MessagesState)),
        (settings_money, routes.SETTINGS_MONEY, "Money", MoneyState.load),
        (settings_people, routes.SETTINGS_PEOPLE, "People", *_live(PeopleState)),
    ),
)


def add_pages(app: rx.App) -> None:
    """Add every page."""
    for page in PUBLIC:
        _add_public(app, *page)
    # Its link previews are written per neighborhood: `joining/http.py`.
    app.add_page(
        landing,
        route=routes.JOIN_NEIGHBORHOOD_PATTERN,
        title=f"Join your neighborhood | {_BRAND}",
        on_load=_ARRIVE,
    )
    for arrivals, *pages in UNLISTED:
        for page, route, title, *own in pages:
            app.add_page(
                page,
                route=route,
                title=f"{title} | {_BRAND}",
                meta=[{"name": "robots", "content": "noindex"}],
                on_load=[ToastState.drop_stale, *arrivals, *own],
            )
    app.add_page(not_found, route="404", title=ERROR_TITLE)


def _add_public(
    app: rx.App, page, route: str, title: str, description: str, social: str = "social", *own
) -> None:
    """Add a page with its description and link preview."""
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
        on_load=[*_ARRIVE, *own],
    )

"""Every page with its address, title, what it shows first and what it follows while it is open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.pages import forgot_password, invitation, reset_password, sign_in, undo_email
from fuel_app.accounts.rules import Purpose
from fuel_app.accounts.state.page_parts import follow_parts, open_parts
from fuel_app.accounts.state.people import PeopleState
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.state.sign_in_pages import (
    EmailUndoState,
    ForgotPasswordState,
    InvitationState,
    ResetPasswordState,
    SignInState,
)
from fuel_app.announcements.state import AnnouncementsState
from fuel_app.areas.state import AreasState, PricesState
from fuel_app.attention.state import AttentionState
from fuel_app.billing.state.receipts import HistoryState, OwnReceiptState
from fuel_app.companies import pages as companies
from fuel_app.companies.state.company import CompaniesState, CompanyState
from fuel_app.companies.state.invitation import CompanyInvitationState
from fuel_app.companies.ui.own import company_invitation, own_company
from fuel_app.customers import pages as my
from fuel_app.customers.pages import sign_up, sign_up_plan
from fuel_app.customers.state.account import OwnNeighborhoodState
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.locations import LocationsState
from fuel_app.customers.state.security import OwnSecurityState
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.state.texts import OfferTextsState
from fuel_app.dashboard.state import (
    DashboardState,
    FiguresState,
    MonthState,
    MorningState,
    NextBookingState,
    StepsState,
    TodayState,
)
from fuel_app.dispatch.pages import dispatch
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.day_route import TodaysRouteState
from fuel_app.dispatch.state.questions import QuestionsState
from fuel_app.dispatch.state.tracking import TrackingState
from fuel_app.dispatch.state.trucks import TrucksState
from fuel_app.dispatch.ui.tracking import tracking
from fuel_app.forecasts.state import DueState
from fuel_app.joining.state import WaitlistState
from fuel_app.kit import secrets
from fuel_app.kit.db.session import one_reading
from fuel_app.kit.ui.frame import ERROR_TITLE, TAGLINE, not_found
from fuel_app.kit.ui.toast import ToastState
from fuel_app.launch.pages import LAUNCH_STATES, launch
from fuel_app.launch.state.hours import HoursState
from fuel_app.marketing.pages.home import home
from fuel_app.marketing.pages.landing import landing
from fuel_app.marketing.pages.legal import privacy, terms
from fuel_app.marketing.pages.quotes import business, fleet
from fuel_app.marketing.rules import DESCRIPTION
from fuel_app.marketing.state import OpeningState, TermsState
from fuel_app.membership.state import AccountState, EmailState, VerifyState
from fuel_app.membership.ui import account
from fuel_app.messages.rules.kinds import INVITED_TO_COMPANY, MANAGED, OFFERED, TRACKED
from fuel_app.messages.state import MessagesState
from fuel_app.neighborhoods.state import NeighborhoodsState
from fuel_app.neighborhoods.ui import neighborhoods
from fuel_app.office.pages import (
    neighborhood,
    settings_announcements,
    settings_areas,
    settings_business,
    settings_messages,
    settings_money,
    settings_people,
    settings_prices,
    settings_trucks,
)
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.office.state.neighborhood import NeighborhoodState, NeighborhoodToolsState
from fuel_app.office.state.settings import BusinessState, MoneyState
from fuel_app.outcomes.pages import receipt
from fuel_app.outcomes.state import PlansState
from fuel_app.preview import pages as preview
from fuel_app.preview.state.account import BillingState
from fuel_app.preview.state.wizards import OneTimeFillState, ScheduleState
from fuel_app.proposals.pages import proposal, proposals
from fuel_app.proposals.state.desk import ProposalsState, ProposalState
from fuel_app.proposals.state.link import OfferState
from fuel_app.proposals.ui.link import proposal_view
from fuel_app.repeats.state import RepeatState
from fuel_app.scheduling.pages import booking, manage, manage_receipt
from fuel_app.scheduling.state.booking import GuestBookingState, GuestReceiptState, OwnBookingState
from fuel_app.scheduling.state.wizards import FillUpState, GuestFillState
from fuel_app.settings import settings
from fuel_app.submissions.pages import submissions
from fuel_app.submissions.state.dialogs import LeadDetailsState
from fuel_app.submissions.state.imports import LeadImportState
from fuel_app.submissions.state.leads import LeadsState

_BRAND = settings.brand_name
_ONE_TIME = "Book a One-Time Fill"
_PUBLIC_OPENS = (ToastState.drop_stale, WaitlistState.arrive, OpeningState.arrive)


@dataclass(frozen=True, slots=True)
class PublicPage:
    """A page that search engines list."""

    make: Callable[[], rx.Component]
    route: str
    title: str
    description: str
    social: str = "social"  # its picture in link previews
    opens: Sequence[Any] = ()  # what it shows first, after what all public pages do


@dataclass(frozen=True, slots=True)
class Page:
    """Any other page; its title gets the brand."""

    make: Callable[[], rx.Component]
    route: str
    title: str
    opens: Sequence[Any] = ()  # what it shows first, after what its group does
    follows: Sequence[Any] = ()  # what it keeps up to date while it is open


@dataclass(frozen=True, slots=True)
class Group:
    """Pages that begin in the same way."""

    pages: Sequence[Page]
    opens: Sequence[Any] = ()
    follows: Sequence[Any] = ()


# Page, address, title, description, picture of the link preview, its own first events.
PUBLIC = (
    PublicPage(landing, routes.HOME, f"{_BRAND}: {TAGLINE.lower()}", DESCRIPTION),
    PublicPage(
        home,
        routes.PLANS,
        f"Plans for families | {_BRAND}",
        "Solo, Family or Big Family: choose how many fill-ups you need a month. We come to your "
        "home or work in Sarasota and Bradenton. Or book a one-time fill.",
        social="social-plans",
    ),
    PublicPage(
        fleet,
        routes.FLEET,
        f"Fleet fueling | {_BRAND}",
        "Gasoline and diesel for your company's vehicles, filled where they park in Sarasota and "
        "Bradenton. Request a fleet quote: we answer within one business day.",
        social="social-fleet",
    ),
    PublicPage(
        business,
        routes.BUSINESS,
        f"Employee fuel benefit | {_BRAND}",
        "We fill your employees' cars in your parking lot in Sarasota or Bradenton while they "
        "work. Ask for a quote: we answer within one business day.",
        social="social-business",
    ),
    PublicPage(
        privacy,
        routes.PRIVACY,
        f"Privacy policy | {_BRAND}",
        f"What {_BRAND} collects, how we use it, who we share it with, and your choices.",
    ),
    PublicPage(
        terms,
        routes.TERMS,
        f"Terms of service | {_BRAND}",
        f"What {_BRAND} and you agree on: who may have a car fueled where, what fueling needs, "
        "what we hold on your card, and how to cancel.",
        social="social",
        opens=[TermsState.arrive],
    ),
)

# Search engines leave these out.
UNLISTED = (
    Group(
        pages=(
            Page(sign_in, routes.SIGN_IN, "Sign In", opens=[SignInState.arrive]),
            Page(
                forgot_password,
                routes.FORGOT_PASSWORD,
                "Forgot Password",
                opens=[ForgotPasswordState.arrive],
            ),
            Page(
                undo_email,
                routes.UNDO_EMAIL_PATTERN,
                "Undo the Change",
                opens=[EmailUndoState.arrive],
            ),
            Page(
                reset_password,
                routes.RESET_PASSWORD_PATTERN,
                "New Password",
                opens=[ResetPasswordState.arrive],
            ),
            Page(
                invitation, routes.INVITATION_PATTERN, "Invitation", opens=[InvitationState.arrive]
            ),
            Page(invitation, routes.INVITATION, "Invitation", opens=[InvitationState.arrive]),
            Page(
                company_invitation,
                routes.COMPANY_INVITATION_PATTERN,
                "Invitation",
                opens=[CompanyInvitationState.arrive],
            ),
            Page(
                company_invitation,
                routes.COMPANY_INVITATION,
                "Invitation",
                opens=[CompanyInvitationState.arrive],
            ),
            Page(
                manage,
                routes.MANAGE_PATTERN,
                "Your Fill-Up",
                opens=[GuestBookingState.arrive],
                follows=[GuestBookingState.follow],
            ),
            Page(
                manage_receipt,
                routes.MANAGE_RECEIPT_PATTERN,
                "Receipt",
                opens=[GuestReceiptState.arrive],
            ),
            Page(
                tracking,
                routes.TRACK_PATTERN,
                "Track Your Fill-Up",
                opens=[TrackingState.arrive],
                follows=[TrackingState.follow],
            ),
            Page(
                proposal_view,
                routes.PROPOSAL_VIEW_PATTERN,
                "Our Proposal",
                opens=[OfferState.arrive],
            ),
        ),
    ),
    Group(
        opens=[SignupState.arrive],
        pages=(
            Page(sign_up, routes.ONBOARDING, "Contact Information"),
            Page(sign_up_plan, routes.ONBOARDING_PLAN, "Choose Your Plan"),
        ),
    ),
    Group(
        opens=[OneTimeFillState.arrive, GuestFillState.arrive, SessionState.look],
        pages=(
            Page(preview.guest_contact, routes.ONE_TIME_FILL, _ONE_TIME),
            Page(preview.guest_vehicle, routes.ONE_TIME_FILL_VEHICLE, f"{_ONE_TIME}: vehicle"),
            Page(
                preview.guest_time,
                routes.ONE_TIME_FILL_SCHEDULE,
                f"{_ONE_TIME}: schedule",
                follows=[GuestFillState.follow],
            ),
            Page(
                preview.guest_payment,
                routes.ONE_TIME_FILL_PAYMENT,
                f"{_ONE_TIME}: payment",
                follows=[GuestFillState.watch],
            ),
        ),
    ),
    Group(
        follows=[SessionState.follow],
        pages=(
            Page(
                preview.dashboard,
                routes.DASHBOARD,
                "Dashboard",
                opens=[
                    MonthState.arrive,  # first: the others show parts of what it reads
                    SessionState.look,
                    VerifyState.arrive,
                    DashboardState.arrive,
                    NextBookingState.arrive,
                    StepsState.arrive,
                    DueState.arrive,
                    RepeatState.arrive,
                ],
                follows=[
                    AttentionState.follow,
                    NextBookingState.follow,
                    FiguresState.follow,
                    MorningState.follow,
                    TodayState.follow,
                    TodaysRouteState.follow,
                    QuestionsState.follow,
                ],
            ),
            Page(
                own_company,
                routes.COMPANY,
                "Company",
                opens=[SessionState.look, CompanyState.load_own],
                follows=[CompanyState.follow_own],
            ),
            Page(
                account,
                routes.ACCOUNT,
                "Account Settings",
                opens=[
                    CustomerState.arrive,
                    AccountState.arrive,
                    EmailState.arrive,
                    OwnNeighborhoodState.arrive,
                    LocationsState.arrive,
                ],
            ),
            Page(
                preview.billing,
                routes.BILLING,
                "Billing & Plans",
                opens=[
                    CustomerState.arrive_briefly,
                    BillingState.arrive,
                    PlansState.arrive,
                    HistoryState.arrive,
                ],
            ),
            Page(
                my.notifications,
                routes.NOTIFICATIONS,
                "Notification Settings",
                opens=[CustomerState.arrive, OfferTextsState.arrive],
            ),
            Page(
                preview.security,
                routes.SECURITY,
                "Privacy & Security",
                opens=[CustomerState.arrive_briefly, OwnSecurityState.arrive],
            ),
            Page(
                my.scheduling_help,
                routes.SUPPORT_SCHEDULING,
                "How to Schedule a Fill-Up",
                opens=[CustomerState.arrive_briefly],
            ),
            Page(
                my.support, routes.SUPPORT, "Help & Support", opens=[CustomerState.arrive_briefly]
            ),
            Page(
                booking,
                routes.BOOKING_PATTERN,
                "Your Fill-Up",
                opens=[CustomerState.arrive_briefly, OwnBookingState.arrive, RepeatState.arrive],
                follows=[OwnBookingState.follow],
            ),
            Page(
                receipt,
                routes.RECEIPT_PATTERN,
                "Receipt",
                opens=[CustomerState.arrive_briefly, OwnReceiptState.arrive],
            ),
        ),
    ),
    Group(
        opens=[ScheduleState.arrive, FillUpState.arrive],
        follows=[SessionState.follow],
        pages=(
            Page(preview.own_vehicle, routes.SCHEDULE, "Schedule a Fill-Up: vehicle"),
            Page(preview.own_location, routes.SCHEDULE_LOCATION, "Schedule a Fill-Up: location"),
            Page(
                preview.own_time,
                routes.SCHEDULE_TIME,
                "Schedule a Fill-Up: time",
                follows=[FillUpState.follow, FillUpState.watch],
            ),
        ),
    ),
    Group(
        opens=[SessionState.require],
        follows=[SessionState.follow, AttentionState.follow],
        pages=(
            Page(
                submissions,
                routes.SUBMISSIONS,
                "Submissions",
                opens=[LeadsState.load, LeadDetailsState.load, LeadImportState.load],
                follows=[LeadsState.follow, LeadDetailsState.follow, LeadImportState.follow],
            ),
            Page(
                companies.companies,
                routes.COMPANIES,
                "Companies",
                opens=[CompaniesState.load],
                follows=[CompaniesState.follow],
            ),
            Page(
                companies.company,
                routes.COMPANIES_PATTERN,
                "Company",
                opens=[CompanyState.load],
                follows=[CompanyState.follow],
            ),
            Page(
                proposals,
                routes.PROPOSALS,
                "Proposals",
                opens=[ProposalsState.load],
                follows=[ProposalsState.follow],
            ),
            Page(
                proposal,
                routes.PROPOSAL_PATTERN,
                "Proposal",
                opens=[ProposalState.load],
                follows=[ProposalState.follow],
            ),
            Page(
                neighborhoods,
                routes.NEIGHBORHOODS,
                "Neighborhoods",
                opens=[NeighborhoodsState.load],
                follows=[NeighborhoodsState.follow],
            ),
            Page(
                neighborhood,
                routes.NEIGHBORHOOD_PATTERN,
                "Neighborhood",
                opens=[NeighborhoodState.load, NeighborhoodToolsState.load],
                follows=[NeighborhoodState.follow],
            ),
            Page(
                dispatch,
                routes.DISPATCH,
                "Dispatch",
                opens=[BoardState.load],
                follows=[BoardState.follow, BoardState.watch, QuestionsState.follow],
            ),
            Page(
                preview.customer_dashboard,
                routes.CUSTOMER_DASHBOARD,
                "Customer Dashboard",
                opens=[CustomerDashboardState.load],
                follows=[CustomerDashboardState.follow],
            ),
            Page(
                launch,
                routes.LAUNCH,
                "Launch",
                opens=[each.load for each in LAUNCH_STATES],
                follows=[each.follow for each in LAUNCH_STATES],
            ),
            Page(
                settings_business,
                routes.SETTINGS_BUSINESS,
                "Business",
                opens=[BusinessState.load],
                follows=[BusinessState.follow],
            ),
            Page(
                settings_areas,
                routes.SETTINGS_AREAS,
                "Areas",
                opens=[AreasState.load, HoursState.arrive],
                follows=[AreasState.follow, HoursState.follow],
            ),
            Page(
                settings_prices,
                routes.SETTINGS_PRICES,
                "Prices",
                opens=[PricesState.load],
                follows=[PricesState.follow],
            ),
            Page(
                settings_trucks,
                routes.SETTINGS_TRUCKS,
                "Trucks",
                opens=[TrucksState.load],
                follows=[TrucksState.follow],
            ),
            Page(
                settings_messages,
                routes.SETTINGS_MESSAGES,
                "Messages",
                opens=[MessagesState.load],
                follows=[MessagesState.follow],
            ),
            Page(
                settings_announcements,
                routes.SETTINGS_ANNOUNCEMENTS,
                "Announcements",
                opens=[AnnouncementsState.load],
                follows=[AnnouncementsState.follow],
            ),
            Page(settings_money, routes.SETTINGS_MONEY, "Money", opens=[MoneyState.load]),
            Page(
                settings_people,
                routes.SETTINGS_PEOPLE,
                "People",
                opens=[PeopleState.load],
                follows=[PeopleState.follow],
            ),
        ),
    ),
)


def _parts() -> dict[str, tuple[Sequence[Any], Sequence[Any]]]:
    """Return what each page opens and follows, by its route."""
    parts = {page.route: ((*_PUBLIC_OPENS, *page.opens), ()) for page in PUBLIC}
    parts[routes.JOIN_NEIGHBORHOOD_PATTERN] = _PUBLIC_OPENS, ()
    for group in UNLISTED:
        for page in group.pages:
            opens = (ToastState.drop_stale, *group.opens, *page.opens)
            parts[page.route] = opens, (*group.follows, *page.follows)
    return parts


PARTS = _parts()

# What the token at the end of an address is for.
LINK_PURPOSES = {
    routes.RESET_PASSWORD: Purpose.RESET,
    routes.INVITATION: Purpose.INVITE,
    routes.COMPANY_INVITATION: INVITED_TO_COMPANY,
    routes.UNDO_EMAIL: Purpose.EMAIL_UNDO,
    routes.MANAGE_RECEIPT: MANAGED,
    routes.MANAGE: MANAGED,
    routes.TRACK: TRACKED,
    routes.PROPOSAL_VIEW: OFFERED,
}


def is_wrong_link(path: str) -> bool:
    """Return whether an address ends in a token that we never made."""
    page, _, link = path.rstrip("/").rpartition("/")
    purpose = LINK_PURPOSES.get(page.rstrip("/"))
    return purpose is not None and secrets.row_of(purpose, link) is None


def _parts_of(route: object) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return what a page opens and follows; nothing for a route that is none."""
    return PARTS.get(route, ((), ())) if isinstance(route, str) else ((), ())


class PageState(rx.State):
    """The two events of a page: one opens it, one follows changes while it is open.

    Both run the events of the page's parts, each with its own guard.
    """

    @rx.event
    async def open(self, route: str):
        """Run what the page shows first: one look-up of the session, one transaction."""
        opens, _ = _parts_of(route)
        async with one_reading():
            return await open_parts(self, opens)

    @rx.event(background=True, supersedes=True)
    async def follow(self, route: str):
        """Run what the page follows, until the tab leaves it or asks anew: once in a tab."""
        _, follows = _parts_of(route)
        async for event in follow_parts(self, follows):
            yield event


def _first_events(route: str) -> list[Any]:
    _, follows = PARTS[route]
    return [PageState.open(route), *([PageState.follow(route)] if follows else [])]


def add_pages(app: rx.App) -> None:
    """Add every page."""
    for public in PUBLIC:
        _add_public(app, public)
    # Its link previews are written per neighborhood: `joining/http.py`.
    app.add_page(
        landing,
        route=routes.JOIN_NEIGHBORHOOD_PATTERN,
        title=f"Join your neighborhood | {_BRAND}",
        on_load=_first_events(routes.JOIN_NEIGHBORHOOD_PATTERN),
    )
    for group in UNLISTED:
        for page in group.pages:
            app.add_page(
                page.make,
                route=page.route,
                title=f"{page.title} | {_BRAND}",
                meta=[{"name": "robots", "content": "noindex"}],
                on_load=_first_events(page.route),
            )
    app.add_page(not_found, route="404", title=ERROR_TITLE)


def _add_public(app: rx.App, page: PublicPage) -> None:
    """Add a page with its description and link preview."""
    app.add_page(
        page.make,
        route=page.route,
        title=page.title,
        description=page.description,
        image=f"{settings.public_url}/{page.social}.png",
        meta=[
            {"property": "og:title", "content": page.title},
            {"property": "og:description", "content": page.description},
            {"property": "og:type", "content": "website"},
            {"property": "og:site_name", "content": _BRAND},
            {"property": "og:url", "content": settings.public_url + page.route},
            {"name": "twitter:card", "content": "summary_large_image"},
            rx.el.link(rel="canonical", href=settings.public_url + page.route),
        ],
        on_load=_first_events(page.route),
    )

"""Every address of the site, without the site's own."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

HOME = "/"
JOIN_NEIGHBORHOOD = "/join-neighborhood"
JOIN_NEIGHBORHOOD_PATTERN = f"{JOIN_NEIGHBORHOOD}/[neighborhood_id]"
PLANS = "/home"  # the families marketing page with the plans
FLEET = "/fleet"
BUSINESS = "/business"
PRIVACY = "/privacy"

DASHBOARD = "/dashboard"
ACCOUNT = "/account"
BILLING = "/billing"
NOTIFICATIONS = "/notifications"
SECURITY = "/security"
SUPPORT = "/support"
SUPPORT_SCHEDULING = f"{SUPPORT}/scheduling"

SIGN_IN = "/sign-in"
FORGOT_PASSWORD = "/forgot-password"  # noqa: S105 (an address)
RESET_PASSWORD = "/reset-password"  # noqa: S105 (an address)
RESET_PASSWORD_PATTERN = f"{RESET_PASSWORD}/[link]"
INVITATION = "/invitation"
INVITATION_PATTERN = f"{INVITATION}/[link]"
COMPANY_INVITATION = "/company-invitation"
COMPANY_INVITATION_PATTERN = f"{COMPANY_INVITATION}/[link]"
UNDO_EMAIL = "/undo-email"
UNDO_EMAIL_PATTERN = f"{UNDO_EMAIL}/[link]"
UNSUBSCRIBE = "/unsubscribe"
REPEAT_SKIP = "/repeats/skip"
REPEAT_PAUSE = "/repeats/pause"
DUE_CONFIRM = "/due/confirm"
DUE_SKIP = "/due/skip"
TERMS = "/terms"

ONBOARDING = "/onboarding"
ONBOARDING_PLAN = "/onboarding/plan"
SCHEDULE = "/schedule"
SCHEDULE_LOCATION = "/schedule/location"
SCHEDULE_TIME = "/schedule/time"
ONE_TIME_FILL = "/one-time-fill"
ONE_TIME_FILL_VEHICLE = "/one-time-fill/vehicle"
ONE_TIME_FILL_SCHEDULE = "/one-time-fill/schedule"
ONE_TIME_FILL_PAYMENT = "/one-time-fill/payment"
BOOKING = "/bookings"
BOOKING_PATTERN = f"{BOOKING}/[booking_id]"
MANAGE = "/manage"  # a guest's booking, without signing in
MANAGE_PATTERN = f"{MANAGE}/[link]"
# What who returns from the payment provider's page has in the address, with the visit: a card was
# added, a payment was confirmed, a payment was left without confirming it.
CARD_VISIT, PAYMENT_VISIT, LEFT_VISIT = VISITS = ("card", "payment", "left")
RECEIPT = "/receipts"
RECEIPT_PATTERN = f"{RECEIPT}/[invoice_id]"
MANAGE_RECEIPT = "/manage/receipt"
MANAGE_RECEIPT_PATTERN = f"{MANAGE_RECEIPT}/[link]"

TRACK = "/track"  # a fill on its way, without signing in
TRACK_PATTERN = f"{TRACK}/[link]"

# The technician's phone; its service worker has all that begins with it, so nothing else does.
DRIVE = "/drive"
TECHNICIAN_WORKER = "/technician-worker.js"
TECHNICIAN_MANIFEST = "/technician.webmanifest"
TECHNICIAN_DAY = "/api/technician/day"
TECHNICIAN_ACTIONS = "/api/technician/actions"
TECHNICIAN_PHOTOS = "/api/technician/photos"
TECHNICIAN_PHOTO_PATTERN = f"{TECHNICIAN_PHOTOS}/{{photo_id}}"
TECHNICIAN_POSITION = "/api/technician/position"
FILL_PHOTO_PATTERN = "/api/fills/photos/{photo_id}"  # for staff

# A company's own people.
COMPANY = "/company"
COMPANY_DOCUMENTS = "/api/company/documents"
COMPANY_DOCUMENT_PATTERN = f"{COMPANY_DOCUMENTS}/{{document_id}}"

NEEDS_AN_ANSWER = "needs-an-answer"  # the part of the dashboard with what waits for staff

# The staff's; the panel beside the dashboard leads to them.
SUBMISSIONS = "/submissions"
CUSTOMER_DASHBOARD = "/customer-dashboard"
NEIGHBORHOODS = "/neighborhoods"
COMPANIES = "/companies"
COMPANIES_PATTERN = f"{COMPANIES}/[company_id]"
DISPATCH = "/dispatch"
LAUNCH = "/launch"
SETTINGS = "/settings"
SETTINGS_AREAS = f"{SETTINGS}/areas"
HOURS_OF = "hours"  # the parameter of an area's id, whose hours are shown
SETTINGS_PRICES = f"{SETTINGS}/prices"
SETTINGS_PEOPLE = f"{SETTINGS}/people"
SETTINGS_MESSAGES = f"{SETTINGS}/messages"
SETTINGS_ANNOUNCEMENTS = f"{SETTINGS}/announcements"
SETTINGS_BUSINESS = f"{SETTINGS}/business"
SETTINGS_MONEY = f"{SETTINGS}/money"
SETTINGS_TRUCKS = f"{SETTINGS}/trucks"
NEIGHBORHOOD_PATTERN = f"{NEIGHBORHOODS}/[neighborhood_id]"

PROPOSALS = "/proposals"
PROPOSAL_PATTERN = f"{PROPOSALS}/[proposal_id]"
NEW_PROPOSAL = "new"  # in place of an id, with the lead
PROPOSAL_VIEW = f"{PROPOSALS}/view"  # for its contacts, without signing in
PROPOSAL_VIEW_PATTERN = f"{PROPOSAL_VIEW}/[link]"
PROPOSAL_FILE_PATTERN = "/api/proposals/{proposal_id}.pdf"

HEALTH = "/health"
NEIGHBORHOODS_EXPORT = "/api/neighborhoods/export"
READY = "/ready"
METRICS = "/metrics"
# The worker that shows notifications has this folder for its scope, so that it has no page of ours.
PUSH_SCOPE = "/notifications-here/"
PUSH_WORKER = f"{PUSH_SCOPE}worker.js"
PUSH_DEVICES = "/api/notifications/devices"
TWILIO_WEBHOOK = "/api/webhooks/twilio"
TWILIO_STATUS = "/api/webhooks/twilio/status"
STRIPE_WEBHOOK = "/api/webhooks/stripe"
TEST_CHECKOUT = "/test-checkout"  # the page of the stand-in for Stripe
PHOTOS = "/api/photos"
LEADS_EXPORT = "/api/leads/export"
JOURNAL_EXPORT = "/api/money/journal"
ANNOUNCEMENT_MAIL_PATTERN = "/api/announcements/{announcement_id}/mail"
EVIDENCE_PATTERN = "/api/money/disputes/{payment_id}/evidence.zip"
LEAD_IMPORTS = "/api/leads/imports"
REJECTED_ROWS_PATTERN = f"{LEAD_IMPORTS}/{{import_id}}/rejected.csv"
SESSION = "/api/session"
SIGN_OUT = "/api/session/end"
AUTHENTICATOR_CODE = "/api/account/authenticator.svg"
AUTHENTICATOR_KEY = "/api/account/authenticator/key"
AUTHENTICATOR_OPEN = "/api/account/authenticator/open"
RECOVERY_CODES = "/api/account/recovery-codes"
PASSKEYS = "/api/passkeys/register"
PASSKEY_OPTIONS = f"{PASSKEYS}/options"
PASSKEY_SIGN_IN = "/api/passkeys/sign-in"
PASSKEY_SIGN_IN_OPTIONS = f"{PASSKEY_SIGN_IN}/options"
ACCOUNT_DATA = "/api/account/data"
FILLS_EXPORT = "/api/account/fills.csv"
BOOKING_CALENDAR_PATTERN = "/api/bookings/{booking_id}/calendar.ics"
MANAGE_CALENDAR_PATTERN = "/api/manage/{link}/calendar.ics"
RECEIPT_FILE_PATTERN = "/api/receipts/{invoice_id}.pdf"
MANAGE_RECEIPT_FILE_PATTERN = "/api/manage/{link}/receipt.pdf"


def _filling(pattern: str) -> Callable[[Any], str]:
    """Return a function of the one value that a pattern names: a text, or a `Var` of one."""
    before, after = re.split(r"[\[{]\w+[]}]", pattern)
    return lambda value: f"{before}{value}{after}"


join_neighborhood = _filling(JOIN_NEIGHBORHOOD_PATTERN)
share_card = _filling(f"{JOIN_NEIGHBORHOOD_PATTERN}/card.png")
join_code = _filling(f"{JOIN_NEIGHBORHOOD_PATTERN}/code.svg")
flyer = _filling(f"{JOIN_NEIGHBORHOOD_PATTERN}/flyer")
referral = _filling(f"{HOME}?ref=[submission_id]")
neighborhood = _filling(NEIGHBORHOOD_PATTERN)
lead = _filling(f"{SUBMISSIONS}?lead=[lead_id]")
rejected_rows = _filling(REJECTED_ROWS_PATTERN)
booking = _filling(BOOKING_PATTERN)
booking_calendar = _filling(BOOKING_CALENDAR_PATTERN)
receipt = _filling(RECEIPT_PATTERN)
receipt_file = _filling(RECEIPT_FILE_PATTERN)
evidence = _filling(EVIDENCE_PATTERN)
announcement_mail = _filling(ANNOUNCEMENT_MAIL_PATTERN)
manage = _filling(MANAGE_PATTERN)
manage_calendar = _filling(MANAGE_CALENDAR_PATTERN)
manage_receipt = _filling(MANAGE_RECEIPT_PATTERN)
manage_receipt_file = _filling(MANAGE_RECEIPT_FILE_PATTERN)
track = _filling(TRACK_PATTERN)
fill_photo = _filling(FILL_PHOTO_PATTERN)
company = _filling(COMPANIES_PATTERN)
company_document = _filling(COMPANY_DOCUMENT_PATTERN)
proposal = _filling(PROPOSAL_PATTERN)
new_proposal = _filling(f"{PROPOSALS}/{NEW_PROPOSAL}?lead=[lead_id]")
proposal_view = _filling(PROPOSAL_VIEW_PATTERN)
proposal_file = _filling(PROPOSAL_FILE_PATTERN)
test_checkout = _filling(f"{TEST_CHECKOUT}/[session_id]")

# A token is the last part of the address. The receipt comes before the page that it begins with.
LINK_PAGES = (
    RESET_PASSWORD,
    INVITATION,
    COMPANY_INVITATION,
    UNDO_EMAIL,
    MANAGE_RECEIPT,
    MANAGE,
    TRACK,
    PROPOSAL_VIEW,
)


def link_in(path: str) -> str:
    """Return the token in the address of a page that a mail's link opens; empty for others."""
    before, _, link = path.rstrip("/").rpartition("/")
    return link if before.rstrip("/") in LINK_PAGES else ""


def neighborhood_in(path: str) -> str | None:
    """Return the neighborhood's id in a join link's path; None for other paths."""
    before, _, neighborhood_id = path.rstrip("/").rpartition("/")
    return neighborhood_id if before == JOIN_NEIGHBORHOOD else None


def is_for_staff(path: str) -> bool:
    screens = {SUBMISSIONS, PROPOSALS, CUSTOMER_DASHBOARD, NEIGHBORHOODS, COMPANIES}
    screens |= {DISPATCH, LAUNCH, SETTINGS}
    below = (f"{NEIGHBORHOODS}/", f"{COMPANIES}/", f"{SETTINGS}/", f"{PROPOSALS}/")
    is_below = path.startswith(below) and not path.startswith(f"{PROPOSAL_VIEW}/")
    return path.rstrip("/") in screens or is_below


def is_plain(address: str) -> bool:
    """Return whether an address is a document of its own, which the router does not have."""
    return re.split("[?#]", address)[0].rstrip("/") == DRIVE


# Of whole words: no dots, double slashes or escapes that a browser or router would resolve anew.
_OWN_PATH = re.compile(r"/(?:[\w~-][\w.~-]*(?:/[\w~-][\w.~-]*)*/?)?", re.ASCII)


def own_address(asked: object) -> str:
    """Return an address of this site that a link asked to go to next; empty for any other."""
    address = asked if isinstance(asked, str) and len(asked) <= 500 else ""
    path = re.split("[?#]", address, maxsplit=1)[0]
    is_own = _OWN_PATH.fullmatch(path) is not None and not f"{path}/".startswith("/api/")
    return address if is_own and address.isprintable() and "\\" not in address else ""


def customer_tab(person_id: Any, tab: str) -> Any:
    """Return the address of a customer's tab for staff; a text, or a `Var` of one."""
    return f"{CUSTOMER_DASHBOARD}?customer={person_id}&tab={tab}"


def company_tab(company_id: Any, tab: str) -> Any:
    """Return the address of a company's tab for staff."""
    return f"{company(company_id)}?tab={tab}"


def guest(booking_id: Any) -> Any:
    """Return the address of a guest for staff, by one of their bookings: no e-mail is in it."""
    return f"{CUSTOMER_DASHBOARD}?guest={booking_id}"


def asking(path: str, parameters: Mapping[str, object]) -> str:
    """Return an address with a query; empty values are left out, lone surrogates replaced."""
    given = {name: value for name, value in parameters.items() if value}
    return path + (f"?{urlencode(given, errors='replace')}" if given else "")


WINDOW = "window"  # the parameter of a slot's id, on the wizard's time step


def schedule_window(slot_id: str) -> str:
    """Return the address of the wizard's time step on a window that is held for a customer."""
    return asking(SCHEDULE_TIME, {WINDOW: slot_id})


def receipt_from(page: str, invoice_id: str) -> str:
    """Return the address of a receipt that leads back to the page of ours that shows it."""
    return asking(receipt(invoice_id), {"from": page})


def hours_of_area(area_id: str) -> str:
    """Return the address of an area's hours."""
    return asking(SETTINGS_AREAS, {HOURS_OF: area_id})

"""Every address of the site, so that no other module spells one out."""

from collections.abc import Mapping
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

ONBOARDING = "/onboarding"
ONBOARDING_PLAN = "/onboarding/plan"
SCHEDULE = "/schedule"
SCHEDULE_LOCATION = "/schedule/location"
SCHEDULE_TIME = "/schedule/time"
ONE_TIME_FILL = "/one-time-fill"
ONE_TIME_FILL_VEHICLE = "/one-time-fill/vehicle"
ONE_TIME_FILL_SCHEDULE = "/one-time-fill/schedule"

# The staff's; the panel beside the dashboard leads to them.
SUBMISSIONS = "/submissions"
CUSTOMER_DASHBOARD = "/customer-dashboard"
NEIGHBORHOODS = "/neighborhoods"
NEIGHBORHOOD_PATTERN = f"{NEIGHBORHOODS}/[neighborhood_id]"

HEALTH = "/health"
NEIGHBORHOODS_EXPORT = "/api/neighborhoods/export"
READY = "/ready"
METRICS = "/metrics"
PHOTOS = "/api/photos"
LEADS_EXPORT = "/api/leads/export"
LEAD_IMPORTS = "/api/leads/imports"
REJECTED_ROWS_PATTERN = f"{LEAD_IMPORTS}/{{import_id}}/rejected.csv"
STAFF_SESSION = "/api/session"
STAFF_SIGN_OUT = "/api/session/end"


def join_neighborhood(neighborhood_id: str) -> str:
    """The join link of one group, without the site's own address."""
    return f"{JOIN_NEIGHBORHOOD}/{neighborhood_id}"


def neighborhood_in(path: str) -> str | None:
    """The group's id in the path of a join link; None for every other path."""
    before, _, neighborhood_id = path.rstrip("/").rpartition("/")
    return neighborhood_id if before == JOIN_NEIGHBORHOOD else None


def share_card(neighborhood_id: str) -> str:
    """The picture that a chat shows for a join link."""
    return f"{JOIN_NEIGHBORHOOD}/{neighborhood_id}/card.png"


def join_code(neighborhood_id: str) -> str:
    """The picture of a join link that a phone's camera reads."""
    return f"{JOIN_NEIGHBORHOOD}/{neighborhood_id}/code.svg"


def flyer(neighborhood_id: str) -> str:
    """The sheet of paper that invites to a group."""
    return f"{JOIN_NEIGHBORHOOD}/{neighborhood_id}/flyer"


def neighborhood(neighborhood_id: str) -> str:
    """One group, for the staff."""
    return f"{NEIGHBORHOODS}/{neighborhood_id}"


def rejected_rows(import_id: str) -> str:
    """The file of the rows that an import did not take."""
    return f"{LEAD_IMPORTS}/{import_id}/rejected.csv"


def lead(lead_id: str) -> str:
    """The staff's list with one lead opened."""
    return f"{SUBMISSIONS}?lead={lead_id}"


def referral(submission_id: str) -> str:
    """The referral link of one submission, without the site's own address."""
    return f"{HOME}?ref={submission_id}"


def is_for_staff(path: str) -> bool:
    """Whether a page is the staff's alone."""
    only_theirs = {SUBMISSIONS, CUSTOMER_DASHBOARD, NEIGHBORHOODS}
    return path.rstrip("/") in only_theirs or path.startswith(f"{NEIGHBORHOODS}/")


def asking(path: str, parameters: Mapping[str, object]) -> str:
    """An address with a query; what is empty is left out, half a character is a question mark."""
    told = {name: value for name, value in parameters.items() if value}
    return path + (f"?{urlencode(told, errors='replace')}" if told else "")

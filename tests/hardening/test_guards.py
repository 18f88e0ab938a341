"""Every staff event and address is guarded: discovered, so that no new one is forgotten."""

from starlette.routing import Route

from fuel_app.accounts.http import GUARDED_ENDPOINTS
from fuel_app.accounts.state.session import GUARDS, OwnScreen, SessionState, StaffScreen
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.kit import pictures
from tests.helpers.staff_access import ALSO_BY_TOKEN, STAFF_STATES, STATES, addresses

# They check the session and disclose nothing. The dashboard is public; its figures check the
# session themselves.
OPEN_EVENTS = {f"SessionState.{name}" for name in ("look", "require", "follow")}
OPEN_EVENTS |= {f"{name}.follow" for name in ("FiguresState", "TodayState", "TodaysRouteState")}
# They ask who follows, and again before each reading.
OPEN_EVENTS |= {f"{name}.follow" for name in ("QuestionsState", "AttentionState", "MorningState")}
# Public addresses. Signing in and out checks the ticket, the passkey and the cookie itself.
OPEN_ADDRESSES = {
    "/health",
    "/ready",
    "/robots.txt",
    "/sitemap.xml",
    "/site.webmanifest",
    *(f"/{name}.png" for name in pictures.PICTURES),
    "/api/photos",
    "/api/session",
    "/api/webhooks/twilio",  # signed
    "/api/webhooks/twilio/status",  # signed
    "/api/webhooks/stripe",  # signed
    "/test-checkout/{session_id}",  # the stand-in's, by the random id of a visit
    "/unsubscribe",  # by the token of a mail
    *("/repeats/skip", "/repeats/pause"),  # the same
    *("/due/confirm", "/due/skip"),  # the same
    "/api/manage/{link}/calendar.ics",  # by the token of a mail
    "/api/manage/{link}/receipt.pdf",  # the same
    "/api/session/end",
    *("/drive", "/technician-worker.js", "/technician.webmanifest"),  # a page without data
    "/notifications-here/worker.js",  # a script without data
    "/settings",  # leads to the first of them
    "/api/passkeys/sign-in",
    "/api/passkeys/sign-in/options",
    "/join-neighborhood/{neighborhood_id}",
    "/join-neighborhood/{neighborhood_id}/card.png",
    "/join-neighborhood/{neighborhood_id}/code.svg",
    "/join-neighborhood/{neighborhood_id}/flyer",
}


def test_every_staff_event_is_guarded():
    unguarded = {
        f"{state.__name__}.{name}"
        for state in STAFF_STATES
        for name, event in state.event_handlers.items()
        if name != "setvar"  # the framework's, which refuses
        and event.fn.__code__ not in GUARDS
    }
    assert unguarded == OPEN_EVENTS


# Who is nobody yet: signing up, its verification, and a one-time fill begin without an account.
OPEN_TO_VISITORS = ("SignupState.", "VerifyState.", "OneTimeFillState.arrive")


def test_every_customers_event_is_guarded():
    unguarded = {
        f"{state.__name__}.{name}"
        for state in STATES
        if issubclass(state, CustomerScreen | OwnScreen)
        for name, event in state.event_handlers.items()
        if name != "setvar" and event.fn.__code__ not in GUARDS
    }
    assert {event for event in unguarded if not event.startswith(OPEN_TO_VISITORS)} == set()


def test_every_staff_state_is_a_staff_screen():
    assert [s for s in STAFF_STATES if not issubclass(s, StaffScreen)] == [SessionState]


def test_every_address_is_guarded_or_known_to_be_open():
    assert {
        route.path
        for route in addresses()
        if isinstance(route, Route) and route.endpoint not in GUARDED_ENDPOINTS
    } == OPEN_ADDRESSES | ALSO_BY_TOKEN

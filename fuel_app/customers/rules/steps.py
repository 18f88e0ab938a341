"""The steps of a new customer before the first fill-up."""

from dataclasses import dataclass

from fuel_app import routes
from fuel_app.customers.rules.profile import Customer
from fuel_app.plans.rules.plans import ONE_TIME_FEE
from fuel_app.plans.rules.subscriptions import start_wording

PAYMENTS_SOON = "Payments open soon. We will tell you by e-mail."
TEST_CARD = "Test card: no money moves"
WITHOUT_PLAN = f"{TEST_CARD}. Until it starts, a fill-up costs the {ONE_TIME_FEE} fee."
_DONE, _FIRST = "Done", "Add a card first"


@dataclass(frozen=True)
class Step:
    """One step; the first one that is not done is the next."""

    title: str
    note: str
    done: bool
    action: str = ""  # on its button; empty where it has to wait
    href: str = ""  # of a step on another screen
    kind: str = ""  # of a step on the card itself: 'card' or 'plan'


def steps(customer: Customer) -> list[Step]:
    """Return the steps in their order."""
    verified, has_card = customer.email_verified, customer.has_card
    ready = verified and has_card
    return [
        Step("Verify your email", _DONE if verified else "Enter the code of our mail", verified),
        _card(customer),
        Step("Add your vehicle", _DONE, done=True)
        if customer.vehicles
        else Step("Add your vehicle", "", False, "Add a vehicle", routes.ACCOUNT),
        *_plan(customer, ready=ready),
        _booking(customer, ready=ready),
    ]


def _card(customer: Customer) -> Step:
    title = "Add a card"
    if customer.has_card:
        return Step(title, _DONE, done=True)
    if customer.may_use_test_card:
        return Step(title, f"{TEST_CARD}.", False, "Use a test card", kind="card")
    return Step(title, PAYMENTS_SOON, done=False)


def _plan(customer: Customer, *, ready: bool) -> list[Step]:
    title = "Start your plan"
    if customer.plan is None:
        return []
    if not customer.may_start_plan:
        return [Step(title, _DONE, done=True)]
    if not ready:
        return [Step(title, _FIRST, done=False)]
    return [Step(title, WITHOUT_PLAN, False, start_wording(customer.plan), kind="plan")]


def _booking(customer: Customer, *, ready: bool) -> Step:
    title, free = "Book your first fill-up", str(customer.free_fill or "")
    if customer.has_booking or customer.past_services:
        return Step(title, _DONE, done=True)
    if not ready:
        return Step(title, free or _FIRST, done=False)
    return Step(title, free, False, "Book a Fill-Up", routes.SCHEDULE)

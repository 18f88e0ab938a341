"""The steps of a new customer before the first fill-up."""

from dataclasses import dataclass

from fuel_app import routes
from fuel_app.customers.rules.profile import Customer
from fuel_app.plans.rules.plans import ONE_TIME_FEE

WITHOUT_PLAN = f"Until it starts, a fill-up costs the {ONE_TIME_FEE} fee."
ON_THEIR_PAGE = "On the secure page of our payment provider. Nothing is charged."
_DONE, _FIRST = "Done", "Add a card first"


@dataclass(frozen=True)
class Step:
    """One step; the first one that is not done is the next."""

    title: str
    note: str
    done: bool
    action: str = ""  # on its button; empty where it has to wait, or the button names an amount
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
    return Step(title, ON_THEIR_PAGE, False, title, kind="card")


def _plan(customer: Customer, *, ready: bool) -> list[Step]:
    title = "Start your plan"
    if customer.plan is None:
        return []
    if not customer.may_start_plan:
        return [Step(title, _DONE, done=True)]
    if not ready:
        return [Step(title, _FIRST, done=False)]
    return [Step(title, WITHOUT_PLAN, False, kind="plan")]


def _booking(customer: Customer, *, ready: bool) -> Step:
    title, free = "Book your first fill-up", str(customer.free_fill or "")
    if customer.has_booking or customer.past_services:
        return Step(title, _DONE, done=True)
    if not ready:
        return Step(title, free or _FIRST, done=False)
    return Step(title, free, False, "Book a Fill-Up", routes.SCHEDULE)

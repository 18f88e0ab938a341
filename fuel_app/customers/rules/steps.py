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
    asks_to_call: bool = False  # the note names how to reach us


def _card(customer: Customer) -> Step:
    """Return the step of the card, which is not done while the card is declined."""
    problem = customer.card_problem
    if customer.has_card and problem:
        return Step("Update your card", problem, False, "Update card", kind="card")
    note = problem or ON_THEIR_PAGE
    return Step("Add a card", note, customer.has_card, "Add a card", kind="card")


def steps(customer: Customer) -> list[Step]:
    """Return the steps in their order."""
    ready = customer.email_verified and customer.has_card
    found = [
        Step("Verify your email", "Enter the code of our mail", customer.email_verified),
        _card(customer),
        Step("Add your vehicle", "", bool(customer.vehicles), "Add a vehicle", routes.ACCOUNT),
    ]
    if customer.plan:
        started = not customer.may_start_plan
        found.append(
            Step("Start your plan", WITHOUT_PLAN, started, kind="plan")
            if ready
            else Step("Start your plan", _FIRST, started)
        )
    title, free = "Book your first fill-up", str(customer.free_fill or customer.free_fill_note)
    asks = bool(customer.free_fill_note)
    booked = bool(customer.has_booking or customer.past_services)
    found.append(
        Step(title, free, booked, "Book a Fill-Up", routes.SCHEDULE, asks_to_call=asks)
        if ready
        else Step(title, free or _FIRST, booked, asks_to_call=asks)
    )
    return [Step(each.title, _DONE, done=True) if each.done else each for each in found]

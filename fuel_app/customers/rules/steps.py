"""The steps of a new customer before the first fill-up."""

from dataclasses import dataclass

from fuel_app.customers.rules.profile import Customer

LATER = "Opens with booking"
NOTHING_TO_DO = "Nothing to do now: we write to you as soon as booking opens."


@dataclass(frozen=True)
class Step:
    """One step; the first one that is not done is the next."""

    title: str
    note: str
    done: bool


def steps(customer: Customer) -> list[Step]:
    """Return the steps in their order."""
    verified = customer.email_verified
    return [
        Step("Verify your email", "Done" if verified else "Enter the code of our mail", verified),
        Step("Add a card", LATER, customer.payment is not None),
        Step("Add your vehicle", LATER, bool(customer.vehicles)),
        Step("Book your first fill-up", LATER, customer.next_service is not None),
    ]

"""The customer's card: until payments open, a switch that a site on localhost alone has."""

from fuel_app.accounts.rules import Session
from fuel_app.accounts.service import details
from fuel_app.customers.queries import accounts
from fuel_app.customers.rules.account import NotVerified
from fuel_app.customers.rules.steps import PAYMENTS_SOON
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import audit
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.plans.service import subscriptions
from fuel_app.settings import settings


class NoCard(Refusal):
    message = "Please add a card first."


class PaymentsOpenSoon(Refusal):
    message = PAYMENTS_SOON


def card_available() -> bool:
    """Return whether a test card may be used on this site."""
    return not settings.is_public and not settings.is_https


def has_card(customer: StoredCustomer | None) -> bool:
    """Return whether a customer has a card that this site honours."""
    return customer is not None and customer.has_test_card and card_available()


async def use_test_card(by: Session) -> None:
    """Store that a customer has the test card.

    Raises:
        PaymentsOpenSoon: If the site is not on localhost, or the person is no customer.
    """
    async with transaction() as session:
        customer = await accounts.find(session, by.person_id)
        if customer is None or not card_available():
            raise PaymentsOpenSoon
        if not customer.has_test_card:
            customer.has_test_card = True
            action = Action("person", "card_added", str(by.actor))
            await audit.record(session, action, [Change(by.person_id, None, {"what": "Test card"})])


async def start_plan(by: Session, seen: str) -> None:
    """Start the customer's plan today, by the button that says so. Pressed twice, it starts once.

    Args:
        seen: The words on the button.

    Raises:
        NotVerified, NoCard: If that is missing.
        NoPlan, OtherWording: As plans say.
    """
    async with transaction() as session:
        if not (await details.read(session, by.person_id)).email_verified:
            raise NotVerified
        if not has_card(await accounts.find(session, by.person_id)):
            raise NoCard
        await subscriptions.start(session, by.person_id, seen, by.actor)

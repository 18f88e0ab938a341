"""Signing up as a customer: a preview while nothing is open, then a real account."""

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Applicant, PendingSignUp, SignUpGone
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import passwords, sign_up
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.areas.service import company
from fuel_app.customers import queries
from fuel_app.customers.rules.sign_up import (
    Beginning,
    NewAccount,
    NewContact,
    NotServed,
    UnknownPlan,
)
from fuel_app.customers.service import neighborhood
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.legal import PRIVACY_VERSION, TERMS_VERSION
from fuel_app.kit.throttle import PASSWORD_CHECKS, throttle
from fuel_app.messages import service as messages
from fuel_app.plans.rules.plans import PLANS
from fuel_app.plans.service import subscriptions
from fuel_app.preview import samples


async def beginning() -> Beginning:
    """Return what sign-up starts with: nothing, or the sample in a preview."""
    if await company.is_open():
        return Beginning(NewContact.blank(), "", opens_account=True)
    return Beginning(samples.CONTACT.model_dump(), samples.PASSWORD, opens_account=False)


async def begin(
    form: object, visitor: Visitor, *, former_id: str, comes_from: Mapping[str, str] | None = None
) -> str:
    """Store a pending sign-up and return its id; empty in a preview, which stores nothing.

    Args:
        former_id: The visitor's sign-up before; its password stays unless another is typed.
        comes_from: Of the link that led here, as `neighborhood.read_link` returned it.

    Raises:
        NotServed: If the ZIP is in no open area.
        InvalidForm, SignUpGone, TooManyRequests
    """
    if not await company.is_open():
        return ""
    password = _password_in(form)
    rules = NewAccount if password or not former_id else NewContact
    given = rules.parse(form)
    if not await company.serves(given.zip_code):
        raise NotServed(given.zip_code)
    own, password_hash = (given.first_name, given.last_name, given.email), None
    if password:
        await throttle().spend(PASSWORD_CHECKS, visitor.address)
        password_hash = await passwords.hash_new(password, *own)
    return await sign_up.begin(
        Applicant(*own, given.phone, given.zip_code),
        password_hash,
        visitor,
        former_id=former_id,
        comes_from=comes_from,
    )


async def password_problem(form: object, visitor: Visitor) -> str | None:
    """Return what is wrong with a password as it is typed; None if it was asked too often."""
    try:
        await throttle().spend(PASSWORD_CHECKS, visitor.address)
    except TooManyRequests:
        return None
    own = NewContact.typed(form)
    try:
        await passwords.check(_password_in(form), own["first_name"], own["last_name"], own["email"])
    except ValueError as error:
        return str(error)
    return ""


async def complete(sign_up_id: str, plan_id: object, visitor: Visitor) -> SignedIn | None:
    """Store the plan and send the code; None in a preview.

    Raises:
        UnknownPlan, SignUpGone, TooManyRequests
    """
    if not await company.is_open():
        return None
    if not isinstance(plan_id, str) or plan_id not in [plan.id for plan in PLANS]:
        raise UnknownPlan
    accepted = {"terms_version": TERMS_VERSION, "privacy_version": PRIVACY_VERSION}
    return await sign_up.complete(sign_up_id, visitor, plan_id=plan_id, **accepted)


async def add_customer(session: AsyncSession, person_id: str, pending: PendingSignUp) -> None:
    """Make the person of a verified sign-up a customer.

    Raises:
        SignUpGone: If nothing is open any more.
    """
    if not await company.stays_open(session):
        raise SignUpGone
    await messages.clear_address(session, pending.applicant.email)
    customer = await queries.add(session, person_id, zip_code=pending.applicant.zip_code)
    await neighborhood.link_customer(session, customer, pending)
    await subscriptions.choose_plan(session, person_id, pending.plan_id)


def _password_in(form: object) -> str:
    sent = form.get("password") if isinstance(form, Mapping) else None
    return sent if isinstance(sent, str) else ""

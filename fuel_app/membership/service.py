"""The life of an account: verified, another e-mail, downloaded, closed, erased.

Each use case names every package that takes part, in order, in one transaction. Lock order: person,
customer, subscription, booking, ledger (docs/decisions/money.md).
"""

import asyncio
import json
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, PendingSignUp, Session
from fuel_app.accounts.rules.security import Visitor, require_reauthentication
from fuel_app.accounts.service import account, sign_up
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.billing.service import reports as billing
from fuel_app.bookings.rules.desk import NewCallersEmail
from fuel_app.bookings.service import changes as bookings
from fuel_app.bookings.service import desk, waiting
from fuel_app.companies.service import people as companies
from fuel_app.customers.service import account as customers
from fuel_app.customers.service import sign_up as customer_sign_up
from fuel_app.dispatch.service import fill_records
from fuel_app.forecasts.service import due_bookings, forecasts
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.signals import LEADS, MEMBERS, signals
from fuel_app.messages import service as messages
from fuel_app.outcomes.service import consequences, plans
from fuel_app.plans.service import subscriptions
from fuel_app.repeats import service as repeats

_AT_ONCE = 20  # accounts that one transaction erases


async def verify(session: Session, code: object, visitor: Visitor) -> SignedIn:
    """Make a sign-up a customer by the code of its mail, and open a new session.

    Raises:
        WrongCode, SignUpGone, TooManyRequests
    """
    signed_in = await sign_up.verify(session, code, visitor, on_verified=_add_customer)
    await asyncio.gather(signals().publish(LEADS), signals().publish(MEMBERS))
    return signed_in


async def _add_customer(session: AsyncSession, person_id: str, pending: PendingSignUp) -> None:
    await customer_sign_up.add_customer(session, person_id, pending)
    await bookings.attach_guest_bookings(session, person_id, pending.applicant.email)


async def confirm_email(by: Session, code: object, visitor: Visitor) -> str:
    """Change the e-mail by the code. Return the new one; the old one is told.

    Raises:
        NotAllowed: If the session is not a person's, or has ended meanwhile.
        WrongCode: If it is wrong, used or expired; where nothing was typed, no try is counted.
        EmailInUse: If the address is another account's.
    """
    async with transaction() as session:
        change = await account.change_email(session, by, code, visitor)
        if change.is_new:
            await bookings.attach_guest_bookings(session, change.person_id, change.email)
    return change.checked()  # after the commit, which counts a wrong try


async def send_callers_code(
    actor: Actor, customer_id: object, asked: NewCallersEmail, visitor: Visitor
) -> None:
    """Mail a code to the new address of a caller, who reads it out to staff.

    Raises:
        NotAllowed, CustomerGone
        DeskLimitReached: If the actor may make no more changes.
        Refusal: As `account.send_callers_code` does.
    """
    whose = desk.caller_id(actor, customer_id)
    async with transaction() as session:
        await desk.check_limit(session, actor)  # the change itself counts
    await account.send_callers_code(actor, whose, asked.email, asked.reason, visitor)


async def change_callers_email(actor: Actor, customer_id: object, code: object) -> str:
    """Change a customer's e-mail by the code that they have read out. Return the new one.

    The former address hears of it, and can undo it for 7 days.

    Raises:
        NotAllowed, CustomerGone, AccountGone, OfStaff, DeskLimitReached
        WrongCode: If it is wrong, used or expired; where nothing was typed, no try is counted.
        CallersEmailInUse: If the address is another account's.
    """
    whose = desk.caller_id(actor, customer_id)
    async with transaction() as session:
        await desk.check_limit(session, actor)
        change = await account.change_callers_email(session, actor, whose, code)
        if change.email and not change.is_taken:
            await bookings.attach_guest_bookings(session, whose, change.email)
            await desk.log(session, actor, desk.EMAIL, whose, ["email"], change.reason)
    return change.checked()  # after the commit, which counts a wrong try


async def download(by: Session) -> str:
    """Return the data of the person of this session as JSON, without secrets.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `require_reauthentication` says.
    """
    person_id = require_reauthentication(by, clock.now())
    async with reading() as session:
        exported: dict[str, Any] = await account.export(session, person_id)
        exported |= await customers.export_person(session, person_id)
        exported |= await subscriptions.export_person(session, person_id)
        exported |= await messages.export_person(session, person_id)
        exported |= await billing.export_person(session, person_id)
        exported |= await bookings.export_person(session, person_id)
        exported |= await waiting.export_person(session, person_id)
        exported |= await forecasts.export_person(session, person_id)
        exported |= await due_bookings.export_person(session, person_id)
        exported |= await repeats.export_person(session, person_id)
        exported |= await fill_records.export_person(session, person_id)
        exported |= await companies.export_person(session, person_id)
    return json.dumps(exported, default=str, ensure_ascii=False, indent=2)


async def close(by: Session, visitor: Visitor) -> datetime:
    """Close the account of this session. Return when its personal data will be removed.

    What is booked is cancelled, the plan ends. Until then the staff can reactivate the account.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `require_reauthentication` says.
        LastAdmin: If no admin would be left.
        LastOwner: If a company would have no owner.
        Debt, PaymentPending: While something is unpaid, or being paid.
        FillIsOpen, FillIsChecked: While a technician is at it, or staff are asked about a fill.
    """
    async with transaction() as session:
        person = await account.lock_own(session, by)
        await billing.check_closable(session, person.id)
        await companies.leave_all(session, person.id)
        await repeats.end_all(session, person.id, by.actor)
        await due_bookings.end_all(session, person.id, by.actor)
        await bookings.cancel_all_open(session, person.id)
        await waiting.leave_all(session, person.id)
        ended = await subscriptions.end_plan(session, person.id, by.actor)
        await consequences.plans_changed(session, ended)
        await plans.refuse_pending(session, person.id)
        return await account.close(session, person, visitor)


async def erase_due(now: datetime) -> int:
    """Erase the accounts whose days are over, in short transactions. Return how many."""
    erased, some = 0, _AT_ONCE
    while some == _AT_ONCE:
        async with transaction() as session:
            due = await account.lock_due_erasures(session, now, _AT_ONCE)
            for person in due:
                await customers.erase_person(session, person.id)
                await subscriptions.erase_person(session, person.id)
                await billing.erase_person(session, person.id)
                await bookings.erase_person(session, person.id)
                await waiting.leave_all(session, person.id)
                await forecasts.erase_person(session, person.id)
                await repeats.erase_person(session, person.id)
                await fill_records.erase_person(session, person.id)
                await companies.erase_person(session, person.email or "")
                await messages.erase_person(session, person.id, person.email or "")
                await account.erase(session, person, now)
        some = len(due)
        erased += some
    return erased

"""A customer's account: the facts that bookings need, the own account and its changes.

While nothing is open it is the sample customer in the visitor's own tab; afterwards a signed-in
person's own account in the database, or a sign-up that is not verified yet; see
docs/decisions/preview.md.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import AccountGone, Actor, Applicant, Details, Role, Session
from fuel_app.accounts.service import account, directory, sign_up
from fuel_app.areas.service import company
from fuel_app.customers import queries
from fuel_app.customers.rules.customers import (
    Account,
    Customer,
    CustomerFacts,
    FreeFillOffer,
    OwnPersonal,
    Personal,
    describe_closing,
)
from fuel_app.customers.rules.vehicles import OwnVehicle, Vehicle
from fuel_app.customers.service import vehicles
from fuel_app.customers.tables import StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.kit import audit, clock, policies
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.messages import service as messages
from fuel_app.plans.rules.plans import BY_ID
from fuel_app.plans.service import ledger, subscriptions
from fuel_app.preview.service.account import Preview
from fuel_app.waitlist import queries as waitlist_queries
from fuel_app.waitlist.service import FREE_FILL_CAP


async def facts(session: AsyncSession, person_id: str, *, lock: bool = False) -> CustomerFacts:
    """Return a customer's facts; `lock` keeps the customer's row in this transaction."""
    known = await facts_of(session, [person_id], lock=lock)
    if person_id not in known:
        raise AccountGone
    return known[person_id]


async def facts_of(
    session: AsyncSession, ids: Collection[str], *, lock: bool = False
) -> dict[str, CustomerFacts]:
    """Return customers' facts by person; those who are no customers are left out."""
    customers = await queries.find_all(session, ids, lock=lock)
    people = await directory.read_all_details(session, [each.person_id for each in customers])
    return {
        customer.person_id: CustomerFacts(
            name=f"{person.first_name} {person.last_name}",
            email=person.email,
            phone=person.phone,
            zip_code=customer.zip_code,
            email_verified=person.email_verified,
            has_card=customer.has_card,
            submission_id=customer.submission_id,
        )
        for customer in customers
        if (person := people.get(customer.person_id))
    }


async def set_card(session: AsyncSession, person_id: str, *, has_card: bool) -> None:
    """Note whether a customer has a card."""
    (await queries.lock(session, person_id)).has_card = has_card


async def free_fill(
    session: AsyncSession, submission_id: str | None, opened_at: datetime | None
) -> FreeFillOffer | None:
    """Return the free first fill of a customer who was on the waitlist before their area opened.

    The bookings tell whether it has been used.
    """
    if not submission_id or not opened_at:
        return None
    entry = await queries.waitlist_entry(session, submission_id)
    if entry is None:
        return None
    joined_at, is_whole = entry
    if joined_at >= opened_at:
        return None
    return FreeFillOffer(None if is_whole else Money(await policies.value(session, FREE_FILL_CAP)))


async def free_fill_of(session: AsyncSession, person_id: str) -> FreeFillOffer | None:
    """Return the free first fill of a customer who was on the waitlist, as `free_fill` does."""
    customer = await queries.find(session, person_id)
    if customer is None or customer.submission_id is None:
        return None
    opened_at = await company.opened_at(session, customer.zip_code)
    return await free_fill(session, customer.submission_id, opened_at)


_OF_PERSON = ("first_name", "last_name", "phone")
_OF_CUSTOMER = ("address", "city", "state", "zip_code")
_AUDIT_KEPT = timedelta(days=365)


async def read_customer(actor: Actor, person_id: object) -> Customer:
    """Return a customer as their own screens show them, for staff.

    Raises:
        AccountGone: If there is no such customer (any more).
    """
    actor.require(Role.DISPATCHER)
    return await _read(well_formed_id(person_id) or "")


async def _read(person_id: str, *, brief: bool = False) -> Customer:
    async with reading() as session:
        own = await directory.read_details(session, person_id)
        customer, chosen = await queries.find_with_plan(session, person_id)
        subscription = subscriptions.info_of(chosen) if chosen else None
        read = Customer(
            personal=_personal_of(own, customer),
            plan=subscription.plan if subscription else None,
            subscription=subscription,
            plan_ends=subscription.ends if subscription else None,
            has_card=customer is not None and customer.has_card,
            may_start_plan=subscription is not None and subscription.may_start,
            password_changed=day_of(own.password_since),
            email_verified=own.email_verified,
            phone_verified=own.phone_verified,
            is_customer=customer is not None,
        )
        if brief:
            return read
        today = day_of(clock.now())
        left = await ledger.allowance_now(session, subscription, today) if subscription else None
        garage = await vehicles.of_person(session, person_id)
    return replace(
        read,
        fills_remaining=left.left if left else None,
        fills_granted=left.fills if left else None,
        fills_rolled=left.rolled if left else 0,
        period_starts=left.period if left else None,
        notifications=await messages.preferences_of(person_id),
        vehicles=garage,
    )


@dataclass(frozen=True, slots=True)
class Own(Account):
    """The account of a signed-in person."""

    session: Session

    async def read(self, *, brief: bool = False) -> Customer:
        return await _read(self.session.person_id, brief=brief)

    async def closing(self) -> str:
        return describe_closing(await account.days_until_erasure())

    def rules(self, form: Mapping[str, str]) -> type[Personal]:
        return OwnPersonal.rules(form)

    async def save_personal(self, personal: Personal) -> Customer:
        person_id = self.session.person_id
        async with transaction() as session:
            given = personal.model_dump(include=set(_OF_PERSON))
            changed = await directory.change_details(session, person_id, given)
            changed += _set_address(await queries.find(session, person_id), personal)
            if changed:
                action = Action("person", "personal_changed", person_id, _AUDIT_KEPT)
                # The names of the fields alone: their values are not kept twice.
                await audit.record(session, action, [Change(person_id, {}, {"fields": changed})])
        return await self.read()

    async def toggle_notification(self, name: object) -> Customer:
        await messages.toggle_preference(self.session.actor, name)
        return await self.read()

    async def agree_to_texts(self) -> Customer:
        async with transaction() as session:
            own = await directory.read_details(session, self.session.person_id, lock=True)
            if own.phone_verified:
                await messages.agree_to_texts(session, own.phone, self.session.person_id)
        return await self.read()

    async def save_vehicle(self, vehicle: Vehicle) -> Customer:
        await vehicles.save(self.session.person_id, _as_own(vehicle))
        return await self.read()

    async def remove_vehicle(self, vehicle_id: object) -> Customer:
        await vehicles.remove(self.session.person_id, vehicle_id)
        return await self.read()

    async def restore_vehicle(self, vehicle: Vehicle, place: int) -> Customer:
        await vehicles.restore(self.session.person_id, _as_own(vehicle))
        return await self.read()

    async def use_vehicle(self, vehicle_id: object) -> Customer:
        await vehicles.use_instead(self.session.person_id, vehicle_id)
        return await self.read()


@dataclass(frozen=True, slots=True)
class Unverified(Account):
    """The account of a sign-up: its name and its plan are shown until it is verified."""

    session: Session

    is_verified = False

    async def read(self, *, brief: bool = False) -> Customer:
        """Return the sign-up.

        Raises:
            AccountGone: If it has lapsed.
        """
        found = await sign_up.find(self.session)
        if found is None:
            raise AccountGone
        return Customer(
            personal=_personal_of(found.applicant, None),
            plan=BY_ID.get(found.plan_id),
            email_verified=False,
        )


def _as_own(vehicle: Vehicle) -> OwnVehicle:
    if not isinstance(vehicle, OwnVehicle):
        raise TypeError("A vehicle of the preview")
    return vehicle


def _personal_of(person: Details | Applicant, customer: StoredCustomer | None) -> Personal:
    """Return the stored values, of which some may be empty."""
    own: dict[str, Any] = {name: getattr(person, name) for name in (*_OF_PERSON, "email")}
    place = {name: getattr(customer, name, "") for name in _OF_CUSTOMER}
    return Personal.model_construct(None, **own | place)


def _set_address(customer: StoredCustomer | None, personal: Personal) -> list[str]:
    """Set the columns that differ. Return their names."""
    given = personal.model_dump(include=set(_OF_CUSTOMER)) if customer else {}
    changed = [name for name in given if getattr(customer, name) != given[name]]
    for name in changed:
        setattr(customer, name, given[name])
    return changed


async def account_of(session: Session | None, kept: Customer | None) -> Account | None:
    """Return the account that a tab's screens show; None where it has to sign in first.

    `kept` is the sample as the tab has changed it.
    """
    if not await company.is_open():
        return Preview(kept)
    if session and session.has_own_pages:
        return Own(session)
    return Unverified(session) if session and session.sign_up_id else None


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's account, waitlist entry, vehicles, addresses, and the staff's notes."""
    customer = await queries.find(session, person_id)
    entry_id = customer.submission_id if customer else None
    entry = await waitlist_queries.find(session, entry_id) if entry_id else None
    cars = await queries.rows_of(session, StoredVehicle, person_id)
    addresses = await queries.rows_of(session, StoredAddress, person_id)
    return {
        "customer": customer.model_dump(exclude={"person_id"}) if customer else None,
        "waitlist_entry": entry.model_dump(exclude={"resume_hash"}) if entry else None,
        "vehicles": [row.model_dump(exclude={"person_id"}) for row in cars],
        "addresses": [row.model_dump(exclude={"person_id", "search"}) for row in addresses],
        "staff_notes": [
            {"text": each.text, "created_at": each.created_at}
            for each in reversed(await queries.list_notes(session, person_id))
        ],
    }


async def erase_person(session: AsyncSession, person_id: str) -> None:
    """Erase a person's account, vehicles and addresses."""
    await queries.erase_customer(session, person_id)
    await queries.erase_garage(session, person_id)

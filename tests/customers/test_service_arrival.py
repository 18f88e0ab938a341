"""The origin of a new customer: the waitlist, a friend, a neighborhood."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, update

from fuel_app.accounts.tables import Person
from fuel_app.areas.tables import Area
from fuel_app.customers import queries
from fuel_app.customers.rules.customers import FreeFillOffer
from fuel_app.customers.service import neighborhood, sign_up
from fuel_app.customers.service.account import free_fill, free_fill_of
from fuel_app.customers.tables import StoredCustomer
from fuel_app.joining import service as joining
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.money import dollars
from fuel_app.kit.outbox import Message
from fuel_app.leads.tables import Lead
from fuel_app.membership import service as membership
from fuel_app.messages.rules.kinds import INVITED
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.rules import WaitlistEntry
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.factories import signup_form, waitlist_form
from tests.helpers.open_area import ELSEWHERE_ZIP, ZIP, open_area
from tests.helpers.sign_ups import HERE, code_of, opened, rows

OFF = "$5 a month, $60 a year off your plan"
FRIEND, OTHERS_PHONE = "grace@example.com", "9415550188"


@pytest.fixture(autouse=True)
async def open_company(database):
    await open_area()


async def waits(email: str = "ada@example.com", **differs: Any) -> str:
    """Put somebody on the waitlist. Return the submission's id."""
    entry = WaitlistEntry.parse(waitlist_form(email=email, zip_code=ZIP) | differs)
    async with transaction() as session:
        return await waitlist.add(session, entry)


async def friend() -> str:
    return await waits(FRIEND, phone_number=OTHERS_PHONE)


async def group(zip_code: str = ZIP) -> str:
    pioneer = await waits("pioneer@example.com", phone_number="9415550199")
    return (await joining.create(pioneer, "Palm Row", zip_code)).id


def token(submission_id: str) -> str:
    return secrets.token(INVITED, submission_id)


@dataclass(frozen=True)
class Joined:
    customer: StoredCustomer
    entry: WaitlistSubmission | None


async def joins(email: str = "ada@example.com", zip_code: str = ZIP, **asked: object) -> Joined:
    """Sign up by a link with these parameters, and verify."""
    form = signup_form(password="engine-1843-loom", zip_code=zip_code, email=email)
    comes_from = (await neighborhood.read_link(asked)).comes_from
    return await verified(form, comes_from)


async def verified(form: dict[str, Any], comes_from: Mapping[str, str]) -> Joined:
    begun = await sign_up.begin(form, HERE, former_id="", comes_from=comes_from)
    signed_in = await sign_up.complete(begun, "family", HERE)
    assert signed_in
    session = await opened(signed_in)
    person = await opened(await membership.verify(session, await code_of(session), HERE))
    async with reading() as reader:
        customer = await queries.find(reader, person.person_id)
        assert customer
        entry = customer.submission_id and await waitlist.find(reader, customer.submission_id)
    return Joined(customer, entry or None)


async def test_an_invitation_fills_the_contact_in():
    invited = await waits(FRIEND, first_name="Grace", last_name="Hopper")
    found = await neighborhood.read_link({"invited": token(invited)})
    assert found.comes_from == {"invited": invited}
    own = {"first_name": "Grace", "last_name": "Hopper", "email": FRIEND, "zip_code": ZIP}
    assert found.contact == own | {"phone": "(941) 555-0123"}
    assert (found.promises, found.is_used) == ((), False)


async def test_an_invitation_says_what_was_promised(monkeypatch):
    groups, invited = await group(), await waits(FRIEND)
    await joining.join(invited, groups)
    async with transaction() as session:
        await session.execute(update(Area).values(opened_at=clock.now() + timedelta(days=1)))
    free = "Your first fill-up: Free for you, with or without a plan: no fee, and fuel up to $50."
    for members, off in ((0, "the more join, the less you all pay"), (5, OFF)):

        async def counted(*_: object, members: int = members) -> int:
            return members

        monkeypatch.setattr(queries, "count_confirmed", counted)
        found = await neighborhood.read_link({"invited": token(invited)})
        assert found.promises == (free, f"Your neighborhood, Palm Row: {off}.")


async def test_an_invitation_links_the_submission_whatever_email_is_used():
    groups, by = await group(), await friend()
    invited = await waits("old@example.com")
    await joining.join(invited, groups)
    async with transaction() as session:
        theirs = update(WaitlistSubmission).where(WaitlistSubmission.id == invited)  # type: ignore[arg-type]
        await session.execute(theirs.values(referred_by_id=by))
    joined = await joins("new@example.com", invited=token(invited))
    assert joined.entry
    assert (joined.entry.id, joined.entry.email) == (invited, "old@example.com")
    assert (joined.entry.neighborhood_id, joined.entry.referred_by_id) == (groups, by)


async def test_the_same_verified_email_links_the_submission():
    waiting = await waits()
    assert (await joins()).customer.submission_id == waiting


async def test_the_invitation_wins_over_the_email():
    invited, _ = await friend(), await waits()
    assert (await joins(invited=token(invited))).customer.submission_id == invited


async def test_nobody_on_the_list_and_led_by_nothing_has_no_submission():
    assert (await joins()).customer.submission_id is None
    assert await rows(WaitlistSubmission) == []


async def test_the_first_customer_keeps_an_invitation_that_is_used_twice():
    invited = await friend()
    before = await neighborhood.read_link({"invited": token(invited)})
    assert (await joins(invited=token(invited))).customer.submission_id == invited
    after = await neighborhood.read_link({"invited": token(invited)})
    assert (dict(after.comes_from), dict(after.contact)) == ({}, {})
    assert (before.is_used, after.is_used) == (False, True)
    form = signup_form(password="engine-1843-loom", zip_code=ZIP, email="second@example.com")
    second = await verified(form, before.comes_from)  # had opened the link before
    assert second.customer.submission_id is None


async def test_whoever_has_lost_their_own_entry_joins_without_one():
    own = await waits("late@example.com")
    await joins(invited=token(own))
    groups = await group()
    late = await joins("late@example.com", neighborhood=groups)
    assert late.customer.submission_id is None


@pytest.mark.parametrize("value", ["", None, ["x"], "nonsense", "x" * 5000, "\ud800", {"a": 1}])
async def test_forged_parameters_are_ignored(value):
    found = await neighborhood.read_link({"invited": value, "ref": value, "neighborhood": value})
    assert (dict(found.comes_from), dict(found.contact)) == ({}, {})


async def test_a_token_of_another_kind_or_submission_is_ignored():
    one, other = await waits(), await friend()
    signed_for = token(one).partition(".")[2]
    for forged in (secrets.token("unsubscribe", one), f"{other}.{signed_for}", one):
        assert (await neighborhood.read_link({"invited": forged})).comes_from == {}


async def test_a_neighborhoods_link_makes_a_member():
    groups, by = await group(), await friend()
    joined = await joins(neighborhood=groups, ref=by)
    assert joined.entry
    assert (joined.entry.neighborhood_id, joined.entry.referred_by_id) == (groups, by)
    assert (joined.entry.status, joined.entry.lead_source) == ("Closed Won", "Inbound")
    listed = [row for row in await rows(Lead) if row.email == "ada@example.com"]
    assert [(row.id, row.status) for row in listed] == [(joined.entry.id, "Closed Won")]
    welcomed = [row for row in await rows(Message) if row.kind == "waitlist_welcome"]
    assert welcomed == []
    summary = await joining.find(groups)
    assert summary
    assert summary.members == 2


async def test_a_neighborhood_of_another_zip_is_not_joined():
    elsewhere = await group(ELSEWHERE_ZIP)
    assert (await neighborhood.read_link({"neighborhood": elsewhere})).contact == {
        "zip_code": ELSEWHERE_ZIP
    }
    joined = await joins(neighborhood=elsewhere)
    assert joined.entry
    assert joined.entry.neighborhood_id is None


async def test_a_neighborhood_that_is_gone_by_then_is_not_joined():
    groups = await group()
    found = await neighborhood.read_link({"neighborhood": groups})
    async with transaction() as session:
        await session.execute(delete(Neighborhood))
    joined = await verified(
        signup_form(password="engine-1843-loom", zip_code=ZIP), found.comes_from
    )
    assert joined.entry
    assert joined.entry.neighborhood_id is None


async def test_who_waited_in_a_neighborhood_stays_there():
    first = await group()
    other = (await joining.create(await friend(), "Sea Row", ZIP)).id
    waiting = await waits()
    await joining.join(waiting, first)
    joined = await joins(neighborhood=other)
    assert joined.entry
    assert joined.entry.neighborhood_id == first


@pytest.mark.parametrize("email", ["ada@example.com", "same-phone@example.com"])
async def test_nobody_refers_themselves(email):
    joined = await joins(ref=await waits(email))
    assert joined.entry
    assert joined.entry.referred_by_id is None


async def offer(person_id: str, opened_at: Any) -> FreeFillOffer | None:
    async with reading() as session:
        customer = await session.get_one(StoredCustomer, person_id)
        return await free_fill(session, customer.submission_id, opened_at)


async def test_the_first_fill_is_free_for_who_waited_before_the_area_opened():
    waiting = await waits()
    person_id = (await joins()).customer.person_id
    now = clock.now()
    assert await offer(person_id, now) == FreeFillOffer(dollars(50))
    assert await offer(person_id, now - timedelta(hours=1)) is None
    assert await offer(person_id, None) is None
    async with transaction() as session:
        theirs = update(WaitlistSubmission).where(WaitlistSubmission.id == waiting)  # type: ignore[arg-type]
        await session.execute(theirs.values(free_fill_whole=True))
    assert await offer(person_id, now) == FreeFillOffer(None)


async def test_account_names_the_free_first_fill_of_who_waited():
    await waits()
    person_id = (await joins()).customer.person_id
    async with transaction() as session:
        assert await free_fill_of(session, person_id) is None  # the area has never been open
        await session.execute(update(Area).values(opened_at=clock.now()))
        assert await free_fill_of(session, person_id) == FreeFillOffer(dollars(50))


async def test_who_never_waited_has_no_free_first_fill():
    person_id = (await joins()).customer.person_id
    assert await offer(person_id, clock.now()) is None
    async with reading() as session:
        assert await free_fill(session, new_id(), clock.now()) is None
    (stored,) = await rows(Person)
    assert stored.id == person_id


async def test_the_entry_goes_with_the_account():
    await waits()
    joined = await joins()
    async with transaction() as session:
        await queries.erase_customer(session, joined.customer.person_id)
    (customer,) = await rows(StoredCustomer)
    assert customer.submission_id is None
    assert await rows(WaitlistSubmission) == await rows(Lead) == []

"""A customer's neighborhood on /account."""

import pytest

from fuel_app.accounts.rules import AccountGone
from fuel_app.customers.rules.sign_up import EntryTaken, Membership, NoZip
from fuel_app.customers.service import neighborhood as own
from fuel_app.customers.tables import StoredCustomer
from fuel_app.joining import service as joining
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import AlreadyInNeighborhood
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.rules import WaitlistEntry
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.factories import waitlist_form
from tests.helpers.open_area import ZIP
from tests.helpers.people import a_person
from tests.helpers.sign_ups import rows

pytestmark = pytest.mark.usefixtures("database")

EMAIL = "ada@example.com"


async def a_customer(email: str = EMAIL, zip_code: str = ZIP, entry: str | None = None) -> str:
    person = await a_person(email=email, phone="9415550123")
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code=zip_code, submission_id=entry))
    return person.id


async def waits(email: str) -> str:
    async with transaction() as session:
        return await waitlist.add(session, WaitlistEntry.parse(waitlist_form(email=email)))


async def group(name: str = "Palm Row", zip_code: str = ZIP) -> str:
    return (
        await joining.create(await waits(f"{name.split()[0].lower()}@example.com"), name, zip_code)
    ).id


async def joins(person: str, group_id: str) -> None:
    await joining.join(await own.claim_entry(person), group_id)


async def founds(person: str, name: str) -> None:
    await joining.create(await own.claim_entry(person), name, ZIP)


async def test_a_customer_without_an_entry_joins_a_neighborhood_and_gets_one():
    person, palm_row = await a_customer(), await group()
    assert await own.membership(person) == Membership(ZIP, None)
    await joins(person, palm_row)
    found = await own.membership(person)
    assert found.neighborhood
    assert (found.neighborhood.id, found.neighborhood.members) == (palm_row, 2)
    assert not found.is_pioneer
    (customer,) = await rows(StoredCustomer)
    (entry,) = [row for row in await rows(WaitlistSubmission) if row.email == EMAIL]
    assert (customer.submission_id, entry.zip_code) == (entry.id, ZIP)


async def test_a_customer_founds_a_neighborhood_as_its_pioneer():
    person = await a_customer()
    await founds(person, "Sea Row")
    found = await own.membership(person)
    assert found.neighborhood
    assert (found.neighborhood.name, found.neighborhood.zip_code) == ("Sea Row", ZIP)
    assert found.is_pioneer


async def test_a_pioneer_who_leaves_keeps_the_group_without_a_pioneer():
    person = await a_customer()
    await founds(person, "Sea Row")
    await own.leave(person)
    await own.leave(person)
    (left,) = await rows(Neighborhood)
    assert (left.name, left.pioneer_id) == ("Sea Row", None)
    assert await own.membership(person) == Membership(ZIP, None)
    await joins(person, left.id)
    assert (await own.membership(person)).is_pioneer is False


async def test_leaving_without_an_entry_changes_nothing():
    await own.leave(await a_customer())
    assert await rows(WaitlistSubmission) == []


async def test_a_member_joins_no_other():
    person, palm_row = await a_customer(), await group()
    await joins(person, palm_row)
    with pytest.raises(AlreadyInNeighborhood):
        await own.claim_entry(person)


async def test_a_customer_without_a_zip_adds_it_first():
    with pytest.raises(NoZip):
        await own.claim_entry(await a_customer(zip_code=""))


async def test_an_entry_that_another_customer_has_cannot_be_used():
    await a_customer(entry=await waits("late@example.com"))
    late = await a_customer("late@example.com")
    with pytest.raises(EntryTaken):
        await own.claim_entry(late)


async def test_staff_without_an_account_of_a_customer_have_no_neighborhood():
    person = (await a_person(email="zoe@example.com")).id
    assert await own.membership(person) == Membership("", None)
    await own.leave(person)
    with pytest.raises(AccountGone):
        await own.claim_entry(person)

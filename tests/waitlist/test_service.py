"""A visitor joins the waitlist."""

import asyncio
import uuid

import pytest
import sqlalchemy as sa
from sqlmodel import col

from fuel_app.kit.db import session
from fuel_app.kit.errors import EmailTaken, TooManyRequests
from fuel_app.waitlist import service as waitlist
from fuel_app.waitlist.rules import WaitlistEntry
from fuel_app.waitlist.tables import WaitlistSubmission
from tests import servers
from tests.factories import waitlist_entry

HERE = "203.0.113.1"
ELSEWHERE = "203.0.113.2"
FAMILY = "👨\u200d👩\u200d👧"


async def join(
    entry: WaitlistEntry | None = None, *, referrer: object = None, address: str = HERE
) -> str:
    return await waitlist.join(entry or waitlist_entry(), referrer=referrer, address=address)


async def stored(submission_id: str) -> WaitlistSubmission:
    async with session.reading() as looking:
        return (
            await looking.execute(
                sa.select(WaitlistSubmission).where(col(WaitlistSubmission.id) == submission_id)
            )
        ).scalar_one()


async def remove(submission_id: str) -> None:
    async with session.transaction() as writing:
        await writing.execute(
            sa.delete(WaitlistSubmission).where(col(WaitlistSubmission.id) == submission_id)
        )


async def test_a_visitor_joins_with_what_was_cleaned(database):
    row = await stored(
        await join(
            waitlist_entry(
                first_name="  Ada ",
                email=" Ada+Fuel@Example.com ",
                phone_number="+1 (941) 555-0123",
            )
        )
    )
    assert row.first_name == "Ada"
    assert row.last_name == "Lovelace"
    assert row.email == "ada+fuel@example.com"
    assert row.phone_number == "9415550123"
    assert row.zip_code == "34236"


async def test_a_new_lead_is_not_contacted_yet_and_came_by_itself(database):
    row = await stored(await join())
    assert (row.status, row.lead_source) == ("Not Contacted", "Inbound")
    assert (row.neighborhood_id, row.referred_by_id) == (None, None)
    assert row.created_at.tzinfo is not None


@pytest.mark.parametrize(
    "name", ["<b>Ada</b>", "'; DROP TABLE waitlist_submissions; --", "O'Brien \\ %s", FAMILY, "李"]
)
async def test_a_name_is_stored_as_typed(database, name):
    assert (await stored(await join(waitlist_entry(first_name=name)))).first_name == name


@pytest.mark.parametrize("again", ["ada@example.com", "ADA@Example.com", "  ada@example.com\n"])
async def test_the_same_email_cannot_join_twice(database, again):
    await join(waitlist_entry(email="ada@example.com"))
    with pytest.raises(EmailTaken):
        await join(waitlist_entry(email=again))
    assert await waitlist.count() == 1


@pytest.mark.parametrize("other", ["a.da@example.com", "ada+fuel@example.com", "ada@example.co"])
async def test_dots_and_plus_tags_make_another_address(database, other):
    await join(waitlist_entry(email="ada@example.com"))
    await join(waitlist_entry(email=other))
    assert await waitlist.count() == 2


async def test_twenty_joins_at_once_with_one_email_store_it_once(database):
    entry = waitlist_entry()
    outcomes = await asyncio.gather(*(join(entry) for _ in range(20)), return_exceptions=True)
    joined = [outcome for outcome in outcomes if isinstance(outcome, str)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, EmailTaken)]
    assert (len(joined), len(refused)) == (1, 19)
    assert await waitlist.count() == 1
    assert (await stored(joined[0])).email == entry.email


async def test_an_address_that_was_removed_can_join_again(database):
    entry = waitlist_entry()
    await remove(await join(entry))
    assert await stored(await join(entry))


async def test_a_referral_is_stored_in_any_case_and_with_spaces_around(database):
    referrer = await join()
    for link in (referrer, f" {referrer.upper()} "):
        assert (await stored(await join(referrer=link))).referred_by_id == referrer


@pytest.mark.parametrize(
    "referrer",
    [
        None,
        "",
        "abc",
        5,
        [],
        {},
        "x" * 10_240,
        "' OR '1'='1",
        "0f8fad5b-d9cb-469f-a165-70867728950e",
        "0f8fad5bd9cb469fa16570867728950e",
    ],
)
async def test_an_unknown_referrer_is_ignored(database, referrer):
    assert (await stored(await join(referrer=referrer))).referred_by_id is None


async def test_a_removed_referrer_is_ignored(database):
    referrer = await join()
    await remove(referrer)
    assert (await stored(await join(referrer=referrer))).referred_by_id is None


async def test_two_friends_of_one_visitor_join_at_once(database):
    referrer = await join()
    friends = await asyncio.gather(join(referrer=referrer), join(referrer=referrer))
    assert {(await stored(friend)).referred_by_id for friend in friends} == {referrer}


async def test_a_friend_joins_while_the_referrer_leaves(database):
    for _ in range(5):
        referrer = await join()
        friend, _gone = await asyncio.gather(join(referrer=referrer), remove(referrer))
        assert (await stored(friend)).referred_by_id is None


async def test_one_address_may_join_thirty_times_an_hour(sqlite_database):
    for _ in range(30):
        await join()
    with pytest.raises(TooManyRequests, match=r"^Too many attempts\. Try again in 60 minutes\.$"):
        await join()
    assert await waitlist.count() == 30
    await join(address=ELSEWHERE)


async def test_a_refused_join_counts_too(sqlite_database):
    # Otherwise a script could find out which addresses are on the list.
    entry = waitlist_entry()
    await join(entry)
    for _ in range(29):
        with pytest.raises(EmailTaken):
            await join(entry)
    with pytest.raises(TooManyRequests):
        await join(entry)


@pytest.mark.slow
async def test_joins_continue_without_redis(sqlite_database, throttle_on, logged):
    with servers.redis() as url:
        throttle_on(url)
        await join()
        assert not logged
    await join()
    await join()
    assert await waitlist.count() == 3
    assert {entry["event"] for entry in logged} == {
        "throttle.unavailable",
        "signals.unavailable",
    }


@pytest.mark.slow
async def test_two_processes_share_the_joins_of_an_address(sqlite_database, redis_url, throttle_on):
    address = str(uuid.uuid4())  # the Redis is every test's
    for _ in range(2):
        throttle_on(redis_url)
        for _ in range(15):
            await join(address=address)
    with pytest.raises(TooManyRequests):
        await join(address=address)
    await join(address=ELSEWHERE)

"""Joining the waitlist: uniqueness, referrals, rate limits and races."""

import asyncio

import pytest
from sqlalchemy import select
from sqlmodel import col

from fuel_app.accounts.rules.security import ForgotPassword, Visitor
from fuel_app.accounts.service import passwords
from fuel_app.kit import throttle
from fuel_app.kit.db import session
from fuel_app.kit.errors import EmailTaken, TooManyRequests
from fuel_app.waitlist import queries
from fuel_app.waitlist import service as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission
from tests import servers
from tests.factories import UNKNOWN_ID, waitlist_entry
from tests.helpers.leads import joined
from tests.helpers.people import messages

HERE = "203.0.113.1"
ELSEWHERE = "203.0.113.2"
FAMILY = "👨\u200d👩\u200d👧"


async def stored(submission_id: str) -> WaitlistSubmission:
    async with session.reading() as looking:
        return await looking.get_one(WaitlistSubmission, submission_id)


async def remove(submission_id: str) -> None:
    async with session.transaction() as writing:
        await writing.delete(await writing.get_one(WaitlistSubmission, submission_id))


@pytest.mark.parametrize(
    "name", ["<b>Ada</b>", "'; DROP TABLE waitlist_submissions; --", "O'Brien \\ %s", FAMILY, "李"]
)
async def test_entry_is_stored_unchanged(database, name):
    typed = waitlist_entry(first_name=name).model_dump()
    row = await stored(await joined(**typed))
    assert {field: getattr(row, field) for field in typed} == typed
    assert (row.status, row.lead_source) == ("Not Contacted", "Inbound")
    assert (row.neighborhood_id, row.referred_by_id) == (None, None)
    assert row.created_at.tzinfo is not None


async def test_simultaneous_joins_with_one_email_store_it_once(database):
    same = (joined(email="ada@example.com") for _ in range(20))
    outcomes = await asyncio.gather(*same, *(joined() for _ in range(5)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes].count(EmailTaken) == 19
    assert await waitlist.count() == 6
    with pytest.raises(EmailTaken):
        await joined(email=" ADA@Example.com\n")


@pytest.mark.slow
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", id="two writers")])
async def test_referrer_stays_until_the_friend_has_joined(database):
    referrer = await joined()
    async with session.transaction() as joining, session.transaction() as deleting:
        assert await queries.exists(joining, referrer)
        theirs = select(col(WaitlistSubmission.id)).where(col(WaitlistSubmission.id) == referrer)
        free = theirs.with_for_update(skip_locked=True)
        assert await deleting.scalar(free) is None


async def test_referrals_of_one_visitor_are_stored_also_in_upper_case(database):
    referrer = await joined()
    friends = await asyncio.gather(
        joined(referrer=referrer), joined(referrer=f" {referrer.upper()} ")
    )
    assert {(await stored(friend)).referred_by_id for friend in friends} == {referrer}


async def test_only_the_id_of_a_stored_submission_is_a_referrer(database):
    first, gone = await stored(await joined()), await joined()
    await remove(gone)
    strange = (None, "", 5, [], {}, "x" * 10_240, "' OR '1'='1", UNKNOWN_ID, gone)
    for referrer in (*strange, first.email, first.id[:8], f"{first.id}x"):
        assert (await stored(await joined(referrer=referrer))).referred_by_id is None


async def test_friend_joins_while_the_referrer_is_deleted(database):
    for _ in range(5):
        referrer = await joined()
        friend, _gone = await asyncio.gather(joined(referrer=referrer), remove(referrer))
        assert (await stored(friend)).referred_by_id is None


async def test_one_address_may_join_30_times_an_hour(sqlite_database):
    for _ in range(30):
        await joined(address=HERE)
    with pytest.raises(TooManyRequests, match=r"^Too many attempts\. Try again in 60 minutes\.$"):
        await joined(address=HERE)
    assert await waitlist.count() == 30
    await joined(address=ELSEWHERE)


async def test_plus_tags_are_one_mailbox_for_joins_and_forgotten_passwords(sqlite_database):
    for n in range(30):
        await joined(email=f"ada+{n}@example.com", address=f"198.51.100.{n}")
    with pytest.raises(TooManyRequests):
        await joined(email="ada+another@example.com", address=HERE)
    with pytest.raises(TooManyRequests):
        await passwords.send_reset_link(ForgotPassword(email="ada@example.com"), Visitor(HERE))
    await joined(email="grace@example.com", address=HERE)


async def test_a_refused_join_counts_too(sqlite_database):
    """Otherwise a script could ask which addresses are on the list."""
    await joined(email="ada@example.com", address=HERE)
    for refusal in (*[EmailTaken] * 7, TooManyRequests):
        with pytest.raises(refusal):
            await joined(email="ada@example.com", address=HERE)


async def test_without_rate_limits_nothing_is_counted(sqlite_database, monkeypatch):
    unlimited = throttle.settings.model_copy(update={"rate_limits": "off"})
    monkeypatch.setattr(throttle, "settings", unlimited)
    for _ in range(31):
        await joined(address=HERE)
    assert await waitlist.count() == 31


@pytest.mark.slow
async def test_joins_succeed_without_redis(sqlite_database, throttle_on, logged):
    with servers.redis() as url:
        throttle_on(url)
        await joined()
        assert not logged
    await joined()
    await joined()
    assert await waitlist.count() == 3
    assert {entry["event"] for entry in logged} == {
        "throttle.unavailable",
        "signals.unavailable",
    }


async def test_each_new_entry_is_welcomed_once_with_its_link(database):
    joined_id = await joined(email="ada@example.com")
    with pytest.raises(EmailTaken):
        await joined(email="ada@example.com")
    (message,) = await messages("waitlist_welcome")
    says = {"submission": joined_id, "free_fill_cap": "$50"}
    assert (message.recipient, message.payload) == ("ada@example.com", says)
    assert message.key == f"waitlist_welcome:{joined_id}"

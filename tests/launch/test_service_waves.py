"""Waves of invitations: who is invited, when, and once."""

import asyncio
from contextlib import nullcontext
from datetime import timedelta

import pytest
from sqlalchemy import delete, update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.tables import Area
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import ChangedSince
from fuel_app.kit.policies import StoredPolicy
from fuel_app.launch import jobs, queries
from fuel_app.launch.rules import AreaNotOpen, NothingPriced, WavesChanged
from fuel_app.launch.service import waves
from fuel_app.launch.tables import Invitation, Waves
from fuel_app.leads.rules import LOST
from fuel_app.messages.rules.kinds import NoOwnAddress
from fuel_app.submissions.queries.leads import forget_mails
from fuel_app.waitlist.queries import remove
from tests.factories import UNKNOWN_ID
from tests.helpers.launch import (
    ADMIN,
    BEFORE,
    NOON,
    a_neighborhood,
    area_opened_before,
    forget_prices,
    invitations,
    invited,
    mails,
    set_prices,
    start,
    waits,
)
from tests.helpers.open_area import ELSEWHERE_ZIP
from tests.helpers.outbox import run_worker, set_clock
from tests.helpers.people import a_person, messages
from tests.helpers.undoing import undone


@pytest.fixture
async def area(database, monkeypatch) -> str:
    """An open area whose waves run, at noon."""
    set_clock(monkeypatch, NOON)
    area_id = await area_opened_before()
    await start(area_id)
    return area_id


async def per_day(number: int) -> None:
    async with transaction() as session:
        session.add(StoredPolicy(name="invitations_per_day", value=number))


async def set_status(area_id: str, status: str) -> None:
    async with transaction() as session:
        theirs = update(Area).where(col(Area.id) == area_id)
        await session.execute(theirs.values(status=status))


async def test_everybody_of_the_area_is_invited_once(area):
    here, _ = await waits(email="ada@example.com"), await waits(zip_code=ELSEWHERE_ZIP)
    await waits(zip_code="")
    assert await jobs.send_due(NOON) == 1
    assert await jobs.send_due(NOON + timedelta(days=1)) == 0
    (stored,) = await invitations()
    assert (stored.submission_id, stored.area_id) == (here, area)
    assert stored.day.isoformat() == "2026-11-24"
    (mail,) = await mails()
    assert (mail.recipient, mail.key) == ("ada@example.com", f"area_open:{here}")
    assert mail.payload == {"submission": here, "area": "Sarasota", "free_fill_cap": "$50"}


async def test_neighborhoods_come_first_the_largest_before_all(area):
    alone = [await waits(created_at=BEFORE + timedelta(hours=n)) for n in (2, 1)]
    small, large = await a_neighborhood("Small"), await a_neighborhood("Large")
    pair = [await waits(neighborhood_id=small) for _ in range(2)]
    three = [
        await waits(neighborhood_id=large, created_at=BEFORE + timedelta(days=n)) for n in range(3)
    ]
    assert await jobs.send_due(NOON) == 7
    order = await invited()
    assert order[:3] == three
    assert set(order[3:5]) == set(pair)
    assert order[5:] == alone[::-1]


async def test_wave_ends_at_the_days_number_and_goes_on_tomorrow(area, monkeypatch):
    monkeypatch.setattr(jobs, "CHUNK", 2)
    await per_day(3)
    for _ in range(5):
        await waits()
    assert await jobs.send_due(NOON) == 3
    assert await jobs.send_due(NOON + timedelta(hours=1)) == 0
    assert await jobs.send_due(NOON + timedelta(days=1)) == 2


async def test_imported_leads_are_invited_but_no_customers_lost_leads_and_known_emails(area):
    linked = await waits()
    await waits(email="root@example.com")
    await waits(status=LOST)
    person = await a_person(email="grace@example.com")
    await a_person(email="root@example.com")
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, submission_id=linked))
    imported = await waits(lead_source="Meta Ads", phone_number="")
    assert await jobs.send_due(NOON) == 1
    assert await invited() == [imported]


async def test_nobody_is_invited_in_the_quiet_hours(area):
    await waits()
    assert await jobs.send_due(NOON + timedelta(hours=9)) == 0
    assert await jobs.send_due(NOON) == 1


@pytest.mark.parametrize("status", ["paused", "waitlist"])
async def test_waves_wait_while_the_area_is_not_open(area, status):
    await waits()
    await set_status(area, status)
    assert await jobs.send_due(NOON) == 0
    await set_status(area, "open")
    assert await jobs.send_due(NOON) == 1


async def test_wave_that_was_stopped_a_moment_ago_invites_nobody(area, monkeypatch):
    await waits()

    async def stale(_session: object) -> list[str]:
        return [area]

    monkeypatch.setattr(queries, "list_running", stale)
    await set_status(area, "paused")
    assert await jobs.send_due(NOON) == 0
    await set_status(area, "open")
    await waves.step_waves("pause", area, actor=ADMIN)
    assert await jobs.send_due(NOON) == 0


async def test_two_workers_at_once_send_one_wave(area):
    await per_day(10)
    for _ in range(25):
        await waits()
    sent = await asyncio.gather(*(jobs.send_due(NOON) for _ in range(4)))
    assert sum(sent) == 10
    assert len(await invitations()) == len(await mails()) == len(set(await invited())) == 10


async def test_killed_between_invitation_and_message_leaves_neither(area, monkeypatch):
    await waits()
    queue = outbox.add_all

    async def killed(*_args: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(outbox, "add_all", killed)
    with pytest.raises(asyncio.CancelledError):
        await jobs.send_due(NOON)
    assert await invitations() == []
    monkeypatch.setattr(outbox, "add_all", queue)
    assert await jobs.send_due(NOON) == 1


async def test_invitation_goes_with_its_submission_and_its_mail_is_emptied(area):
    lead = await waits()
    await jobs.send_due(NOON)
    async with transaction() as session:
        await remove(session, lead)
    assert await invitations() == []
    async with transaction() as session:
        await forget_mails(session)
    (mail,) = await mails()
    assert (mail.recipient, mail.payload, mail.state) == ("", {}, "skipped")


async def test_restored_submission_gets_no_second_mail(area):
    await waits()
    await jobs.send_due(NOON)
    async with transaction() as session:
        await session.execute(delete(Invitation))
    await jobs.send_due(NOON)
    assert len(await mails()) == 1


async def test_a_pause_is_undone_unless_it_was_changed_since(area):
    await waits()
    for changed in (False, True):
        paused = await waves.step_waves("pause", area, actor=ADMIN)
        assert await jobs.send_due(NOON) == 0
        if changed:
            await waves.step_waves("resume", area, actor=ADMIN)
        with pytest.raises(ChangedSince) if changed else nullcontext():
            await undone(paused.action_id, ADMIN)
    assert await jobs.send_due(NOON) == 1


async def test_undone_start_leaves_no_state(area):
    async with transaction() as session:
        await session.execute(delete(Waves))
    started = await waves.step_waves("start", area, actor=ADMIN)
    await undone(started.action_id, ADMIN)
    await start(area)


async def test_second_press_is_refused(area):
    with pytest.raises(WavesChanged):
        await start(area)
    await waves.step_waves("pause", area, actor=ADMIN)
    with pytest.raises(WavesChanged):
        await waves.step_waves("pause", area, actor=ADMIN)


async def test_waves_of_an_area_that_is_not_open_do_not_start(area):
    await set_status(area, "paused")
    await waves.step_waves("pause", area, actor=ADMIN)
    for wrong in (area, UNKNOWN_ID, None):
        with pytest.raises(AreaNotOpen):
            await waves.step_waves("resume", wrong, actor=ADMIN)


async def test_only_admins_start_waves(area):
    with pytest.raises(NotAllowed):
        await waves.step_waves("pause", area, actor=Actor())


async def test_nobody_is_invited_where_nothing_can_be_booked(area):
    await waits()
    await forget_prices(area)
    assert await jobs.send_due(NOON) == 0
    (shown,) = await waves.list_waves(actor=ADMIN)
    assert shown.state_text == (
        "No grade has a current price: nobody is invited until there is one."
    )
    await waves.step_waves("pause", area, actor=ADMIN)
    with pytest.raises(NothingPriced):
        await waves.step_waves("resume", area, actor=ADMIN)
    await set_prices(area)
    async with transaction() as session:  # of a grade that is not on offer
        await session.execute(update(Area).values(grades="diesel"))
    with pytest.raises(NothingPriced):
        await waves.step_waves("resume", area, actor=ADMIN)
    async with transaction() as session:
        await session.execute(update(Area).values(grades="regular,diesel"))
    await waves.step_waves("resume", area, actor=ADMIN)
    assert await jobs.send_due(NOON + timedelta(days=15)) == 0  # too old by then
    assert await jobs.send_due(NOON) == 1


async def test_admins_see_the_mail_of_the_next_in_line_and_get_a_test_of_it(area):
    shown = await waves.preview_mail(area, actor=ADMIN)
    assert "free" not in shown.text.lower()  # nobody waits
    await waits(created_at=BEFORE)
    shown = await waves.preview_mail(area, actor=ADMIN)
    assert shown.subject == "Gulfside Fuel is open in Sarasota"
    assert "fuel up to $50" in shown.text
    assert "invited=······" in shown.text
    with pytest.raises(NoOwnAddress):
        await waves.send_test(area, key="one", actor=Actor(ADMIN.roles))
    person = await a_person(Role.ADMIN, email="grace@example.com")
    actor = Actor(ADMIN.roles, person_id=person.id)
    for _ in range(2):
        assert await waves.send_test(area, key="one", actor=actor) == "grace@example.com"
    assert await invitations() == []
    await run_worker()
    (test,) = await messages("area_open_test")
    assert (test.subject, test.state) == ("Test: Gulfside Fuel is open in Sarasota", "sent")
    assert "submission" not in test.payload
    await forget_prices(area)
    with pytest.raises(NothingPriced):
        await waves.preview_mail(area, actor=ADMIN)
    with pytest.raises(AreaNotOpen):
        await waves.send_test(UNKNOWN_ID, key="two", actor=actor)


@pytest.mark.parametrize("role", [Role.DISPATCHER, Role.TECHNICIAN])
async def test_only_admins_see_and_test_the_mail(area, role):
    actor = Actor(frozenset({role}), person_id=UNKNOWN_ID)
    for attempt in (
        waves.preview_mail(area, actor=actor),
        waves.send_test(area, key="one", actor=actor),
    ):
        with pytest.raises(NotAllowed):
            await attempt

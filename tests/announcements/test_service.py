"""Announcements: who may write and send them, who gets them, and what two admins at once do."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.tables import Person
from fuel_app.announcements import queries
from fuel_app.announcements import service as announcements
from fuel_app.announcements.rules import (
    AnnouncementChanged,
    AnnouncementForm,
    AnnouncementGone,
    Audience,
    Draft,
    NobodyAgreed,
    SendForm,
)
from fuel_app.customers.tables import StoredAddress, StoredCustomer
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.messages import service as messages
from fuel_app.messages.rules.kinds import NoOwnAddress
from fuel_app.messages.tables import RefusedAddress
from fuel_app.plans.tables import Subscription
from tests.factories import UNKNOWN_ID
from tests.helpers.announcements import (
    OFFER,
    TYPED,
    a_draft,
    a_reader,
    a_texted_reader,
    found,
    send,
    sent_out,
)
from tests.helpers.launch import ADMIN
from tests.helpers.open_area import ELSEWHERE_ZIP, ZIP, open_area
from tests.helpers.outbox import NOON, set_clock
from tests.helpers.people import rows

DISPATCHER = Actor(frozenset({Role.DISPATCHER}), UNKNOWN_ID)
SHARED = Actor(frozenset({Role.ADMIN}), session_id="1")
FORM = AnnouncementForm.parse(TYPED)
PHONE = "9415550123"


@pytest.fixture(autouse=True)
def at_noon(monkeypatch):
    set_clock(monkeypatch, NOON)


async def audience(**typed: str) -> Audience:
    look = await announcements.look(await a_draft(**typed), actor=ADMIN)
    return look.audience


async def test_only_admins_reach_announcements(sqlite_database):
    draft = await a_draft()
    look = await announcements.look(draft, actor=ADMIN)
    for by in (DISPATCHER, Actor(frozenset({Role.CUSTOMER}), "1")):
        for forbidden in (
            announcements.list_announcements(10, actor=by),
            announcements.find_draft(draft, actor=by),
            announcements.save(Draft(), FORM, actor=by),
            announcements.remove(draft, actor=by),
            announcements.look(draft, actor=by),
            announcements.mail_page(draft, actor=by),
            announcements.send_test(draft, key="1", actor=by),
            announcements.send(look, SendForm(when=None), actor=by),
            announcements.step("cancel", draft, actor=by),
        ):
            with pytest.raises(NotAllowed):
                await forbidden
    assert (await found(draft)).state == "draft"


async def test_draft_is_saved_edited_and_deleted(database):
    first = await a_draft()
    draft = await announcements.find_draft(first, actor=ADMIN)
    assert draft == Draft(id=first, revision=1, **TYPED)
    changed = AnnouncementForm.parse(OFFER | {"plan_id": "family"})
    assert await announcements.save(draft, changed, actor=ADMIN) == first
    second = await a_draft()
    lines, has_more = await announcements.list_announcements(1, actor=ADMIN)
    assert ([each.id for each in lines], has_more) == ([second], True)
    await announcements.remove(second, actor=ADMIN)
    lines, has_more = await announcements.list_announcements(1, actor=ADMIN)
    assert has_more is False
    assert (lines[0].subject, lines[0].about) == (
        "$5 off",
        "Special offer · All areas · Family Plan",
    )
    for gone in (second, UNKNOWN_ID, "nonsense", None):
        with pytest.raises(AnnouncementGone):
            await announcements.find_draft(gone, actor=ADMIN)
        with pytest.raises(AnnouncementChanged):
            await announcements.remove(gone, actor=ADMIN)


async def test_two_admins_at_once_do_not_overwrite_each_other(database):
    seen = await announcements.find_draft(await a_draft(), actor=ADMIN)
    own, other = (FORM.model_copy(update={"subject": each}) for each in ("Own", "Other"))
    await announcements.save(seen, own, actor=ADMIN)
    with pytest.raises(AnnouncementChanged):
        await announcements.save(seen, other, actor=ADMIN)
    assert (await found(seen.id)).subject == "Own"


async def test_what_is_sent_is_what_was_seen_and_stays_as_it_is(database):
    await a_reader("ada@example.com")
    draft = await a_draft()
    look = await announcements.look(draft, actor=ADMIN)
    before = await announcements.find_draft(draft, actor=ADMIN)
    await announcements.save(before, FORM.model_copy(update={"subject": "Later"}), actor=ADMIN)
    with pytest.raises(AnnouncementChanged):
        await announcements.send(look, SendForm(when=None), actor=ADMIN)
    await send(draft)
    now = await announcements.find_draft(draft, actor=ADMIN)
    with pytest.raises(AnnouncementChanged):
        await announcements.save(now, FORM, actor=ADMIN)
    with pytest.raises(AnnouncementChanged):
        await announcements.remove(draft, actor=ADMIN)
    assert (await found(draft)).subject == "Later"


async def test_two_presses_send_once(database):
    await a_reader("ada@example.com")
    draft = await a_draft()
    look = await announcements.look(draft, actor=ADMIN)

    async def press() -> None:
        with suppress(AnnouncementChanged):
            await announcements.send(look, SendForm(when=None), actor=ADMIN)

    await asyncio.gather(*[press() for _ in range(4)])
    entries = await rows(AuditEntry, subject_id=draft, kind="send")
    assert [each.after for each in entries] == [{"people": 1, "at": NOON.isoformat()}]


async def test_nothing_is_sent_to_nobody(database):
    await a_reader("ada@example.com", email=False)
    draft = await a_draft()
    with pytest.raises(NobodyAgreed):
        await send(draft)
    assert (await found(draft)).state == "draft"


async def test_steps_are_logged_and_possible_only_where_they_lead_from(database):
    await a_reader("ada@example.com")
    going = await sent_out()
    for kind, state in (("pause", "paused"), ("resume", "sending"), ("cancel", "cancelled")):
        await announcements.step(kind, going, actor=ADMIN)
        assert (await found(going)).state == state
    for kind in ("pause", "resume", "cancel", "recall"):
        with pytest.raises(AnnouncementChanged):
            await announcements.step(kind, going, actor=ADMIN)
    waiting = await a_draft()
    await send(waiting, "2026-03-03T09:00")
    assert (await found(waiting)).state == "scheduled"
    await announcements.step("recall", waiting, actor=ADMIN)
    assert (await found(waiting)).state == "draft"
    entries = await rows(AuditEntry, noun="announcement")
    assert [each.kind for each in entries] == [
        *("send", "pause", "resume", "cancel"),
        *("send", "recall"),
    ]


async def test_it_goes_to_those_alone_who_have_agreed_and_can_be_reached(database):
    await a_reader("ada@example.com")
    for name in ("unverified", "left", "erased", "refused"):
        await a_reader(f"{name}@example.com")
    for email, values in {
        "unverified@example.com": {"email_verified_at": None},
        "left@example.com": {"deactivated_at": NOON},
        "erased@example.com": {"deleted_at": NOON},
    }.items():
        async with transaction() as session:
            this = update(Person).where(col(Person.email) == email)
            await session.execute(this.values(**values))
    async with transaction() as session:
        session.add(RefusedAddress(address="refused@example.com", reason="550"))
    await a_reader("off@example.com", email=False)
    offers = await a_reader("offers@example.com")
    await messages.toggle_preference(Actor(person_id=offers.id), "newsletter")
    assert await audience() == Audience(people=1, mails=1)
    assert await audience(**OFFER) == Audience(people=2, mails=2)


async def test_texts_go_to_those_alone_who_have_agreed_to_offers_by_text(database):
    ada = await a_texted_reader("ada@example.com", PHONE)
    service = await a_texted_reader("service@example.com", "9415550124")
    await messages.end_offer_texts(Actor(person_id=service.id))
    stopped = await a_texted_reader("stopped@example.com", "9415550125")
    for word in ("STOP", "START"):  # what START brings back is not advertising
        await messages.receive_text("+19415550125", word)
    quiet = await a_texted_reader("quiet@example.com", "9415550126")
    for switch in ("sms", "email"):
        await messages.toggle_preference(Actor(person_id=quiet.id), switch)
    texted = await a_texted_reader("texted@example.com", "9415550127")
    await messages.toggle_preference(Actor(person_id=texted.id), "email")
    assert await audience(**OFFER) == Audience(people=4, mails=3, texts=2)
    assert await audience(**OFFER | {"text": ""}) == Audience(people=3, mails=3)
    draft = await a_draft(**OFFER)
    async with transaction() as session:
        row = await queries.find(session, draft)
        assert row
        people = await queries.next_people(session, row, 10)
    assert [each[1:] for each in people if each.person_id in {ada.id, texted.id}] == [
        (True, True),
        (False, True),
    ]
    assert await messages.gets_offer_texts(ada.id)
    assert not await messages.gets_offer_texts(stopped.id)
    assert not await messages.gets_offer_texts(UNKNOWN_ID)


async def test_audience_is_an_areas_or_a_plans(database):
    area_id = await open_area()
    here, moved, elsewhere, nowhere = [
        await a_reader(f"{name}@example.com") for name in ("here", "moved", "else", "nowhere")
    ]
    async with transaction() as session:
        for person, zip_code in ((here, ZIP), (moved, ZIP), (elsewhere, ELSEWHERE_ZIP)):
            session.add(StoredCustomer(person_id=person.id, zip_code=zip_code))
        session.add(
            StoredAddress(
                person_id=moved.id,
                street="1 Main St",
                city="Miami",
                state="FL",
                zip_code=ELSEWHERE_ZIP,
                spot="Driveway",
                lat=25.7,
                lng=-80.2,
                is_approximate=True,
            )
        )
        plans = ((here, "family", "active"), (moved, "solo", "past_due"))
        for person, plan, state in (*plans, (nowhere, "family", "incomplete")):
            dated = {} if state == "incomplete" else {"started_at": NOON}
            days = dict.fromkeys(("period_starts", "period_ends"), NOON.date()) if dated else {}
            session.add(
                Subscription(person_id=person.id, plan_id=plan, state=state, **dated, **days)
            )
    expected = {
        ("", ""): 4,
        (area_id, ""): 1,
        (UNKNOWN_ID, ""): 0,
        ("", "family"): 1,
        ("", "solo"): 1,
        ("", "none"): 2,
        (area_id, "solo"): 0,
    }
    for (area, plan), people in expected.items():
        assert (await audience(area_id=area, plan_id=plan)).people == people
    lines, _ = await announcements.list_announcements(10, actor=ADMIN)
    assert {each.about.split(" · ")[1] for each in lines} == {
        "All areas",
        "Sarasota",
        "An area that is deleted",
    }


async def test_look_is_the_real_mail_whose_links_work_and_whose_markup_does_not(sqlite_database):
    typed = {"body": "<b>Hi</b> & https://example.com/a?b=1&c=2\nline\n\n<script>x</script>"}
    draft = await a_draft(**OFFER | typed)
    look = await announcements.look(draft, actor=ADMIN)
    assert look.subject == "$5 off"
    assert "<b>Hi</b> & https://example.com/a?b=1&c=2\nline" in look.text
    assert "Unsubscribe" in look.text
    assert look.sms == "Gulfside Fuel: $5 off your next fill. Reply STOP to end."
    page = await announcements.mail_page(draft, actor=ADMIN)
    assert "&lt;b&gt;Hi&lt;/b&gt; &amp; <a href=" in page
    assert 'href="https://example.com/a?b=1&amp;c=2"' in page
    assert "line</p>" in page
    assert "<br>line" in page
    assert "<script>" not in page
    assert (await announcements.look(await a_draft(), actor=ADMIN)).sms == ""


async def test_tests_go_to_the_admin_once_a_key_and_not_without_end(sqlite_database):
    person = await a_reader("grace@example.com")
    by = replace(ADMIN, person_id=person.id)
    draft = await a_draft()
    for _ in range(2):
        assert await announcements.send_test(draft, key="1", actor=by) == "grace@example.com"
    assert len(await messages.messages_of_person(ADMIN, person.id)) == 1
    with pytest.raises(NoOwnAddress):
        await announcements.send_test(draft, key="1", actor=SHARED)
    for number in range(28):
        await announcements.send_test(draft, key=str(number), actor=by)
    with pytest.raises(TooManyRequests):
        await announcements.send_test(draft, key="29", actor=by)

"""Staff work a quote: owner, next step, calls and notes, why it was lost; and what waits of it."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.attention.service import read_attention
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import LeadChanged, LeadGone, NotALeadValue
from fuel_app.leads.rules import DELETE, Change, LeadQuery
from fuel_app.leads.tables import Lead, LeadNote
from fuel_app.submissions import service as submissions
from fuel_app.submissions.jobs import purge_deleted_leads
from fuel_app.submissions.rules.desk import QuoteNote
from fuel_app.submissions.rules.details import LeadDetails
from fuel_app.submissions.rules.exports import ALL_COLUMNS
from tests.factories import UNKNOWN_ID
from tests.helpers.bookings import STAFF
from tests.helpers.lead_tabs import listed
from tests.helpers.leads import business, fleet, joined
from tests.helpers.people import a_person, messages, rows
from tests.helpers.undoing import undone

pytestmark = pytest.mark.usefixtures("database")

STEP = Change.planned("Call back", date(2026, 11, 25))
LOST = Change.lost("price", "3 cents too much")
CALL = QuoteNote(what="call message", text="")


async def details(lead_id: str) -> LeadDetails:
    found = await submissions.find_details(lead_id, actor=STAFF)
    assert found
    return found


async def a_dispatcher() -> Actor:
    person = await a_person(Role.DISPATCHER)
    return Actor(frozenset({Role.DISPATCHER}), person_id=person.id)


async def test_quote_is_assigned_planned_and_lost_and_each_is_undone_and_logged():
    by, quote = await a_dispatcher(), await fleet()
    before = await listed(quote)
    actions = []
    for seen, change in enumerate((Change.owner(by.person_id), STEP, LOST)):
        actions.append(await submissions.change_lead(quote, seen, change, actor=by))
    shown = (await details(quote)).desk
    assert (shown.owner, shown.next_step, shown.next_step_on) == (
        "Ada Lovelace",
        "Call back",
        "2026-11-25",
    )
    assert (shown.status, shown.lost, shown.lost_note) == (
        "Closed Lost",
        "Price",
        LOST.values["lost_note"],
    )
    for done in reversed(actions):
        assert (await undone(done.action_id)).changed == 1
    assert replace(await listed(quote), revision=0) == before
    said = {line.what for line in (await details(quote)).log}
    assert said == {
        "Owner: nobody → Ada Lovelace",
        "Owner: Ada Lovelace → nobody (undo)",
        "Next step: none → Call back (Nov 25, 2026)",
        "Next step: Call back (Nov 25, 2026) → none (undo)",
        "Status: Not Contacted → Closed Lost (Price)",
        "Status: Closed Lost (Price) → Not Contacted (undo)",
    }


async def test_reason_that_was_said_stays_where_many_are_lost_again_and_goes_with_another_status():
    quote, other = await fleet(), await business()
    await submissions.change_lead(quote, 0, LOST, actor=STAFF)
    lost = Change.status("Closed Lost")
    done = await submissions.change_selected({quote: 1, other: 0}, lost, actor=STAFF)
    assert done.changed == 1
    assert [(await listed(each)).lost_reason for each in (quote, other)] == ["price", ""]
    reopened = await submissions.change_lead(quote, 1, Change.status("Contacted"), actor=STAFF)
    assert (await listed(quote)).lost_note == ""
    await undone(reopened.action_id)
    assert (await listed(quote)).lost_note == "3 cents too much"
    another = Change.lost("timing", "")
    assert (await submissions.change_lead(quote, 3, another, actor=STAFF)).changed == 1


async def test_undo_leaves_a_step_that_was_planned_anew():
    quote = await fleet()
    first = await submissions.change_lead(quote, 0, STEP, actor=STAFF)
    later = Change.planned("Call back", date(2026, 11, 26))
    await submissions.change_lead(quote, 1, later, actor=STAFF)
    assert (await undone(first.action_id)).left == 1
    assert (await listed(quote)).next_step_on == date(2026, 11, 26)


async def test_desk_is_for_quotes_and_owners_are_of_the_office():
    quote, entry = await fleet(), await joined()
    customer = await a_person(Role.CUSTOMER, Role.TECHNICIAN)
    for change in (Change.owner(""), STEP, LOST):
        with pytest.raises(NotALeadValue):
            await submissions.change_lead(entry, 0, change, actor=STAFF)
    with pytest.raises(NotALeadValue):
        await submissions.add_note(entry, CALL, actor=STAFF)
    for stranger in (customer.id, UNKNOWN_ID):
        with pytest.raises(NotALeadValue):
            await submissions.change_lead(quote, 0, Change.owner(stranger), actor=STAFF)
    with pytest.raises(LeadGone):
        await submissions.add_note(UNKNOWN_ID, CALL, actor=STAFF)
    await submissions.change_lead(quote, 0, STEP, actor=STAFF)
    with pytest.raises(LeadChanged):
        await submissions.change_lead(quote, 0, LOST, actor=STAFF)
    assert (await details(entry)).is_quote is False


async def test_office_is_dispatchers_and_admins_by_name():
    by = await a_dispatcher()
    admin = await a_person(Role.ADMIN, email="b@example.com", first_name="Bea")
    await a_person(Role.TECHNICIAN, email="c@example.com")
    office = await submissions.office(actor=STAFF)
    assert list(office.items()) == [(by.person_id, "Ada Lovelace"), (admin.id, "Bea Lovelace")]


async def test_call_answers_a_quote_until_it_is_undone_and_a_note_does_not():
    quote = await fleet()
    await submissions.add_note(quote, QuoteNote(what="note", text="Big lot"), actor=STAFF)
    assert (await listed(quote)).unanswered
    done = await submissions.add_note(quote, CALL, actor=await a_dispatcher())
    assert not (await listed(quote)).unanswered
    shown = await details(quote)
    assert [(note.what, note.text) for note in shown.desk.notes] == [
        ("Call: left a message", ""),
        ("Note", "Big lot"),
    ]
    assert shown.desk.notes[0].about.startswith("Ada Lovelace, ")
    assert [line.what for line in shown.log] == ["Call logged", "Note logged"]
    assert (await undone(done.action_id)).changed == 1
    assert (await listed(quote)).unanswered
    assert (await details(quote)).log[0].what == "Call logged (undo)"
    await submissions.change_lead(quote, 0, Change.status("Contacted"), actor=STAFF)
    assert not (await listed(quote)).unanswered


async def test_deleted_quote_comes_back_with_all_of_its_desk():
    by, quote = await a_dispatcher(), await fleet()
    await submissions.change_lead(quote, 0, Change.owner(by.person_id), actor=by)
    await submissions.change_lead(quote, 1, STEP, actor=by)
    done = await submissions.change_lead(quote, 2, LOST, actor=by)
    await submissions.add_note(quote, CALL, actor=by)
    before = await details(quote)
    deleted = await submissions.change_lead(quote, 3, DELETE, actor=by)
    assert await rows(LeadNote) == []
    await undone(deleted.action_id)
    after = await details(quote)
    assert (after.desk, after.fields) == (before.desk, before.fields)
    await purge_deleted_leads(clock.now() + timedelta(days=1))
    assert (await undone(done.action_id)).changed == 1


async def test_nothing_said_of_a_deleted_quote_is_left_after_ten_minutes():
    await a_person(Role.ADMIN)
    quote, kept = await fleet(contact_name="Gone Girl"), await fleet()
    for lead in (quote, kept):
        await submissions.change_lead(lead, 0, STEP, actor=STAFF)
        await submissions.change_lead(lead, 1, LOST, actor=STAFF)
        await submissions.add_note(lead, CALL, actor=STAFF)
    await submissions.change_lead(quote, 2, DELETE, actor=STAFF)
    await purge_deleted_leads(clock.now() + timedelta(minutes=11))
    left = [each for each in await rows(AuditEntry) if each.before]
    assert {each.subject_id for each in left} == {kept}
    assert [bool(each.payload) for each in await messages("new_quote")] == [False, True]


async def test_owner_step_and_reason_are_the_last_columns_of_the_whole_export():
    by, quote = await a_dispatcher(), await fleet()
    for seen, change in enumerate((Change.owner(by.person_id), STEP, LOST)):
        await submissions.change_lead(quote, seen, change, actor=by)
    await joined()
    parts = submissions.export_leads(LeadQuery(sort="date"), whole=True, actor=by)
    _, first, second = "".join([part async for part in parts]).splitlines()
    assert ALL_COLUMNS[-6] == "Submitted At"
    assert first.endswith(",Ada Lovelace,Call back,2026-11-25,Price,3 cents too much")
    assert second.endswith(",,,,,")


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Set the clock to a Wednesday, 12 PM. Return the moment."""
    moment = datetime(2026, 11, 25, 17, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: moment)
    return moment


async def test_quotes_wait_for_an_answer_that_is_due_today_before_the_opening_too(noon):
    asked = {"Late": 26, "Due at four": 20, "Answered": 30, "Tomorrow": 1}
    ids = {company: await fleet(company_name=company) for company in asked}
    async with transaction() as session:
        for company, hours in asked.items():
            when = update(Lead).where(col(Lead.id) == ids[company])
            await session.execute(when.values(created_at=noon - timedelta(hours=hours)))
    await submissions.add_note(ids["Answered"], CALL, actor=STAFF)
    (waiting,) = await read_attention(STAFF)
    assert (waiting.kind, waiting.total) == ("quotes", 2)
    assert waiting.href == "/submissions?answer=waiting&sort=due"
    assert [line.text for line in waiting.lines] == [
        "Late, fleet quote",
        "Due at four, fleet quote",
    ]
    assert waiting.lines[0].detail == (
        "Overdue by 2 h. Ada Lovelace, (941) 555-0123. Owner: nobody"
    )
    assert waiting.lines[0].href == f"/submissions?lead={ids['Late']}"


async def test_next_steps_wait_until_they_are_done_or_the_quote_is_closed(noon):
    by = await a_dispatcher()
    today, tomorrow, closed = [await business() for _ in range(3)]
    for quote, day in ((today, 25), (tomorrow, 26), (closed, 24)):
        planned = Change.planned("Call back", date(2026, 11, day))
        await submissions.change_lead(quote, 0, planned, actor=STAFF)
    await submissions.change_lead(closed, 1, LOST, actor=STAFF)
    await submissions.change_lead(today, 1, Change.owner(by.person_id), actor=STAFF)
    async with reading() as session:
        waiting = await submissions.next_steps_due(session, noon)
    assert [(line.id, line.detail) for line in waiting.lines] == [
        (today, "Call back, due today. Ada Lovelace, (941) 555-0123. Owner: Ada Lovelace")
    ]
    await submissions.change_lead(today, 2, Change.planned("", None), actor=STAFF)
    async with reading() as session:
        assert (await submissions.next_steps_due(session, noon)).total == 0

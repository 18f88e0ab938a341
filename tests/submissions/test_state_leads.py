"""The list of leads in a tab without a browser."""

from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.state.screens import UndoState
from fuel_app.accounts.state.session import SessionState
from fuel_app.kit import audit
from fuel_app.kit.db.session import transaction
from fuel_app.kit.words import counted
from fuel_app.leads.rules import PAGE_SIZE, Change
from fuel_app.leads.tables import Lead
from fuel_app.submissions import service as submissions
from fuel_app.submissions.state.dialogs import OTHERS, LeadDeletionState, LeadDetailsState
from fuel_app.submissions.state.leads import FAILED, LeadsState
from tests.helpers.bookings import STAFF
from tests.helpers.lead_tabs import Staff, listed, status_of
from tests.helpers.leads import business, fleet, joined
from tests.helpers.tabs import run
from tests.leads.test_queries_listing import lead, store

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_status_is_set_and_undone():
    quote = await fleet()
    staff = await Staff.at("/submissions")
    shown = await staff.screen()
    assert (shown.summary, shown.loading, shown.failed) == ("1 lead", False, False)
    await staff.run("set_status", quote, 0, "Closed Won")
    assert shown.rows[0].status == "Closed Won"
    undo = await staff.tab.get_state(UndoState)
    assert undo.text == "Ada Lovelace: status set to Closed Won."
    await run(UndoState.undo.fn(undo, undo.action_id))
    assert await status_of(quote) == "Not Contacted"
    assert (undo.action_id, await staff.said()) == ("", ["Undone."])


async def test_waitlist_row_shows_its_stored_status_and_the_source_control_sets_it():
    entry = await joined()
    staff = await Staff.at("/submissions")
    assert (await staff.screen()).rows[0].stored_status == ""
    await staff.run("set_status", entry, 0, "Contacted")
    row = (await staff.screen()).rows[0]
    assert (row.status, row.stored_status) == ("pending", "Contacted")
    await staff.run("set_source", entry, 1, "Meta Ads")
    row = (await staff.screen()).rows[0]
    assert (row.stored_status, row.source) == ("Meta Ads", "Inbound")


async def test_refused_change_shows_the_newer_value():
    quote = await fleet()
    staff = await Staff.at("/submissions")
    await submissions.change_lead(quote, 0, Change.status("Closed Lost"), actor=STAFF)
    await staff.run("set_status", quote, 0, "Contacted")
    assert (await staff.screen()).rows[0].status == "Closed Lost"
    assert "changed this lead meanwhile" in (await staff.said())[0]


@pytest.mark.parametrize(
    ("seen", "status"),
    [("0", "Contacted"), (True, "Contacted"), (None, "Contacted"), (0, "Sold"), (0, None)],
)
async def test_invalid_arguments_change_nothing(seen, status):
    quote = await fleet()
    staff = await Staff.at("/submissions")
    await staff.run("set_status", "' OR 1=1 --", 0, "Contacted")
    await staff.run("set_status", quote, seen, status)
    await staff.run("set_source", quote, seen, status)
    row = await listed(quote)
    assert (row.status, row.revision) == ("Not Contacted", 0)


async def test_lead_is_deleted_after_a_confirmation():
    quote = await fleet(contact_name="Alice")
    staff = await Staff.at("/submissions")
    asking = await staff.tab.get_state(LeadDeletionState)
    await staff.use(LeadDeletionState, "submit", {})  # without a question
    assert await staff.names() == ["Alice"]
    await staff.use(LeadDeletionState, "ask", quote)
    await staff.use(LeadDeletionState, "close", False)
    await staff.use(LeadDeletionState, "submit", {})
    assert await staff.names() == ["Alice"]
    await staff.use(LeadDeletionState, "ask", quote)
    await staff.use(LeadDeletionState, "ask", "nobody")
    assert (asking.opened, asking.lead.name) == (True, "Alice")
    await staff.use(LeadDeletionState, "submit", {})
    assert await staff.names() == []
    assert not asking.opened


async def test_undo_is_of_the_offered_change_alone():
    first, second = await fleet(), await fleet()
    staff = await Staff.at("/submissions")
    undo = await staff.tab.get_state(UndoState)
    await staff.run("set_status", first, 0, "Contacted")
    offered_first = undo.action_id
    await staff.run("set_status", second, 0, "Contacted")
    await run(UndoState.undo.fn(undo, offered_first))
    assert [await status_of(quote) for quote in (first, second)] == 2 * ["Contacted"]
    assert undo.action_id not in {"", offered_first}


async def test_offer_that_comes_during_an_undo_stays(monkeypatch):
    quote = await fleet()
    staff = await Staff.at("/submissions")
    undo = await staff.tab.get_state(UndoState)
    await staff.run("set_status", quote, 0, "Contacted")

    async def meanwhile(action_id, *, actor):
        undo._offer("Lead deleted.", "another")
        yield audit.Done(action_id, 1, 0)

    monkeypatch.setattr(audit, "undo", meanwhile)
    await run(UndoState.undo.fn(undo, undo.action_id))
    assert (undo.action_id, undo.busy) == ("another", False)


async def test_selected_rows_are_changed_and_undone_together():
    for name in ("Alice", "Bob", "Carol"):
        await fleet(contact_name=name)
    staff = await Staff.at("/submissions")
    shown = await staff.screen()
    await staff.run("choose", shown.rows[0].id)
    await staff.run("choose", shown.rows[1].id)
    assert shown.export_chosen_address.endswith(f"?ids={shown.rows[0].id},{shown.rows[1].id}")
    await staff.run("change_chosen", "status", "Contacted")
    assert [row.status for row in shown.rows] == ["Contacted", "Contacted", "Not Contacted"]
    assert (shown.chosen, shown.working) == ({}, False)
    undo = await staff.tab.get_state(UndoState)
    assert undo.text == "2 leads: status set to Contacted."
    await run(UndoState.undo.fn(undo, undo.action_id))
    await staff.run("load")
    assert {row.status for row in (await staff.screen()).rows} == {"Not Contacted"}


async def test_all_matching_leads_are_changed():
    for number in range(3):
        await fleet(company_name=f"Gulf {number}")
    other = await business(company_name="Bay")
    staff = await Staff.at("/submissions?q=gulf")
    await staff.run("choose_page")
    await staff.run("choose_all")
    assert "ids=" not in (await staff.screen()).export_chosen_address
    await staff.use(LeadDeletionState, "ask", "")
    *_, change = await staff.use(LeadDeletionState, "submit", {})
    assert change.handler == LeadsState.change_chosen
    await staff.run("change_chosen", "delete", "")
    assert await staff.names() == []
    assert await status_of(other) == "Not Contacted"


@pytest.mark.parametrize(
    ("event", "value", "every"),
    [
        ("look_for", "gulf t", False),
        ("look_for", "", True),
        ("narrow", {"type": "business"}, True),
        ("narrow", {"zip": "34236"}, False),
        ("sort_by", "name", False),
        ("order", "date", True),
    ],
)
async def test_selection_ends_with_another_question(event, value, every):
    gulf, bay = await fleet(company_name="Gulf"), await fleet(company_name="Bay")
    staff = await Staff.at("/submissions?q=gulf")
    shown = await staff.screen()
    await staff.run("choose", gulf)
    if every:
        await staff.run("choose_all")
    await staff.run(event, value)
    assert (shown.all_matching, shown.chosen) == (False, {})
    await staff.run("change_chosen", "delete", "")
    assert [await status_of(each) for each in (gulf, bay)] == 2 * ["Not Contacted"]


async def test_selection_stays_while_pages_turn_and_a_lead_is_open():
    await store(*(lead(number) for number in range(PAGE_SIZE + 2)))
    staff = await Staff.at("/submissions")
    shown = await staff.screen()
    for count in (PAGE_SIZE, 0):
        await staff.run("choose_page")
        assert (len(shown.chosen), shown.page_is_chosen) == (count, bool(count))
    chosen = shown.rows[0].id
    await staff.run("choose", chosen)
    await staff.run("turn_to", 2)
    await staff.use(LeadDetailsState, "open", shown.rows[0].id)
    await staff.arrive("/submissions?page=2")  # Back
    await staff.run("load")  # the connection was lost meanwhile
    assert list(shown.chosen) == [chosen]
    await (await staff.tab.get_state(SessionState))._greet(open_already=False)
    await staff.run("load")  # the page is loaded anew
    assert shown.chosen == {}
    await staff.run("choose", shown.rows[0].id)
    await staff.arrive("/submissions?q=ada")
    assert shown.chosen == {}


async def test_only_rows_that_the_question_still_finds_are_changed():
    gulf, bay = await fleet(contact_name="Gulf"), await fleet(contact_name="Gulf 2")
    staff = await Staff.at("/submissions?q=gulf&type=fleet")
    shown = await staff.screen()
    await staff.run("choose_page")
    assert shown.export_chosen_address.startswith("/api/leads/export?q=gulf&type=fleet&ids=")
    async with transaction() as session:  # renamed by another: the search finds it no more
        await session.execute(update(Lead).where(col(Lead.id) == bay).values(search="bay"))
    await staff.run("change_chosen", "delete", "")
    assert [await submissions.find_details(each, actor=STAFF) is None for each in (gulf, bay)] == [
        True,
        False,
    ]
    assert "1 had changed meanwhile and were left as they are." in await staff.said()


async def test_deleting_names_what_is_selected():
    for number in range(7):
        await fleet(contact_name=f"Ada {number}")
    staff = await Staff.at("/submissions")
    asked = await staff.tab.get_state(LeadDeletionState)
    shown = await staff.screen()
    for count, left_out in ((1, ""), (5, ""), (7, "and 2 more")):
        await staff.run("choose_none")
        for row in shown.rows[:count]:
            await staff.run("choose", row.id)
        await staff.use(LeadDeletionState, "ask", "")
        assert asked.count == counted(count, "lead")
        assert asked.names == [row.name for row in shown.rows[: min(count, 5)]]
        assert asked.left_out == left_out
    await staff.run("choose_all")
    await staff.use(LeadDeletionState, "ask", "")
    assert (asked.count, asked.left_out) == (
        "All leads that match (7)",
        "and all others that match",
    )


async def test_deleting_spares_a_selection_that_has_changed_since_it_was_named():
    first, second = await fleet(), await fleet()
    staff = await Staff.at("/submissions")
    await staff.run("choose", first)
    await staff.use(LeadDeletionState, "ask", "")
    await staff.run("choose", second)
    assert not any(await staff.use(LeadDeletionState, "submit", {}))
    assert await staff.said() == [OTHERS]
    assert await status_of(first) == await status_of(second) == "Not Contacted"


async def test_invalid_selection_changes_nothing():
    quote = await fleet()
    staff = await Staff.at("/submissions")
    for nobody in (None, "nobody", 7, ["x"]):
        await staff.run("choose", nobody)
    await staff.run("change_chosen", "status", "Contacted")
    await staff.run("choose", quote)
    await staff.run("change_chosen", "status", "Sold")
    await staff.run("choose", quote)
    await staff.run("change_chosen", {"kind": 1}, None)
    assert await status_of(quote) == "Not Contacted"


async def test_database_errors_are_reported_and_retried(monkeypatch):
    quote = await fleet(contact_name="Alice")
    staff = await Staff.at("/submissions")

    async def broken(*_: Any, **__: Any) -> None:
        raise OSError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(submissions, "change_lead", broken)
        await staff.run("set_status", quote, 0, "Contacted")
        patch.setattr(submissions, "list_page", broken)
        await staff.run("load")
        assert (await staff.screen()).failed
    assert await staff.said() == [FAILED]
    await staff.run("load")
    assert ((await staff.screen()).failed, await staff.names()) == (False, ["Alice"])
    assert await status_of(quote) == "Not Contacted"


async def test_filters_are_in_the_address_counted_and_cleared():
    await store(lead(1, zip_code="34236"), lead(4, zip_code="34108"), lead(7, zip_code="34236"))
    staff = await Staff.at("/submissions?q=person")
    shown = await staff.screen()
    form = {"type": "fleet", "zip": "34236", "status": "Contacted", "until": "2026-03-09"}
    address = await staff.run("narrow", form)
    assert address == (
        "/submissions?q=person&type=fleet&status=Contacted&zip=34236&until=2026-03-09"
    )
    assert (shown.summary, shown.filters, shown.filtered) == ("2 matches", 4, True)
    assert shown.export_address.endswith(address.removeprefix("/submissions"))
    assert await staff.run("clear_filters") == "/submissions?q=person"
    assert (shown.summary, shown.filters) == ("3 matches", 0)
    for opened in (True, False):
        await staff.run("show_filters")
        assert shown.filters_open is opened


async def test_phone_and_email_of_a_lead_can_be_pressed():
    await store(lead(2, phone="(941) 555-0101 x7"), lead(3, phone=""), lead(4))
    staff = await Staff.at("/submissions?sort=date")
    assert [(row.phone, row.dialed) for row in (await staff.screen()).rows] == [
        ("(941) 555-0101 x7", "9415550101;ext=7"),
        ("", ""),
        ("(941) 550-0004", "9415500004"),
    ]
    quote = await fleet()
    await staff.arrive(f"/submissions?lead={quote}")
    await staff.use(LeadDetailsState, "load")
    details = (await staff.tab.get_state(LeadDetailsState)).details
    kinds = {field.label: (field.kind, field.dialed) for field in details.fields}
    assert (kinds["Email"], kinds["Phone"][0]) == (("email", ""), "phone")
    assert kinds["Phone"][1].isdecimal()
    assert not details.is_waiting

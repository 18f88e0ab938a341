"""The list of customers and one customer with tabs, once the company is open."""

import pytest
import reflex as rx
from sqlalchemy import select, update
from sqlmodel import col

from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import staff
from fuel_app.accounts.tables import Person
from fuel_app.customers.service import directory
from fuel_app.customers.tables import CustomerNote
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.kit.outbox import Message
from fuel_app.messages.rules.kinds import SentAgain
from fuel_app.office.state.customers import (
    AuditTab,
    CustomerAccessState,
    CustomerDashboardState,
    CustomerMessageState,
    MessagesTab,
    NotesTab,
    OfCustomer,
)
from tests.customers.test_service_directory import a_customer, three
from tests.factories import UNKNOWN_ID
from tests.hardening.nasty import NASTY
from tests.helpers.admins import AdminTab
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.tabs import go_to, problems

SCREEN = "/customer-dashboard"


@pytest.fixture(autouse=True)
async def _open(sqlite_database):
    await open_area()


async def loaded(address: str = SCREEN, *roles: Role) -> tuple[AdminTab, CustomerDashboardState]:
    tab = await AdminTab.at(address, *(roles or (Role.DISPATCHER,)))
    await tab.fire(CustomerDashboardState.load)
    return tab, await tab.screen(CustomerDashboardState)


async def fails(*_: object, **__: object) -> None:
    raise ConnectionError


async def test_filters_are_part_of_the_address():
    await three()
    tab, shown = await loaded()
    assert (shown.shows, shown.summary) == ("open", "3 customers")
    assert [row.name for row in shown.rows] == ["Álvaro Núñez", "Zoe Adams", "Bob Stone"]
    assert (shown.profile.id, shown.card.name, shown.missing) == ("", "", False)
    await tab.fire(CustomerDashboardState.narrow, {"q": "o", "plan": "family"})
    assert ([row.name for row in shown.rows], shown.filtered) == (["Bob Stone"], True)
    assert shown.address == f"{SCREEN}?q=o&plan=family"
    assert shown.summary == "1 customer"
    await tab.fire(CustomerDashboardState.narrow, {"q": "o", "plan": "family"})
    await tab.fire(CustomerDashboardState.narrow, None)
    assert (len(shown.rows), shown.filtered) == (3, False)


async def test_the_list_is_narrowed_to_an_area_and_a_state():
    await a_customer()
    await a_customer("Zoe Adams", zip_code="33101")
    tab, shown = await loaded()
    [(area_id, name)] = shown.areas.items()
    assert name == "Sarasota"
    await tab.fire(CustomerDashboardState.narrow, {"area": area_id, "state": "active"})
    assert ([row.name for row in shown.rows], shown.filtered) == (["Ada Lovelace"], True)
    assert shown.address == f"{SCREEN}?area={area_id}&state=active"


async def test_a_chosen_customer_has_tabs_in_the_address():
    customer_id = await a_customer()
    tab, shown = await loaded()
    await tab.fire(CustomerDashboardState.choose, customer_id)
    assert (shown.profile.name, shown.tab, shown.missing) == ("Ada Lovelace", "dashboard", False)
    await tab.fire(CustomerDashboardState.open_tab, "audit")
    assert (shown.address, shown.tab) == (f"{SCREEN}?customer={customer_id}&tab=audit", "audit")
    await tab.fire(CustomerDashboardState.open_tab, "dashboard")
    assert shown.address == f"{SCREEN}?customer={customer_id}"
    await tab.fire(CustomerDashboardState.choose, "")
    assert (shown.profile.id, len(shown.rows)) == ("", 1)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"email_verified_at": clock.now()}, ""),
        ({}, "Not verified"),
        ({"deactivated_at": clock.now()}, "Deactivated"),
        ({"deactivated_at": clock.now(), "delete_at": clock.now()}, "To be deleted"),
    ],
)
async def test_a_customer_has_a_state_only_where_it_is_out_of_the_ordinary(known, said):
    customer_id = await a_customer(plan="family")
    async with transaction() as session:
        values = {"email_verified_at": None} | known
        await session.execute(update(Person).where(col(Person.id) == customer_id).values(values))
    _, shown = await loaded(f"{SCREEN}?customer={customer_id}")
    assert (shown.profile.plan, shown.profile.state) == ("Family Plan, not started", said)


@pytest.mark.parametrize("tab_name", ["", "nonsense", "tab", "overview"])
async def test_an_unknown_tab_is_the_dashboard(tab_name):
    customer_id = await a_customer()
    _, shown = await loaded(f"{SCREEN}?customer={customer_id}&tab={tab_name}")
    assert shown.tab == "dashboard"


@pytest.mark.parametrize("customer_id", [UNKNOWN_ID, "sample", "<b>nobody</b>"])
async def test_an_unknown_customer_is_said(customer_id):
    _, shown = await loaded(f"{SCREEN}?customer={customer_id}&tab=notes")
    assert (shown.missing, shown.profile.id) == (True, "")


async def test_staff_add_notes():
    customer_id = await a_customer()
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}&tab=notes")
    notes = await tab.screen(NotesTab)
    assert await tab.fire(NotesTab.submit, {"text": " "}) == ["note_text"]
    assert problems(notes.errors) == {"text": "Note is required"}
    await tab.fire(NotesTab.edit, {"text": "x"})
    assert not problems(notes.errors)
    await tab.fire(NotesTab.submit, {"text": "The gate is green"})
    assert [(note.text, note.author) for note in notes.rows] == [
        ("The gate is green", "Grace Hopper")
    ]
    assert (notes.busy, notes.edition) == (False, 1)


async def test_second_click_of_two_adds_no_other_note():
    customer_id = await a_customer()
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}&tab=notes")
    notes = await tab.screen(NotesTab)
    note = {"text": "The gate is green", "agreed": "0"}
    for event in (NotesTab.submit, NotesTab.edit, NotesTab.submit):  # the typing was told late
        await tab.fire(event, note)
    assert (len(notes.rows), notes.busy, notes.error) == (1, False, "")
    await tab.fire(NotesTab.submit, note | {"agreed": "1"})  # the same, on purpose
    assert len(notes.rows) == 2


@pytest.mark.parametrize(
    ("role", "seen"), [(Role.ADMIN, {"mail", "security"}), (Role.DISPATCHER, {"mail"})]
)
async def test_security_mails_are_for_admins(role, seen):
    customer_id = await a_customer()
    async with transaction() as session:
        await outbox.add(session, "security_changed", person_id=customer_id, payload={"what": "x"})
        await outbox.add(session, "waitlist_welcome", person_id=customer_id)
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}&tab=messages", role)
    shown = await tab.screen(MessagesTab)
    assert (len(shown.rows), shown.failed) == (len(seen), False)


async def test_a_message_is_read_to_the_caller_and_sent_again_once():
    customer_id = await a_customer()
    async with transaction() as session:
        await outbox.add(session, "waitlist_welcome", person_id=customer_id)
        await outbox.add(session, "security_changed", person_id=customer_id, payload={"what": "x"})
        [welcome, _] = await session.scalars(select(Message).order_by(col(Message.id)))
        welcome.state, welcome.body = outbox.SENT, "Welcome, Ada"
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}&tab=messages")
    shown = await tab.screen(CustomerMessageState)
    for hidden in (UNKNOWN_ID, "", (await rows(Message, kind="security_changed"))[0].id):
        await tab.fire(CustomerMessageState.begin, hidden)
        assert not shown.opened
    await tab.fire(CustomerMessageState.begin, welcome.id)
    assert (shown.opened, shown.message.text, shown.busy) == (True, "Welcome, Ada", False)
    await tab.fire(CustomerMessageState.submit, {})
    await tab.fire(CustomerMessageState.submit, {})
    assert (shown.opened, shown.message.text) == (False, "")
    listed = await tab.screen(MessagesTab)
    assert [line.state for line in listed.rows] == ["Waiting", "Sent"]
    await tab.fire(CustomerMessageState.begin, welcome.id)
    await tab.fire(CustomerMessageState.submit, {})
    assert (shown.opened, shown.error) == (True, SentAgain.message)


async def test_the_audit_log_says_who_did_what():
    customer_id = await a_customer()
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}&tab=notes")
    await tab.fire(NotesTab.submit, {"text": "x"})
    await tab.fire(CustomerDashboardState.open_tab, "audit")
    shown = await tab.screen(AuditTab)
    assert [(line.what, line.who) for line in shown.rows] == [("Note added", "Grace Hopper")]


async def test_what_cannot_be_read_is_said(monkeypatch):
    customer_id = await a_customer()
    for name in ("page", "notes", "add_note"):
        monkeypatch.setattr(directory, name, fails)
    monkeypatch.setattr(staff, "list_changes", fails)
    tab, shown = await loaded()
    assert (shown.failed, shown.loading, shown.rows) == (True, False, [])
    await tab.fire(CustomerDashboardState.choose, customer_id)
    assert not shown.failed
    for name, state in (("notes", NotesTab), ("audit", AuditTab)):
        await tab.fire(CustomerDashboardState.open_tab, name)
        assert (await tab.screen(state)).failed
    await tab.fire(NotesTab.submit, {"text": "x"})
    assert (await tab.screen(NotesTab)).error == FAILED


async def test_an_admin_deactivates_and_reactivates_a_customer():
    customer_id = await a_customer()
    tab, shown = await loaded(f"{SCREEN}?customer={customer_id}", Role.ADMIN)
    await tab.fire(CustomerAccessState.submit, {})  # nothing was asked
    await tab.fire(CustomerAccessState.begin)
    await tab.fire(CustomerAccessState.close, False)
    await tab.fire(CustomerAccessState.submit, {})
    assert shown.profile.active
    await tab.fire(CustomerAccessState.begin)
    await tab.fire(CustomerAccessState.submit, {})
    question = await tab.screen(CustomerAccessState)
    assert (shown.profile.active, question.opened, question.busy) == (False, False, False)
    await tab.fire(CustomerAccessState.reactivate)
    assert shown.profile.active
    assert await tab.said() == ["Ada Lovelace is deactivated", "Ada Lovelace can sign in again"]


async def test_a_failed_change_is_said(monkeypatch):
    customer_id = await a_customer()
    tab, _ = await loaded(f"{SCREEN}?customer={customer_id}", Role.ADMIN)
    monkeypatch.setattr(staff, "deactivate", fails)
    await tab.fire(CustomerAccessState.begin)
    await tab.fire(CustomerAccessState.submit, {})
    question = await tab.screen(CustomerAccessState)
    assert (question.opened, question.error) == (True, FAILED)
    await tab.fire(CustomerAccessState.close, False)
    await tab.fire(CustomerDashboardState.choose, "")
    await tab.fire(CustomerAccessState.reactivate)
    assert await tab.said() == ["This account is no longer there."]


@pytest.mark.parametrize("value", NASTY.values(), ids=NASTY)
async def test_any_argument_leaves_the_screen_standing(value):
    customer_id = await a_customer()
    tab, shown = await loaded(f"{SCREEN}?customer={customer_id}", Role.ADMIN)
    for event in (
        *(NotesTab.edit, NotesTab.submit, CustomerAccessState.close),
        *(CustomerDashboardState.open_tab, CustomerDashboardState.narrow),
        *(CustomerDashboardState.look_for, CustomerDashboardState.choose),
    ):
        await tab.fire(event, value)
    go_to(tab.tab, SCREEN, cookie=tab.tab.router.headers.raw_headers["cookie"])
    await tab.fire(CustomerDashboardState.load)
    assert len(shown.rows) == 1


async def to(tab: AdminTab, address: str) -> None:
    go_to(tab.tab, address, cookie=tab.tab.router.headers.raw_headers["cookie"])
    await tab.fire(CustomerDashboardState.load)


async def test_nothing_of_a_customer_is_left_on_the_screen_of_another():
    ada, zoe = await a_customer(), await a_customer("Zoe Adams")
    tab, shown = await loaded(f"{SCREEN}?customer={ada}&tab=notes", Role.ADMIN)
    await tab.fire(NotesTab.submit, {"text": "Calls at noon"})
    await tab.fire(CustomerAccessState.begin)
    await to(tab, f"{SCREEN}?customer={ada}&tab=messages")
    access, notes = await tab.screen(CustomerAccessState), await tab.screen(NotesTab)
    assert (access.opened, len(notes.rows)) == (True, 1)
    await to(tab, f"{SCREEN}?customer={zoe}")
    assert (shown.profile.id, access.opened, notes.rows) == (zoe, False, [])
    await tab.fire(CustomerAccessState.submit, {})
    assert all(person.deactivated_at is None for person in await rows(Person))
    await tab.fire(NotesTab.submit, {"text": "For whom?"})  # no tab of hers is open
    assert len(await rows(CustomerNote)) == 1


async def test_every_part_about_a_customer_starts_over_with_another():
    ada, zoe = await a_customer(), await a_customer("Zoe Adams")
    tab, _ = await loaded(f"{SCREEN}?customer={ada}")
    parts = [each for each in rx.State.get_substates() if issubclass(each, OfCustomer)]
    marks = {
        part: next(each for each in ("failed", "error", "refusal") if each in part.get_fields())
        for part in parts
    }
    for part, mark in marks.items():
        setattr(await tab.screen(part), mark, True if mark == "failed" else "of Ada")
    await to(tab, f"{SCREEN}?customer={zoe}")
    assert not [part for part, mark in marks.items() if getattr(await tab.screen(part), mark)]


async def test_a_note_written_about_another_customer_is_not_added():
    ada, zoe = await a_customer(), await a_customer("Zoe Adams")
    tab, _ = await loaded(f"{SCREEN}?customer={zoe}&tab=notes")
    await tab.fire(NotesTab.submit, {"text": "Calls at noon", "agreed": "0", "customer": ada})
    assert await rows(CustomerNote) == []
    await tab.fire(NotesTab.submit, {"text": "Calls at noon", "agreed": "0", "customer": zoe})
    assert [note.person_id for note in await rows(CustomerNote)] == [zoe]

"""The state of a list and its address, on the list of leads."""

from typing import Any

import pytest

from fuel_app.accounts.service import sessions
from fuel_app.leads.rules import PAGE_SIZE
from fuel_app.submissions import service as leads
from tests.helpers.lead_tabs import Staff
from tests.helpers.leads import fleet
from tests.helpers.tabs import run
from tests.leads.test_queries_listing import lead, store

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_search_type_sort_and_page_are_in_the_address():
    await store(*(lead(number) for number in range(200)))
    staff = await Staff.at("/submissions")
    assert await staff.run("look_for", "example") == "/submissions?q=example"
    assert await staff.run("narrow", {"type": "fleet"}) == "/submissions?q=example&type=fleet"
    assert await staff.run("sort_by", "name") == "/submissions?q=example&type=fleet&sort=name"
    assert await staff.run("sort_by", "name") == "/submissions?q=example&type=fleet&sort=-name"
    assert (await staff.run("turn_to", 2)).endswith("&page=2")
    shown = await staff.screen()
    assert (shown.question.page, shown.pages, len(shown.rows)) == (2, 2, 67 - PAGE_SIZE)
    assert shown.summary == "67 matches"
    again = await Staff.at("/submissions?q=example&type=fleet&sort=-name&page=2")
    assert await again.names() == await staff.names()
    assert await staff.run("clear") == "/submissions?sort=-name"


async def test_a_pause_in_typing_is_one_event_and_one_session_lookup(monkeypatch):
    await fleet(contact_name="Ada")
    await fleet(contact_name="Bob")
    staff = await Staff.at("/submissions")
    lookups = []
    find = sessions.find_by_token

    async def counted(token: str) -> Any:
        lookups.append(token)
        return await find(token)

    monkeypatch.setattr(sessions, "find_by_token", counted)
    screen = await staff.screen()
    sent = await run(type(screen).look_for.fn(screen, "bob"))  # type: ignore[attr-defined]
    assert (sent, len(lookups)) == ([None], 1)
    assert (await staff.names(), screen.address) == (["Bob"], "/submissions?q=bob")


async def test_the_date_is_sorted_newest_first():
    staff = await Staff.at("/submissions?sort=name")
    assert await staff.run("sort_by", "date") == "/submissions"
    assert await staff.run("sort_by", "date") == "/submissions?sort=date"
    assert await staff.run("order", "-name") == "/submissions?sort=-name"
    assert await staff.run("order", "password") == "/submissions"


async def test_the_search_box_follows_the_address_but_not_while_it_is_typed_in():
    staff = await Staff.at("/submissions")
    screen = await staff.screen()
    await staff.run("look_for", "ada")
    assert screen.epoch == 0
    await staff.arrive("/submissions?q=bob")  # Back
    assert (screen.epoch, screen.question.q) == (1, "bob")
    await staff.run("clear")
    assert screen.epoch == 2


async def test_back_leads_to_steps_but_not_to_letters():
    staff = await Staff.at("/submissions")
    screen = await staff.screen()
    for typed, replaces in (("a", False), ("ad", True), ("ada", True)):
        await staff.run("look_for", typed)
        assert screen.address_replaces == replaces
    await staff.run("sort_by", "name")
    assert not screen.address_replaces
    await staff.arrive("/submissions?page=9")
    assert (screen.address, screen.address_replaces) == ("/submissions", True)


async def test_the_same_question_is_answered_once_unless_its_search_was_cancelled(monkeypatch):
    staff = await Staff.at("/submissions?q=ada")
    screen, asked = await staff.screen(), []
    page = leads.list_page

    async def counted(*question: Any, **by: Any) -> Any:
        asked.append(question)
        return await page(*question, **by)

    monkeypatch.setattr(leads, "list_page", counted)
    await staff.run("look_for", "ada ")
    assert asked == []
    screen._turn(typing=True, q="adal")  # a search that a later one cancels
    await staff.run("look_for", "adal")
    assert len(asked) == 1


@pytest.mark.parametrize(
    "address",
    [
        "?page=0",
        "?page=-3",
        "?page=x",
        "?page=99999999999",
        "?type=spam&sort=password",
        "?sort=--name",
    ],
)
async def test_an_address_with_nonsense_shows_the_list(address):
    await fleet(contact_name="Alice")
    staff = await Staff.at(f"/submissions{address}")
    assert await staff.names() == ["Alice"]

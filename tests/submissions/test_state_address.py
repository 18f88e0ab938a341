"""The address of the staff's list of leads, in a tab without a browser."""

import pytest

from fuel_app.leads.rules import PAGE_SIZE
from fuel_app.submissions.state.leads import LeadsState
from tests.helpers.lead_tabs import Staff, fleet
from tests.helpers.tabs import go_to, run
from tests.leads.test_queries_listing import lead, store

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_search_type_sort_and_page_live_in_the_address():
    await store(*(lead(number) for number in range(200)))
    staff = await Staff.at("/submissions")
    assert await staff.run("look_for", "example") == "/submissions?q=example"
    assert await staff.run("filter_by", "fleet") == "/submissions?q=example&type=fleet"
    assert await staff.run("sort_by", "name") == "/submissions?q=example&type=fleet&sort=name"
    assert await staff.run("sort_by", "name") == "/submissions?q=example&type=fleet&sort=-name"
    assert (await staff.run("turn_to", 2) or "").endswith("&page=2")
    shown = await staff.screen()
    assert (shown.page, shown.pages, len(shown.rows)) == (2, 2, 67 - PAGE_SIZE)
    assert shown.summary == "67 matches"
    again = await Staff.at("/submissions?q=example&type=fleet&sort=-name&page=2")
    assert await again.names() == await staff.names()
    assert await staff.run("clear") == "/submissions?sort=-name"


async def test_a_click_on_the_date_starts_with_the_newest():
    staff = await Staff.at("/submissions?sort=name")
    assert await staff.run("sort_by", "date") == "/submissions"
    assert await staff.run("sort_by", "date") == "/submissions?sort=date"


async def test_the_search_box_follows_the_address_but_not_while_somebody_types():
    staff = await Staff.at("/submissions")
    before = (await staff.screen()).search_epoch
    await staff.run("look_for", "ada")
    assert (await staff.screen()).search_epoch == before
    go_to(staff.tab, "/submissions?q=bob", cookie=staff.cookie)  # Back
    await staff.run("load")
    assert (await staff.screen()).search_epoch == before + 1


async def test_a_slow_line_does_not_take_letters_back():
    staff = await Staff.at("/submissions")
    screen = await staff.screen()
    for typed in ("a", "ad", "ada"):  # faster than the browser goes where they lead
        await run(LeadsState.look_for.fn(screen, typed))
    for typed in ("a", "ad", "ada"):
        go_to(staff.tab, f"/submissions?q={typed}", cookie=staff.cookie)
        await staff.run("load")
        assert (screen.search, screen.search_epoch) == (typed, 0)
    go_to(staff.tab, "/submissions?q=ad", cookie=staff.cookie)  # Back
    await staff.run("load")
    assert screen.search_epoch == 1


async def test_steps_that_are_faster_than_the_browser_add_up():
    staff = await Staff.at("/submissions")
    assert await staff.ask("look_for", "ada") == "/submissions?q=ada"
    assert await staff.ask("filter_by", "fleet") == "/submissions?q=ada&type=fleet"
    assert await staff.ask("sort_by", "name") == "/submissions?q=ada&type=fleet&sort=name"
    assert await staff.ask("sort_by", "name") == "/submissions?q=ada&type=fleet&sort=-name"
    await staff.arrive("/submissions?q=ada&type=fleet")  # the browser is on its way
    assert await staff.ask("look_for", "adal") == "/submissions?q=adal&type=fleet&sort=-name"
    assert await staff.ask("clear") == "/submissions?sort=-name"
    await staff.arrive("/submissions?sort=-name")
    assert (await staff.screen()).search_epoch == 1  # the box is empty


async def test_back_in_the_middle_of_it_is_where_the_next_step_starts():
    staff = await Staff.at("/submissions?q=bob&sort=name")
    await staff.ask("look_for", "bobby")
    await staff.arrive("/submissions?type=fleet")
    assert await staff.ask("turn_to", 2) == "/submissions?type=fleet&page=2"


async def test_what_a_reload_has_left_behind_does_not_come_back():
    staff = await Staff.at("/submissions")
    await staff.ask("look_for", "ad")
    await staff.ask("look_for", "ada")
    go_to(staff.tab, "/submissions?q=ad", cookie=staff.cookie, connection="connection-2")
    await staff.run("load")
    assert (await staff.screen()).search_epoch == 1  # the box says what the address says
    assert await staff.ask("sort_by", "name") == "/submissions?q=ad&sort=name"


async def test_a_search_that_is_late_does_not_fetch_back_whoever_has_left_the_screen():
    staff = await Staff.at("/submissions")
    go_to(staff.tab, "/dashboard", cookie=staff.cookie)
    assert await staff.ask("look_for", "ada") is None


async def test_what_the_box_holds_already_leads_nowhere():
    staff = await Staff.at("/submissions?q=ada&page=2")
    assert await staff.ask("look_for", "ada") is None


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

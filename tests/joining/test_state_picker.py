"""Choosing, joining and founding a neighborhood, in any order that a browser can send."""

import pytest

from fuel_app.joining import service as neighborhoods
from fuel_app.neighborhoods import queries
from tests.helpers.tabs import run
from tests.helpers.visitors import a_neighborhood, on_the_list, opened_at, toasts_of

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def test_a_database_failure_leaves_the_picker_usable(monkeypatch):
    async def gone(*_args: object):
        raise ConnectionError("no database")

    monkeypatch.setattr(neighborhoods, "in_zip", gone)
    monkeypatch.setattr(neighborhoods, "find", gone)
    monkeypatch.setattr(neighborhoods, "join", gone)
    state = await on_the_list("/join-neighborhood/00000000-0000-0000-0000-000000000000")
    assert (state.neighborhoods, state.invitation_missing) == ([], False)
    state.chosen = "something"
    await run(state.join())
    assert (state.stage, state.busy, state.refusal) == ("picker", False, "")


async def test_joining_leads_to_the_confirmation_with_links():
    neighborhood = await a_neighborhood()
    state = await on_the_list()
    await run(state.choose(neighborhood.id))
    await run(state.join())
    assert state.stage == "joined"
    assert state.join_link == f"http://localhost:3000/join-neighborhood/{neighborhood.id}"
    assert state.referral_link == f"http://localhost:3000/?ref={state._submission_id}"
    assert await toasts_of(state) == ["Successfully joined neighborhood!"]


async def test_creating_makes_the_visitor_the_first_member():
    state = await on_the_list(zip_code="34209")
    await run(state.start_creating(True))
    await run(state.create({"name": "  Palm   Grove "}))
    assert (state.stage, state.joined.name, state.joined.members) == ("joined", "Palm Grove", 1)


@pytest.mark.parametrize("name", ["", "   ", "x" * 61])
async def test_a_neighborhood_needs_a_name_that_fits(name):
    state = await on_the_list()
    await run(state.start_creating(True))
    sent = await run(state.create({"name": name}))
    assert state.create_error.startswith("Neighborhood name")
    assert "neighborhood_name" in str(sent[-1])
    assert (state.stage, state.busy) == ("picker", False)


async def test_a_name_that_the_zip_already_has_is_refused_beside_the_field():
    await a_neighborhood("Palm Grove")
    state = await on_the_list()
    await run(state.start_creating(True))
    await run(state.create({"name": "palm grove"}))
    assert state.create_error == "A neighborhood with this name already exists in 34236"
    await run(state.start_creating(False))
    assert state.create_error == ""


async def test_a_removed_neighborhood_is_reported():
    state = await on_the_list()
    state.chosen = "00000000-0000-0000-0000-000000000000"
    await run(state.join())
    assert (state.stage, state.refusal) == ("picker", "Neighborhood not found")


async def test_a_visitor_whose_entry_was_deleted_starts_again():
    neighborhood = await a_neighborhood()
    state = await on_the_list()
    state._submission_id = "00000000-0000-0000-0000-000000000000"
    await run(state.choose(neighborhood.id))
    await run(state.join())
    assert (state.stage, state.refusal) == ("form", "Please join the waitlist first.")


async def test_only_a_listed_neighborhood_can_be_chosen():
    state = await on_the_list()
    await run(state.choose("00000000-0000-0000-0000-000000000000"))
    assert state.chosen == ""


async def test_refreshing_shows_new_neighborhoods():
    state = await on_the_list()
    await a_neighborhood("Palm Grove")
    await run(state.refresh())
    assert [each.name for each in state.neighborhoods] == ["Palm Grove"]


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        ("copied", ["Link copied to clipboard!"]),
        ("failed", ["Your browser did not let us copy. Select the link instead."]),
        ("shared", []),
        ("cancelled", []),
        ("<b>", []),
    ],
)
async def test_sharing_reports_its_outcome(outcome, says):
    state = await opened_at("/")
    await run(state.shared(outcome))
    assert await toasts_of(state) == says


async def test_neighborhoods_need_a_waitlist_entry_first():
    neighborhood = await a_neighborhood()
    state = await opened_at("/")
    state.chosen = neighborhood.id
    await run(state.join())
    await run(state.create({"name": "Mine"}))
    await run(state.refresh())
    assert (state.stage, state.neighborhoods) == ("form", [])
    found = await neighborhoods.find(neighborhood.id)
    assert found
    assert found.members == 1


async def test_a_full_list_of_neighborhoods_needs_no_search(monkeypatch):
    monkeypatch.setattr("fuel_app.joining.state.PICKER_LIMIT", 2)
    monkeypatch.setattr(queries, "PICKER_LIMIT", 2)
    for name in ("Bay View", "Palm Court"):
        await a_neighborhood(name)
    state = await on_the_list()
    assert (len(state.neighborhoods), state.many) == (2, False)


async def test_a_search_finds_neighborhoods_beyond_the_listed_ones(monkeypatch):
    monkeypatch.setattr("fuel_app.joining.state.PICKER_LIMIT", 1)
    monkeypatch.setattr(queries, "PICKER_LIMIT", 1)
    for name in ("Bay View", "Palm Court"):
        await a_neighborhood(name)
    state = await on_the_list()
    assert ([each.name for each in state.neighborhoods], state.many) == (
        ["Bay View"],
        True,
    )
    await run(state.choose(state.neighborhoods[0].id))
    await run(state.find(" palm  c"))
    assert ([each.name for each in state.neighborhoods], state.many) == (
        ["Palm Court"],
        True,
    )
    assert state.chosen == ""  # what is not listed is not joined
    for none in ("%", "_", "x" * 9000):
        await run(state.find(none))
        assert (state.neighborhoods, state.many) == ([], True)
    await run(state.find(None))  # type: ignore[arg-type]
    assert [each.name for each in state.neighborhoods] == ["Bay View"]

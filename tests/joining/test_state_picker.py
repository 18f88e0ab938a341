"""Choosing, joining and founding a neighborhood, in any order that a browser can send."""

import pytest

from fuel_app.joining import service as neighborhoods
from tests.factories import UNKNOWN_ID
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
    state = await on_the_list()
    await a_neighborhood("Palm Grove")
    await run(state.start_creating(True))
    sent = await run(state.create({"name": "  "}))
    assert state.create_error == "Neighborhood name is required"
    assert "neighborhood_name" in str(sent[-1])
    await run(state.create({"name": "palm grove"}))
    assert state.create_error == "A neighborhood with this name already exists in 34236"
    assert (state.stage, state.busy) == ("picker", False)
    await run(state.cancel_creating())
    assert (state.creating, state.create_error) == (False, "")
    await run(state.start_creating(True))
    await run(state.create({"name": "  Bay   View "}))
    assert (state.stage, state.joined.name, state.joined.members) == ("joined", "Bay View", 1)


async def test_what_has_gone_meanwhile_is_reported():
    state = await on_the_list()
    neighborhood = await a_neighborhood("Palm Grove")
    await run(state.choose(neighborhood.id))
    assert state.chosen == ""  # it is not listed yet
    await run(state.refresh())
    assert [each.name for each in state.neighborhoods] == ["Palm Grove"]
    state.chosen = UNKNOWN_ID
    await run(state.join())
    assert (state.stage, state.refusal) == ("picker", "Neighborhood not found")
    state._submission_id = UNKNOWN_ID  # staff have deleted the entry
    await run(state.choose(neighborhood.id))
    await run(state.join())
    assert (state.stage, state.refusal) == ("form", "Please join the waitlist first.")


async def test_sharing_reports_its_outcome():
    state = await opened_at("/")
    for outcome in ("copied", "shared", "<b>", "failed"):
        await run(state.shared(outcome))
    assert await toasts_of(state) == [
        "Link copied to clipboard!",
        "Your browser did not let us copy. Select the link instead.",
    ]


async def test_neighborhoods_need_a_waitlist_entry_first():
    neighborhood = await a_neighborhood()
    state = await opened_at("/")
    state.chosen = neighborhood.id
    await run(state.join())
    await run(state.create({"name": "Mine"}))
    await run(state.refresh())
    assert (state.stage, state.neighborhoods) == ("form", [])
    assert await neighborhoods.find(neighborhood.id) == neighborhood


async def test_a_search_finds_neighborhoods_beyond_the_listed_ones(monkeypatch):
    for module in ("joining.state", "neighborhoods.queries"):
        monkeypatch.setattr(f"fuel_app.{module}.PICKER_LIMIT", 1)
    await a_neighborhood("Bay View")
    assert not (await on_the_list()).many
    await a_neighborhood("Palm Court")
    state = await on_the_list()
    assert ([each.name for each in state.neighborhoods], state.many) == (["Bay View"], True)
    await run(state.choose(state.neighborhoods[0].id))
    await run(state.find(" palm  c"))
    assert ([each.name for each in state.neighborhoods], state.many) == (["Palm Court"], True)
    assert state.chosen == ""  # what is not listed is not joined
    for none in ("%", "_", "x" * 9000):
        await run(state.find(none))
        assert (state.neighborhoods, state.many) == ([], True)
    await run(state.find(None))  # type: ignore[arg-type]
    assert [each.name for each in state.neighborhoods] == ["Bay View"]

"""The neighborhood card on /account, in one tab."""

import pytest
import reflex as rx

from fuel_app import routes
from fuel_app.customers.service import neighborhood as own
from fuel_app.customers.state.account import NEIGHBORHOOD_CARD, OwnNeighborhoodState
from fuel_app.joining import service as joining
from fuel_app.kit.db.session import transaction
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.rules import WaitlistEntry
from tests.factories import waitlist_form
from tests.helpers.customers import at, cookie_of, said
from tests.helpers.open_area import ZIP, open_area
from tests.helpers.tabs import answer, focused, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def state() -> OwnNeighborhoodState:
    """The card of a signed-in customer in no neighborhood, of whose ZIP there is one."""
    await open_area()
    async with transaction() as session:
        entry = WaitlistEntry.parse(waitlist_form(email="pioneer@example.com"))
        pioneer = await waitlist.add(session, entry)
    await joining.create(pioneer, "Palm Row", ZIP)
    tab = await at("/account", await cookie_of())
    state = await tab.get_state(OwnNeighborhoodState)
    await run(state.arrive())
    return state


async def test_the_card_lists_the_neighborhoods_of_the_zip(state):
    assert (state.ready, state.zip_code, state.card.id) == (True, ZIP, "")
    assert [each.name for each in state.neighborhoods] == ["Palm Row"]
    await run(state.find("sea"))
    assert (state.neighborhoods, state.search) == ([], "sea")
    await run(state.find(["x"]))
    await run(state.refresh())
    assert len(state.neighborhoods) == 1


async def test_a_customer_joins_and_leaves(state):
    await run(state.choose(state.neighborhoods[0].id))
    assert focused(await answer(state.join())) == NEIGHBORHOOD_CARD.replace("-", "_")
    assert (state.card.name, state.card.members, state.saving) == ("Palm Row", 2, "")
    assert (state.is_pioneer, state.chosen, state.busy) == (False, "", False)
    assert state.join_link.endswith(routes.join_neighborhood(state.card.id))
    assert focused(await answer(state.leave())) == NEIGHBORHOOD_CARD.replace("-", "_")
    assert (state.card.id, state.join_link, len(state.neighborhoods)) == ("", "", 1)
    assert await said(state) == ["Successfully joined neighborhood!", "You have left Palm Row"]


async def test_joining_needs_a_choice_of_the_list(state):
    for sent in ("forged", None, ["x"]):
        await run(state.choose(sent))
        assert await run(state.join()) == []
    assert state.card.id == ""


async def test_a_customer_founds_a_neighborhood(state):
    await run(state.start_creating(True))
    assert focused(await answer(state.create({"name": " "}))) == "neighborhood_name"
    assert state.create_error
    await run(state.start_creating(True))
    await run(state.create({"name": "palm row"}))
    assert state.create_error == f"A neighborhood with this name already exists in {ZIP}"
    await run(state.create({"name": "Sea Row"}))
    assert (state.card.name, state.is_pioneer, state.creating) == ("Sea Row", True, False)


async def test_cancelling_shows_the_button_again(state):
    await run(state.start_creating(True))
    assert focused(await answer(state.cancel_creating())) == "picker_create"
    assert not state.creating


async def test_a_failure_says_so_and_keeps_the_choice(state, monkeypatch):
    async def gone(*_: object):
        raise ConnectionError

    await run(state.choose(state.neighborhoods[0].id))
    monkeypatch.setattr(own, "claim_entry", gone)
    await run(state.join())
    assert "try again" in state.refusal
    assert (state.chosen, state.busy) == (state.neighborhoods[0].id, False)


async def test_a_preview_has_no_card():
    tab: rx.State = tab_at("/account")
    state = await tab.get_state(OwnNeighborhoodState)
    await run(state.arrive())
    assert not state.ready

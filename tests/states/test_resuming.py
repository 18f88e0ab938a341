"""A tab comes back to its entry after the server has forgotten the tab."""

import pytest

from fuel_app.services import waitlist
from fuel_app.states.waitlist import WaitlistState
from tests.states.tabs import run, tab_at
from tests.states.visitors import on_the_list

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def test_a_tab_that_the_server_has_forgotten_comes_back_to_the_picker():
    before = await on_the_list(zip_code="34209")
    state = await tab_at().get_state(WaitlistState)
    state.resume_key = before.resume_key
    await run(state.arrive())
    assert (state.opened, state.stage, state.zip_code) == (True, "picker", "34209")
    await run(state.create({"name": "Palm Grove"}))
    assert state.stage == "joined"


async def test_a_tab_that_the_server_has_forgotten_comes_back_to_the_confirmation():
    before = await on_the_list()
    await run(before.create({"name": "Palm Grove"}))
    state = await tab_at().get_state(WaitlistState)
    state.resume_key = before.resume_key
    await run(state.arrive())
    assert (state.stage, state.joined.name) == ("joined", "Palm Grove")
    assert state.referral_link == before.referral_link


async def test_two_tabs_of_one_entry_found_one_group():
    first = await on_the_list()
    second = await tab_at().get_state(WaitlistState)
    second.resume_key = first.resume_key
    await run(second.arrive())
    await run(first.create({"name": "Palm Grove"}))
    second.start_creating(True)
    await run(second.create({"name": "Bay View"}))
    assert (second.stage, second.busy) == ("picker", False)
    assert second.create_error == "You have already joined a neighborhood."
    assert [group.name for group in second.groups] == ["Palm Grove"]


async def test_coming_back_waits_for_a_database_that_does_not_answer(monkeypatch):
    async def gone(_key: object):
        raise ConnectionError("no database")

    monkeypatch.setattr(waitlist, "resume", gone)
    state = await tab_at().get_state(WaitlistState)
    state.resume_key = "a key"
    await run(state.arrive())
    assert state.stage == "form"


@pytest.mark.parametrize("key", ["guess", "x" * 100_000, "\ud800", "", None, 7, []])
async def test_nobody_comes_back_to_an_entry_with_a_made_up_key(key):
    entry = await on_the_list()
    state = await tab_at().get_state(WaitlistState)
    for made_up in (key, entry._submission_id):
        state.resume_key = made_up
        await run(state.arrive())
        assert (state.stage, state._submission_id) == ("form", "")

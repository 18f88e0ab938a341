"""A tab resumes its entry after the server has dropped the tab's state."""

from typing import Any

import pytest

from fuel_app.joining.state import NOT_YET_ON_THE_LIST, SUBMIT_FAILED, WaitlistState
from fuel_app.waitlist import service as waitlist
from tests.factories import waitlist_form
from tests.helpers.tabs import run, tab_at
from tests.helpers.visitors import on_the_list, opened_at, stored

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def resumed(key: str) -> WaitlistState:
    """Return a tab of which nothing is left but its key."""
    state = await tab_at().get_state(WaitlistState)
    state.resume_key = key
    await run(state.arrive())
    return state


async def test_a_dropped_tab_resumes_at_the_picker():
    before = await on_the_list(zip_code="34209")
    state = await resumed(before.resume_key)
    assert (state.opened, state.stage, state.zip_code) == (True, "picker", "34209")
    await run(state.create({"name": "Palm Grove"}))
    assert state.stage == "joined"


async def test_a_dropped_tab_resumes_at_the_confirmation():
    before = await on_the_list()
    await run(before.create({"name": "Palm Grove"}))
    state = await resumed(before.resume_key)
    assert (state.stage, state.joined.name) == ("joined", "Palm Grove")
    assert state.referral_link == before.referral_link


async def test_two_tabs_of_one_entry_create_one_neighborhood():
    first = await on_the_list()
    second = await resumed(first.resume_key)
    await run(first.create({"name": "Palm Grove"}))
    await run(second.start_creating(True))
    await run(second.create({"name": "Bay View"}))
    assert (second.stage, second.busy) == ("picker", False)
    assert second.create_error == "You have already joined a neighborhood."
    assert [each.name for each in second.neighborhoods] == ["Palm Grove"]


async def test_a_database_failure_while_resuming_shows_the_form(monkeypatch):
    async def gone(_key: object):
        raise ConnectionError("no database")

    monkeypatch.setattr(waitlist, "resume", gone)
    assert (await resumed("a key")).stage == "form"


async def test_the_resume_key_is_sent_before_the_entry_is_stored():
    state = await opened_at("/")
    work = state.submit(waitlist_form())
    await anext(work)
    key = state.resume_key
    assert key
    assert state.stage == "form"
    await run(work)
    assert (state.stage, state.resume_key) == ("picker", key)


async def test_resubmitting_after_a_lost_answer_resumes_the_stored_entry(monkeypatch):
    join = waitlist.join

    async def stored_but_not_said(*args: Any, **named: Any):
        await join(*args, **named)
        raise ConnectionError("lost between the commit and the answer")

    form = waitlist_form()
    state = await opened_at("/")
    monkeypatch.setattr(waitlist, "join", stored_but_not_said)
    await run(state.submit(form))
    assert (state.stage, state.refusal) == ("form", SUBMIT_FAILED)
    monkeypatch.setattr(waitlist, "join", join)
    await run(state.submit(form))
    assert (state.stage, state.refusal, state.busy) == ("picker", "", False)
    assert state._submission_id == (await stored())[0].id


async def test_a_tab_dropped_before_its_entry_was_stored_asks_to_resubmit():
    state = await resumed("of a form that never arrived")
    assert (state.opened, state.stage, state.refusal) == (True, "form", NOT_YET_ON_THE_LIST)
    await run(state.submit(waitlist_form()))
    assert (state.stage, state.refusal) == ("picker", "")


@pytest.mark.parametrize("differs", [{"email": "nope"}, {"email": "taken@example.com"}])
async def test_a_refused_form_leaves_no_key(differs):
    await on_the_list(email="taken@example.com")
    state = await opened_at("/")
    await run(state.submit(waitlist_form(**differs)))
    assert state.field_errors["email"]
    assert (state.stage, state.resume_key, state.refusal) == ("form", "", "")


@pytest.mark.parametrize("key", ["guess", "x" * 100_000, "\ud800", "", None, 7, []])
async def test_a_forged_key_resumes_nothing(key):
    entry = await on_the_list()
    for made_up in (key, entry._submission_id):
        state = await resumed(made_up)
        assert (state.stage, state._submission_id) == ("form", "")

"""The waitlist modal of one tab: arriving and filling in."""

from typing import Any

import pytest

from fuel_app.joining.state import BLANK, SUBMIT_FAILED
from fuel_app.waitlist import service as waitlist
from tests.factories import waitlist_form
from tests.helpers.leads import joined
from tests.helpers.tabs import go_to, run
from tests.helpers.visitors import a_neighborhood, count, on_the_list, opened_at, stored

pytestmark = pytest.mark.usefixtures("sqlite_database")


def typed(**fields: str) -> dict[str, Any]:
    """A form in which only these fields hold something so far."""
    return BLANK | fields  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("address", "opens"),
    [
        ("/", False),
        ("/?waitlist=true", True),
        ("/?waitlist=false", False),
        ("/?ref=somebody", True),
        ("/?ref=", False),
        ("/?utm_source=x", False),
        ("/join-neighborhood/00000000-0000-0000-0000-000000000000", True),
    ],
)
async def test_the_modal_opens_by_itself_when_the_address_asks_for_it(address, opens):
    assert (await opened_at(address)).opened is opens


async def test_the_modal_stays_open_on_a_reload_and_is_closed_on_the_next_page():
    state = await opened_at("/")
    await state._wait_for("33950", "We do not serve 33950 yet.")
    await run(state.arrive())
    assert (state.opened, state.reason) == (True, "We do not serve 33950 yet.")
    go_to(state, "/fleet")
    await run(state.arrive())
    assert (state.opened, state.reason, state.form["zip_code"]) == (False, "", "33950")
    go_to(state, "/plans")
    await run(state.show(True))  # before the page has arrived
    await run(state.arrive())
    assert state.opened


async def test_the_reason_of_another_form_ends_with_the_address_that_it_led_to():
    state = await opened_at("/fleet")
    await state._prefill({}, "33950", "We do not serve 33950 yet.")
    go_to(state, "/?waitlist=true")
    await run(state.arrive())
    assert (state.opened, state.reason) == (True, "We do not serve 33950 yet.")
    go_to(state, "/")
    await run(state.arrive())
    assert (state.opened, state.reason) == (False, "")


async def test_a_join_link_shows_its_neighborhood_and_fills_in_the_zip():
    neighborhood = await a_neighborhood("Palm Grove", "34209")
    state = await opened_at(f"/join-neighborhood/{neighborhood.id}")
    assert (state.invitation.name, state.invitation.members) == ("Palm Grove", 1)
    assert state.form["zip_code"] == "34209"
    assert not state.invitation_missing


async def test_an_unknown_join_link_is_reported_and_joining_still_works():
    state = await opened_at("/join-neighborhood/nonsense")
    assert state.invitation_missing
    await run(state.arrive())  # a reload
    assert state.invitation_missing
    go_to(state, "/")
    await run(state.arrive())
    assert (state.opened, state.invitation_missing) == (False, False)
    await run(state.submit(waitlist_form()))
    assert state.stage == "picker"


async def test_the_picker_preselects_the_join_links_neighborhood_from_another_zip():
    neighborhood = await a_neighborhood("Palm Grove", "34209")
    state = await on_the_list(f"/join-neighborhood/{neighborhood.id}", zip_code="34236")
    assert state.chosen == neighborhood.id
    assert state.neighborhoods[0].name == "Palm Grove"
    await run(state.choose(""))
    await run(state.arrive())  # the link is opened again while choosing
    assert state.chosen == neighborhood.id
    await run(state.join())
    assert (state.stage, state.joined.members) == ("joined", 2)


async def test_invalid_fields_have_messages_and_the_first_gets_the_focus():
    state = await opened_at("/")
    form = waitlist_form(first_name=" ", email="nope", zip_code="123")
    sent = await run(state.submit(form))
    assert {field: text for field, text in state.field_errors.items() if text} == {
        "first_name": "First name is required",
        "email": "Invalid email address",
        "zip_code": "ZIP code must be 5 digits",
    }
    assert "waitlist_first_name" in str(sent[-1])
    assert not state.busy
    assert await count() == 0


async def test_a_field_is_checked_while_typing_after_its_first_error_and_survives_closing():
    state = await opened_at("/")
    await run(state.edit(typed(email="ada@")))
    assert state.field_errors["email"] == ""
    await run(state.submit(waitlist_form(email="nope")))
    await run(state.edit(typed(email="ada@")))
    assert state.field_errors["email"] == "Invalid email address"
    await run(state.edit(typed(email="ada@example.com")))
    assert state.field_errors["email"] == ""
    await run(state.show(False))
    await run(state.show(True))
    assert (state.opened, state.form["email"]) == (True, "ada@example.com")


async def test_neighborhoods_are_fetched_when_the_zip_is_whole():
    await a_neighborhood("Palm Grove", "34236")
    state = await opened_at("/")
    await run(state.edit(typed(zip_code="3423")))
    assert state.neighborhoods == []
    await run(state.edit(typed(zip_code="34236")))
    assert [each.name for each in state.neighborhoods] == ["Palm Grove"]


async def test_a_second_click_stores_nothing_more():
    state = await opened_at("/")
    form = waitlist_form()
    await run(state.submit(form))
    await run(state.submit(waitlist_form(email="other@example.com")))
    assert await count() == 1


async def test_a_registered_email_is_refused_at_its_field_until_it_is_another():
    await joined(email="ada@example.com")
    state = await opened_at("/")
    form = waitlist_form(email=" ADA@example.com ")
    await run(state.submit(form))
    assert (state.stage, state.form["first_name"]) == ("form", "Ada")
    await run(state.edit(form))  # sent before the button was pressed, arrives after
    assert state.field_errors["email"] == "This email has already been registered."
    await run(state.edit(waitlist_form(email="grace@example.com")))
    assert state.field_errors["email"] == ""


async def test_the_referrer_is_stored_and_survives_a_reload():
    referrer = await joined()
    state = await opened_at(f"/?ref={referrer}")
    await run(state.arrive())
    await run(state.submit(waitlist_form()))
    assert referrer in {row.referred_by_id for row in await stored()}


async def test_after_30_joins_in_an_hour_the_form_is_kept_with_a_clear_message():
    for _ in range(30):
        await joined(address="203.0.113.7")
    state = await opened_at("/")
    await run(state.submit(waitlist_form()))
    assert state.refusal.startswith("Too many attempts. Try again in ")
    assert state.stage == "form"


async def test_a_database_failure_keeps_the_form(monkeypatch):
    async def gone(*_args: object, **_named: object):
        raise ConnectionError("no database")

    monkeypatch.setattr(waitlist, "join", gone)
    state = await opened_at("/")
    await run(state.edit(typed(first_name="Ada")))
    await run(state.submit(waitlist_form()))
    assert state.refusal == SUBMIT_FAILED
    assert (state.stage, state.busy, state.form["first_name"]) == ("form", False, "Ada")

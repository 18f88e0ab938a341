"""Links that lead to the sign-up once the company is open, in one tab."""

from typing import Any

import pytest
import reflex as rx

from fuel_app.accounts.tables import SignUp
from fuel_app.areas.service import company
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.joining import service as joining
from fuel_app.joining.state import WaitlistState
from fuel_app.kit import secrets
from fuel_app.kit.db.session import transaction
from fuel_app.messages.rules.kinds import INVITED
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.rules import WaitlistEntry
from tests.factories import signup_form, waitlist_form
from tests.helpers.open_area import ELSEWHERE_ZIP, ZIP, open_area
from tests.helpers.sign_ups import rows
from tests.helpers.tabs import answer, go_to, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

GRACE = {"first_name": "Grace", "last_name": "Hopper", "email": "grace@example.com"}


async def waits(**differs: Any) -> str:
    async with transaction() as session:
        return await waitlist.add(session, WaitlistEntry.parse(waitlist_form(**differs)))


async def group(zip_code: str = ZIP) -> str:
    pioneer = await waits(email="pioneer@example.com")
    return (await joining.create(pioneer, "Palm Row", zip_code)).id


async def arrived(address: str, tab: rx.State | None = None) -> SignupState:
    tab = tab or tab_at(address)
    go_to(tab, address)
    state = await tab.get_state(SignupState)
    await run(state.arrive())
    return state


async def at_home(address: str) -> tuple[WaitlistState, str | None]:
    tab = tab_at(address)
    state = await tab.get_state(WaitlistState)
    return state, redirected(await answer(state.arrive()))


async def submitted(state: SignupState, **differs: Any) -> str | None:
    form = signup_form(password="engine-1843-loom", zip_code=ZIP) | differs
    return redirected(await answer(state.submit_signup(form)))


async def test_an_invitation_fills_in_the_form_and_stays_with_the_sign_up():
    await open_area()
    invited = await waits(**GRACE, zip_code=ZIP)
    state = await arrived(f"/onboarding?invited={secrets.token(INVITED, invited)}")
    assert state.contact == GRACE | {"phone": "(941) 555-0123", "zip_code": ZIP}
    assert (state.promises, state.link_used) == ([], False)
    assert await submitted(state) == "/onboarding/plan"
    (stored,) = await rows(SignUp)
    assert (stored.comes_from, stored.email) == ({"invited": invited}, "ada@example.com")


async def test_an_invitation_wins_over_typed_text_once():
    await open_area()
    invited = await waits(**GRACE)
    state = await arrived("/onboarding")
    await run(state.edit_contact(signup_form(zip_code=ZIP)))
    link = f"/onboarding?invited={secrets.token(INVITED, invited)}"
    await arrived(link, state)
    assert (state.contact["email"], state.contact["phone"]) == (GRACE["email"], "(941) 555-0123")
    await run(state.edit_contact(signup_form(zip_code=ZIP)))
    await arrived(link, state)  # a reload
    assert state.contact["email"] == "ada@example.com"


async def test_a_preview_keeps_its_sample_whatever_the_link_says():
    invited = await waits(**GRACE)
    state = await arrived(f"/onboarding?invited={secrets.token(INVITED, invited)}")
    assert (state.contact["first_name"], state._comes_from) == ("Sarah", {})


async def test_a_join_link_of_an_open_zip_leads_to_the_sign_up():
    await open_area()
    palm_row, friend = await group(), await waits(email="friend@example.com")
    _, led_to = await at_home(f"/join-neighborhood/{palm_row}?ref={friend}")
    assert led_to == f"/onboarding?ref={friend}&neighborhood={palm_row}"
    state = await arrived(led_to or "")
    assert state.contact["zip_code"] == ZIP
    await submitted(state)
    (stored,) = await rows(SignUp)
    assert stored.comes_from == {"ref": friend, "neighborhood": palm_row}


async def test_a_join_link_of_another_zip_stays_the_waitlist():
    await open_area()
    state, led_to = await at_home(f"/join-neighborhood/{await group(ELSEWHERE_ZIP)}")
    assert (led_to, state.opened) == (None, True)


async def test_a_failing_check_of_the_zip_stays_the_waitlist(monkeypatch):
    await open_area()
    palm_row = await group()

    async def gone(_zip_code: str):
        raise ConnectionError

    monkeypatch.setattr(company, "serves", gone)
    state, led_to = await at_home(f"/join-neighborhood/{palm_row}")
    assert (led_to, state.opened) == (None, True)


async def test_an_open_zip_typed_into_the_waitlist_leads_to_the_filled_in_sign_up():
    await open_area()
    friend = await waits(email="friend@example.com")
    waiting, led_to = await at_home(f"/?ref={friend}")
    assert (led_to, waiting.opened) == (None, True)
    sent = await run(waiting.submit(waitlist_form(zip_code=ZIP)))
    assert redirected(sent[-1]) == f"/onboarding?ref={friend}"
    assert (waiting.opened, waiting.busy, waiting.stage) == (False, False, "form")
    state = await arrived(f"/onboarding?ref={friend}", waiting)
    moved = ("first_name", "last_name", "zip_code", "phone")
    assert [state.contact[name] for name in moved] == ["Ada", "Lovelace", ZIP, "(941) 555-0123"]
    assert set(waiting.form.values()) == {""}


async def test_a_zip_that_is_not_open_keeps_the_friend_for_the_waitlist():
    await open_area()
    friend = await waits(email="friend@example.com")
    state = await arrived(f"/onboarding?ref={friend}")
    assert await submitted(state, zip_code=ELSEWHERE_ZIP) == f"/?waitlist=true&ref={friend}"


async def test_a_plans_button_chooses_it_and_a_later_choice_stays():
    await open_area()
    state = await arrived("/onboarding?plan=solo")
    assert state.plan == "solo"
    await run(state.choose_plan("big-family"))
    await run(state.arrive())
    assert state.plan == "big-family"
    await run(state.choose_plan("nonsense"))
    assert state.plan == "big-family"

"""The sign-in page: what a tab shows and keeps, its second step, and where it goes on."""

from typing import Any
from urllib.parse import quote

import pytest
from pyotp import random_base32
from pyotp.totp import TOTP
from sqlalchemy import delete

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.rules.security import SecondStepOver, Visitor, WrongCode, WrongSignIn
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE, SIGN_IN_FAILED, CookieState
from fuel_app.accounts.state.sign_in_pages import ResetPasswordState, SignInState
from fuel_app.accounts.tables import Challenge
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import transaction
from tests.helpers.people import EMAIL, PASSWORD, a_person, messages
from tests.helpers.sign_in import cookie_of, signed_in
from tests.helpers.tabs import focused, go_to, problems, redirected, run, tab_at, unavailable

pytestmark = pytest.mark.usefixtures("sqlite_database")


HERE = Visitor("203.0.113.7")


RIGHT = {"email": EMAIL, "password": PASSWORD}


async def opened(address: str = routes.SIGN_IN, cookie: str = "") -> SignInState:
    state = await tab_at(address, cookie=cookie).get_state(SignInState)
    await run(state.arrive())
    return state


async def end_second_steps() -> None:
    """End all open second steps, as a change of the password does."""
    async with transaction() as session:
        await session.execute(delete(Challenge))


async def signs_in(state: SignInState, form: Any = RIGHT) -> list[Any]:
    return await run(state.sign_in(form))


async def then(state: SignInState) -> str | None:
    """Fetch the cookie, as the page does. Return the address to which the tab goes."""
    cookie = await state.get_state(CookieState)
    assert await sessions.redeem_ticket(cookie.ticket)
    return redirected(await cookie.fetched(True))


async def a_cookie() -> str:
    cookie = await cookie_of(await signed_in(EMAIL, PASSWORD, HERE))
    return f"{COOKIE}={cookie.token}"


async def at_second_step(**more: Any) -> tuple[SignInState, str]:
    """Return a tab at the second step, and the seed of the authenticator app."""
    seed = random_base32()
    await a_person(totp_seed=secrets.encrypt(seed), totp_confirmed_at=clock.now(), **more)
    state = await opened()
    await signs_in(state)
    return state, seed


async def test_the_right_password_leads_to_the_dashboard():
    await a_person()
    state = await opened()
    await signs_in(state)
    assert (state.busy, (await state.get_state(CookieState)).fetching) == (False, True)
    assert await then(state) == routes.DASHBOARD


@pytest.mark.parametrize("asked", ["/account", "/submissions?lead=1&status=new", "/"])
async def test_signing_in_goes_on_to_the_page_that_was_asked_for(asked):
    await a_person()
    state = await opened(f"{routes.SIGN_IN}?next={quote(asked, safe='')}")
    assert state.then == asked
    await signs_in(state)
    assert await then(state) == asked


@pytest.mark.parametrize(
    "asked",
    ["//evil.example", "https://evil.example", "/%2F/evil.example", "/\t/evil.example", ""],
)
async def test_signing_in_leads_to_no_other_site(asked):
    await a_person()
    state = await opened(f"{routes.SIGN_IN}?next={quote(asked, safe='')}")
    await signs_in(state)
    assert (state.then, await then(state)) == (routes.DASHBOARD, routes.DASHBOARD)


async def test_who_is_signed_in_goes_on_at_once():
    await a_person()
    cookie = await a_cookie()
    for asked, reached in (("", routes.DASHBOARD), ("?next=/account", "/account")):
        state = await tab_at(routes.SIGN_IN + asked, cookie=cookie).get_state(SignInState)
        assert [redirected(sent) for sent in await run(state.arrive())] == [reached]


async def test_the_shared_password_may_sign_in_by_name(password):
    await a_person(Role.DISPATCHER)
    shared = await sessions.sign_in_shared(password, HERE)
    state = await opened(cookie=f"{COOKIE}={(await cookie_of(shared)).token}")
    await signs_in(state)
    assert await then(state) == routes.DASHBOARD
    assert await sessions.find(shared.session_id) is None


@pytest.mark.parametrize("email", [EMAIL, "nobody@example.com"])
async def test_known_and_unknown_emails_are_refused_alike(email):
    await a_person()
    state = await opened()
    sent = await signs_in(state, {"email": email, "password": "wrong"})
    assert (state.error, state.busy) == (WrongSignIn.message, False)
    assert focused(sent[-1]) == "sign_in_password"


@pytest.mark.parametrize("form", [None, [], {}, {"email": 7, "password": None}, {"email": "ada"}])
async def test_errors_stand_beside_the_fields(form):
    state = await opened()
    sent = await signs_in(state, form)
    assert problems(state.errors) == {
        "email": "Invalid email address",
        "password": "Password is required",
    }
    assert focused(sent[-1]) == "sign_in_email"


async def test_an_unavailable_database_is_no_wrong_password(monkeypatch):

    monkeypatch.setattr("fuel_app.accounts.service.sessions.sign_in", unavailable)
    state = await opened()
    await signs_in(state)
    assert (state.error, state.busy) == (SIGN_IN_FAILED, False)


async def test_neither_password_nor_code_is_kept_in_the_tab():
    state, seed = await at_second_step()
    code = TOTP(seed).now()
    assert (state.methods, (await state.get_state(CookieState)).ticket) == (["app"], "")
    await run(state.finish({"code": code}))
    assert (state.methods, await then(state)) == ([], routes.DASHBOARD)
    kept = repr([state._get_root_state().dict(), state._get_root_state()._backend_vars])
    assert PASSWORD not in kept
    assert code not in kept


async def test_a_second_step_belongs_to_its_tab():
    state, seed = await at_second_step()
    other = await opened()
    code = TOTP(seed).now()
    await run(other.finish({"code": code}))
    assert (await other.get_state(CookieState)).ticket == ""
    assert state._challenge not in repr(state._get_root_state().dict())


@pytest.mark.parametrize("form", [{"code": "000000"}, {"code": "x"}])
async def test_a_wrong_code_can_be_typed_again(form):
    state, _seed = await at_second_step()
    sent = await run(state.finish(form))
    assert (state.code_error, state.methods, state.busy) == (WrongCode.message, ["app"], False)
    assert focused(sent[-1]) == "second_step_code"


async def test_a_second_step_that_is_over_begins_again():
    state, seed = await at_second_step()
    await end_second_steps()
    await run(state.finish({"code": TOTP(seed).now()}))
    assert (state.error, state.methods) == (SecondStepOver.message, [])


async def test_a_code_is_texted_once_the_text_message_is_chosen():
    phone = {"phone": "9415550123", "phone_verified_at": clock.now(), "sms_codes": True}
    state, _seed = await at_second_step(**phone)
    assert state.methods == ["app", "sms"]
    assert await messages("sms_code") == []
    await run(state.choose("sms"))
    [sent] = await messages("sms_code")
    await run(state.finish({"code": secrets.code("sms", sent.payload["challenge"])}))
    assert await then(state) == routes.DASHBOARD


async def test_too_many_texts_are_said_and_late_ones_begin_again():
    phone = {"phone": "9415550123", "phone_verified_at": clock.now(), "sms_codes": True}
    await a_person(**phone)
    state = await opened()
    await signs_in(state)
    for _ in range(3):
        await run(state.choose("sms"))
    assert "Too many attempts" in state.error
    state._challenge = "another"
    await run(state.choose("sms"))
    assert (state.error, state.methods) == (SecondStepOver.message, [])


@pytest.mark.parametrize("method", ["sms", "", None, 7, ["app"], {}])
async def test_only_the_persons_own_ways_can_be_chosen(method):
    state, _seed = await at_second_step()
    await run(state.choose(method))
    assert state.method == "app"


async def test_one_can_go_back_to_the_password():
    state, seed = await at_second_step()
    state.start_over()
    assert (state.methods, state._challenge) == ([], "")
    await run(state.finish({"code": TOTP(seed).now()}))
    assert (await state.get_state(CookieState)).ticket == ""


async def test_the_page_opens_anew_without_the_last_errors():
    state = await opened()
    await signs_in(state, {})
    go_to(state._get_root_state(), routes.SIGN_IN)
    await run(state.arrive())
    assert problems(state.errors) == {}


@pytest.mark.parametrize("form", [{}, None, {"code": " "}])
async def test_an_empty_code_is_asked_for_and_counts_as_no_try(form):
    state, seed = await at_second_step()
    sent = [await run(state.finish(form)) for _ in range(8)][-1]
    assert (state.code_error, state.methods) == ("Enter the 6 digits.", ["app"])
    assert focused(sent[-1]) == "second_step_code"
    await run(state.finish({"code": TOTP(seed).now()}))
    assert (await state.get_state(CookieState)).ticket


async def test_opening_a_link_of_a_reset_drops_it():
    state, _seed = await at_second_step()
    await run((await state.get_state(ResetPasswordState)).arrive())
    assert (state.methods, state.error) == ([], "")


async def test_a_second_step_outlives_a_lost_connection_until_it_is_over():
    state, _seed = await at_second_step()
    await run(state.arrive())
    assert state.methods == ["app"]
    await end_second_steps()
    await run(state.arrive())
    assert (state.methods, state._challenge) == ([], "")


@pytest.mark.parametrize("asked", ["/drive", "/account", "/dashboard", "/submissions"])
async def test_a_technicians_browser_loads_the_page_that_the_router_does_not_have(asked):
    await a_person(Role.TECHNICIAN)
    state = await opened(f"{routes.SIGN_IN}?next={quote(asked, safe='')}")
    await signs_in(state)
    cookie = await state.get_state(CookieState)
    await run(state.arrive())  # it was late: the browser would leave before its cookie has come
    assert cookie.leave_for == ""
    assert await then(state) is None
    assert cookie.leave_for == routes.DRIVE
    cookie._greet()  # the tab connects anew
    assert cookie.leave_for == ""


async def test_a_signed_in_technician_is_led_to_their_page_and_may_accept_an_invitation():
    await a_person(Role.TECHNICIAN)
    cookie = await a_cookie()
    state = await opened(cookie=cookie)
    assert (await state.get_state(CookieState)).leave_for == routes.DRIVE
    state = await opened(f"{routes.SIGN_IN}?next=/account", cookie)
    assert (await state.get_state(CookieState)).leave_for == routes.DRIVE
    state = tab_at(f"{routes.SIGN_IN}?next=/invitation", cookie=cookie)
    arrived = (await state.get_state(SignInState)).arrive()
    assert redirected((await run(arrived))[-1]) == routes.INVITATION


async def test_a_technician_who_is_a_customer_too_comes_to_their_route_unless_they_ask_for_more():
    await a_person(Role.TECHNICIAN, Role.CUSTOMER)
    state = await opened()
    await signs_in(state)
    assert await then(state) is None
    assert (await state.get_state(CookieState)).leave_for == routes.DRIVE
    state = await opened(f"{routes.SIGN_IN}?next=/account")
    await signs_in(state)
    assert await then(state) == routes.ACCOUNT


async def test_others_who_ask_for_the_technicians_page_come_to_their_own():
    await a_person()
    state = await opened(f"{routes.SIGN_IN}?next=/drive")
    await signs_in(state)
    assert await then(state) == routes.DASHBOARD
    tab = tab_at(f"{routes.SIGN_IN}?next=/drive", cookie=await a_cookie())  # signed in already
    arrived = (await tab.get_state(SignInState)).arrive()
    assert redirected((await run(arrived))[-1]) == routes.DASHBOARD

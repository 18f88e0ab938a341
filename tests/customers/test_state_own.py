"""Customers' screens of signed-in people, and previews that are open when the company opens."""

import asyncio

import pytest
import reflex as rx
from sqlalchemy import update

from fuel_app.accounts.rules import Purpose, Role
from fuel_app.accounts.rules.security import NoCode, NoPhone, WrongCode
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE, SessionState
from fuel_app.accounts.tables import Person, StoredSession
from fuel_app.areas.rules.areas import WAITLIST
from fuel_app.areas.tables import Area
from fuel_app.customers.service.account import account_of
from fuel_app.customers.state.customer import CONSENT, CustomerState
from fuel_app.customers.state.security import ReauthenticationState
from fuel_app.customers.state.texts import OfferTextsState, TextsState
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import signals
from fuel_app.membership.state import AccountState
from fuel_app.messages import service as messages
from fuel_app.messages.rules.delivery import ConsentNeeded
from tests.accounts.factors import sms_code
from tests.factories import personal_form
from tests.helpers.customers import arrived, at, card, cookie_of, said, stale
from tests.helpers.open_area import open_area
from tests.helpers.people import EMAIL, PASSWORD, a_person, rows
from tests.helpers.sign_ups import begun, complete
from tests.helpers.signed_in import cookie_for
from tests.helpers.tabs import answer, focused, go_to, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

EVERY_PAGE = ("/dashboard", "/account", "/billing", "/notifications", "/support")


@pytest.fixture
async def tab() -> rx.State:
    """A signed-in customer at Account Settings, the company being open."""
    await open_area()
    return await at("/account", await cookie_of())


async def test_a_person_sees_their_own_and_nothing_of_the_sample(tab):
    shown = await card(tab)
    assert (shown.name, shown.initials, shown.email) == ("Ada Lovelace", "AL", EMAIL)
    assert (shown.plan, shown.plan_summary) == (
        "Family Plan",
        "4 fills per month · Not started yet",
    )
    customer = await tab.get_state(CustomerState)
    assert (customer.is_own, customer.vehicles, customer.billing.plan) == (True, [], "")
    assert (shown.first_name, customer.email_verified) == ("Ada", True)
    assert "Sarah" not in repr(customer._sample)


async def test_staff_who_are_no_customers_change_their_name_without_an_address():
    await open_area()
    person = await a_person(Role.DISPATCHER, email="zoe@example.com", phone="9415550123")
    tab = await at("/account", f"{COOKIE}={await cookie_for(person.id)}")
    customer = await tab.get_state(CustomerState)
    assert customer.is_customer is False
    assert customer.card.plan == "Staff"
    account = await tab.get_state(AccountState)
    await run(account.begin())
    shown = {"first_name": "Zoe", "last_name": "Adams", "phone": "9415550123"}
    await run(account.save(shown | {"email": "zoe@example.com"}))
    assert ((await card(tab)).name, account.editing) == ("Zoe Adams", False)


@pytest.mark.parametrize("page", [*EVERY_PAGE, "/security"])
async def test_a_technician_is_led_from_customers_pages_to_the_sign_in_which_leads_on(page):
    await open_area()
    person = await a_person(Role.TECHNICIAN)
    tab = await at(page, f"{COOKIE}={await cookie_for(person.id)}")
    told = await answer((await tab.get_state(CustomerState)).arrive())
    assert redirected(told) == f"/sign-in?next=%2F{page[1:]}"
    assert (await card(tab)).name == ""


async def test_a_persons_data_goes_to_their_own_connection_alone(tab):
    customer = await tab.get_state(CustomerState)
    assert customer.dict()
    assert customer._is_private
    go_to(tab, "/account", connection="connection-2")
    assert customer.dict() == {}


async def test_an_ended_session_leads_to_the_sign_in_and_says_nothing_of_opening(tab):
    session = (await tab.get_state(SessionState))._session
    await sessions.sign_out(session.id)
    account = await tab.get_state(AccountState)
    assert redirected(await answer(account.begin())) == "/sign-in?next=%2Faccount"
    assert await said(tab) == []
    assert (await card(tab)).name == ""


async def test_signing_out_in_one_tab_ends_the_others(tab):
    state = await tab.get_state(SessionState)
    follow = SessionState.event_handlers["follow"].fn
    task = asyncio.create_task(run(follow(state)))
    while not signals().listeners:  # noqa: ASYNC110 (a moment)
        await asyncio.sleep(0)
    await sessions.sign_out(state._session.id)
    async with asyncio.timeout(5):
        assert redirected((await task)[-1]) == "/"
    assert (await card(tab)).name == ""


async def test_the_next_person_in_a_tab_finds_nothing_of_the_last(tab):
    await run((await tab.get_state(AccountState)).begin())
    go_to(tab, "/account", cookie=await cookie_of("grace@example.com", first_name="Grace"))
    await run((await tab.get_state(CustomerState)).toggle_notification("completion"))
    account = await tab.get_state(AccountState)
    assert (account.editing, account.form["first_name"]) == (False, "")
    assert (await card(tab)).name == "Grace Lovelace"


async def test_a_sign_up_reaches_the_dashboard_alone():
    await open_area()
    signed_in = await complete(await begun())
    cookie = await sessions.redeem_ticket(signed_in.ticket)
    assert cookie
    tab = tab_at("/account", cookie=f"{COOKIE}={cookie.token}")
    assert await arrived(tab) == "/dashboard"
    account = await tab.get_state(AccountState)
    for fired in (account.arrive(), account.save(personal_form()), account.delete_account()):
        assert redirected(await answer(fired)) == "/dashboard"
    go_to(tab, "/dashboard", cookie=f"{COOKIE}={cookie.token}")
    assert await arrived(tab) is None
    assert await answer(account.arrive()) is None  # a redirect to the open page never ends
    assert not (
        await tab.get_state(CustomerState)
    ).email_verified  # the page asks for the code in place of the card 'Next'


async def test_a_name_is_corrected_without_an_address(tab):
    account = await tab.get_state(AccountState)
    await run(account.begin())
    assert account.form["zip_code"] == "34236"  # from sign-up
    await run(account.save({**account.form, "first_name": "Grace"}))
    [person] = await rows(Person)
    assert (person.first_name, (await card(tab)).name) == ("Grace", "Grace Lovelace")
    assert (await said(tab), account.editing) == (["Saved"], False)
    await run(account.begin())
    await run(account.save(personal_form(email=EMAIL, state="zz")))
    assert account.field_errors["state"] == "Enter a US state such as FL"
    await run(account.edit(personal_form(email=EMAIL, state="Florida")))
    assert account.field_errors["state"] == ""
    await run(account.save(account.form))
    assert (account.form["state"], account.editing) == ("FL", False)


async def test_a_field_that_cannot_be_changed_says_why(tab):
    async with transaction() as session:
        await session.execute(update(Person).values(sms_codes=True, phone_verified_at=clock.now()))
    account = await tab.get_state(AccountState)
    await run(account.begin())
    asked = personal_form(email=EMAIL, phone="(941) 555-0199")
    await run(account.save(asked))
    await run(account.edit(asked))  # the button loses the focus
    assert "Turn off codes" in account.field_errors["phone"]
    assert account.editing


async def test_nothing_of_a_person_becomes_the_sample_when_the_area_closes_again():
    await open_area()
    staff = await a_person(Role.DISPATCHER)
    tab = await at("/account", f"{COOKIE}={await cookie_for(staff.id)}")
    assert (await card(tab)).first_name == "Ada"
    async with transaction() as session:
        await session.execute(update(Area).values(status=WAITLIST))
    await run((await tab.get_state(CustomerState)).arrive())
    assert (await card(tab)).first_name == "Sarah"


async def test_text_messages_wait_for_a_consent(tab):
    customer = await tab.get_state(CustomerState)
    await run(customer.agree_to_texts())  # nobody was asked
    sent = await run(customer.toggle_notification("sms"))
    assert (customer.consent_needed, customer.notifications["sms"]) == (True, False)
    assert focused(sent[-1]) == CONSENT
    async with transaction() as session:
        await session.execute(update(Person).values(phone_verified_at=clock.now()))
    await run(customer.agree_to_texts())
    assert (customer.consent_needed, customer.notifications["sms"]) == (False, True)


async def test_offers_by_text_are_agreed_to_where_their_wording_is_shown(tab):
    offers = await tab.get_state(OfferTextsState)
    await run(offers.arrive())
    assert (offers.shown, offers.agreed) == (True, False)
    await run(offers.agree())  # without a consent to text messages
    assert (offers.error, offers.agreed) == (str(ConsentNeeded()), False)
    [person] = await rows(Person)
    async with transaction() as session:
        await session.execute(update(Person).values(phone_verified_at=clock.now()))
        await messages.agree_to_texts(session, person.phone, person.id)
    await run(offers.agree())
    assert (offers.error, offers.agreed) == ("", True)
    await run(offers.end())
    assert not offers.agreed


async def test_deleting_says_what_goes_and_asks_for_the_password_at_once(tab):
    account = await tab.get_state(AccountState)
    await run(account.arrive())
    assert "30 days later we remove" in account.closing
    assert "Booked fill-ups are cancelled, and a plan ends" in account.closing
    assert await answer(account.ask_to_delete()) is None  # however fresh the sign-in
    proof = await tab.get_state(ReauthenticationState)
    assert proof.opened
    sent = await run(proof.confirm({"password": PASSWORD}))
    assert "delete_account" in sent[-1].handler.fn.__qualname__


async def test_the_download_asks_for_the_password_unless_it_was_given(tab):
    account, proof = await tab.get_state(AccountState), await tab.get_state(ReauthenticationState)
    sent = await answer(account.download_data())
    assert (str(sent.args[0][1]), proof.opened) == ('"/api/account/data"', False)
    await stale(tab)
    await (await tab.get_state(SessionState))._look()
    assert await answer(account.download_data()) is None
    assert proof.opened
    sent = await run(proof.confirm({"password": PASSWORD}))
    assert "download_data" in sent[-1].handler.fn.__qualname__


async def test_a_phone_that_has_sent_stop_has_to_send_start_before_it_agrees(tab):
    customer = await tab.get_state(CustomerState)
    await run(customer.toggle_notification("sms"))
    async with transaction() as session:
        await session.execute(update(Person).values(phone_verified_at=clock.now()))
    [person] = await rows(Person)
    for word, on in (("STOP", False), ("START", True)):
        await messages.receive_text(f"+1{person.phone}", word)
        await run(customer.agree_to_texts())
        assert customer.notifications["sms"] == on
        assert customer.texts_refusal.startswith("Text START to ") != on
    await messages.receive_text(f"+1{person.phone}", "STOP")
    for _ in range(2):
        await run(customer.toggle_notification("sms"))
    assert (customer.consent_needed, customer.notifications["sms"]) == (False, False)


async def test_phone_is_verified_under_the_switch_and_is_no_second_factor(tab):
    customer, texts = await tab.get_state(CustomerState), await tab.get_state(TextsState)
    await run(texts.confirm({"code": "123456"}))  # none was sent
    await run(customer.toggle_notification("sms"))
    sent = await run(texts.send_code())
    assert (focused(sent[-1]), texts.code_sent, texts.busy) == ("texts_code", True, False)
    for typed, error in (("", NoCode.message), ("no code", WrongCode.message), (None, "")):
        [person] = await rows(Person)
        code = await sms_code(person.id, Purpose.PHONE) if typed is None else typed
        sent = await run(texts.confirm({"code": code}))
        assert texts.error == error
    assert focused(sent[-1]) == "preferences_sms"
    [person] = await rows(Person)
    assert (person.phone_verified_at is not None, person.sms_codes) == (True, False)
    assert (customer.consent_needed, customer.notifications["sms"]) == (False, True)
    assert await said(tab) == ["Text messages are on"]
    texts.code_sent = texts.busy = True  # a double click
    assert await run(texts.confirm({"code": "123456"})) == []
    assert await run(texts.send_code()) == []


async def test_code_for_text_messages_needs_a_phone_that_takes_them(tab):
    texts = await tab.get_state(TextsState)
    [person] = await rows(Person)
    await messages.receive_text(f"+1{person.phone}", "STOP")
    await run(texts.send_code())
    assert texts.error.startswith("Text START to ")
    await messages.receive_text(f"+1{person.phone}", "START")
    await run(texts.send_code())
    await messages.receive_text(f"+1{person.phone}", "STOP")  # meanwhile
    await run(texts.confirm({"code": await sms_code(person.id, Purpose.PHONE)}))
    assert texts.error.startswith("Text START to ")
    async with transaction() as session:
        await session.execute(update(Person).values(phone=""))
    await run(texts.send_code())
    assert texts.error == NoPhone.message


async def test_deleting_asks_for_the_password_then_signs_out_everywhere(tab):
    await stale(tab)
    account = await tab.get_state(AccountState)
    assert await answer(account.delete_account()) is None
    proof = await tab.get_state(ReauthenticationState)
    assert proof.opened
    await run(proof.confirm({"password": PASSWORD}))
    assert redirected(await answer(account.delete_account())) == "/"
    assert "Your account is closed." in (await said(tab))[-1]
    assert await rows(StoredSession) == []
    assert (await card(tab)).name == ""
    assert await account_of(None, None) is None

"""A signed-in person's own account in the database."""

import json
from typing import Any

import pytest
from sqlalchemy import delete, update

from fuel_app.accounts.rules import AccountGone, Session
from fuel_app.accounts.service import sessions
from fuel_app.accounts.tables import Person, SignUp
from fuel_app.customers.rules.customers import BillingCard, NotVerified, Personal
from fuel_app.customers.service.account import Own, Unverified, account_of
from fuel_app.customers.tables import CustomerNote, StoredCustomer
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.membership import service as membership
from fuel_app.messages.rules.delivery import ConsentNeeded
from fuel_app.plans.tables import Subscription
from fuel_app.preview.service.account import Preview
from tests.factories import own_vehicle, personal_form, vehicle
from tests.helpers.open_area import open_area
from tests.helpers.people import EMAIL, a_person, history, rows
from tests.helpers.sign_ups import begun, complete
from tests.helpers.signed_in import session_of
from tests.staff import HERE, PASSWORD

pytestmark = pytest.mark.usefixtures("database")

PHONE = "9415550123"


async def own(**more: Any) -> Own:
    person = await a_person(**{"phone": PHONE} | more)
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code="34236"))
        session.add(Subscription(person_id=person.id, plan_id="family"))
    return Own(await session_of(person.id))


def personal(**differs: Any) -> Personal:
    return Personal.parse(personal_form(**{"email": EMAIL} | differs))


async def change(table: Any, **values: Any) -> None:
    async with transaction() as session:
        await session.execute(update(table).values(**values))


async def the_person() -> Person:
    [person] = await rows(Person)
    return person


async def test_a_person_sees_their_name_plan_and_nothing_of_the_sample():
    customer = await (await own()).read()
    assert (customer.personal.name, customer.personal.email) == ("Ada Lovelace", EMAIL)
    assert customer.plan
    assert customer.plan.name == "Family Plan"
    assert (customer.billing, customer.fills_remaining) == (BillingCard(), None)
    assert customer.vehicles == customer.sign_ins == ()


async def test_saved_changes_are_stored_but_not_the_e_mail():
    account = await own(phone_verified_at=clock.now())
    saved = await account.save_personal(personal(first_name="Grace", email="new@example.com"))
    assert (saved.personal.first_name, saved.personal.address) == ("Grace", "1 Main Street")
    assert saved.personal.email == EMAIL
    assert saved.phone_verified
    fields = ["first_name", "address", "city", "state"]
    [(kind, after)] = await history((await the_person()).id)
    assert (kind, after) == ("personal_changed", {"fields": fields})
    await account.save_personal(personal(first_name="Grace"))
    assert len(await history((await the_person()).id)) == 1  # nothing has changed


async def test_another_phone_is_not_verified():
    account = await own(phone_verified_at=clock.now())
    saved = await account.save_personal(personal(phone="(941) 555-0199"))
    assert (saved.personal.phone, saved.phone_verified) == ("9415550199", False)


async def test_the_phone_of_the_second_factor_stays():
    account = await own(phone_verified_at=clock.now(), sms_codes=True)
    with pytest.raises(InvalidForm) as refused:
        await account.save_personal(personal(phone="(941) 555-0199"))
    assert list(refused.value.messages) == ["phone"]
    assert (await the_person()).phone == PHONE


NAMES = [
    "x" * 100,
    "Ḁ̴̛d̷a" + "\u0301" * 30,
    "عدا",
    "\U0001f469\u200d\U0001f680",
    "ﬁ ß ŉ",
    "<b>Ada</b>",
    "Ada'; DROP TABLE people; --",
    "{{7*7}} ${x} %s",
]


@pytest.mark.parametrize("name", NAMES)
async def test_huge_and_odd_names_are_kept_as_typed(name):
    account = await own()
    saved = await account.save_personal(personal(first_name=name, last_name=name))
    assert saved.personal.first_name == personal(first_name=name).first_name
    assert 1 <= len(saved.personal.initials) <= 2
    assert json.loads(await membership.download(account.session))["person"]["first_name"]


async def test_switches_are_the_persons_own():
    account = await own()
    assert not (await account.toggle_notification("completion")).notifications.completion
    before = (await account.read()).notifications
    assert (await account.toggle_notification("nonsense")).notifications == before
    with pytest.raises(ConsentNeeded):
        await account.toggle_notification("sms")


async def test_text_messages_need_a_verified_phone_and_a_consent():
    account = await own()
    assert not (await account.agree_to_texts()).notifications.sms
    await change(Person, phone_verified_at=clock.now())
    assert (await account.agree_to_texts()).notifications.sms
    assert not (await account.toggle_notification("sms")).notifications.sms
    assert (await account.toggle_notification("sms")).notifications.sms  # the consent holds


async def test_vehicles_are_the_persons_own():
    account = await own()
    [first] = (await account.save_vehicle(own_vehicle())).vehicles
    assert (first.license_plate, first.image) == ("ABC 123", "")
    [edited] = (await account.save_vehicle(own_vehicle(id=first.id, color="Red"))).vehicles
    assert (edited.id, edited.color) == (first.id, "Red")
    assert (await account.remove_vehicle(first.id)).vehicles == ()
    assert (await account.restore_vehicle(edited, 0)).vehicles == (edited,)
    with pytest.raises(TypeError):
        await account.save_vehicle(vehicle())


async def test_a_closed_account_shows_and_changes_nothing():
    account = await own()
    await change(Person, deactivated_at=clock.now())
    for step in (account.read(), account.save_personal(personal()), account.agree_to_texts()):
        with pytest.raises(AccountGone):
            await step


async def a_sign_up() -> Session:
    await open_area()
    signed_in = await complete(await begun())
    session = await sessions.find(signed_in.session_id)
    assert session
    return session


async def test_a_sign_up_sees_its_name_and_plan_and_changes_nothing():
    account = await account_of(await a_sign_up(), None)
    assert isinstance(account, Unverified)
    customer = await account.read()
    assert customer.plan
    assert not customer.email_verified
    for step in (
        account.save_personal(personal()),
        account.toggle_notification("marketing"),
        account.agree_to_texts(),
        account.save_vehicle(own_vehicle()),
        account.use_vehicle("x"),
        account.remove_vehicle("x"),
        account.restore_vehicle(own_vehicle(), 0),
    ):
        with pytest.raises(NotVerified):
            await step


async def test_a_lapsed_sign_up_is_gone():
    session = await a_sign_up()
    async with transaction() as writing:
        await writing.execute(delete(SignUp))
    with pytest.raises(AccountGone):
        await Unverified(session).read()


@pytest.mark.usefixtures("password")
async def test_whose_account_a_tab_shows():
    ada = (await own()).session
    signed_in = await sessions.sign_in_shared(PASSWORD, HERE)
    shared = await sessions.find(signed_in.session_id)
    kept = await Preview().read()
    for session in (None, shared, ada):
        assert await account_of(session, kept) == Preview(kept)
    await open_area()
    assert await account_of(None, kept) is None
    assert await account_of(shared, kept) is None
    assert await account_of(ada, kept) == Own(ada)


async def test_the_download_holds_no_secret_and_no_author_of_a_note():
    account = await own(totp_seed="a seed")
    owner = account.session.person_id
    async with transaction() as session:
        session.add(CustomerNote(person_id=owner, author="a colleague", text="Call first"))
    text = await membership.download(account.session)
    assert list(json.loads(text)) == [
        *("person", "second_factors", "sessions", "login_history", "account_changes"),
        *("customer", "waitlist_entry", "vehicles", "addresses", "staff_notes"),
        *("subscription", "ledger", "notifications", "text_message_consents"),
        *("notification_devices", "messages"),
        "card",
        "invoices",
        "credits",
        "bookings",
        "waiting_for_windows",
        "fills_elsewhere",
        "booked_when_due",
        "proposed_seats",
        "repeats",
        "recorded_at_fills",
        "photos_of_fills",
        "companies",
    ]
    assert "Call first" in text
    person = await the_person()
    secrets = (person.password_hash, person.totp_seed, person.passkey_user, "a colleague")
    assert not any(secret in text for secret in secrets if secret)

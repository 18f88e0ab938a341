"""Signing up as a customer, before and after the company opens."""

from typing import Any

import pytest

from fuel_app.accounts.rules import SignUpGone
from fuel_app.accounts.rules.security import WrongCode
from fuel_app.accounts.service import sign_up as accounts
from fuel_app.accounts.tables import Person, SignUp
from fuel_app.customers.rules.sign_up import NotServed, UnknownPlan
from fuel_app.customers.service import sign_up
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests
from fuel_app.kit.legal import PRIVACY_VERSION, TERMS_VERSION
from fuel_app.membership import service as membership
from fuel_app.messages import queries
from fuel_app.messages.tables import RefusedAddress, UnsubscribedAddress
from fuel_app.plans.tables import Subscription
from fuel_app.preview.samples import CONTACT, PASSWORD
from tests.factories import signup_form
from tests.helpers.open_area import ELSEWHERE_ZIP, ZIP, open_area
from tests.helpers.sign_ups import HERE, code_of, opened, rows

STRONG = "engine-1843-loom"


def form(**differs: Any) -> dict[str, Any]:
    return signup_form(password=STRONG, zip_code=ZIP) | differs


async def begin(sent: object, former_id: str = "") -> str:
    return await sign_up.begin(sent, former_id=former_id, visitor=HERE)


async def refused(sent: object) -> dict[str, str]:
    with pytest.raises(InvalidForm) as error:
        await begin(sent)
    return error.value.messages


async def test_a_preview_begins_with_the_sample_and_stores_nothing(sqlite_database):
    start = await sign_up.beginning()
    assert (start.contact, start.password) == (CONTACT.model_dump(), PASSWORD)
    assert await begin(form()) == ""
    assert await sign_up.complete("", "family", HERE) is None
    assert await rows(SignUp) == []


async def test_a_real_sign_up_begins_empty(sqlite_database):
    await open_area()
    start = await sign_up.beginning()
    assert set(start.contact.values()) == {""}
    assert (start.password, start.opens_account) == ("", True)


async def test_a_verified_customer_has_the_chosen_plan_as_incomplete(database):
    await open_area()
    signed_in = await sign_up.complete(await begin(form()), "solo", visitor=HERE)
    assert signed_in
    session = await opened(signed_in)
    pending = await accounts.find(session)
    assert pending
    assert (pending.applicant.email, pending.plan_id) == ("ada@example.com", "solo")
    with pytest.raises(WrongCode):
        await membership.verify(session, "", HERE)
    await accounts.resend(session, HERE)
    person = await opened(await membership.verify(session, await code_of(session), HERE))
    (customer,) = await rows(StoredCustomer)
    (stored,) = await rows(Person)
    assert (customer.person_id, stored.id) == (person.person_id, person.person_id)
    (chosen,) = await rows(Subscription)
    assert (chosen.plan_id, chosen.state, customer.zip_code) == ("solo", "incomplete", ZIP)
    assert (stored.phone, stored.terms_version) == ("9415550123", TERMS_VERSION)
    assert stored.privacy_version == PRIVACY_VERSION


@pytest.mark.parametrize(
    ("sent", "messages"),
    [
        (None, {"first_name", "last_name", "email", "phone", "zip_code", "password"}),
        (form(phone="941555"), {"phone": "Phone number must be at least 10 digits"}),
        (form(phone="+44 20 7946 00188"), {"phone": "Phone number must be 10 digits"}),
        (form(zip_code="3423"), {"zip_code": "ZIP code must be 5 digits"}),
        (form(password="short1!"), {"password": "Password must be at least 8 characters"}),
        (form(password=["x"]), {"password": "Password must be at least 8 characters"}),
        (
            form(password="Lovelace1!"),
            {"password": "This password is easy to guess: it contains your name or email"},
        ),
    ],
)
async def test_a_wrong_form_is_refused_beside_its_fields(sqlite_database, sent, messages):
    await open_area()
    found = await refused(sent)
    assert (found if isinstance(messages, dict) else set(found)) == messages
    assert await rows(SignUp) == []


async def test_a_zip_outside_the_open_areas_is_not_served(sqlite_database):
    await open_area()
    with pytest.raises(NotServed, match=f"We do not serve {ELSEWHERE_ZIP} yet"):
        await begin(form(zip_code=ELSEWHERE_ZIP))
    assert await rows(SignUp) == []


async def test_a_corrected_contact_needs_no_second_password(sqlite_database):
    await open_area()
    first = await begin(form(email="typo@example.com"))
    second = await begin(form(password=""), former_id=first)
    (stored,) = await rows(SignUp)
    assert (stored.id, stored.email) == (second, "ada@example.com")
    with pytest.raises(SignUpGone):
        await begin(form(password=""), former_id="gone")


@pytest.mark.parametrize("plan", ["free", None, ["solo"], {"id": "solo"}])
async def test_an_unknown_plan_is_refused(sqlite_database, plan):
    await open_area()
    with pytest.raises(UnknownPlan):
        await sign_up.complete(await begin(form()), plan, visitor=HERE)


async def test_a_password_is_rated_while_it_is_typed(sqlite_database):
    weak, strong = form(password="Lovelace1!"), form()
    problem = await sign_up.password_problem(weak, HERE)
    assert problem == "This password is easy to guess: it contains your name or email"
    assert await sign_up.password_problem(strong, HERE) == ""
    for _ in range(60):
        await sign_up.password_problem({}, HERE)
    assert await sign_up.password_problem(weak, HERE) is None


async def test_guessing_what_is_a_good_password_is_throttled(sqlite_database):
    await open_area()
    for _ in range(60):
        await sign_up.password_problem({}, HERE)
    with pytest.raises(TooManyRequests):
        await begin(form())


async def test_a_verified_address_gets_mail_again_after_it_has_refused_some(sqlite_database):
    await open_area()
    signed_in = await sign_up.complete(await begin(form()), "solo", visitor=HERE)
    assert signed_in
    session = await opened(signed_in)
    async with transaction() as database:
        await queries.refuse_address(database, "ada@example.com", "550 no such user")
        await queries.unsubscribe_address(database, "ada@example.com")
    await membership.verify(session, await code_of(session), HERE)
    assert await rows(RefusedAddress) == []
    assert await rows(UnsubscribedAddress) == []

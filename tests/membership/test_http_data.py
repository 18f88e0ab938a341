"""The download of one's own data."""

import json
from datetime import timedelta

import pytest

from fuel_app.accounts.rules import REAUTHENTICATED_FOR
from fuel_app.accounts.state.session import COOKIE
from fuel_app.customers.service import neighborhood
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock
from tests.helpers.customers import cookie_of
from tests.helpers.open_area import open_area
from tests.helpers.people import a_person
from tests.helpers.sign_ups import rows
from tests.helpers.signed_in import cookie_for
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

ADDRESS = "/api/account/data"


async def test_a_person_downloads_their_own_data_as_a_file(browser):
    await a_person(email="grace@example.com", first_name="Grace")
    person = await a_person()
    cookie = f"{COOKIE}={await cookie_for(person.id)}"
    answer = await browser.get(f"{ADDRESS}?id=grace", headers={"cookie": cookie})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="your-data.json"'
    assert answer.headers["cache-control"] == "no-store"
    assert json.loads(answer.text)["person"]["email"] == person.email
    assert "grace" not in answer.text.lower()


async def test_it_needs_a_password_or_factor_given_a_moment_ago(browser, monkeypatch):
    person = await a_person()
    cookie = f"{COOKIE}={await cookie_for(person.id)}"
    later = clock.now() + REAUTHENTICATED_FOR + timedelta(seconds=1)
    monkeypatch.setattr("fuel_app.kit.clock.now", lambda: later)
    answer = await browser.get(ADDRESS, headers={"cookie": cookie})
    assert (answer.status_code, answer.text) == (403, "Please confirm that it is you.")
    assert "content-disposition" not in answer.headers


async def test_nobody_else_gets_an_answer(browser):
    assert (await browser.get(ADDRESS)).status_code == 401
    shared = {"cookie": f"{COOKIE}={await a_token()}"}
    assert (await browser.get(ADDRESS, headers=shared)).status_code == 403
    assert (await browser.post(ADDRESS, headers=shared)).status_code == 405


async def test_the_waitlist_entry_is_part_of_the_data(browser):
    await open_area()
    cookie = await cookie_of()
    (customer,) = await rows(StoredCustomer)
    entry_id = await neighborhood.claim_entry(customer.person_id)
    data = json.loads((await browser.get(ADDRESS, headers={"cookie": cookie})).text)
    assert data["waitlist_entry"]["id"] == entry_id
    assert "resume_hash" not in data["waitlist_entry"]

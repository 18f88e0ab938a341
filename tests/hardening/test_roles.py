"""Every guarded event and address, tried by every kind of session that may not use it."""

import inspect
import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from starlette.applications import Starlette

from fuel_app.accounts.http import GUARDED_ENDPOINTS
from fuel_app.accounts.state.session import COOKIE
from fuel_app.areas.tables import Area
from fuel_app.billing.rules.invoices import LATE_FEE, Line
from fuel_app.billing.service import invoices
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import metadata
from fuel_app.kit.money import dollars
from tests.factories import UNKNOWN_ID, row
from tests.hardening.firing import fire, stored_rows
from tests.hardening.roles import ADMIN, EVERY_ROLE, WHO, GuardedEvent, guarded_events
from tests.helpers.signed_in import a_person
from tests.helpers.staff_access import addresses
from tests.helpers.tabs import tab_at

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

EVENTS = guarded_events()
SECRET = "Zebulon"
UNCHECKED = {"jobs", "schedules", "sessions"}  # what looking a session up may touch


async def _bait() -> list[str]:
    """Store what only others may see. Return the ids."""
    async with transaction() as session:
        area = Area(name=SECRET, status="open")
        session.add(area)
        await session.flush()
    other = await a_person(first_name=SECRET)
    async with transaction() as session:
        lead = row("waitlist_submissions", first_name=SECRET)
        await session.execute(sa.insert(metadata.tables["waitlist_submissions"]).values(lead))
        payer = await invoices.payer_of_person(session, other)
        fee = Line("late_fee", SECRET, dollars(15))
        bill = {"key": "late_fee", "kind": LATE_FEE, "payer": payer, "lines": [fee]}
        invoice = await invoices.draft_invoice(session, **bill)
        await invoices.open_invoice(session, invoice)
    return [area.id, other, lead["id"], invoice.id]


def _payloads(event: GuardedEvent, ids: list[str]) -> Iterator[dict[str, Any]]:
    """Yield an id as all arguments, and as each of them while others are 1."""
    names = list(inspect.signature(event.handler.fn).parameters)[1:]
    form = {"id": ids[0], "email": "x@example.com", "code": "1"}
    for value in [*ids, form] if names else [None]:
        yield dict.fromkeys(names, value)
    if len(names) > 1:
        for name, value in product(names, ids):
            yield dict.fromkeys(names, 1) | {name: value}


@pytest.mark.parametrize(
    "each_payload",
    [
        pytest.param(False, id="one payload"),
        pytest.param(True, id="each payload", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("who", WHO)
async def test_events_beyond_a_role_answer_and_change_nothing(who, each_payload):
    sign_in, has = WHO[who]
    ids = await _bait()
    if who != "shared password":
        await ADMIN()
    token = await sign_in()
    before = await stored_rows(without=UNCHECKED)
    tab = tab_at("/dashboard", cookie=f"{COOKIE}={token}")
    for event in EVENTS:
        beyond = event.roles.isdisjoint(has)
        if event.is_for_customers:
            beyond = who in {"nobody", "shared password", "technician"}  # others: their own data
        if not beyond:
            continue
        for payload in islice(_payloads(event, ids), None if each_payload else 1):
            answers = await fire(tab, event.state, event.handler, payload)
            assert SECRET not in answers, event.name
        assert SECRET not in repr(tab.dict()), event.name
    assert await stored_rows(without=UNCHECKED) == before


@pytest.mark.parametrize("who", ["customer", "sign-up", "technician"])
async def test_a_customers_events_reach_no_other_customer(who):
    """The customer is the session's, with any ids that are sent."""
    ids = await _bait()
    token = await WHO[who][0]()
    tab = tab_at("/account", cookie=f"{COOKIE}={token}")
    theirs = await _rows_of(ids[1])
    for event in (event for event in EVENTS if event.is_for_customers):
        for payload in _payloads(event, ids):
            assert SECRET not in await fire(tab, event.state, event.handler, payload), event.name
        assert SECRET not in repr(tab.dict()), event.name
    assert await _rows_of(ids[1]) == theirs


async def _rows_of(person_id: str) -> list[str]:
    return [
        line
        for lines in (await stored_rows(without=UNCHECKED)).values()
        for line in lines
        if person_id in line
    ]


@pytest.mark.parametrize("who", WHO)
async def test_addresses_beyond_a_role_are_refused(who):
    sign_in, has = WHO[who]
    ids = await _bait()
    if who != "shared password":
        await ADMIN()
    token = await sign_in()
    before = await stored_rows(without=UNCHECKED)
    app = Starlette(routes=addresses())
    cookies = {"cookie": f"{COOKIE}={token}"}
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:3000") as client:
        for route in addresses():
            roles = GUARDED_ENDPOINTS.get(route.endpoint)
            if roles is None:
                continue
            by_name = who not in {"nobody", "sign-up", "shared password", "technician"}
            if by_name if roles == EVERY_ROLE else not roles.isdisjoint(has):
                continue
            for path, method in product(
                {re.sub(r"{[^}]*}", each, route.path) for each in (*ids, UNKNOWN_ID)},
                route.methods or (),
            ):
                answer = await client.request(method, path, headers=cookies)
                assert answer.status_code in {401, 403}, path
                assert SECRET not in answer.text
    assert await stored_rows(without=UNCHECKED) == before

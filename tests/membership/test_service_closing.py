"""An area closes, or a customer is verified: never both."""

import asyncio

import pytest

from fuel_app.accounts.rules import Actor, Role, Session, SignUpGone
from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.areas import HasCustomers
from fuel_app.areas.service import areas, company
from fuel_app.customers.service import sign_up
from fuel_app.kit.db.tables import new_id
from fuel_app.launch.service.areas import close_area
from fuel_app.membership import service as membership
from tests.factories import signup_form
from tests.helpers.open_area import ZIP, open_area
from tests.helpers.sign_ups import HERE, code_of, opened, rows

ADMIN = Actor(frozenset({Role.ADMIN}), person_id=new_id())


async def to_verify() -> tuple[Session, str]:
    """Sign up in an open area. Return the sign-up's session and code."""
    await open_area()
    form = signup_form(password="engine-1843-loom", zip_code=ZIP)
    sign_up_id = await sign_up.begin(form, former_id="", visitor=HERE)
    signed_in = await sign_up.complete(sign_up_id, "solo", HERE)
    assert signed_in
    session = await opened(signed_in)
    return session, await code_of(session)


async def close() -> None:
    (area,) = await areas.listing(actor=ADMIN)
    await close_area(area.id, actor=ADMIN)


async def test_of_a_verification_and_a_closing_at_once_one_is_refused(database):
    session, code = await to_verify()
    verified, closed = await asyncio.gather(
        membership.verify(session, code, HERE), close(), return_exceptions=True
    )
    if isinstance(verified, SignUpGone):
        assert closed is None
        assert (await company.is_open(), await rows(Person)) == (False, [])
    else:
        assert isinstance(closed, HasCustomers)
        assert (await company.is_open(), len(await rows(Person))) == (True, 1)


async def test_a_sign_up_in_a_company_that_has_closed_has_expired(sqlite_database):
    session, code = await to_verify()
    await close()
    with pytest.raises(SignUpGone):
        await membership.verify(session, code, HERE)
    assert await rows(Person) == []

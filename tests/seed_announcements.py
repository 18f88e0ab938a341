"""An admin, customers who have agreed to newsletters and offers, and one who gets text messages."""

from typing import Any

import fuel_app.tables  # noqa: F401 (foreign keys lead from one table to another)
from fuel_app.accounts.rules import Role
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.messages import service as messages
from tests.helpers.announcements import readers
from tests.helpers.open_area import open_area
from tests.helpers.signed_in import a_person, cookie_for


async def seed(admin: str, customer: str) -> dict[str, Any]:
    """Return the cookies of the admin and of a customer with these e-mails."""
    await open_area()
    await readers(3)
    one = await a_person(
        email=customer, phone="9415550188", phone_verified_at=clock.now(), first_name="Rita"
    )
    async with transaction() as session:
        await messages.agree_to_texts(session, "9415550188", one)
    by = await a_person(Role.ADMIN, email=admin)
    return {
        "admin": await cookie_for(by, second_factor=True),
        "customer": await cookie_for(one),
    }

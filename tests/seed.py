"""Rows that tests store in the database of a running site, by `tests.site.seeded`."""

from datetime import timedelta

import fuel_app.tables  # noqa: F401 (foreign keys lead from one table to another)
from fuel_app.accounts.providers import hash_password
from fuel_app.accounts.queries import people
from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.tables import Person
from fuel_app.areas.tables import StoredPrice
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of, months_later
from fuel_app.kit.db.session import transaction
from fuel_app.plans.tables import Subscription
from fuel_app.quotes import service as quotes
from fuel_app.waitlist import service as waitlist
from tests.factories import fleet_quote, waitlist_entry
from tests.helpers.bookings import a_car
from tests.helpers.cards import person_with_card
from tests.helpers.open_area import ZIP, open_area
from tests.helpers.signed_in import a_person, cookie_for
from tests.helpers.stored_bookings import a_fill


async def leads(kind: str, word: str, count: int) -> None:
    """Store leads of a kind, `waitlist` or `fleet`: Word 001, Word 002 ..., the newest last."""
    for number in range(1, count + 1):
        last, email = f"{number:03}", f"{word}.{number:03}@example.com".lower()
        address = f"198.51.100.{number % 250}"
        if kind == "fleet":
            quote = fleet_quote(contact_name=f"{word} {last}", email=email)
            await quotes.request(quote, address=address)
        else:
            entry = waitlist_entry(first_name=word, last_name=last, email=email)
            await waitlist.join(entry, referrer=None, address=address)


async def staff_session() -> str:
    """Sign a staff browser in. Return its token."""
    async with transaction() as session:
        opened = await sessions.start(session)
    cookie = await sessions.redeem_ticket(opened.ticket)
    assert cookie
    return cookie.token


async def person(email: str, password: str) -> None:
    """Store a customer with a verified e-mail."""
    async with transaction() as session:
        row = Person(email=email, first_name="Ada", last_name="Lovelace", phone="9415550123")
        row.password_hash, row.email_verified_at = await hash_password(password), clock.now()
        session.add(row)
        await session.flush()
        await people.add_roles(session, row.id, [Role.CUSTOMER])


async def company() -> dict[str, str]:
    """Open an area with a price. Return the cookies of an admin and of a new customer."""
    area_id = await open_area(ZIP, "34237")
    admin = await a_person(Role.ADMIN, first_name="Grace", last_name="Hopper")
    customer = await a_person(email="ada@example.com")
    async with transaction() as session:
        session.add(
            StoredPrice(
                area_id=area_id,
                grade="regular",
                mills=3459,
                effective_at=clock.now(),
                source="Our supplier",
                set_by="test",
            )
        )
        session.add(StoredCustomer(person_id=customer, zip_code=ZIP))
        session.add(Subscription(person_id=customer, plan_id="family"))
    return {
        "admin": await cookie_for(admin, second_factor=True),
        "customer": await cookie_for(customer),
    }


async def cars() -> str:
    """Open an area. Return the cookie of a customer with a car of weekly fills, and a new one.

    The plan has begun, there is a card, and the car is due in three days or so.
    """
    area_id, customer = await open_area(ZIP), await a_person(email="ada@example.com")
    filled, new = a_car(customer, 1), a_car(customer, 2)
    today = day_of(clock.now())
    ends = months_later(today, 1)
    async with transaction() as session:
        session.add(StoredCustomer(person_id=customer, zip_code=ZIP, has_card=True))
        session.add(
            Subscription(
                person_id=customer,
                plan_id="family",
                state="active",
                anchor=today,
                period_starts=today,
                period_ends=ends,
                started_at=clock.now(),
            )
        )
        session.add_all((filled, new))
        price = {"mills": 3459, "source": "Our supplier", "set_by": "test"}
        since = clock.now() - timedelta(days=1)
        session.add(StoredPrice(area_id=area_id, grade="regular", effective_at=since, **price))
        await person_with_card(session, customer)
    for week in range(4):
        at = clock.now() - timedelta(days=4 + 7 * week)
        await a_fill(area_id, customer, at, 11_200, 3900, vehicle_id=filled.id)
    return await cookie_for(customer)

from fuel_app.services import waitlist
from tests.factories import waitlist_entry


async def test_x(database):
    await waitlist.join(waitlist_entry(), referrer=None, address="203.0.113.1")
    assert await waitlist.count() == 1


async def test_y(sqlite_database):
    await waitlist.join(waitlist_entry(), referrer=None, address="203.0.113.1")
    assert await waitlist.count() == 1


def test_z(empty_database_url):
    print(empty_database_url)

"""What monitors and load balancers ask: does it live, and can it do its work?"""

import pytest
from sqlalchemy import text

from fuel_app.server.reflex import shutdown


async def test_a_process_that_answers_lives_whatever_the_database_does(browser):
    """There is none here: who is asked every second does not ask others."""
    response = await browser.get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert response.headers["cache-control"] == "no-store"


async def test_a_process_with_a_migrated_database_is_ready(database, browser):
    response = await browser.get("/ready")
    works = {"status": "ready", "database": True, "migrations": True}
    assert (response.status_code, response.json()) == (200, works)
    assert response.headers["cache-control"] == "no-store"


async def test_a_process_whose_database_is_behind_is_not_ready(database, browser):
    async with database.begin() as connection:
        await connection.execute(text("DELETE FROM alembic_version"))

    response = await browser.get("/ready")

    works = {"status": "unavailable", "database": True, "migrations": False}
    assert (response.status_code, response.json()) == (503, works)


@pytest.mark.usefixtures("sqlite_database")
async def test_a_process_that_is_about_to_stop_is_not_ready_but_lives(browser, monkeypatch):
    monkeypatch.setattr(shutdown, "has_begun", lambda: True)

    assert (await browser.get("/ready")).json() == {"status": "stopping"}
    assert (await browser.get("/ready")).status_code == 503
    assert (await browser.get("/health")).status_code == 200

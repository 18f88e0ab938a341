"""What phones recorded of one person's fills: downloaded, and emptied with the account."""

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.service import fill_records
from fuel_app.dispatch.tables import FillPhoto
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from tests.helpers import phone
from tests.helpers.people import a_person, rows
from tests.helpers.phone import a_road, action, send

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def test_words_go_with_the_account_and_the_same_action_is_still_taken_once(monkeypatch):
    road = await a_road(monkeypatch)
    owner, other = await a_person(), await a_person(email="other@example.com")
    async with transaction() as session:
        theirs = update(StoredBooking).where(col(StoredBooking.id) == road.id)
        await session.execute(theirs.values(person_id=owner.id))
        taken = {"booking_id": road.id, "taken_at": clock.now(), "file": b"x"}
        session.add(FillPhoto(id="photo", **taken))
    drives = action("drive", road.id)
    early = action("fail", road.id, {"reason": "Other", "note": "The dog of Ada"})  # refused
    first = await send(road.technician, drives, early)
    assert first[0] == ""
    assert first[1]
    async with reading() as session:
        assert await fill_records.export_person(session, other.id) == {
            "recorded_at_fills": [],
            "photos_of_fills": [],
        }
        held = await fill_records.export_person(session, owner.id)
    [_, refused] = held["recorded_at_fills"]
    assert (refused["data"]["note"], refused["refused"]) == ("The dog of Ada", first[1])
    assert [each["booking_id"] for each in held["photos_of_fills"]] == [road.id]
    async with transaction() as session:
        await fill_records.erase_person(session, other.id)
    assert (await phone.actions())[1].data["note"] == "The dog of Ada"
    async with transaction() as session:
        await fill_records.erase_person(session, owner.id)
    assert [(each.data, each.refused) for each in await phone.actions()] == [
        ({}, ""),
        ({}, first[1]),
    ]
    assert await rows(FillPhoto) == []
    assert await send(road.technician, drives, early) == first
    assert [each.data for each in await phone.actions()] == [{}, {}]

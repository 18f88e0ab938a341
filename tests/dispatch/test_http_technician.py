"""The addresses of a technician's phone."""

import json

import pytest
from starlette.requests import ClientDisconnect

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.dispatch import http
from tests.helpers import phone
from tests.helpers.phone import Road, a_road, action
from tests.helpers.signed_in import a_person, cookie_for, seen

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


@pytest.fixture
async def road(monkeypatch: pytest.MonkeyPatch) -> Road:
    return await a_road(monkeypatch)


async def as_person(person_id: str, **more) -> dict[str, str]:
    return {"cookie": f"{COOKIE}={await cookie_for(person_id, **more)}"}


def batch(road: Road, *actions) -> dict:
    return {"person": road.technician.person_id, "actions": list(actions)}


async def test_day_and_actions_are_answered_and_never_kept(browser, road):
    headers = await as_person(road.technician.person_id)
    answer = await browser.get(routes.TECHNICIAN_DAY, headers=headers)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert [each["id"] for each in answer.json()["stops"]] == [road.id]
    steps = action("drive", road.id), action("fuel", road.id)
    sent = batch(road, *steps, "nonsense")
    answer = await browser.post(routes.TECHNICIAN_ACTIONS, json=sent, headers=headers)
    said = answer.json()
    assert [each["refused"] != "" for each in said["heard"]] == [False, True, True]
    assert [each["id"] for each in said["heard"][:2]] == [each["id"] for each in steps]
    assert said["day"]["stops"][0]["state"] == "en_route"


async def test_ended_session_and_other_roles_have_no_access(browser, road):
    token = await cookie_for(road.technician.person_id)
    await sessions.sign_out((await seen(token)).id)
    sent = batch(road, action("drive", road.id))
    customer = await as_person(road.customer.id)
    for headers, status in (({"cookie": f"{COOKIE}={token}"}, 401), ({}, 401), (customer, 403)):
        for answer in (
            await browser.get(routes.TECHNICIAN_DAY, headers=headers),
            await browser.post(routes.TECHNICIAN_ACTIONS, json=sent, headers=headers),
            await browser.put(f"{routes.TECHNICIAN_PHOTOS}/x", content=b"x", headers=headers),
            await browser.post(routes.TECHNICIAN_POSITION, json={}, headers=headers),
        ):
            assert answer.status_code == status
    assert await phone.actions() == []


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"7", b"[]", b"{}", b"[" * 100_000, b"\xff\xfe"),
        *(b'{"person": 7, "actions": []}', b'{"person": "x", "actions": {}}'),
    ],
)
async def test_what_is_no_message_of_the_app_is_refused(browser, road, body):
    headers = await as_person(road.technician.person_id)
    answer = await browser.post(routes.TECHNICIAN_ACTIONS, content=body, headers=headers)
    assert answer.status_code == 400


async def test_lone_surrogates_and_huge_numbers_do_not_hold_up_the_queue(browser, road):
    headers = await as_person(road.technician.person_id)
    text = json.dumps(batch(road, action("drive", road.id, {"note": "\ud800\x00"}, at=10**300)))
    answer = await browser.post(routes.TECHNICIAN_ACTIONS, content=text, headers=headers)
    assert answer.json()["heard"][0]["refused"] == ""


async def test_large_bodies_are_refused(browser, road):
    headers = await as_person(road.technician.person_id)
    large = b" " * 300 * 1024 + b" "
    assert (
        await browser.post(routes.TECHNICIAN_ACTIONS, content=large, headers=headers)
    ).status_code == 413
    address = f"{routes.TECHNICIAN_PHOTOS}/x"
    assert (await browser.put(address, content=large, headers=headers)).status_code == 413


async def test_lost_connection_is_no_error(road, monkeypatch):
    async def lost(*_: object) -> bytes:
        raise ClientDisconnect

    monkeypatch.setattr(http.bodies, "read", lost)
    monkeypatch.setattr(http.bodies, "refuse_by_length", lambda *_: None)
    with pytest.raises(http.TooSlow):
        await http._body(None, 1)  # type: ignore[arg-type]


async def test_photo_is_stored_for_its_action_and_shown_to_staff(browser, road):
    headers = await as_person(road.technician.person_id)
    announced = action("photo", road.id)
    sent = batch(road, announced)
    address, file = f"{routes.TECHNICIAN_PHOTOS}/{announced['id']}", phone.picture("WEBP")
    assert (await browser.put(address, content=file, headers=headers)).status_code == 404
    await browser.post(routes.TECHNICIAN_ACTIONS, json=sent, headers=headers)
    assert (await browser.put(address, content=b"<svg/>", headers=headers)).status_code == 415
    for _ in range(2):
        assert (await browser.put(address, content=file, headers=headers)).status_code == 204
    shown, staff = routes.fill_photo(announced["id"]), await as_person(
        await a_person(Role.DISPATCHER)
    )  # fmt: skip
    answer = await browser.get(shown, headers=staff)
    assert (answer.content, answer.headers["content-type"]) == (file, "image/webp")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (await browser.get(shown, headers=headers)).status_code == 403
    assert (await browser.get(routes.fill_photo("x"), headers=staff)).status_code == 404


@pytest.mark.parametrize(("side", "status"), [(1600, 404), (2001, 415)])
async def test_picture_of_more_pixels_than_phones_send_is_refused(browser, road, side, status):
    headers = await as_person(road.technician.person_id)
    address = f"{routes.TECHNICIAN_PHOTOS}/x"
    file = phone.picture(size=(side, side))
    assert (await browser.put(address, content=file, headers=headers)).status_code == status


async def test_position_is_taken_or_refused(browser, road):
    headers = await as_person(road.technician.person_id)
    for sent, status in (({"lat": 27.3, "lng": -82.5}, 204), ({"lat": "x"}, 400)):
        answer = await browser.post(routes.TECHNICIAN_POSITION, json=sent, headers=headers)
        assert answer.status_code == status


async def test_phone_that_asks_without_end_is_slowed_down(browser, road):
    headers = await as_person(road.technician.person_id)
    answers = [
        (await browser.post(routes.TECHNICIAN_POSITION, json={}, headers=headers)).status_code
        for _ in range(21)
    ]
    assert answers == [400] * 20 + [429]

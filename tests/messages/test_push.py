"""Notifications in browsers: turning them on and off, and handing them to a push service."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete
from sqlmodel import col

from fuel_app import routes
from fuel_app.accounts.queries import sessions as stored_sessions
from fuel_app.accounts.rules import NotAllowed, Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.accounts.tables import StoredSession
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.messages import providers, queries
from fuel_app.messages import service as messages
from fuel_app.messages.rules import delivery, push
from fuel_app.messages.rules.kinds import BLANK
from fuel_app.messages.rules.push import BadSubscription, DeviceNeeded
from fuel_app.messages.tables import PushSubscription
from tests.helpers import outbox
from tests.helpers.outbox import NOON, VALUES, notify, queue, run_worker, set_clock
from tests.helpers.people import rows
from tests.helpers.push_service import KEY, PushBrowser, PushService, push_service
from tests.helpers.signed_in import a_person, cookie_for, seen, session_of

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def service(configure) -> Iterator[PushService]:
    """A push service that the site sends to, with a key to sign."""
    with push_service() as running:
        configure(push, vapid_private_key=KEY, push_test_service=running.address)
        yield running


async def turn_on(session: Any, service: PushService, path: str = "/one") -> PushBrowser:
    """Turn notifications on in a browser of a session."""
    browser = PushBrowser()
    sent = browser.subscription(f"{service.address}{path}")
    await messages.add_device(session.actor, sent, "Chrome on Android")
    return browser


async def devices() -> list[PushSubscription]:
    return sorted(await rows(PushSubscription), key=lambda row: row.id)


async def of_channel(channel: str = "push") -> list[Any]:
    return [row for row in await outbox.stored() if row.channel == channel]


async def sent(person_id: str, kind: str = "on_the_way", **options: Any) -> Any:
    await queue(kind, person_id=person_id, channel="push", **options)
    await run_worker()
    return (await of_channel())[-1]


async def test_a_browser_is_handed_what_it_alone_can_read(service):
    person = await a_person()
    browser = await turn_on(await session_of(person), service)
    row = await sent(person)
    assert (row.state, row.error, row.recipient) == ("sent", None, "1 device")
    [(path, headers, body)] = service.pushes
    said = browser.read(body)
    tag = said.pop("tag")
    assert (path, headers["topic"], headers["urgency"]) == ("/one", tag, "high")
    assert headers["content-encoding"] == "aes128gcm"
    assert headers["authorization"].startswith("vapid t=")
    assert said.pop("url").startswith("/track/")
    assert said == {
        "title": "Gulfside Fuel",
        "body": "Joe is on the way, arriving at 8:40 AM. Follow on the map.",
    }
    assert row.body == said["body"]
    [device] = await devices()
    assert device.last_used_at
    assert (device.device, device.failures) == ("Chrome on Android", 0)


async def test_what_is_on_the_way_is_replaced_by_what_is_about_the_same_booking(service):
    person = await a_person()
    browser = await turn_on(await session_of(person), service)
    for payload in ({}, {"arrives": "at 9 AM"}, {"booking": VALUES["submission"]}):
        await queue("arrival_moved", payload, person_id=person, channel="push")
    await run_worker()
    tags = Counter(browser.read(body)["tag"] for _, _, body in service.pushes)
    assert sorted(tags.values()) == [1, 2]  # several are sent at once, in any order


async def test_a_message_goes_to_all_channels_of_a_person_while_notifications_are_on(
    service, configure
):
    person = await a_person()
    async with transaction() as session:
        await notify(session, "arrived", person, VALUES, key="arrived:1")
        await notify(session, "arrived", person, VALUES, key="arrived:1")  # the same once more
    assert [row.channel for row in await outbox.stored()] == ["mail", "sms", "push"]
    async with transaction() as session:
        await messages.cancel_queued(session, "arrived:1")
    assert {row.state for row in await outbox.stored()} == {"skipped"}
    configure(push)
    async with transaction() as session:
        await notify(session, "arrived", person, VALUES, key="arrived:2")
    assert len(await of_channel()) == 1


async def test_what_is_rolled_back_notifies_nobody(service):
    person = await a_person()
    await turn_on(await session_of(person), service)
    async with transaction() as session:
        await notify(session, "arrived", person, VALUES, key="arrived:1")
        await session.rollback()
    await run_worker()
    assert (service.pushes, await outbox.stored()) == ([], [])


async def test_switches_decide(service):
    person = await a_person()
    by = (await session_of(person)).actor
    with pytest.raises(DeviceNeeded):
        await messages.toggle_preference(by, "push")
    await turn_on(await session_of(person), service)
    assert (await messages.preferences_of(person)).push
    assert not (await messages.toggle_preference(by, "push")).push
    row = await sent(person)
    assert (row.state, row.error) == ("skipped", delivery.CHANNEL_OFF)
    assert (await messages.toggle_preference(by, "push")).push
    await messages.toggle_preference(by, "day_before")
    set_noon = {"good_until": clock.now() + timedelta(days=3)}
    assert (await sent(person, "on_the_way", **set_noon)).state == "sent"
    assert len(service.pushes) == 1


async def test_a_reminder_that_is_switched_off_is_not_sent(service, monkeypatch):
    set_clock(monkeypatch, NOON)
    person = await a_person()
    session = await session_of(person)
    await turn_on(session, service)
    await messages.toggle_preference(session.actor, "day_before")
    assert (await sent(person, "day_before")).error == delivery.SWITCHED_OFF
    await messages.toggle_preference(session.actor, "day_before")
    assert (await sent(person, "day_before")).state == "sent"
    assert service.pushes[0][1]["urgency"] == "normal"


async def test_a_person_without_a_device_is_skipped_and_staff_do_not_see_it(service):
    person = await a_person()
    row = await sent(person)
    assert (row.state, row.error, row.recipient) == ("skipped", delivery.NO_DEVICE, "")
    staff = await session_of(await a_person(Role.DISPATCHER))
    assert await messages.messages_of_person(staff.actor, person) == ()
    await turn_on(await session_of(person), service)
    await sent(person)
    [line] = await messages.messages_of_person(staff.actor, person)
    assert (line.channel, line.recipient) == ("Notification", "1 device")
    shown = await messages.find_message(staff.actor, line.id)
    assert shown.text == "Joe is on the way, arriving at 8:40 AM. Follow on the map."


async def test_full_text_of_a_notification_is_made_again_on_a_machine_of_ones_own(service):
    person = await a_person()
    row = await sent(person)
    admin = await session_of(await a_person(Role.ADMIN), second_factor=True)
    shown = await messages.find_message(admin.actor, row.id)
    assert shown.full
    assert shown.text.startswith("Joe is on the way")
    assert BLANK not in shown.text


@pytest.mark.parametrize("status", [404, 410])
async def test_a_browser_that_has_gone_is_forgotten(service, status):
    person = await a_person()
    session = await session_of(person)
    await turn_on(session, service, "/one")
    await turn_on(session, service, "/two")
    service.answers["/one"] = status
    assert (await sent(person)).state == "sent"
    [left] = await devices()
    assert left.endpoint.endswith("/two")
    service.answers["/two"] = status
    row = await sent(person)
    assert (row.state, row.error) == ("skipped", delivery.NO_DEVICE)
    assert await devices() == []
    assert not (await messages.preferences_of(person)).push


@pytest.mark.parametrize("status", [406, 408, 429, 500, 503])
async def test_a_busy_service_is_asked_again_and_no_browser_is_told_twice(
    service, status, monkeypatch
):
    person = await a_person()
    session = await session_of(person)
    await turn_on(session, service, "/one")
    await turn_on(session, service, "/two")
    service.answers["/one"] = status
    row = await sent(person)
    assert (row.state, row.error) == ("queued", f"Push service: {status} (we retry)")
    assert service.paths == ["/one", "/two"]
    del service.answers["/one"]
    set_clock(monkeypatch, clock.now() + timedelta(minutes=2))
    await run_worker()
    assert service.paths == ["/one", "/two", "/one"]
    [row] = await of_channel()
    assert row.state == "sent"
    assert len(await devices()) == 2


async def test_a_service_that_does_not_answer_is_asked_again(service, configure):
    person = await a_person()
    session = await session_of(person)
    configure(push, vapid_private_key=KEY, push_test_service="http://127.0.0.1:9")
    sent_by = PushBrowser().subscription("http://127.0.0.1:9/one")
    await messages.add_device(session.actor, sent_by, "")
    row = await sent(person)
    assert (row.state, row.error) == ("queued", "ConnectError (we retry)")


@pytest.mark.parametrize("status", [301, 307, 400, 403, 413])
async def test_a_redirect_is_not_followed_and_a_refusal_is_not_tried_again(service, status):
    person = await a_person()
    await turn_on(await session_of(person), service)
    service.answers["/one"] = status
    row = await sent(person)
    assert (row.state, row.error) == ("failed", f"Push service: {status}")
    assert service.paths == ["/one"]
    [device] = await devices()
    assert device.failures == 1
    for _ in range(push.FAILURES_MOST - 1):
        await sent(person)
    assert await devices() == []


async def test_a_refusal_is_counted_once_while_another_browser_is_tried_again(service, monkeypatch):
    person = await a_person()
    session = await session_of(person)
    await turn_on(session, service, "/one")
    await turn_on(session, service, "/two")
    service.answers |= {"/one": 403, "/two": 503}
    await sent(person)
    set_clock(monkeypatch, clock.now() + timedelta(minutes=2))
    service.answers["/two"] = 410
    await run_worker()
    assert service.paths == ["/one", "/two", "/two"]
    [row] = await of_channel()
    assert (row.state, row.error) == ("failed", "Push service: 403")
    assert [each.failures for each in await devices()] == [1]


async def test_a_service_that_is_not_known_any_more_is_not_reached(service, configure):
    person = await a_person()
    await turn_on(await session_of(person), service)
    configure(push, vapid_private_key=KEY)
    row = await sent(person)
    assert (row.state, row.error) == ("failed", "unknown push service")
    assert service.pushes == []


async def test_a_message_that_is_sent_again_goes_to_those_that_have_it(service):
    person = await a_person()
    await turn_on(await session_of(person), service)
    row = await sent(person)
    staff = await session_of(await a_person(Role.DISPATCHER))
    await messages.send_again(staff.actor, row.id)
    await run_worker()
    assert service.paths == ["/one", "/one"]


async def test_the_same_browser_is_one_device_and_the_eleventh_replaces_the_first(service):
    person = await a_person()
    session = await session_of(person)
    browser = PushBrowser()
    for _ in range(2):
        await messages.add_device(
            session.actor, browser.subscription(f"{service.address}/0"), "Chrome"
        )
    for number in range(1, 11):
        await turn_on(session, service, f"/{number}")
    paths = [each.endpoint.rpartition("/")[2] for each in await devices()]
    assert paths == [str(number) for number in range(1, 11)]


async def test_only_the_browser_itself_takes_its_notifications_along_to_another_person(service):
    ada, eve = await session_of(await a_person()), await session_of(await a_person())
    browser = await turn_on(ada, service)
    with pytest.raises(BadSubscription):
        await turn_on(eve, service)  # the same endpoint, with keys of another browser
    await messages.remove_device(eve.actor, f"{service.address}/one")
    [device] = await devices()
    assert device.person_id == ada.person_id
    await turn_on(ada, service)  # its keys may change
    [device] = await devices()
    same = {"keys": {"p256dh": device.p256dh, "auth": device.auth}, "endpoint": device.endpoint}
    await messages.add_device(eve.actor, same, "")
    [device] = await devices()
    assert (device.person_id, device.session_id) == (eve.person_id, eve.id)
    assert browser.subscription("")["keys"]["auth"] != device.auth


async def test_a_device_ends_with_its_session(service):
    person = await a_person()
    first, second, third = [await session_of(person) for _ in range(3)]
    for number, session in enumerate((first, second, third)):
        await turn_on(session, service, f"/{number}")
    await sessions.sign_out(first.id)
    assert [each.session_id for each in await devices()] == [second.id, third.id]
    async with transaction() as session:
        await stored_sessions.end_of_person(session, person, except_id=third.id)
    assert [each.session_id for each in await devices()] == [third.id]
    async with transaction() as session:  # it has expired
        await session.execute(delete(StoredSession).where(col(StoredSession.id) == third.id))
    assert await devices() == []


async def test_own_data_names_the_devices_and_nothing_is_left_of_an_erased_person(service):
    person, other = await a_person(), await a_person()
    for number, each in enumerate((person, other)):
        await turn_on(await session_of(each), service, f"/{number}")
    async with transaction() as session:
        exported = await messages.export_person(session, person)
        [device] = exported["notification_devices"]
        assert device["device"] == "Chrome on Android"
        assert "endpoint" not in device
        await messages.erase_person(session, person, "")
    assert [each.person_id for each in await devices()] == [other]


async def test_only_customers_and_technicians_have_devices_and_only_with_a_key(service, configure):
    subscription = PushBrowser().subscription(f"{service.address}/one")
    customer = await session_of(await a_person())
    technician = await session_of(await a_person(Role.TECHNICIAN))
    dispatcher = await session_of(await a_person(Role.DISPATCHER))
    await messages.add_device(technician.actor, subscription, "")
    for actor in (dispatcher.actor, replace(customer.actor, roles=frozenset())):
        with pytest.raises(NotAllowed):
            await messages.add_device(actor, subscription, "")
        with pytest.raises(NotAllowed):
            await messages.remove_device(actor, subscription["endpoint"])
    configure(push, push_test_service=service.address)
    with pytest.raises(NotAllowed):
        await messages.add_device(customer.actor, subscription, "")


async def test_browser_asks_for_the_key_and_turns_itself_on_and_off(service, browser):
    person = await a_person()
    token = await cookie_for(person)
    headers = {"cookie": f"{COOKIE}={token}", "user-agent": "Chrome Windows"}
    asked = await browser.get(routes.PUSH_DEVICES, headers=headers)
    assert asked.json() == {"key": push.public_key(), "endpoints": []}
    assert asked.headers["cache-control"] == "no-store"
    sent_by = PushBrowser().subscription(f"{service.address}/one")
    answer = await browser.post(routes.PUSH_DEVICES, json=sent_by, headers=headers)
    assert answer.status_code == 204
    asked = await browser.get(routes.PUSH_DEVICES, headers=headers)
    assert asked.json()["endpoints"] == [f"{service.address}/one"]
    [device] = await devices()
    assert (device.device, device.session_id) == ("Chrome on Windows", (await seen(token)).id)
    named = {"endpoint": f"{service.address}/one"}
    for gone in ({}, {"endpoint": 7}, [], named):
        removed = await browser.request("DELETE", routes.PUSH_DEVICES, json=gone, headers=headers)
        assert removed.status_code == 204
        assert len(await devices()) == int(gone != named)


async def test_browser_without_a_session_or_with_nonsense_is_refused(service, browser):
    for ask in (browser.get, browser.post):
        assert (await ask(routes.PUSH_DEVICES)).status_code == 401
    assert (await browser.delete(routes.PUSH_DEVICES)).status_code == 401
    headers = {"cookie": f"{COOKIE}={await cookie_for(await a_person())}"}
    for body, status in ((b"", 400), (b"nonsense", 400), (b"[" * 3_000, 400), (b"x" * 5_000, 413)):
        answer = await browser.post(routes.PUSH_DEVICES, content=body, headers=headers)
        assert answer.status_code == status
    removed = await browser.request(
        "DELETE", routes.PUSH_DEVICES, content=b"x" * 5_000, headers=headers
    )
    assert removed.status_code == 413
    foreign = headers | {"origin": "https://attacker.example"}
    assert (await browser.post(routes.PUSH_DEVICES, headers=foreign)).status_code == 403
    for _ in range(20):
        await browser.post(routes.PUSH_DEVICES, json={}, headers=headers)
    last = await browser.post(routes.PUSH_DEVICES, json={}, headers=headers)
    assert last.status_code == 429
    dispatcher = {"cookie": f"{COOKIE}={await cookie_for(await a_person(Role.DISPATCHER))}"}
    assert (await browser.get(routes.PUSH_DEVICES, headers=dispatcher)).status_code == 403
    assert await devices() == []


async def test_the_worker_fetches_nothing_and_is_asked_for_anew(browser):
    answer = await browser.get(routes.PUSH_WORKER)
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert "connect-src" not in answer.headers["content-security-policy"]
    assert '"fetch"' not in answer.text
    assert "caches" not in answer.text


async def test_answers_are_settled_for_each_device(service):
    """As many refusals in a row as a device may have are counted; one success forgets them."""
    person = await a_person()
    await turn_on(await session_of(person), service)
    [device] = await devices()
    for refused, taken, count in (([device.id], [], 1), ([], [device.id], 0)):
        async with transaction() as session:
            await queries.settle_pushes(
                session, taken=taken, refused=refused, gone=[], now=clock.now()
            )
        assert [each.failures for each in await devices()] == [count]
    assert providers.push_client().follow_redirects is False

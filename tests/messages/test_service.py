"""Switches, consents, the staff's list, and queueing for a person."""

import asyncio
from dataclasses import asdict, replace
from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlmodel import col

from fuel_app.accounts.rules import SYSTEM, Actor, NotAllowed, Purpose, Role
from fuel_app.kit import secrets
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.outbox import Message
from fuel_app.messages import providers, queries
from fuel_app.messages import service as messages
from fuel_app.messages.rules import delivery
from fuel_app.messages.rules.delivery import OFFERS_WORDING, WORDING, ConsentNeeded, PhoneStopped
from fuel_app.messages.rules.kinds import (
    BLANK,
    MessageGone,
    NotificationSettings,
    NotTrueAnyMore,
    SentAgain,
)
from fuel_app.messages.rules.listing import MessageQuery
from fuel_app.messages.tables import SmsConsent
from tests.helpers.outbox import (
    NOON,
    VALUES,
    challenge,
    notify,
    run_worker,
    sent,
    set_clock,
    stored,
)
from tests.helpers.outbox import queue as queued
from tests.helpers.people import a_person, history
from tests.messages.twilio import SETTINGS

ADA, NEW = "ada@example.com", "new@example.com"
ADMIN = Actor(frozenset({Role.ADMIN}), "an admin", session_id="1")
DISPATCHER = Actor(frozenset({Role.DISPATCHER}), "a dispatcher", session_id="2")
PHONE = "9415550123"
DEFAULTS = NotificationSettings()


async def test_switches_have_their_defaults_until_they_are_changed(database):
    person = await a_person()
    actor = Actor(person_id=person.id)
    assert await messages.preferences_of(person.id) == DEFAULTS
    changed = replace(DEFAULTS, completion=False)
    assert await messages.toggle_preference(actor, "completion") == changed
    assert await messages.preferences_of(person.id) == changed
    for unknown in ("person_id", "", None, ["sms"]):
        await messages.toggle_preference(actor, unknown)
    assert asdict(await messages.preferences_of(person.id)) == asdict(changed)
    with pytest.raises(NotAllowed):
        await messages.toggle_preference(SYSTEM, "email")


async def test_two_switches_at_once_are_both_kept(database):
    person = await a_person()
    names = ("completion", "hour_before", "email", "day_before")
    await asyncio.gather(
        *[messages.toggle_preference(Actor(person_id=person.id), each) for each in names]
    )
    expected = {name: not getattr(DEFAULTS, name) for name in names}
    assert asdict(await messages.preferences_of(person.id)) == asdict(DEFAULTS) | expected


async def test_text_messages_need_a_consent_to_the_verified_phone(database):
    person = await a_person(phone=PHONE, phone_verified_at=NOON)
    actor = Actor(person_id=person.id)
    with pytest.raises(ConsentNeeded):
        await messages.toggle_preference(actor, "sms")
    async with transaction() as session:
        await messages.agree_to_texts(session, PHONE, person.id)
    assert (await messages.preferences_of(person.id)).sms
    assert await messages.text_refusal(PHONE) is None
    async with reading() as session:
        consent = await session.get_one(SmsConsent, PHONE)
    assert (consent.wording, consent.person_id) == (WORDING, person.id)
    assert consent.agreed_at
    assert not (await messages.toggle_preference(actor, "sms")).sms
    assert (await messages.toggle_preference(actor, "sms")).sms


async def test_stop_holds_until_start(database):
    person = await a_person(phone=PHONE, phone_verified_at=NOON)
    assert isinstance(await messages.text_refusal(PHONE), ConsentNeeded)
    async with transaction() as session:
        await messages.agree_to_texts(session, PHONE, person.id)
    await messages.check_consent(PHONE)
    await messages.receive_text(f"+1{PHONE}", "STOP")
    with pytest.raises(PhoneStopped, match="Text START to the number of our text messages first"):
        await messages.check_consent(PHONE)
    with pytest.raises(PhoneStopped):  # the provider would refuse all the same
        async with transaction() as session:
            await messages.agree_to_texts(session, PHONE, person.id)
    assert isinstance(await messages.text_refusal(PHONE), PhoneStopped)
    await messages.receive_text(f"+1{PHONE}", "START")
    assert await messages.text_refusal(PHONE) is None


async def test_offers_by_text_need_a_consent_of_their_own_which_ends_with_the_phones(database):
    ada, grace = [
        await a_person(email=email, phone=PHONE, phone_verified_at=NOON) for email in (ADA, NEW)
    ]
    for by in (Actor(person_id=ada.id), Actor(person_id="nobody")):
        with pytest.raises(ConsentNeeded):
            await messages.agree_to_offer_texts(by)
    for _ in range(2):  # once more by the same person ends nothing
        async with transaction() as session:
            await messages.agree_to_texts(session, PHONE, ada.id)
        await messages.agree_to_offer_texts(Actor(person_id=ada.id))
        async with transaction() as session:
            await messages.agree_to_texts(session, PHONE, ada.id)
        assert await messages.gets_offer_texts(ada.id)
    async with reading() as session:
        consent = await session.get_one(SmsConsent, PHONE)
    assert consent.offers_wording == OFFERS_WORDING
    with pytest.raises(ConsentNeeded):
        await messages.agree_to_offer_texts(Actor(person_id=grace.id))
    async with transaction() as session:
        await messages.agree_to_texts(session, PHONE, grace.id)
    for person in (ada, grace):
        assert not await messages.gets_offer_texts(person.id)


async def test_notify_queues_each_channel_once_outside_of_the_quiet_hours(database, at_noon):
    person = await a_person()
    wanted = NOON + timedelta(hours=19)  # 7 AM
    for _ in range(2):
        async with transaction() as session:
            await notify(session, "hour_before", person.id, VALUES, key="hour:1", wanted=wanted)
    rows = await stored()
    assert [row.channel for row in rows] == ["mail", "sms"]
    assert {row.send_at for row in rows} == {NOON + timedelta(hours=7, minutes=30)}
    async with transaction() as session:
        await notify(session, "arrived", person.id, VALUES)
        await notify(session, "arrived", person.id, VALUES)
    assert len(await stored()) == 6


async def test_list_is_searched_and_filtered(database, at_noon):
    person = await a_person()
    await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    await sent("new_sign_in", person_id=person.id)
    await queued("area_open", to="100%@example.com", send_at=NOON + timedelta(days=1))
    await queued("new_sign_in", person_id=person.id, send_at=NOON + timedelta(days=1))

    async def listed(**asked: str) -> list[str]:
        page = await messages.list_messages(ADMIN, MessageQuery.parse(asked))
        assert page.total == len(page.rows)
        return [row.recipient for row in page.rows]

    everything = ["Ada Lovelace", "100%@example.com", ADA, NEW]
    assert await listed() == everything
    assert await listed(sort="queued") == everything[::-1]
    assert await listed(q="NEW@") == [NEW]
    assert await listed(q="%") == ["100%@example.com"]
    assert await listed(q="lovelace ADA") == ["Ada Lovelace", ADA]
    assert await listed(q="Ádá", state="kept") == [ADA]
    assert await listed(q="ada hopper") == []
    assert await listed(state="kept") == [ADA, NEW]
    assert await listed(state="sent") == []
    async with transaction() as session:  # one of them went to a mail server
        went = update(Message).where(col(Message.recipient) == NEW)
        await session.execute(went.values(error=None))
    assert await listed(state="kept") == [ADA]
    assert await listed(state="sent") == [NEW]
    assert await listed(kind="new_sign_in", state="kept") == [ADA]
    assert await listed(kind="nonsense", state="nonsense") == everything


async def test_a_phone_number_is_found_as_it_is_shown(sqlite_database):
    await queued("sms_code", to=PHONE, channel="sms")
    typed = ("(941) 555-0123", "+1 941 555 0123", "555-01", "5550199", "-")
    pages = [await messages.list_messages(ADMIN, MessageQuery(q=each)) for each in typed]
    assert [page.total for page in pages] == [1, 1, 1, 0, 0]


async def test_dispatchers_see_and_resend_what_customers_got_but_for_security(database, at_noon):
    person = await a_person()
    security = await sent("new_sign_in", person_id=person.id)
    row = await sent("arrived", person_id=person.id)
    guests = await sent("arrived", to="guest@example.com")
    for actor in (Actor(), Actor(person_id="x")):
        for call in (messages.find_message(actor, row.id), messages.send_again(actor, row.id)):
            with pytest.raises(NotAllowed):
                await call
    for all_of in (
        messages.list_messages(DISPATCHER, MessageQuery()),
        messages.count_waiting(DISPATCHER),
    ):
        with pytest.raises(NotAllowed):
            await all_of
    for hidden in (security, guests):
        with pytest.raises(MessageGone):
            await messages.find_message(DISPATCHER, hidden.id)
        with pytest.raises(MessageGone):
            await messages.send_again(DISPATCHER, hidden.id)
    assert len(await stored()) == 3
    shown = await messages.find_message(DISPATCHER, row.id)
    assert (shown.text, shown.full) == (row.body, False)
    await messages.send_again(DISPATCHER, row.id)
    assert len(await stored()) == 4
    assert await history(person.id) == [("message_again", {"what": "Arrived"})]
    await run_worker()
    kinds = [row.what for row in await messages.messages_of_person(DISPATCHER, person.id)]
    assert kinds == ["Arrived", "Arrived"]
    kinds = [row.what for row in await messages.messages_of_person(ADMIN, person.id)]
    assert kinds == ["Arrived", "Arrived", "Sign-in on a new device"]
    with pytest.raises(NotAllowed):
        await messages.messages_of_person(Actor(person_id=person.id), person.id)


async def test_what_was_not_sent_as_it_had_changed_is_not_sent_again(database, at_noon):
    person = await a_person()
    row = await sent("arrived", person_id=person.id)
    async with transaction() as session:
        await session.execute(update(Message).values(state="skipped", error=delivery.OUTDATED))
    with pytest.raises(NotTrueAnyMore):
        await messages.send_again(ADMIN, row.id)
    assert len(await stored()) == 1


async def test_sending_again_twice_sends_once(database, at_noon):
    person = await a_person()
    row = await sent("arrived", person_id=person.id)
    outcomes = await asyncio.gather(
        *[messages.send_again(ADMIN, row.id) for _ in range(3)], return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in outcomes) == [
        "NoneType",
        *["SentAgain"] * 2,
    ]
    first, again = await stored()
    assert (again.kind, again.payload, again.state) == ("arrived", first.payload, "queued")
    with pytest.raises(SentAgain):  # it waits
        await messages.send_again(ADMIN, again.id)
    await run_worker()
    await messages.send_again(ADMIN, again.id)  # the copy may be sent again, too
    async with reading() as session:
        entries = list(await session.scalars(select(AuditEntry)))
    assert [(entry.noun, entry.actor) for entry in entries] == [
        ("message", "an admin"),
        ("person", "an admin"),
    ] * 2
    for unknown in ("", None, "x", person.id):
        with pytest.raises(MessageGone):
            await messages.send_again(ADMIN, unknown)
        with pytest.raises(MessageGone):
            await messages.find_message(ADMIN, unknown)


async def test_ten_times_in_an_hour_are_the_most_to_one_customer_by_all_of_the_staff(
    sqlite_database, at_noon
):
    person, other = await a_person(), await a_person(email="other@example.com")
    rows = [await sent("arrived", person_id=person.id) for _ in range(11)]
    for number, row in enumerate(rows[:10]):
        await messages.send_again(replace(ADMIN, person_id=f"{number}"), row.id)
    with pytest.raises(TooManyRequests):
        await messages.send_again(ADMIN, rows[10].id)
    await messages.send_again(ADMIN, (await sent("arrived", person_id=other.id)).id)


async def test_admin_sends_again_to_an_address_that_has_refused(sqlite_database, at_noon):
    async with transaction() as session:
        await queries.refuse_address(session, NEW, "550")
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    assert (row.state, row.error) == ("skipped", delivery.REFUSED)
    await messages.send_again(ADMIN, row.id)
    await run_worker()
    assert [each.state for each in await stored()] == ["skipped", "sent"]


async def test_message_for_another_address_goes_there_again(sqlite_database, at_noon):
    person = await a_person()
    challenge_id = await challenge(Purpose.EMAIL_UNDO, person.id)
    row = await sent("email_changed", {"challenge": challenge_id}, person_id=person.id, to=NEW)
    await messages.send_again(ADMIN, row.id)
    await run_worker()
    assert [row.recipient for row in await stored()] == [NEW, NEW]


async def test_codes_are_shown_where_nothing_is_mailed_from_ones_own_machine(
    database, configure, at_noon
):
    challenge_id = await challenge(Purpose.VERIFY)
    code = secrets.code(Purpose.VERIFY, challenge_id)
    row = await sent("verify", {"challenge": challenge_id}, to=NEW)
    shown = await messages.find_message(ADMIN, row.id)
    assert shown.full
    assert code in shown.text
    assert code not in (row.body or "")
    configure(providers, smtp_url="smtps://user:secret@mail.example.com")
    assert messages.addresses_of() == "Mails go to mail.example.com."
    assert await _is_blank(row.id, code)
    configure(providers)
    configure(providers, **SETTINGS)
    assert await _is_blank(row.id, code)
    configure(providers)
    configure(messages, site_url="https://fuel.example")
    assert await _is_blank(row.id, code)
    configure(messages)
    assert (await messages.find_message(ADMIN, row.id)).full
    assert messages.addresses_of().startswith(
        "No mail server is set: messages are kept here. Set FUEL"
    )


async def _is_blank(message_id: str, code: str) -> bool:
    shown = await messages.find_message(ADMIN, message_id)
    return not shown.full and code not in shown.text and BLANK in shown.text


async def test_known_email_and_expired_code_have_no_code_on_the_screen(
    sqlite_database, at_noon, monkeypatch
):
    await a_person()
    challenge_id = await challenge(Purpose.VERIFY)
    row = await sent("verify", {"challenge": challenge_id}, to=ADA)
    shown = await messages.find_message(ADMIN, row.id)
    assert "You already have an account" in shown.text
    assert secrets.code(Purpose.VERIFY, challenge_id) not in shown.text
    row = await sent("verify", {"challenge": await challenge(Purpose.VERIFY)}, to=NEW)
    set_clock(monkeypatch, NOON + timedelta(minutes=11))
    shown = await messages.find_message(ADMIN, row.id)
    assert (shown.full, shown.text) == (False, row.body)


async def test_text_of_a_text_message_is_shown_while_it_is_stored(sqlite_database, at_noon):
    person = await a_person(phone=PHONE, phone_verified_at=NOON)
    challenge_id = await challenge(Purpose.SMS, person.id)
    row = await sent("sms_code", {"challenge": challenge_id}, person_id=person.id, channel="sms")
    code = secrets.code(Purpose.SMS, challenge_id)
    assert f"@localhost:3000 #{code}" in (await messages.find_message(ADMIN, row.id)).text
    async with transaction() as session:
        stored_row = await session.get_one(type(row), row.id)
        stored_row.kind, stored_row.body = "gone_kind", None
    shown = await messages.find_message(ADMIN, row.id)
    assert (shown.full, shown.text) == (False, "The text is not stored (any more).")

"""A declined hold is said where its customer looks, with what to do and by when."""

import asyncio
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in import payments as stand_in
from fuel_app.billing.providers.stand_in.objects import NEEDS_CONFIRMATION, SESSION, WORKS, add_card
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.providers.stripe import Unavailable
from fuel_app.billing.rules.payments import NotPaid, PaymentPending, ProviderDown
from fuel_app.billing.service import fill_invoices, invoices
from fuel_app.billing.tables import Checkout, Payer, StandInObject, StoredPayment
from fuel_app.bookings import queries
from fuel_app.bookings.queries import booking_of
from fuel_app.bookings.rules.authorizations import last_try
from fuel_app.bookings.rules.bookings import BookingChanged, BookingGone
from fuel_app.bookings.service import access, authorizations, changes
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.service import account
from fuel_app.dashboard.state import MonthState
from fuel_app.kit import clock, jobs, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import BOOKINGS, listening, one
from fuel_app.messages.rules.kinds import MANAGED
from fuel_app.outcomes.service import charges, checkouts, consequences
from fuel_app.scheduling.state.booking import (
    BookingScreen,
    GuestBookingState,
    OwnBookingState,
)
from tests.helpers.bookings import NOW, STAFF
from tests.helpers.cards import add_at_page, keep_at_the_bank, visit_in
from tests.helpers.customers import said
from tests.helpers.fills import AUTHORIZE, run
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking, change, unstored
from tests.helpers.tabs import answer, go_to, redirected, tab_at
from tests.helpers.tabs import run as event
from tests.scheduling.test_state_booking import a_customer, own

pytestmark = pytest.mark.usefixtures("sqlite_database")

LATER = "declined_later"


def test_new_card_is_tried_until_the_deadline_of_the_booking():
    row = unstored("a", "ada")
    row.card_due_at = NOW + timedelta(hours=3)
    assert authorizations.card_due_at(row, NOW) == row.card_due_at
    later = NOW + timedelta(hours=4)
    assert authorizations.card_due_at(row, later) == last_try(row.starts_at, later)


@pytest.fixture
async def area() -> str:
    return await open_area()


async def declined(
    area: str, person_id: str | None = None, kind: str = LATER, **differs: Any
) -> StoredBooking:
    """Store a booking whose card is declined."""
    booking = await a_booking(area, person_id, **differs)
    customer = await stripe.create_customer(f"c:{booking.id}", name="Ada", email="a@example.com")
    card_id = await add_card(customer, kind)
    async with transaction() as session:
        if person_id:
            payer = await invoices.payer_of_person(session, person_id)
            await account.set_card(session, person_id, has_card=True)
        else:
            payer = await invoices.payer_of_guest(session, "tab")
        values = {"provider_id": customer, "card_id": card_id}
        mine = update(Payer).where(col(Payer.id) == payer.id)
        await session.execute(mine.values(card_last4="0341", card_brand="visa", **values))
        due = booking.card_due_at = last_try(booking.starts_at, clock.now())
        changes = {"card_due_at": due, "payer_id": None if person_id else payer.id}
        theirs = update(StoredBooking).where(col(StoredBooking.id) == booking.id)
        await session.execute(theirs.values(**changes))
        await jobs.enqueue_all(
            session, [authorizations.authorization_job(booking, "first", clock.now(), due)]
        )
    await run(AUTHORIZE)
    return booking


async def test_declined_hold_is_on_the_dashboard_and_the_booking_with_a_way_on(area):
    cookie, person_id = await a_customer()
    booking = await declined(area, person_id)
    for address in (routes.booking(booking.id), routes.DASHBOARD):
        state = await own(cookie, address)
        assert state.card.alert.startswith("Your card was declined. Choose another card by 6:30 AM")
        assert (state.card.status, state.card.step) == ("Booked, card declined", 0)
    assert not state.card.needs_confirmation
    steps = (await state.get_state(MonthState)).following.steps
    (step,) = (each for each in steps if each.kind == "card")
    assert (step.title, step.done, step.action) == ("Update your card", False, "Update card")
    assert step.note == "Your card was declined."


async def test_page_of_a_booking_reads_its_hold_once(area, monkeypatch):
    cookie, person_id = await a_customer()
    booking = await declined(area, person_id)
    read, seen = fill_invoices.last_authorizations, []

    async def last_of(session, ids):
        seen.append(list(ids))
        return await read(session, ids)

    monkeypatch.setattr(fill_invoices, "last_authorizations", last_of)
    state = await own(cookie, routes.booking(booking.id))
    assert (state.card.alert[:8], state.card.payment[:8]) == ("Your car", "Declined")
    assert seen == [[booking.id]]


async def test_new_card_from_the_booking_ends_the_alert(area):
    cookie, person_id = await a_customer()
    booking = await declined(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    address = redirected(await answer(state.update_card()))
    assert address
    visit = await add_at_page(address)
    go_to(state._get_root_state(), f"{routes.booking(booking.id)}?card={visit}", cookie=cookie)
    page = await state.get_state(OwnBookingState)
    assert redirected(await answer(page.arrive())) == routes.booking(booking.id)
    assert (await said(state))[-1] == "Card added"
    await run(AUTHORIZE)
    go_to(state._get_root_state(), routes.booking(booking.id), cookie=cookie)
    await event(state.arrive())
    assert (state.card.alert, state.card.status) == ("", "Booked")
    assert state.card.payment == "$76 authorized"
    assert await answer(state.update_card()) is None  # nothing to update


async def test_second_booking_that_is_declined_says_so_in_its_line(area):
    cookie, person_id = await a_customer()
    await a_booking(area, person_id)
    await declined(area, person_id, days=5)
    state = await own(cookie)
    assert state.card.alert == ""
    (other,) = state.others
    assert other.alert.startswith("Your card was declined.")


async def test_guest_updates_the_card_by_the_link(area):
    booking = await declined(area)
    link = secrets.token(MANAGED, booking.id)
    state = await tab_at(routes.manage(link)).get_state(GuestBookingState)
    await event(state.arrive())
    assert state.card.alert.startswith("Your card was declined.")
    address = redirected(await answer(state.update_card()))
    assert address
    visit = await add_at_page(address)
    go_to(state._get_root_state(), f"{routes.manage(link)}?card={visit}")
    assert redirected(await answer(state.arrive())) == routes.manage(link)
    await run(AUTHORIZE)
    go_to(state._get_root_state(), routes.manage(link))
    await event(state.arrive())
    assert (state.card.alert, state.card.payment) == ("", "$76 authorized")


async def test_another_guests_visit_is_refused_at_a_booking(area):
    booking = await declined(area)
    cookie, person_id = await a_customer()
    theirs = await declined(area, person_id)
    state = await own(cookie, routes.booking(theirs.id))
    address = redirected(await answer(state.update_card()))
    assert address
    visit = await add_at_page(address)
    link = secrets.token(MANAGED, booking.id)
    guest = await tab_at(f"{routes.manage(link)}?card={visit}").get_state(GuestBookingState)
    await event(guest.arrive())
    assert (await said(guest))[-1].startswith("This card was added somewhere else.")


async def test_provider_that_is_down_is_said_beside_the_button(area):
    cookie, person_id = await a_customer()
    booking = await declined(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    faults().fail_next("down")
    assert await answer(state.update_card()) is None
    assert (state.card_error, state.leaving) == (ProviderDown.message, "")


async def test_open_page_hears_of_the_hold_and_shows_it(area, monkeypatch):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    assert state.card.alert == ""
    async with listening(one(BOOKINGS, booking.id)) as changes:
        await declined_now(booking, person_id)
        async with asyncio.timeout(5):
            await changes.next()
    state.notice = "Moved."
    await state._keep_up()
    assert state.card.alert.startswith("Your card was declined.")
    assert state.notice == "Moved."

    async def refreshed(_self):
        raise AssertionError("Nothing has changed since")

    monkeypatch.setattr(OwnBookingState, "_refresh", refreshed)
    await state._keep_up()


async def declined_now(booking: StoredBooking, person_id: str) -> None:
    customer = await stripe.create_customer(f"c:{booking.id}", name="Ada", email="a@example.com")
    card_id = await add_card(customer, LATER)
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id)
        payer.provider_id, payer.card_id, payer.card_last4 = customer, card_id, "0341"
        await account.set_card(session, person_id, has_card=True)
        now = clock.now()
        await jobs.enqueue_all(
            session, [authorizations.authorization_job(booking, "first", now, booking.ends_at)]
        )
    await run(AUTHORIZE)


async def test_card_of_a_booking_that_is_not_theirs_is_not_replaced(area):
    _, person_id = await a_customer()
    booking = await declined(area, person_id)
    eve = Actor(frozenset({Role.CUSTOMER}), "eve")
    before = len(await rows(Checkout))
    with pytest.raises(BookingGone):
        await authorizations.begin_card_update(
            eve, booking.id, address="203.0.113.7", back="http://x"
        )
    with pytest.raises(BookingGone):
        await checkouts.finish_booking_checkout(eve, booking.id, "cs_test_1")
    assert len(await rows(Checkout)) == before


# A card whose bank wants each payment confirmed


async def asked(area: str, person_id: str | None = None) -> StoredBooking:
    return await declined(area, person_id, NEEDS_CONFIRMATION)


async def holds_made() -> list[tuple[str, str]]:
    made = sorted(await rows(StoredPayment), key=lambda each: each.id)
    return [(each.kind, each.state) for each in made]


async def confirming(state: BookingScreen) -> str:
    """Press 'Confirm payment'. Return the address of the provider's page."""
    address = redirected(await answer(state.confirm_payment()))
    assert address
    return address


async def test_hold_is_confirmed_on_the_providers_page_and_is_as_any_other(area):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    address = routes.booking(booking.id)
    state = await own(cookie, address)
    assert state.card.alert.startswith("Your bank wants you to confirm this payment. Confirm it or")
    assert (state.card.status, state.card.needs_confirmation) == (
        "Booked, payment not confirmed",
        True,
    )
    visit = await add_at_page(await confirming(state), NEEDS_CONFIRMATION)
    go_to(state._get_root_state(), f"{address}?payment={visit}", cookie=cookie)
    assert redirected(await answer(state.arrive())) == address
    assert (await said(state))[-1] == "Payment confirmed"
    assert (state.card.alert, state.card.payment) == ("", "$76 authorized")
    assert await holds_made() == [("hold", "failed"), ("hold", "authorized")]
    last = next(each for each in await rows(StoredPayment) if each.state == "authorized")
    await charges.release_authorization(last.id)
    assert (await holds_made())[-1] == ("hold", "cancelled")


async def test_webhook_alone_stores_the_confirmed_hold_and_the_open_page_hears_of_it(area):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    state = await own(cookie)
    await add_at_page(await confirming(state), NEEDS_CONFIRMATION)
    async with listening(one(BOOKINGS, booking.id)) as changes:
        await run("stand_in.event", "billing.webhook")
        async with asyncio.timeout(5):
            await changes.next()
    await state._keep_up()
    assert state.card.payment == "$76 authorized"


async def test_guest_confirms_the_hold_by_the_link(area):
    booking = await asked(area)
    link = secrets.token(MANAGED, booking.id)
    state = await tab_at(routes.manage(link)).get_state(GuestBookingState)
    await event(state.arrive())
    visit = await add_at_page(await confirming(state), NEEDS_CONFIRMATION)
    go_to(state._get_root_state(), f"{routes.manage(link)}?payment={visit}")
    await event(state.arrive())
    assert state.card.payment == "$76 authorized"


async def test_page_that_is_left_keeps_the_alert_and_may_be_opened_again(area):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    first = await confirming(state)
    (left,) = await rows(StoredPayment, kind="hosted")
    assert (await authorizations.card_states([booking_of(booking)]))[booking.id].payment.startswith(
        "Declined."
    )
    go_to(state._get_root_state(), f"{routes.booking(booking.id)}?left={left.id}", cookie=cookie)
    await event(state.arrive())
    assert (await said(state))[-1] == NotPaid.message
    assert state.card.needs_confirmation
    go_to(state._get_root_state(), routes.booking(booking.id), cookie=cookie)
    await event(state.arrive())
    second = await confirming(state)
    await confirming(state)  # another tab: the second page ends
    for ended in (first, second):
        assert (await stripe.read_session(visit_in(ended))).is_expired
    assert [each[1] for each in await holds_made()] == ["failed", "cancelled", "cancelled", "new"]


async def test_last_try_ends_an_open_page_and_cancels_the_booking(area, monkeypatch):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    page = await confirming(await own(cookie))
    await last_try_of(booking)
    assert (await stripe.read_session(visit_in(page))).is_expired
    assert await holds_made() == [
        ("hold", "failed"),
        ("hosted", "cancelled"),
        ("hold", "failed"),
    ]
    assert (await access.find(STAFF, booking.id)).state == "cancelled"  # type: ignore[union-attr]


async def last_try_of(booking: StoredBooking) -> None:
    async with transaction() as session:
        now = clock.now()
        await jobs.enqueue_all(
            session, [authorizations.authorization_job(booking, "last", now, now)]
        )
    await run(AUTHORIZE)


async def test_last_try_finds_what_was_confirmed_a_moment_before(area):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    await add_at_page(await confirming(await own(cookie)), NEEDS_CONFIRMATION)
    await last_try_of(booking)
    assert await holds_made() == [("hold", "failed"), ("hold", "authorized")]
    assert (await access.find(STAFF, booking.id)).state == "booked"  # type: ignore[union-attr]


async def test_page_opened_while_the_last_try_runs_is_ended_and_it_tries_again(area, monkeypatch):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    page = await confirming(await own(cookie))

    async def unseen(_booking_id):
        """Find no visit: it is begun a moment later."""

    with monkeypatch.context() as patched:
        patched.setattr(fill_invoices, "end_checkouts", unseen)
        with pytest.raises(Unavailable):
            await last_try_of(booking)
    assert (await stripe.read_session(visit_in(page))).is_expired


async def test_bank_that_is_still_at_it_is_waited_for(area, monkeypatch):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    state = await own(cookie)
    await add_at_page(await confirming(state), NEEDS_CONFIRMATION)

    keep_at_the_bank(monkeypatch)
    with pytest.raises(Unavailable):
        await last_try_of(booking)
    (waiting,) = await rows(StoredPayment, kind="hosted")
    with pytest.raises(Unavailable):
        await fill_invoices.perform_authorization(waiting.id)
    assert await answer(state.confirm_payment()) is None
    assert state.card_error == ProviderDown.message


async def test_page_that_did_not_open_is_in_the_way_of_no_other(area):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    faults().fail_next("lost", on="sessions")
    assert await answer(state.confirm_payment()) is None
    assert state.card_error == ProviderDown.message
    assert await holds_made() == [("hold", "failed"), ("hosted", "cancelled")]
    assert state.card.needs_confirmation
    await confirmed(booking, state)
    held = [("hold", "failed"), ("hosted", "cancelled"), ("hold", "authorized")]
    assert await holds_made() == held
    (lost,) = [
        each for each in await rows(StandInObject, kind=SESSION) if each.body["status"] == "open"
    ]
    await add_at_page(lost.id)  # nobody has its address
    await run("stand_in.event", "billing.webhook")
    assert await holds_made() == held


async def test_nothing_is_confirmed_for_a_booking_that_needs_it_no_more(area):
    cookie, person_id = await a_customer()
    booking = await declined(area, person_id)
    actor = Actor(frozenset({Role.CUSTOMER}), person_id)
    where = {"address": "203.0.113.7", "back": "http://localhost:3000/dashboard"}
    with pytest.raises(BookingChanged):
        await authorizations.begin_confirmation(actor, booking.id, **where)
    assert await answer((await own(cookie)).confirm_payment()) is None


async def test_two_tabs_that_confirm_at_once_hold_once(area, monkeypatch):
    cookie, person_id = await a_customer()
    await asked(area, person_id)
    state = await own(cookie)
    await confirming(state)

    async def unseen(_booking_id):
        """Find no visit: both tabs press at once."""

    monkeypatch.setattr(fill_invoices, "end_checkouts", unseen)
    assert await answer(state.confirm_payment()) is None
    assert state.card_error == PaymentPending.message


async def confirmed(booking: StoredBooking, state: BookingScreen) -> None:
    """Confirm the hold of a booking on the provider's page."""
    await add_at_page(await confirming(state), NEEDS_CONFIRMATION)
    await run("stand_in.event", "billing.webhook")


@pytest.mark.parametrize("kind", [WORKS, LATER])
async def test_card_that_is_added_later_holds_nothing_beside_the_confirmed_hold(area, kind):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await confirmed(booking, state)
    await new_card(person_id, kind)
    await run(AUTHORIZE)
    assert await holds_made() == [("hold", "failed"), ("hold", "authorized")]
    await event(state.arrive())
    assert (state.card.alert, state.card.payment) == ("", "$76 authorized")


async def new_card(person_id: str, kind: str) -> None:
    """Add another card, as on the card screen."""
    [known] = await rows(Payer, person_id=person_id)
    card_id = await add_card(known.provider_id, kind)
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id, lock=True)
        payer.card_id = card_id
        await session.flush()
        await consequences.new_card(session, payer)


async def test_hold_confirmed_after_a_step_is_the_one_that_earlier_jobs_find(area):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    until = clock.now() + timedelta(days=1)
    last = authorizations.authorization_job(
        booking, "last", clock.now(), until
    )  # planned before the step
    async with transaction() as session:
        row = await queries.locked(session, booking.id)
        await changes.take_step(session, row, "publish", STAFF, "staff")
    await confirmed(booking, await own(cookie, routes.booking(booking.id)))
    async with transaction() as session:
        await jobs.enqueue_all(session, [last])
    await run(AUTHORIZE)
    assert await holds_made() == [("hold", "failed"), ("hold", "authorized")]


async def test_job_of_a_former_window_leaves_the_page_of_a_moved_booking_open(area):
    cookie, person_id = await a_customer()
    booking = await asked(area, person_id)
    former = authorizations.authorization_job(booking, "last", clock.now(), clock.now())
    await change(booking, slot_id="another")
    page = await confirming(await own(cookie))
    async with transaction() as session:
        await jobs.enqueue_all(session, [former])
    await run(AUTHORIZE)
    assert not (await stripe.read_session(visit_in(page))).is_expired
    assert await holds_made() == [("hold", "failed"), ("hosted", "new")]


# A guest's booking that a person has by now: from the dashboard the way leads back to its page


async def attached(area: str, kind: str) -> tuple[str, StoredBooking]:
    cookie, person_id = await a_customer()
    booking = await declined(area, None, kind)
    await change(booking, person_id=person_id, guest_email="")
    return cookie, booking


async def led_back(state: Any, address: str, booking: StoredBooking, cookie: str) -> None:
    """Open the address to which the provider leads: the booking's page, where the visit ends."""
    path = urlsplit(address)._replace(scheme="", netloc="").geturl()
    go_to(state._get_root_state(), path, cookie=cookie)
    page = await state.get_state(OwnBookingState)
    assert redirected(await answer(page.arrive())) == routes.booking(booking.id)


async def test_card_of_a_guests_booking_that_a_person_has_is_updated_from_the_dashboard(area):
    cookie, booking = await attached(area, LATER)
    state = await own(cookie)
    page = redirected(await answer(state.update_card()))
    assert page
    await add_at_page(page)
    found = await stand_in.read_page(visit_in(page))
    assert found
    await led_back(state, found.success_url, booking, cookie)
    assert (await said(state))[-1] == "Card added"


async def test_page_of_a_guests_booking_that_a_person_has_is_left_for_the_dashboard(area):
    cookie, booking = await attached(area, NEEDS_CONFIRMATION)
    state = await own(cookie)
    page = await confirming(state)
    found = await stand_in.read_page(visit_in(page))
    assert found
    await led_back(state, found.cancel_url, booking, cookie)
    assert (await said(state))[-1] == NotPaid.message
    assert (await stripe.read_session(visit_in(page))).is_expired

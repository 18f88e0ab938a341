"""The dialogs that change the cars and the place of a booked visit."""

import pytest

from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, PleaseCall
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.dashboard.state import NextBookingState
from fuel_app.kit.db.session import transaction
from fuel_app.scheduling.state.booking import CARS, PLACE, OwnBookingState
from tests.helpers import fills
from tests.helpers.bookings import NOW, Customer, a_car, a_place, at, set_price
from tests.helpers.cards import limit_card
from tests.helpers.customers import at as page_at
from tests.helpers.signed_in import cookie_for
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def opened(monkeypatch) -> tuple[OwnBookingState, Customer, Booking, str]:
    """Open the dialog on a visit with one of two cars. Return the other one's id, too."""
    at(monkeypatch, NOW)
    who, booking = await fills.a_booking()
    second = a_car(who.id, 2)
    async with transaction() as session:
        session.add(second)
    tab = await page_at(routes.booking(booking.id), f"{COOKIE}={await cookie_for(who.id)}")
    state = await tab.get_state(OwnBookingState)
    await run(state.arrive())
    await run(state.open_cars())
    return state, who, booking, second.id


async def test_ticked_cars_show_their_price_and_are_saved_once(monkeypatch):
    state, who, booking, second = await opened(monkeypatch)
    assert (state.dialog, state.vehicle_ids) == (CARS, [who.car_id])
    assert state.price.total == "about $33.21"
    await run(state.choose_vehicle("x", True))
    await run(state.choose_vehicle(second, True))
    assert (state.vehicle_ids, state.price.total) == ([who.car_id, second], "about $66.42")
    for _ in range(2):
        await run(state.save_cars())
    assert (state.dialog, state.notice) == ("", "The cars are changed.")
    assert state.card.car == "2020 Toyota Camry and 2020 Toyota Camry"
    assert (await fills.now_of(booking)).revision == booking.revision + 1


async def test_without_a_car_it_says_why_nothing_can_be_saved(monkeypatch):
    state, who, booking, _ = await opened(monkeypatch)
    await run(state.choose_vehicle(who.car_id, False))
    assert "cancel the visit" in state.error
    await run(state.save_cars())
    assert await fills.now_of(booking) == booking


async def test_another_price_is_shown_before_it_is_saved(monkeypatch):
    state, _, booking, second = await opened(monkeypatch)
    await run(state.choose_vehicle(second, True))
    await set_price(booking.area_id, 3999)
    await run(state.save_cars())
    assert (state.error, state.price.total) == (PriceChanged.message, "about $71.60")
    await run(state.save_cars())
    assert (state.error, state.dialog) == ("", "")


async def test_it_opens_only_while_the_visit_may_be_changed(monkeypatch):
    state, _, booking, second = await opened(monkeypatch)
    await run(state.choose_vehicle(second, True))
    at(monkeypatch, booking.starts_at)
    await run(state.save_cars())
    assert (state.dialog, state.notice) == ("", PleaseCall.message)
    await run(state.arrive())
    await run(state.open_cars())
    await run(state.choose_vehicle(second, False))
    assert (state.dialog, len((await fills.now_of(booking)).fills)) == ("", 1)


async def test_another_address_is_picked_and_saved(monkeypatch):
    state, who, booking, _ = await opened(monkeypatch)
    await run(state.close_dialog(False))
    await run(state.save_place())  # nothing is open
    other = a_place(who.id)
    other.street = "9 Second St"
    async with transaction() as session:
        session.add(other)
    await run(state.open_place())
    assert (state.dialog, state.place_id) == (PLACE, "")
    assert [each.id for each in state.places] == [other.id]  # not the one that it has
    await run(state.choose_location("x"))
    await run(state.save_place())  # none is picked
    assert state.dialog == PLACE
    await run(state.choose_location(other.id))
    await run(state.save_place())
    assert (state.dialog, state.notice) == ("", "The place is changed.")
    assert state.card.place == "9 Second St, Sarasota, FL 34236"
    await fills.change(booking, state="dispatched")
    await run(state.arrive())
    await run(state.open_place())
    assert (state.dialog, state.card.may_move) == ("", True)


async def test_a_declined_sum_offers_each_car_alone_on_both_pages(monkeypatch):
    at(monkeypatch, NOW)
    who, booking = await fills.a_booking(cars=2)
    await limit_card(person_id=who.id)
    await fills.authorized(monkeypatch, booking)
    cookie = f"{COOKIE}={await cookie_for(who.id)}"
    home = await (await page_at(routes.DASHBOARD, cookie)).get_state(NextBookingState)
    await run(home.arrive())
    assert home.card.alert.startswith("Your card declined $122. Choose another card by 6:30 AM")
    labels = [each.label for each in home.keeps]
    assert labels == [
        "Book only your 2020 Toyota Camry, GUL 1, for up to $61",
        "Book only your 2020 Toyota Corolla, GUL 51, for up to $61",
    ]
    page = await (await page_at(routes.booking(booking.id), cookie)).get_state(OwnBookingState)
    await run(page.arrive())
    assert [each.label for each in page.keeps] == labels
    await run(page.keep_one("x"))
    await fills.change(booking, fee_cents=1500)  # meanwhile
    await run(page.keep_one(page.keeps[0].fill_id))
    assert page.card_error == PriceChanged.message
    assert page.keeps[0].label.endswith("for up to $76")
    await run(page.keep_one(page.keeps[0].fill_id))
    assert (page.card_error, page.keeps, page.card.alert) == ("", [], "")
    assert page.notice == (
        "Only your 2020 Toyota Camry is booked. Your card is being authorized again."
    )
    await run(home.keep_one(home.keeps[1].fill_id))
    assert home.notice == BookingChanged.message
    assert home.card.car == page.card.car == "2020 Toyota Camry"

"""The choice between the fee and a cancellation, on the booking's page and the dashboard."""

from typing import Any

import pytest
from sqlalchemy import update

from fuel_app import routes
from fuel_app.bookings.rules.bookings import BookingChanged
from fuel_app.bookings.service import changes
from fuel_app.bookings.tables import StoredFill
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.scheduling.state.booking import STATUS
from tests.helpers.open_area import open_area
from tests.helpers.stored_bookings import a_booking, stored
from tests.helpers.tabs import answer, focused, run
from tests.scheduling.test_state_booking import a_customer, own

pytestmark = pytest.mark.usefixtures("sqlite_database")

LABEL = "Pay the $15.00 convenience fee"


async def asked(**more):
    """Return a customer's cookie, and their booking that the plan does not cover any more."""
    area = await open_area()
    cookie, person_id = await a_customer()
    asked_for: dict[str, Any] = {
        "pays_by": "allowance",
        "period": clock.day_of(clock.now()),
        "fee_cents": 1500,
        "fee_asked_at": clock.now(),
    }
    return cookie, await a_booking(area, person_id, **(asked_for | more))


@pytest.mark.parametrize("own_page", [True, False])
async def test_customer_sees_both_choices_and_pays_the_fee(own_page):
    cookie, booking = await asked()
    state = await own(cookie, routes.booking(booking.id) if own_page else routes.DASHBOARD)
    card = state.card
    assert (card.fee_label, card.cancel_label) == (LABEL, "Cancel free of charge")
    assert card.asked.startswith("Your plan does not cover this fill-up any more.")
    assert [line.amount for line in card.lines] == ["$33.21", "$15.00"]
    assert card.comes_back == ""
    assert focused(await answer(state.pay_fee(LABEL))) == STATUS.replace("-", "_")
    assert state.notice == "You pay the convenience fee of $15.00 for this fill-up."
    assert (state.card.asked, state.card.fee_label, state.busy) == ("", "", False)
    assert (await stored(booking)).fills[0].pays_by == "fee"
    assert not own_page or state.card.history[-1].what == "Convenience fee chosen"


async def test_fee_with_tax_says_so():
    cookie, booking = await asked(tax_cents=105)
    state = await own(cookie, routes.booking(booking.id))
    assert state.card.fee_label == "Pay the $16.05 convenience fee with tax"


@pytest.mark.parametrize("agreed", ["", None, 7, [LABEL], "Pay the $14.00 convenience fee"])
async def test_other_words_than_the_buttons_choose_nothing(agreed):
    cookie, booking = await asked()
    state = await own(cookie, routes.booking(booking.id))
    await run(state.pay_fee(agreed))
    assert (await stored(booking)).fills[0].pays_by == "allowance"


async def test_booking_that_is_not_asked_for_has_no_such_choice():
    cookie, booking = await asked(fee_asked_at=None, fee_cents=0)
    state = await own(cookie, routes.booking(booking.id))
    assert (state.card.fee_label, state.card.asked) == ("", "")
    for agreed in (LABEL, ""):
        await run(state.pay_fee(agreed))
    assert (await stored(booking)).revision == 1


async def test_booking_covered_again_meanwhile_says_so_and_is_shown():
    cookie, booking = await asked()
    state = await own(cookie, routes.booking(booking.id))
    async with transaction() as session:
        covered = {"fee_asked_at": None, "fee_cents": 0}
        await session.execute(update(StoredFill).values(covered))
    await run(state.pay_fee(LABEL))
    assert (state.notice, state.card.fee_label) == (BookingChanged.message, "")


async def test_failure_is_said_and_can_be_tried_again(monkeypatch):
    cookie, booking = await asked()
    state = await own(cookie, routes.booking(booking.id))

    async def fail(*_):
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(changes, "choose_fee", fail)
        await run(state.pay_fee(LABEL))
    assert (state.fee_error, state.error, state.busy) == (FAILED, "", False)
    await run(state.pay_fee(LABEL))
    assert (await stored(booking)).fills[0].pays_by == "fee"

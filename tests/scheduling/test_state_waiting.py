"""Waiting for a full window in one tab, and the window that is held for its customer."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.waiting import OwnWaits, SeatOffer, TooManyWaits
from fuel_app.bookings.service import waiting
from fuel_app.bookings.state.waiting import OFFER_OVER
from fuel_app.customers.service import locations, vehicles
from fuel_app.kit import clock
from fuel_app.routes import schedule_window
from tests.factories import own_vehicle, place
from tests.helpers.desk import SLOTS
from tests.helpers.tabs import run
from tests.scheduling.test_state_fill_up import (
    LOCATION,
    PIN,
    TIME,
    VEHICLE,
    arrive,
    at_time,
    opened,
    person_of,
    press,
)

pytestmark = pytest.mark.usefixtures("sqlite_database", "desk")

ASKED, OTHER = SLOTS[1].id, SLOTS[2].id


class Waits:
    """The service of waits, with what it is to answer."""

    def __init__(self) -> None:
        self.slots: list[str] = []
        self.offers: list[SeatOffer] = []

    async def read_own(self, _: Actor) -> OwnWaits:
        return OwnWaits(may_wait=True, slot_ids=tuple(self.slots), offers=tuple(self.offers))

    async def wait_for(self, _: Actor, slot_id: str) -> None:
        if self.slots:
            raise TooManyWaits
        self.slots.append(slot_id)

    async def leave(self, _: Actor, slot_id: str) -> None:
        self.slots.remove(slot_id)


def offer(slot_id: str) -> SeatOffer:
    return SeatOffer(slot_id, f"hold-of-{slot_id}"[:36], clock.now() + timedelta(minutes=15))


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    made = Waits()
    for name in ("read_own", "wait_for", "leave"):
        monkeypatch.setattr(waiting, name, getattr(made, name))
    return made


async def test_customer_waits_for_a_full_window_and_leaves_again(cookie, waits):
    state = await at_time(cookie)
    assert (state.may_wait, state.waits_for) == (True, [])
    await run(state.wait_for(ASKED))
    assert (state.waits_for, state.refusal, state.slot) == ([ASKED], "", SLOTS[0].id)
    await run(state.wait_for(OTHER))
    assert state.refusal == TooManyWaits.message
    await run(state.leave_wait(ASKED))
    assert (state.waits_for, state.refusal) == ([], "")


async def test_offered_window_opens_with_its_hold_and_is_booked_by_it(cookie, desk, waits):
    state = await opened(cookie)
    person_id = await person_of(state)
    await vehicles.save(person_id, own_vehicle())
    await locations.save(person_id, place(), pin=PIN)
    waits.offers = [offer(OTHER), offer(ASKED)]
    assert await arrive(state, cookie, schedule_window(ASKED)) is None
    assert (state.slot, state.held_slot, state.hold) == (ASKED, ASKED, "held")
    assert state.held_until == waits.offers[1].ends
    await press(state)
    assert desk.given[-1]["hold_id"] == waits.offers[1].hold_id


async def test_offer_leads_through_the_steps_that_are_missing(cookie, waits):
    state = await opened(cookie)
    waits.offers = [offer(ASKED)]
    assert await arrive(state, cookie, schedule_window(ASKED)) == VEHICLE
    await vehicles.save(await person_of(state), own_vehicle())
    state.adding = ""
    assert await arrive(state, cookie, schedule_window(ASKED)) == LOCATION


async def test_offer_is_shown_wherever_nothing_else_is_held(cookie, waits):
    state = await at_time(cookie)
    waits.offers = [offer(ASKED)]
    await arrive(state, cookie, TIME)
    assert (state.slot, state.held_slot) == (ASKED, ASKED)
    waits.offers = [offer(OTHER)]
    await arrive(state, cookie, TIME)
    assert state.held_slot == ASKED


async def test_lapsed_offer_says_so_unless_its_window_is_free(cookie, desk, waits):
    state = await at_time(cookie)
    await arrive(state, cookie, schedule_window(ASKED))
    assert (state.slot, state.held_slot, state.refusal) == (ASKED, "", "")
    desk.fill(1)
    await arrive(state, cookie, schedule_window(ASKED))
    assert (state.slot, state.refusal) == (SLOTS[0].id, OFFER_OVER)
    waits.offers = [offer(OTHER)]
    await arrive(state, cookie, schedule_window(ASKED))
    assert (state.slot, state.refusal) == (OTHER, "")

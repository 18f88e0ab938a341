"""A truck that has failed is repaired: what is done by that, and what cannot be undone any more."""

import pytest

from fuel_app.dispatch.rules.day import RouteChanged
from fuel_app.dispatch.service import holds
from tests.dispatch.test_service_breakdown import breaks, two_trucks
from tests.helpers.bookings import STAFF
from tests.helpers.dispatch import a_day, day_now, ids, revisions, shift_now, undo
from tests.helpers.planning import solver

__all__ = ["solver"]
pytestmark = pytest.mark.usefixtures("database", "solver")


async def test_undo_after_another_change_is_refused_whole():
    shift, [a], other = await two_trucks(1)
    done = await breaks(shift)
    await holds.mark_repaired(STAFF, shift.id, await revisions())
    assert (await shift_now(shift)).broken_at is None
    with pytest.raises(RouteChanged):
        await undo(done.action_id)
    assert await ids(other) == [a.id]


async def test_repaired_truck_ends_the_reasons_for_which_its_stops_fitted_nowhere():
    shift, [a] = await a_day(1, published=True)
    await breaks(shift, [])
    await holds.mark_repaired(STAFF, shift.id, await revisions())
    assert [(each.booking.id, each.reason) for each in (await day_now()).unassigned] == [(a.id, "")]

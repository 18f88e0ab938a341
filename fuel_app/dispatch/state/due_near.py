"""The list of whose cars are due near the stops of the board's day, read as it is opened."""

from dataclasses import dataclass
from datetime import date
from typing import Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.dialogs import StaffDialog
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.state.board import BoardState, OfDay
from fuel_app.forecasts.rules.near_stops import NearCar, due_text
from fuel_app.forecasts.service import forecasts
from fuel_app.kit.errors import attempt

NO_STOPS = "No stop is left on this day, so there is nothing to be near."
NOBODY = "Nobody near these stops is due without a booking."
FAILED = "The list cannot be read just now. Close it and open it again."


@dataclass(frozen=True)
class NearLine:
    """One car that is due near the stops."""

    id: str
    customer: str
    link: str  # to the customer
    desk: str  # to where staff book for them
    car: str
    when: str
    distance: str

    @classmethod
    def of(cls, car: NearCar, day: date) -> Self:
        return cls(
            id=car.id,
            customer=car.customer,
            link=routes.asking(routes.CUSTOMER_DASHBOARD, {"customer": car.person_id}),
            desk=routes.customer_tab(car.person_id, "bookings"),
            car=car.title,
            when=due_text(car.when, day),
            distance=f"{car.distance} from a stop",
        )


class DueNearState(OfDay, StaffDialog, rx.State):
    """The dialog of the list."""

    rows: list[NearLine] = []
    loading: bool = False
    note: str = ""  # why nobody is listed
    error: str = ""

    @staff_only
    async def open(self):
        """List who is due near the stops of the day that is shown."""
        board = await self.get_state(BoardState)
        if not board.day:
            return
        self._open()
        self.loading = True
        yield
        day = date.fromisoformat(board.day)
        stops = {
            Point(card.lat, card.lng)
            for card in board._cards()
            if card.is_booking and not card.is_done and not card.gone
        }
        asked = forecasts.list_due_near(await actor_of(self), day, stops)
        found, self.error = await attempt(asked, "dispatch.due_near_failed", FAILED)
        self.rows = [NearLine.of(each, day) for each in found or ()]
        self.loading = False
        if found == []:
            self.note = NOBODY if stops else NO_STOPS

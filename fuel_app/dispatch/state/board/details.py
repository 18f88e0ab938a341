"""The details of one stop of the board."""

from dataclasses import dataclass, field
from typing import Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.dispatch.service import board as service
from fuel_app.dispatch.state.board.board import BoardState, OfDay, attempt
from fuel_app.dispatch.state.board.rows import StopCard
from fuel_app.kit.contact import phone_text


@dataclass(frozen=True)
class Details:
    """The details of a stop, for which its card has no room."""

    address: str = ""
    spot: str = ""
    gate_code: str = ""
    notes: str = ""
    phone: str = ""
    plate: str = ""
    fuel_door: str = ""
    customer_link: str = ""  # '' for a guest
    note: str = ""  # of the technician who could not fill it
    photos: list[str] = field(default_factory=list)  # their addresses

    @classmethod
    def of(cls, found: service.Details) -> Self:
        booking = found.booking
        place, car = booking.place, booking.car
        return cls(
            address=place.line,
            spot=place.spot,
            gate_code=place.gate_code,
            notes=place.notes,
            phone=phone_text(found.phone),
            plate=f"{car.color} {car.name}, {car.license_plate} {car.plate_state}".strip(),
            fuel_door=car.fuel_door,
            customer_link=routes.customer_tab(booking.person_id, "bookings")
            if booking.person_id
            else "",
            note=found.note,
            photos=[*map(routes.fill_photo, found.photos)],
        )


class DetailsState(OfDay, rx.State):
    """The dialog of one stop."""

    opened: bool = False
    stop: StopCard = StopCard("", "")
    details: Details = Details()

    @staff_only
    async def open(self, stop_id: str):
        """Show a stop's details, and mark it on the map."""
        board = await self.get_state(BoardState)
        stop = board._find(stop_id)
        if stop is None:
            return
        board.selected, details = stop.id, Details()
        if stop.is_booking:
            asked = service.details(await actor_of(self), stop.id)
            found, problem = await attempt(asked, "dispatch.details_failed")
            if found is None:
                await board._say(problem, is_problem=True)
                return
            details = Details.of(found)
        self.stop, self.details, self.opened = stop, details, True

    @staff_only
    async def close(self, _opened: bool):
        self.opened = False

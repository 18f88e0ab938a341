"""The day's route on the dashboard: the preview's, and the real stops once the company is open."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import reflex as rx

from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import StaffScreen, actor_of
from fuel_app.areas.state import are_staff_of_open
from fuel_app.bookings.rules.states import SHOWN
from fuel_app.dispatch.rules.arrivals import Expected, point_of
from fuel_app.dispatch.rules.day import TruckRoute, color_of
from fuel_app.dispatch.rules.drives import directions_link, duration_text
from fuel_app.dispatch.service import truck_routes
from fuel_app.dispatch.service.truck_routes import Board
from fuel_app.kit.clock import time_of_day
from fuel_app.kit.signals import BOOKINGS, ROUTES, SHIFTS
from fuel_app.kit.ui.state import set_changed
from fuel_app.settings import settings


@dataclasses.dataclass(frozen=True)
class RouteStop:
    """One stop of a day. `place` counts on its route, `number` by time of all."""

    id: str
    place: int
    number: int
    customer: str
    vehicle: str
    color: str
    address: str
    time: str
    notes: str
    status: str
    lat: float
    lng: float
    directions: str
    drive: str  # how long it takes to come here
    late: bool = False
    is_done: bool = False
    truck: str = ""
    line_color: str = ""  # of its truck
    lateness: str = ""


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """A stop that is on no route, with the reason."""

    id: str
    customer: str
    reason: str


MIDDLE = (27.42, -82.54)  # between Sarasota and Bradenton, for a day without stops


def corners(stops: Sequence[RouteStop]) -> list[list[float]]:
    """Return the corners of a map of all stops."""
    if not stops:
        return [list(MIDDLE)]
    lats, lngs = [stop.lat for stop in stops], [stop.lng for stop in stops]
    return [[min(lats), min(lngs)], [max(lats), max(lngs)]]


class StopsState(rx.State, mixin=True):
    """The stops of a day on list and map."""

    tile_url: str = ""
    stops: list[RouteStop] = []  # truck by truck, in driving order
    left_out: list[LeftOut] = []

    @rx.var
    def stop_ids(self) -> list[str]:
        return [stop.id for stop in self.stops]

    @rx.var
    def by_time(self) -> list[RouteStop]:
        return sorted(self.stops, key=lambda stop: stop.number)

    @rx.var
    def view(self) -> list[list[float]]:
        """The positions that the map is fitted to."""
        return corners(self.stops)


REFRESH_S = 60  # expected times move without a step
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class TruckLine:
    """One truck's route."""

    truck: str
    color: str
    points: Points


class TodaysRouteState(StopsState, StaffScreen, rx.State):
    """The routes of today as they go."""

    loading: bool = True
    lines: list[TruckLine] = []
    following: list[RouteStop] = []  # the next destination, if there is one

    @rx.var
    def to_do(self) -> list[RouteStop]:
        return [stop for stop in self.by_time if not stop.is_done]

    @rx.var
    def done(self) -> list[RouteStop]:
        return [stop for stop in self.by_time if stop.is_done]

    @rx.var
    def next_id(self) -> str:
        return self.following[0].id if self.following else ""

    @rx.event(background=True)
    async def follow(self):
        """Follow the day while the dashboard is open, for staff of an open company only."""
        async with self:
            if not await are_staff_of_open(self):
                return
            self.tile_url = settings.tile_url
            await self._refresh()
        await screens.follow(self, self._refresh, SHIFTS, ROUTES, BOOKINGS, every_s=REFRESH_S)

    async def _refresh(self) -> None:
        self._show(await truck_routes.read_todays_board(await actor_of(self)))

    def _show(self, found: Board) -> None:
        """Show a day; what has not changed is not sent again."""
        routes = [(route, found.expected[route.shift.id]) for route in found.day.routes]
        begins = sorted(
            (each.begins_at, each.stop.id)
            for _, stops in routes
            for each in stops
            if each.stop.booking
        )
        numbers = {stop_id: number for number, (_, stop_id) in enumerate(begins, start=1)}
        shown = [
            stop
            for place, (route, stops) in enumerate(routes)
            for stop in _todays_stops(route, stops, numbers, color_of(place))
        ]
        next_id = found.following.stop.id if found.following else ""
        waiting = (
            *((each, each.reason or "Not planned yet") for each in found.day.unassigned),
            *((each, f"On hold: {each.reason}") for each in found.day.on_hold),
        )
        set_changed(
            self,
            loading=False,
            stops=shown,
            lines=[
                _truck_line(route, stops, color_of(place))
                for place, (route, stops) in enumerate(routes)
            ],
            left_out=[LeftOut(each.booking.id, each.customer, why) for each, why in waiting],
            following=[stop for stop in shown if stop.id == next_id],
        )


def _todays_stops(
    route: TruckRoute, stops: tuple[Expected, ...], numbers: dict[str, int], color: str
) -> list[RouteStop]:
    shown, places = [], route.numbers
    for each in stops:
        stop, booking, point = each.stop, each.stop.booking, point_of(each.stop)
        if booking is None or point is None:
            continue
        shown.append(
            RouteStop(
                id=stop.id,
                place=places[stop.id],
                number=numbers[stop.id],
                customer=stop.customer,
                vehicle=booking.cars,
                color=", ".join(each.car.color for each in booking.fills),
                address=booking.place.line,
                time=time_of_day(each.begins_at),
                notes=booking.place.notes,
                status=SHOWN[booking.state],
                is_done=stop.is_ended,
                lat=point.lat,
                lng=point.lng,
                directions=directions_link(point),
                drive=duration_text(stop.leg_s),
                truck=route.shift.truck.name,
                line_color=color,
                lateness=each.lateness,
            )
        )
    return shown


def _truck_line(route: TruckRoute, stops: tuple[Expected, ...], color: str) -> TruckLine:
    """Return a line from home through all stops and back."""
    home = route.shift.truck.point
    points = [home, *(point_of(each.stop) or home for each in stops), home]
    return TruckLine(route.shift.truck.name, color, [(each.lat, each.lng) for each in points])

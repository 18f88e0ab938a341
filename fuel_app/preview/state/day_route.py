"""State of the preview's route, which the visitor may order by hand."""

import dataclasses
from collections.abc import Sequence

import reflex as rx

from fuel_app.accounts.state.session import SessionState
from fuel_app.areas.rules.places import Point, parse_position
from fuel_app.dispatch.rules.drives import directions_link
from fuel_app.dispatch.state.day_route import LeftOut, RouteStop, StopsState, corners
from fuel_app.kit import clock
from fuel_app.kit.clock import time_of_day
from fuel_app.kit.errors import Refusal
from fuel_app.preview import samples
from fuel_app.preview.rules import DayRoute, Route, Stop
from fuel_app.preview.service import day_route
from fuel_app.settings import settings


def in_driving_order(
    stops: Sequence[Stop], position: Point | None, route: Route | None = None
) -> list[RouteStop]:
    """Return stops in driving order, with the durations of a route's drives."""
    drives = [leg.duration for leg in route.legs] if route else []
    if route and not route.start:
        drives = ["", *drives]
    by_time = [stop.id for stop in sorted(stops, key=lambda stop: stop.time)]
    return [
        RouteStop(
            id=stop.id,
            place=place,
            number=by_time.index(stop.id) + 1,
            customer=stop.customer,
            vehicle=stop.vehicle,
            color=stop.color,
            address=stop.address,
            time=time_of_day(stop.time),
            notes=stop.notes,
            status=stop.status,
            lat=stop.lat,
            lng=stop.lng,
            directions=directions_link(stop.point, position),
            drive=drives[place - 1] if drives else "",
            late=bool(route) and stop.id in route.late,
        )
        for place, stop in enumerate(stops, start=1)
    ]


def in_order(stops: Sequence[Stop], order: Sequence[str]) -> list[Stop]:
    """Sort stops by an order of ids; stops that it does not name come last."""
    rank = {stop_id: index for index, stop_id in enumerate(order)}
    return sorted(stops, key=lambda stop: rank.get(stop.id, len(rank)))


POSITION_MISSING = "Failed to get current location"


UNDO_MOST = 50


class DayRouteState(StopsState, rx.State):
    """The route, calculated at once and again when the visitor's position is known."""

    line: list[tuple[float, float]] = []
    start: list[float] = []  # the truck's position; empty if unknown or too far away
    next_drive: str = ""
    notices: list[str] = []
    roads: str = ""  # the provider to credit
    error: str = ""
    busy: bool = True
    by_hand: bool = False
    can_undo: bool = False
    in_driving_order: bool = False  # how the list is sorted
    spoken: str = ""  # for screen readers
    position_round: int = 0  # the browser is asked once per round

    _position: Point | None = None
    _order: tuple[str, ...] = ()  # by hand; empty: the solver's
    _before: list[tuple[str, ...]] = []  # the orders to undo to, the last one first

    @rx.var
    def view(self) -> list[list[float]]:
        """The positions that the map is fitted to: the visitor's, or without it all stops."""
        return [self.start] if self.start else corners(self.stops)

    @rx.event
    def open(self):
        """Set the tiles' address when the map is mounted, and calculate."""
        self.tile_url, self.spoken = settings.tile_url, ""
        return DayRouteState.calculate

    @rx.event
    def found(self, lat: float, lng: float):
        """Take the browser's position."""
        self._position = parse_position(lat, lng)
        if self._position is None:
            return DayRouteState.missing
        self.error = ""
        return DayRouteState.calculate

    @rx.event
    def missing(self):
        """Note that the browser gives no position; the route starts at its first stop."""
        self._position, self.error = None, POSITION_MISSING

    @rx.event
    def retry(self):
        """Request the position and the route again."""
        self.error, self.position_round = "", self.position_round + 1
        return DayRouteState.calculate

    @rx.event
    def list_by(self, driving: bool):
        """Sort the list in driving order, or by time."""
        self.in_driving_order = driving is True

    @rx.event
    def move(self, stop_id: str, place: int):
        """Move a stop to another place of the order, counted from 1."""
        ids, stops = self.stop_ids, list(self.stops)
        if stop_id not in ids or type(place) is not int or not 1 <= place <= len(ids):
            return None
        stops.insert(place - 1, stops.pop(ids.index(stop_id)))
        self.next_drive = ""  # the drives are not known yet
        self.stops = [
            dataclasses.replace(stop, place=number, drive="", late=False)
            for number, stop in enumerate(stops, start=1)
        ]
        moved = f"{stops[place - 1].customer} is now stop {place} of {len(ids)}."
        return self._turn_to(tuple(stop.id for stop in stops), [*self._before, self._order], moved)

    @rx.event
    def optimize(self):
        """Restore the solver's order."""
        before = [*self._before, self._order]
        return self._turn_to((), before, "The route is optimized again.")

    @rx.event
    def undo(self):
        """Restore the order before its last change."""
        if not self._before:
            return None
        *before, order = self._before
        return self._turn_to(order, before, "The last change of the order is undone.")

    @rx.event(background=True, supersedes=True)
    async def calculate(self):
        """Order and drive the stops; a newer calculation supersedes an older one."""
        async with self:
            session = await (await self.get_state(SessionState))._find()
            if not await day_route.is_shown_to(session):
                self.reset()
                return
            self.busy = True
            order, where = self._order, self._position
            address = self.router.session.client_ip
        stops = samples.stops(clock.now())
        ask = day_route.drive_one_truck if order else day_route.plan_one_truck
        try:
            day = await ask(in_order(stops, order), where, address=address)
        except Refusal as refusal:
            async with self:
                self.busy, self.error = False, str(refusal)
                if not self.stops:  # as booked
                    self.stops = in_driving_order(stops, where)
            return
        async with self:
            self._show(day)

    def _turn_to(self, order: tuple[str, ...], before: list[tuple[str, ...]], spoken: str):
        self._order, self._before = order, before[-UNDO_MOST:]
        self.by_hand, self.can_undo, self.spoken = bool(order), bool(before), spoken
        return DayRouteState.calculate

    def _show(self, day: DayRoute) -> None:
        route = day.route
        self.busy = False
        self.left_out = [
            LeftOut(each.stop.id, each.stop.customer, each.reason) for each in day.unserved
        ]
        self.stops = in_driving_order(route.stops if route else (), self._position, route)
        self.line = [(point.lat, point.lng) for point in route.line] if route else []
        self.start = list(route.start) if route and route.start else []
        self.next_drive = route.next_leg.duration if route and route.next_leg else ""
        self.notices, self.roads = list(day.notices), day.credit
        if self.error != POSITION_MISSING:
            self.error = ""

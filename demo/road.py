"""Days on the road: routes made by hand, and what technicians do at their stops."""

import math
from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from functools import partial
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw

from demo.clockwork import Days
from demo.company import VISITORS_TRUCK, Company
from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import BookedFill, Booking
from fuel_app.bookings.rules.states import BOOKED, ENDED
from fuel_app.bookings.service import road
from fuel_app.dispatch import queries
from fuel_app.dispatch.providers.offline import road_meters, seconds
from fuel_app.dispatch.rules.phones import SAFETY_CHECKS
from fuel_app.dispatch.service import day_plan, fill_records, phones
from fuel_app.dispatch.tables import StoredShift, StoredStop, StoredTruck
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id

SERVICE = timedelta(minutes=11)
_MINUTE = timedelta(minutes=1)
_CHECKED = {"checked": [each.id for each in SAFETY_CHECKS]}
_FAILURES = ("no_access", "fuel_door", "not_found", "moved_told")
After = Callable[[str], Awaitable[None]]


class Road:
    """What is driven, day by day."""

    def __init__(self, days: Days, company: Company, after: After) -> None:
        self._days, self._company, self._after = days, company, after
        self._meters = {name: 18_000_000 + 40_000 * n for n, name in enumerate(company.trucks)}
        self._tickets = dict.fromkeys(company.trucks, 4100)
        self.kept = ""  # the booking that is left for the visitor of the demo

    async def plan(self, day: date) -> None:
        """Put a day's bookings on its trucks, publish it, and let technicians set off."""
        async with reading() as session:
            booked = [e for e in await road.of_day(session, day) if e.state == BOOKED]
            shifts = await queries.shifts_of_day(session, day)
        planned = {shift.id: _Route(shift, truck) for shift, truck in shifts}
        for each in sorted(booked, key=lambda e: (e.starts_at, e.place.lat, e.id)):
            able = [route for route in planned.values() if route.truck.name == VISITORS_TRUCK]
            able = able if each.id == self.kept else list(planned.values())
            min(able, key=lambda route: route.cost(each)).add(each)
        # The visitor's stop is the last of its technician's.
        rows = [row for route in planned.values() for row in route.rows(self.kept)]
        async with transaction() as session:
            session.add_all(rows)
        if not rows:
            return
        await day_plan.publish(self._company.dispatcher, day, {key: 1 for key in planned})
        for route in planned.values():
            self._drive(route)

    def _drive(self, route: "_Route") -> None:
        """Do the steps of a route at their times."""
        chance, free_at = self._days.chance, route.shift.starts_at
        for stop in route.timed(self.kept):
            if stop.booking.id == self.kept:
                continue
            sets_off = max(free_at + _MINUTE, stop.begins_at - timedelta(seconds=stop.leg_s))
            arrives = sets_off + timedelta(seconds=stop.leg_s * chance.uniform(0.85, 1.15))
            fuels = arrives + _MINUTE * chance.uniform(1.5, 3)
            free_at = fuels + _MINUTE * chance.uniform(5, 9)
            steps = {"drive": sets_off, "arrive": arrives}
            if chance.random() < 0.015:
                steps["fail"] = free_at = arrives + 6 * _MINUTE
            elif sets_off < self._days.detailed_from:
                steps = {"complete": free_at}
                self._days.at(free_at, partial(_note, stop.booking.id, sets_off, arrives, fuels))
            else:
                steps |= {"fuel": fuels, "complete": free_at}
            for kind, moment in steps.items():
                moment = moment.replace(microsecond=0)
                self._days.at(moment, partial(self._step, route, stop.booking, kind))

    async def _step(self, route: "_Route", booking: Booking, kind: str) -> None:
        chance = self._days.chance
        async with reading() as session:
            now = (await road.of_ids(session, [booking.id]))[booking.id]
        if now.state in ENDED or now.slot_id != booking.slot_id:
            return  # cancelled meanwhile
        technician = next(
            each
            for each in self._company.actors.values()
            if each.person_id == route.shift.technician_id
        )
        data: dict[str, Any] = {"fuel": _CHECKED, "fail": {"reason": chance.choice(_FAILURES)}}.get(
            kind, {}
        )
        actions = [action(kind, booking.id, data)]
        if kind == "complete":
            actions = [
                action(kind, booking.id, self._fill(route.truck.name, fill)) for fill in now.fills
            ]
            recent = self._days.ends - self._days.now < timedelta(days=10)
            if recent and chance.random() < 0.3:
                actions.insert(0, action("photo", booking.id, {}))
        if kind == "arrive" and day_of(self._days.now) == day_of(self._days.ends):
            here = {"lat": booking.place.lat, "lng": booking.place.lng}
            await phones.note_position(technician, here)
        for heard in await phones.receive_actions(technician, technician.person_id, actions):
            if heard.said:
                raise RuntimeError(f"{kind}: {heard.said}")
        if actions[0]["kind"] == "photo":
            await fill_records.store_photo(
                technician, actions[0]["id"], picture(actions[1]["data"])
            )
        if kind in ("complete", "fail"):
            await self._after(booking.person_id)

    def _fill(self, truck: str, fill: BookedFill) -> dict[str, str]:
        """Return what was pumped into a car, as a technician types it."""
        share = self._days.chance.triangular(0.3, 0.95, 0.7)
        ticket = self._ticket(truck, round(fill.car.tank_tenths * 100 * share))
        return ticket | {"fill": fill.id}

    def _ticket(self, truck: str, milligallons: int) -> dict[str, str]:
        starts = self._meters[truck]
        self._meters[truck] = ends = starts + milligallons
        self._tickets[truck] += 1
        number = f"{truck[0]}-{self._tickets[truck]}"
        return {"meter_start": _gallons(starts), "meter_end": _gallons(ends), "ticket": number}


async def _note(booking_id: str, *times: datetime) -> None:
    """Note when a stop's steps were that are not taken one by one."""
    columns = ("driving_at", "arrived_at", "fueling_at")
    async with transaction() as session:
        row = await queries.find_stop(session, booking_id)
        if row:
            await queries.set_stop(session, row.id, dict(zip(columns, times, strict=True)))


def action(kind: str, stop: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return an action as a phone sends it, done just now."""
    at_ms = round(clock.now().timestamp() * 1000)
    return {"id": new_id(), "stop": stop, "kind": kind, "data": data, "at": at_ms}


def _gallons(milligallons: int) -> str:
    return f"{milligallons // 1000}.{milligallons % 1000:03}"


def picture(ticket: dict[str, str]) -> bytes:
    """Draw the meter of a truck as a technician takes it."""
    drawn = Image.new("RGB", (640, 480), (58, 66, 74))
    pen = ImageDraw.Draw(drawn)
    pen.rounded_rectangle(
        (90, 90, 550, 390), 24, fill=(214, 218, 222), outline=(20, 24, 28), width=6
    )
    pen.rectangle((130, 150, 510, 240), fill=(16, 20, 16))
    pen.text((150, 165), ticket["meter_end"], fill=(120, 255, 140), font_size=56)
    pen.text((150, 270), f"TICKET {ticket['ticket']}", fill=(30, 34, 38), font_size=34)
    pen.text((150, 320), "GALLONS  US", fill=(90, 94, 98), font_size=24)
    file = BytesIO()
    drawn.save(file, "JPEG", quality=70)
    return file.getvalue()


class _Stop:
    def __init__(self, booking: Booking, begins_at: datetime, leg_s: int) -> None:
        self.booking, self.begins_at, self.leg_s = booking, begins_at, leg_s


class _Route:
    """The route of a truck while it is made."""

    def __init__(self, shift: StoredShift, truck: StoredTruck) -> None:
        self.shift, self.truck = shift, truck
        self._bookings: list[Booking] = []

    def cost(self, booking: Booking) -> float:
        """Return the minutes that a booking costs at the end; too many where it comes too late."""
        if not self.shift.starts_at <= booking.starts_at < self.shift.ends_at - 2 * SERVICE:
            return math.inf
        last = self._bookings[-1] if self._bookings else None
        here = Point(last.place.lat, last.place.lng) if last else self._home
        same = [each for each in self._bookings if each.starts_at == booking.starts_at]
        crowded = 20 * max(0, len(same) - 2) + (1000 if len(same) >= 5 else 0)
        return _leg_s(here, booking) / 60 + crowded + 1.5 * len(self._bookings)

    @property
    def _home(self) -> Point:
        return Point(self.truck.home_lat, self.truck.home_lng)

    def add(self, booking: Booking) -> None:
        self._bookings.append(booking)

    def timed(self, kept: str) -> list[_Stop]:
        """Return the stops in driving order with their times: of each window the nearest next."""
        left = sorted(self._bookings, key=lambda e: (e.starts_at, e.id))
        here, free_at = self._home, self.shift.starts_at
        stops: list[_Stop] = []
        while left:
            window = left[0].starts_at
            now = [each for each in left if each.starts_at == window]
            nearest = min(now, key=lambda e: (e.id == kept, _leg_s(here, e)))
            left.remove(nearest)
            leg_s = _leg_s(here, nearest)
            begins_at = max(free_at + timedelta(seconds=leg_s), nearest.starts_at)
            stops.append(_Stop(nearest, begins_at, leg_s))
            here, free_at = Point(nearest.place.lat, nearest.place.lng), begins_at + SERVICE
        return stops

    def rows(self, kept: str) -> list[StoredStop]:
        return [
            StoredStop(
                shift_id=self.shift.id,
                place=place,
                booking_id=stop.booking.id,
                slot_id=stop.booking.slot_id,
                leg_s=stop.leg_s,
                begins_at=stop.begins_at,
            )
            for place, stop in enumerate(self.timed(kept), start=1)
        ]


def _leg_s(here: Point, booking: Booking) -> int:
    return round(seconds(road_meters(here, Point(booking.place.lat, booking.place.lng))))

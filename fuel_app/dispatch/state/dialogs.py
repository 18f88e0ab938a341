"""Moving a stop on the board, the same by mouse, touch and keys; and the board's dialogs."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.dialogs import FormDialog, StaffDialog
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.areas.service import company
from fuel_app.dispatch.rules.arrivals import TOO_LATE
from fuel_app.dispatch.rules.route_changes import Cost, StormForm, WeatherHoldForm
from fuel_app.dispatch.rules.trucks import LoadedForm
from fuel_app.dispatch.service import fill_records, interruptions, truck_routes
from fuel_app.dispatch.service import truck_routes as service
from fuel_app.dispatch.state.board import PUBLISHED_DAY, BoardState, OfDay
from fuel_app.dispatch.state.cards import Column, StopCard, count_text, gap_key, minutes_text
from fuel_app.kit.clock import time_of_day
from fuel_app.kit.contact import phone_text
from fuel_app.kit.errors import Outcome, Refusal, attempt
from fuel_app.kit.ui.forms import FormData, NoFields

MOST_NAMED = 5  # late stops, before a day is published
OFF_ROUTE = "off"  # the place for what is to be on no route
NOWHERE = "No truck on shift can take this stop."


@dataclass(frozen=True)
class Gap:
    """A place that a stop may be put on."""

    label: str  # 'Here +6 min'
    is_best: bool  # of its column; never one beyond the shift's end
    is_late: bool  # it makes a stop late, or puts one after the shift


class MovingState(OfDay, rx.State):
    """The stop that is picked up, and the places for it."""

    held: str = ""
    name: str = ""
    is_on_route: bool = False
    gaps: dict[str, Gap] = {}

    _places: dict[str, tuple[str, int]] = {}  # shift and place of each gap
    _seen: dict[str, int] = {}  # the routes' revisions when it was picked up

    @staff_only
    async def pick(self, stop_id: str):
        """Pick a stop up and show what each place costs."""
        board = await self.get_state(BoardState)
        stop = board._find(stop_id)
        self._drop()
        if stop is None or stop.is_fixed:
            return
        seen = dict(board._seen)
        found = truck_routes.find_costs(await actor_of(self), stop.id, board.day)
        costs, problem = await attempt(found, "dispatch.costs_failed")
        if costs:
            self._hold(stop, board.get_value("columns"), costs)
            self._seen = seen
            board.tab = "trucks"
        else:
            await board._say(problem or NOWHERE, is_problem=True)

    @staff_only
    async def cancel(self):
        """Leave the stop where it was."""
        self._drop()

    @staff_only
    async def put(self, gap: str):
        """Put the stop on one of the places that are shown; the board has changed only then."""
        held, name, seen = self.held, self.name, self._seen
        place = self._places.get(gap) if isinstance(gap, str) else None
        if not held or (place is None and gap != OFF_ROUTE):
            return
        board, actor = await self.get_state(BoardState), await actor_of(self)
        self._drop()
        if place is None:
            await self._take_off(held)
            return
        column = board._column(place[0])
        ends = column.ends if column else ""
        change = truck_routes.move(actor, held, *place, seen)
        if moved := await _change_board(board, change, "dispatch.move_failed"):
            await board._offer_undo(f"{name} moved, {cost_text(moved.cost, ends)}", moved.action_id)

    @staff_only
    async def pin(self, stop_id: str, pinned: bool):
        """Keep a stop on its truck, or let it go."""
        board, actor = await self.get_state(BoardState), await actor_of(self)
        change = truck_routes.pin(actor, stop_id, pinned, board._seen)
        if action_id := await _change_board(board, change, "dispatch.pin_failed"):
            await board._offer_undo("Pinned to its truck" if pinned else "Unpinned", action_id)

    @staff_only
    async def take_off(self, stop_id: str):
        """Take a stop off its route."""
        await self._take_off(stop_id)

    @staff_only
    async def refill(self, shift_id: str):
        """Add a refill after the last stop of a route; it can be moved then."""
        board, actor = await self.get_state(BoardState), await actor_of(self)
        if (column := board._column(shift_id)) is None:
            return
        last = sum(not stop.is_fixed for stop in column.stops)
        change = truck_routes.add_refill(actor, column.id, last, board._seen)
        if action_id := await _change_board(board, change, "dispatch.refill_failed"):
            await board._offer_undo(f"{column.truck}: refill added", action_id)

    async def _take_off(self, stop_id: object) -> None:
        board, actor = await self.get_state(BoardState), await actor_of(self)
        change = truck_routes.unassign(actor, stop_id, board._seen)
        if action_id := await _change_board(board, change, "dispatch.unassign_failed"):
            await board._offer_undo("Taken off its route", action_id)

    def _drop(self) -> None:
        self.held, self.name, self.is_on_route, self.gaps, self._places = "", "", False, {}, {}

    def _hold(self, stop: StopCard, columns: list[Column], costs: Mapping[str, list[Cost]]) -> None:
        gaps: dict[str, Gap] = {}
        shifts: dict[str, tuple[str, int]] = {}
        for column in columns:
            of = costs.get(column.id, [])
            places = [each for each in places_of(column, stop.id) if each[1] < len(of)]
            best = min((of[place] for _, place in places), default=None)
            for gap, place in places:
                cost = of[place]
                is_best = cost == best and cost.after_shift <= 0
                gaps[gap] = Gap(f"Here {cost_text(cost, column.ends)}", is_best, cost.late > 0)
                shifts[gap] = column.id, place
        self.held, self.name, self.is_on_route = stop.id, stop.customer, bool(stop.gap)
        self.gaps, self._places = gaps, shifts


async def _change_board(
    board: BoardState, change: Awaitable[Outcome], event: str
) -> Outcome | None:
    """Change routes of a board and show them as they are then; say why if it failed."""
    done, problem = await attempt(change, event)
    await board._refresh(changed_alone=not problem)
    if problem:
        await board._say(problem, is_problem=True)
    return done


def places_of(column: Column, stop_id: str) -> list[tuple[str, int]]:
    """Return the gaps of a column, each with its place once this stop is gone from there.

    Those before and after the stop itself are left out.
    """
    movable = [stop.id for stop in column.stops if not stop.is_fixed]
    own = movable.index(stop_id) if stop_id in movable else None
    gaps = [(gap_key(column.id, gap), gap) for gap in range(len(movable) + 1)]
    if own is None:
        return gaps
    return [(key, gap - (gap > own)) for key, gap in gaps if gap not in (own, own + 1)]


def cost_text(cost: Cost, shift_ends: str) -> str:
    """'+6 min', or with a minus what is saved; '+6 min, 1 late' if a stop becomes late.

    '+6 min, after shift, ends 4:30 PM' if a stop comes to lie beyond the shift's end; at last how
    many are told of it: '+6 min, tells 2 customers'.
    """
    prefix = "−" if cost.minutes < 0 else "+"  # noqa: RUF001
    said = [f"{prefix}{minutes_text(abs(cost.minutes))}"]
    if (late := cost.late - max(cost.after_shift, 0)) > 0:
        said.append(f"{late} late")
    if cost.after_shift > 0:
        count = f"{cost.after_shift} " if cost.after_shift > 1 else ""
        said.append(f"{count}after shift, ends {shift_ends}")
    if cost.told:
        said.append(f"tells {count_text(cost.told, 'customer')}")
    return ", ".join(said)


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
    customer_link: str = ""
    note: str = ""  # of the technician who could not fill it
    photos: list[str] = field(default_factory=list)  # their addresses

    @classmethod
    def of(cls, found: service.Details) -> Self:
        booking = found.booking
        place, cars = booking.place, [each.car for each in booking.fills]
        return cls(
            address=place.line,
            spot=place.spot,
            gate_code=place.gate_code,
            notes=place.notes,
            phone=phone_text(found.phone),
            plate="; ".join(
                f"{car.color} {car.name}, {car.license_plate} {car.plate_state}".strip()
                for car in cars
            ),
            fuel_door=", ".join(dict.fromkeys(car.fuel_door for car in cars)),
            customer_link=routes.customer_tab(booking.person_id, "bookings")
            if booking.person_id
            else routes.guest(booking.id),
            note=found.note,
            photos=[*map(routes.fill_photo, found.photos)],
        )


class DetailsState(OfDay, StaffDialog, rx.State):
    """The dialog of one stop."""

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
            asked = service.read_details(await actor_of(self), stop.id)
            found, problem = await attempt(asked, "dispatch.details_failed")
            if found is None:
                await board._say(problem, is_problem=True)
                return
            details = Details.of(found)
        self._open()
        self.stop, self.details = stop, details


class LoadState(OfDay, FormDialog, rx.State):
    """The dialog of what a refill has loaded."""

    FORM: ClassVar = "load"
    FIELDS: ClassVar = LoadedForm
    EVENT: ClassVar = "dispatch.load_failed"

    truck: str = ""
    grades: list[str] = []  # that the truck carries
    typed: dict[str, str] = LoadedForm.blank()
    errors: dict[str, str] = LoadedForm.blank()

    _stop_id: str = ""

    @staff_only
    async def begin(self, stop_id: str):
        """Open the form on a refill of the board, with what is said of it."""
        board = await self.get_state(BoardState)
        columns = board.get_value("columns")
        found = ((each, stop) for each in columns for stop in each.stops if stop.id == stop_id)
        column, stop = next(found, (None, None))
        if column is None or stop is None or stop.is_booking:
            return
        (await self.get_state(DetailsState))._close()
        self._open()
        self.truck, self._stop_id = column.truck, stop.id
        self.grades = column.grades
        self.typed = LoadedForm.blank() | stop.loads

    async def _send(self, sent: object) -> None:
        board, actor = await self.get_state(BoardState), await actor_of(self)
        action_id = await fill_records.record_load(actor, self._stop_id, sent)
        said = f"{self.truck}: gallons recorded"
        self._close()
        await board._refresh()
        await board._offer_undo(said, action_id)


class PublishState(OfDay, StaffDialog, rx.State):
    """The question before a day is published with what is wrong, or taken back."""

    unpublishes: bool = False
    wrong: list[str] = []
    stops: int = 0  # that technicians see, or see no more

    @staff_only
    async def ask(self):
        """Say what is wrong before the day is published; publish it if nothing is."""
        board = await self.get_state(BoardState)
        self._start_over()
        columns = board.get_value("columns")
        stops = [stop for column in columns for stop in column.stops]
        self.stops = sum(stop.is_booking and not stop.gone for stop in stops)
        self.unpublishes = board.status == PUBLISHED_DAY
        self.wrong = [] if self.unpublishes else _wrong_with(board)
        if not self.unpublishes and not self.wrong:
            return BoardState.publish
        self.opened = True

    @staff_only
    async def confirm(self):
        """Do what was asked. A second press finds the question answered."""
        if not self.opened:
            return None
        answer = BoardState.unpublish if self.unpublishes else BoardState.publish
        self._close()
        return answer


def _wrong_with(board: BoardState) -> list[str]:
    """Return what a dispatcher would want to mend before a day is published."""
    stops = [stop for column in board.get_value("columns") for stop in column.stops]
    late = [f"{stop.customer}: {stop.late}" for stop in stops if stop.lateness in TOO_LATE]
    unserved = len(board.unassigned)
    others = [f"{count_text(unserved, 'booking')} on no route"] if unserved else []
    return [
        *late[:MOST_NAMED],
        *_rest(len(late) - MOST_NAMED),
        *others,
        *filter(None, [board.left]),
    ]


def _rest(count: int) -> list[str]:
    return [f"and {count_text(count, 'more late stop')}"] if count > 0 else []


@dataclass(frozen=True)
class MovedLine:
    """The outcome for one stop: the truck that takes it, or why none does."""

    id: str
    customer: str
    text: str


class BreakdownState(OfDay, FormDialog, rx.State):
    """The dialog of a truck that fails: where its stops would move; confirmed, they do."""

    FORM: ClassVar = "breakdown"
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "dispatch.breakdown_failed"

    truck: str = ""
    moved: list[MovedLine] = []
    unserved: list[MovedLine] = []
    told: str = ""  # how many customers: '2 customers'
    loading: bool = False

    _shift_id: str = ""
    _seen: dict[str, int] = {}

    @staff_only(background=True)
    async def ask(self, shift_id: str):
        """Ask before the stops of a truck are planned again."""
        async with self:
            board = await self.get_state(BoardState)
            column = board._column(shift_id)
            if column is None or self.busy:
                return
            self._open()
            self.loading, self.truck, self._shift_id = True, column.truck, column.id
            self._seen, opening, actor = dict(board._seen), self._key, await actor_of(self)
        asked = interruptions.preview_breakdown(actor, column.id, self._seen)
        found, problem = await attempt(asked, self.EVENT)
        async with self:
            if self._key != opening:  # closed meanwhile
                return
            self.loading, self.error = False, problem
            if found:
                self.told = count_text(found.told, "customer") if found.told else ""
                self.moved = [
                    MovedLine(stop.id, stop.customer, f"{to}, {time_of_day(stop.begins_at)}")
                    for stop, to in found.moved
                ]
                self.unserved = [
                    MovedLine(each.booking.id, each.customer, each.reason)
                    for each in found.unserved
                ]

    def _takes(self, form: object) -> bool:
        return super()._takes(form) and not self.loading and not self.error

    async def _send(self, sent: object) -> None:
        """Move the stops; what fits nowhere is on hold, and its customers are told."""
        board, actor = await self.get_state(BoardState), await actor_of(self)
        listed = [line.id for line in self.unserved]
        done = await interruptions.confirm_breakdown(actor, self._shift_id, self._seen, listed)
        said = f"{self.truck} is out, {count_text(len(done.moved), 'stop')} moved"
        if listed:
            said += f", {len(listed)} on hold"
        self._close()
        await board._refresh()
        await board._offer_undo(said, done.action_id)

    async def _renew(self) -> None:
        await (await self.get_state(BoardState))._refresh()

    @staff_only
    async def repaired(self, shift_id: str):
        """Let a truck take stops again."""
        board = await self.get_state(BoardState)
        column = board._column(shift_id)
        if column is None:
            return
        change = interruptions.mark_repaired(await actor_of(self), column.id, board._seen)
        _, problem = await attempt(change, "dispatch.repaired_failed")
        await board._refresh()
        await board._say(problem or f"{column.truck} takes stops again", is_problem=bool(problem))


HOLD_STARTS, HOLD_ENDS = "08:00", "18:00"  # proposed
NOTHING_TO_HOLD = "There is no booking to hold at this time."


class WeatherHoldState(OfDay, FormDialog, rx.State):
    """The dialog of a weather hold: the bookings that it would stop, its errors."""

    FORM: ClassVar = "hold"
    FIELDS: ClassVar = WeatherHoldForm
    EVENT: ClassVar = "dispatch.hold_failed"

    areas: list[tuple[str, str]] = []  # id, name
    affected: str = ""
    told: str = ""  # how many customers: '2 customers'
    errors: dict[str, str] = WeatherHoldForm.blank()

    @staff_only
    async def open(self):
        """Open the dialog."""
        self._open()
        self.areas = [(each.id, each.name) for each in await company.areas()]
        await self._count({"area_id": "", "starts": HOLD_STARTS, "ends": HOLD_ENDS})

    @staff_only
    async def edit(self, form: FormData[str, Any]):
        """Say what the hold would stop now."""
        if self.opened:
            self._recheck(form)
            await self._count(form)

    @staff_only
    async def resume(self, booking_id: str):
        """Go on with a booking on hold; with an empty id, with all of them."""
        board, actor = await self.get_state(BoardState), await actor_of(self)
        ids = [stop.id for stop in board.on_hold if booking_id in ("", stop.id)]
        if not ids:
            return
        change = interruptions.resume_held(actor, board.day, ids)
        done, problem = await attempt(change, "dispatch.resume_failed")
        await board._refresh()
        if done is None:
            await board._say(problem, is_problem=True)
            return
        left = len(ids) - done
        held = f". On hold, as their windows are over, closed or full: {left}" if left else ""
        await board._say(f"{count_text(done, 'booking')} resumed{held}")

    async def _send(self, sent: object) -> None:
        board, actor = await self.get_state(BoardState), await actor_of(self)
        held = await interruptions.begin_weather_hold(actor, await self._on_day(sent))
        if not held.count:
            raise Refusal(NOTHING_TO_HOLD)
        self._close()
        await board._refresh()
        told = count_text(held.count, "customer")
        said = f"{count_text(held.count, 'booking')} on hold, {told} will be told"
        await board._offer_undo(said, held.action_id)

    async def _count(self, form: object) -> None:
        try:
            found = await interruptions.list_affected(
                await actor_of(self), await self._on_day(form)
            )
        except Refusal:  # said when it is sent
            self.affected, self.told = "", ""
        else:
            self.errors = self.errors | StormForm.blank()
            self.affected = f"{count_text(len(found), 'booking')} would be on hold."
            self.told = count_text(len(found), "customer") if found else ""

    async def _on_day(self, form: object) -> dict[str, Any]:
        """Return the form with the day that the board shows."""
        day = (await self.get_state(BoardState)).day
        return {**(form if isinstance(form, Mapping) else {}), "day": day}

"""Roles: each use case of dispatch refuses those who may not, before it reads anything."""

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.rules.trucks import ShiftForm, TruckForm
from fuel_app.dispatch.service import (
    day_plan,
    fill_records,
    interruptions,
    phones,
    publication,
    truck_routes,
    trucks,
)
from tests.dispatch.trucks import TYPED_TRUCK
from tests.factories import UNKNOWN_ID
from tests.helpers.bookings import TODAY

HOURS = {"starts": "07:00", "ends": "15:00"}
SHIFT = ShiftForm.parse({"truck": UNKNOWN_ID, "technician": UNKNOWN_ID} | HOURS)
TRUCK, HOME = TruckForm.parse(TYPED_TRUCK), Point(27.36, -82.52)
OF_DISPATCHERS = {
    "list_trucks": lambda by: trucks.list_trucks(by),
    "read_shifts": lambda by: trucks.read_shifts(by, TODAY),
    "list_routes_ahead": lambda by: trucks.list_routes_ahead(by, "x"),
    "save_shift": lambda by: trucks.save_shift(by, TODAY, "", 0, SHIFT),
    "remove_shift": lambda by: trucks.remove_shift(by, "x", 1),
    "copy_shifts": lambda by: trucks.copy_shifts(by, TODAY, TODAY),
    "read_todays_board": lambda by: truck_routes.read_todays_board(by),
    "read_board": lambda by: truck_routes.read_board(by, TODAY),
    "read_changed_board": lambda by: truck_routes.read_changed_board(by, TODAY, {}, {}),
    "read_details": lambda by: truck_routes.read_details(by, "x"),
    "find_costs": lambda by: truck_routes.find_costs(by, "x", TODAY),
    "move": lambda by: truck_routes.move(by, "x", "y", 0, {}),
    "pin": lambda by: truck_routes.pin(by, "x", True, {}),
    "unassign": lambda by: truck_routes.unassign(by, "x", {}),
    "add_refill": lambda by: truck_routes.add_refill(by, "x", 0, {}),
    "plan": lambda by: day_plan.plan(by, TODAY, {}),
    "publish": lambda by: day_plan.publish(by, TODAY, {}),
    "unpublish": lambda by: publication.unpublish(by, TODAY, {}),
    "preview_breakdown": lambda by: interruptions.preview_breakdown(by, "x", {}),
    "confirm_breakdown": lambda by: interruptions.confirm_breakdown(by, "x", {}, ()),
    "mark_repaired": lambda by: interruptions.mark_repaired(by, "x", {}),
    "list_affected": lambda by: interruptions.list_affected(by, {}),
    "begin_weather_hold": lambda by: interruptions.begin_weather_hold(by, {}),
    "resume_held": lambda by: interruptions.resume_held(by, TODAY, []),
    "record_load": lambda by: fill_records.record_load(by, "x", {}),
    "complete_booking": lambda by: fill_records.complete_booking(by, "x", 1, {}),
    "read_questions": lambda by: fill_records.read_questions(by),
    "read_photo": lambda by: fill_records.read_photo(by, "x"),
    "photos_of_bookings": lambda by: fill_records.photos_of_bookings(by, []),
}
OF_ADMINS = {
    "locate_home": lambda by: trucks.locate_home(by, TRUCK),
    "save_truck": lambda by: trucks.save_truck(by, "", 0, TRUCK, HOME),
    "set_truck_active": lambda by: trucks.set_truck_active(by, "x", 1, is_active=False),
}
OF_TECHNICIANS = {
    "read_day": lambda by: phones.read_day(by),
    "receive_actions": lambda by: phones.receive_actions(by, by.person_id, [{}]),
    "note_position": lambda by: phones.note_position(by, {"lat": 27, "lng": -82}),
    "store_photo": lambda by: fill_records.store_photo(by, "x", b""),
}
OTHERS = (
    (OF_DISPATCHERS, (None, Role.CUSTOMER, Role.TECHNICIAN)),
    (OF_ADMINS, (None, Role.CUSTOMER, Role.TECHNICIAN, Role.DISPATCHER)),
    (OF_TECHNICIANS, (None, Role.CUSTOMER, Role.DISPATCHER, Role.ADMIN)),
)


@pytest.mark.parametrize(
    ("use_case", "roles"),
    [pytest.param(each, roles, id=name) for of, roles in OTHERS for name, each in of.items()],
)
async def test_others_may_not(use_case, roles):
    for role in roles:
        with pytest.raises(NotAllowed):
            await use_case(Actor(frozenset({role} if role else ()), "x" * 36))

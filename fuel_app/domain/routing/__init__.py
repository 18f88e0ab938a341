"""The day's driving: stops, trucks, what a route is, and the problem that orders it.

`Problem` and `Solution` are the vehicle routing problem in the field's own terms, in numbers only;
everything else here is what people see.
"""

from fuel_app.dispatch.rules.geography import Point, fault, great_circle_meters, position
from fuel_app.dispatch.rules.planning import Planning
from fuel_app.dispatch.rules.problem import Job, Matrix, Problem, Solution, Vehicle
from fuel_app.dispatch.rules.route import (
    ESTIMATED,
    OFFLINE,
    DayRoute,
    Drive,
    Leg,
    Route,
    duration_text,
)
from fuel_app.dispatch.rules.stops import Depot, Stop, TimeWindow, Truck, Unserved

__all__ = [
    "ESTIMATED",
    "OFFLINE",
    "DayRoute",
    "Depot",
    "Drive",
    "Job",
    "Leg",
    "Matrix",
    "Planning",
    "Point",
    "Problem",
    "Route",
    "Solution",
    "Stop",
    "TimeWindow",
    "Truck",
    "Unserved",
    "Vehicle",
    "duration_text",
    "fault",
    "great_circle_meters",
    "position",
]

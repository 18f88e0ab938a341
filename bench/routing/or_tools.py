"""Our vehicle routing problem in OR-Tools' terms, for the comparison."""

from math import ceil, floor, inf, isfinite

from ortools.constraint_solver import pywrapcp, routing_enums_pb2

from bench.routing.instances import UNSERVED
from fuel_app.dispatch.rules.problem import Problem, Solution

NO_ROAD = 10**7
FOREVER = 10**8


def solve(problem: Problem, seconds: float) -> Solution:
    """Insertion first, then guided local search, as its manual advises."""
    jobs, vehicles = problem.jobs, problem.vehicles
    # A node for each job, then a start and an end for each vehicle that has not a job there.
    places: list[int | None] = [job.place for job in jobs]
    starts, ends = [], []
    for vehicle in vehicles:
        starts.append(len(places))
        places.append(vehicle.start)
        ends.append(len(places) if vehicle.last is None else vehicle.last)
        if vehicle.last is None:
            places.append(vehicle.end)
    manager = pywrapcp.RoutingIndexManager(len(places), len(vehicles), starts, ends)
    routing = pywrapcp.RoutingModel(manager)
    driving = [[_drive(problem, a, b) for b in places] for a in places]
    service = [ceil(job.service) for job in jobs] + [0] * (len(places) - len(jobs))
    arc = routing.RegisterTransitMatrix(driving)
    routing.SetArcCostEvaluatorOfAllVehicles(arc)
    lasts = routing.RegisterTransitMatrix(
        [[cell + service[at] for cell in row] for at, row in enumerate(driving)]
    )
    routing.AddDimension(lasts, FOREVER, FOREVER, False, "time")
    time = routing.GetDimensionOrDie("time")
    gallons = [ceil(job.gallons) for job in jobs] + [0] * (len(places) - len(jobs))
    load = routing.RegisterUnaryTransitVector(gallons)
    capacities = [FOREVER if v.capacity == inf else floor(v.capacity) for v in vehicles]
    routing.AddDimensionWithVehicleCapacity(load, 0, capacities, True, "load")
    for index, job in enumerate(jobs):
        node = manager.NodeToIndex(index)
        if node >= 0 and index not in ends:
            time.CumulVar(node).SetRange(ceil(job.earliest), _late(job.latest))
            routing.AddDisjunction([node], UNSERVED)
    for number, vehicle in enumerate(vehicles):
        time.CumulVar(routing.Start(number)).SetMin(ceil(vehicle.earliest))
        end = time.CumulVar(routing.End(number))
        if vehicle.last is None:
            end.SetMax(_late(vehicle.latest))
        else:
            last = jobs[vehicle.last]
            end.SetRange(
                ceil(last.earliest), _late(min(last.latest, vehicle.latest - last.service))
            )
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    strategy = routing_enums_pb2.FirstSolutionStrategy
    parameters.first_solution_strategy = strategy.PARALLEL_CHEAPEST_INSERTION
    metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic
    parameters.local_search_metaheuristic = metaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromMilliseconds(round(1000 * seconds))
    found = routing.SolveWithParameters(parameters)
    tours = []
    for number, vehicle in enumerate(vehicles):
        tour, at = [], routing.Start(number) if found else routing.End(number)
        while not routing.IsEnd(at):
            at = found.Value(routing.NextVar(at))
            node = manager.IndexToNode(at)
            if node < len(jobs):
                tour.append(node)
        if not found and vehicle.last is not None:
            tour = [vehicle.last]
        tours.append(tuple(tour))
    served = {index for tour in tours for index in tour}
    return Solution(tuple(tours), tuple(i for i in range(len(jobs)) if i not in served))


def _drive(problem: Problem, a: int | None, b: int | None) -> int:
    cell = 0 if a is None or b is None else problem.seconds[a][b]
    return ceil(cell) if isfinite(cell) else NO_ROAD


def _late(moment: float) -> int:
    return FOREVER if moment == inf else max(0, floor(moment))

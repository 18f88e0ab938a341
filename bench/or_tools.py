"""Our vehicle routing problem in OR-Tools' terms, for the comparison."""

from math import ceil, inf, isfinite

from ortools.constraint_solver import pywrapcp, routing_enums_pb2

from fuel_app.dispatch.providers.vrp import settling
from fuel_app.dispatch.rules.day_plan import REFILL_JOB, Problem, Solution, Vehicle

NO_ROAD = 10**7
FOREVER = 10**8
UNSERVED = 2 * 3600  # what a stop that is left out counts, in seconds of driving
REFILLS = 2  # of each truck, at most


def solve(problem: Problem, seconds: float) -> Solution:
    """Insertion first, then guided local search, as its manual advises."""
    jobs, vehicles = problem.jobs, problem.vehicles
    # A node for each job, then a start and an end for each vehicle that has not a job there, then
    # its refills.
    places: list[int | None] = [job.place for job in jobs]
    starts, ends = [], []
    for vehicle in vehicles:
        starts.append(len(places))
        places.append(vehicle.start)
        ends.append(len(places) if vehicle.last is None else vehicle.last)
        if vehicle.last is None:
            places.append(vehicle.end)
    refills: dict[int, int] = {}  # the vehicle of each node
    for number, vehicle in enumerate(vehicles):
        for _ in range(0 if vehicle.refill is None else REFILLS):
            refills[len(places)] = number
            places.append(vehicle.end)
    manager = pywrapcp.RoutingIndexManager(len(places), len(vehicles), starts, ends)
    routing = pywrapcp.RoutingModel(manager)
    driving = [[_drive(problem, a, b) for b in places] for a in places]
    arc = routing.RegisterTransitMatrix(driving)
    routing.SetArcCostEvaluatorOfAllVehicles(arc)
    lasts = routing.RegisterTransitMatrix(_lasting(problem, refills, driving))
    routing.AddDimension(lasts, FOREVER, FOREVER, False, "time")
    time = routing.GetDimensionOrDie("time")
    for tank in range(len(jobs[0].loads)):
        _add_tank(problem, refills, manager, routing, tank)
    for index, job in enumerate(jobs):
        node = manager.NodeToIndex(index)
        if node >= 0 and index not in ends:
            time.CumulVar(node).SetRange(ceil(job.earliest) + settling(job), _late(job.latest))
            routing.AddDisjunction([node], UNSERVED)
    for node, number in refills.items():
        routing.VehicleVar(manager.NodeToIndex(node)).SetValues([-1, number])
        routing.AddDisjunction([manager.NodeToIndex(node)], 0)
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
    for number, vehicle in enumerate(vehicles):
        _add_breaks(problem, vehicle, number, manager, routing)
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
            elif node in refills:
                tour.append(REFILL_JOB)
        if not found and vehicle.last is not None:
            tour = [vehicle.last]
        tours.append(tuple(tour))
    served = {index for tour in tours for index in tour}
    return Solution(tuple(tours), tuple(i for i in range(len(jobs)) if i not in served))


def _add_breaks(
    problem: Problem,
    vehicle: Vehicle,
    number: int,
    manager: pywrapcp.RoutingIndexManager,
    routing: pywrapcp.RoutingModel,
) -> None:
    """Give a vehicle its breaks: each long enough, never between too much work."""
    if not vehicle.breaks.lasts:
        return
    lasts, after = ceil(vehicle.breaks.lasts), int(vehicle.breaks.after)
    time, solver = routing.GetDimensionOrDie("time"), routing.solver()
    services = [0] * routing.Size()
    for index, job in enumerate(problem.jobs):
        services[manager.NodeToIndex(index)] = ceil(job.service) - settling(job)
    first, last = ceil(vehicle.earliest), _late(vehicle.latest)
    breaks = [
        solver.FixedDurationIntervalVar(first, last, lasts, True, f"break {number} {each}")
        for each in range((last - first) // after)
    ]
    time.SetBreakIntervalsOfVehicle(breaks, number, services)
    time.SetBreakDistanceDurationOfVehicle(after, lasts, number)


def _lasting(
    problem: Problem, refills: dict[int, int], driving: list[list[int]]
) -> list[list[int]]:
    """Return how long each node and the drive to each other one take."""
    jobs = problem.jobs
    service = [ceil(job.service) - settling(job) for job in jobs]
    service += [ceil(_refill(problem, refills, at)) for at in range(len(jobs), len(driving))]
    first = [settling(job) for job in jobs] + [0] * (len(driving) - len(jobs))
    return [
        [
            cell + service[a] + (0 if b < len(jobs) and a in jobs[b].near else first[b])
            for b, cell in enumerate(row)
        ]
        for a, row in enumerate(driving)
    ]


def _refill(problem: Problem, refills: dict[int, int], node: int) -> float:
    return problem.vehicles[refills[node]].refill or 0 if node in refills else 0


def _add_tank(
    problem: Problem,
    refills: dict[int, int],
    manager: pywrapcp.RoutingIndexManager,
    routing: pywrapcp.RoutingModel,
    tank: int,
) -> None:
    """Add what is gone from one tank; a refill takes off all of it, and the slack adds the rest."""
    capacities = [vehicle.tanks[tank] if vehicle.tanks else FOREVER for vehicle in problem.vehicles]
    most = max(capacities)
    nodes = manager.GetNumberOfNodes()
    loads = [job.loads[tank] for job in problem.jobs] + [0] * (nodes - len(problem.jobs))
    for node in refills:
        loads[node] = -most
    load = routing.RegisterUnaryTransitVector(loads)
    name = f"tank {tank}"
    routing.AddDimensionWithVehicleCapacity(load, most, capacities, False, name)
    gone = routing.GetDimensionOrDie(name)
    for number, vehicle in enumerate(problem.vehicles):
        gone.CumulVar(routing.Start(number)).SetValue(vehicle.used[tank] if vehicle.used else 0)
        gone.SlackVar(routing.Start(number)).SetValue(0)
    for index in range(len(problem.jobs)):
        node = manager.NodeToIndex(index)
        if node >= 0 and not routing.IsEnd(node):
            gone.SlackVar(node).SetValue(0)


def _drive(problem: Problem, a: int | None, b: int | None) -> int:
    cell = 0 if a is None or b is None else problem.seconds[a][b]
    return ceil(cell) if isfinite(cell) else NO_ROAD


def _late(moment: float) -> int:
    return FOREVER if moment == inf else max(0, int(moment))

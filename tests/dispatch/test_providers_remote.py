"""Google's two APIs and OSRM, played by a local server: what is the same for all of them."""

import logging
import socket
import traceback
from collections.abc import Callable
from math import inf

import httpx
import pytest

from fuel_app.dispatch.providers.base import RemoteRouting, Unavailable
from fuel_app.dispatch.providers.offline import OfflineRouting
from fuel_app.dispatch.rules.geography import Point
from fuel_app.kit.errors import RouteFailed
from tests.helpers.maps_server import UNREACHABLE, Maps
from tests.helpers.remote_maps import KEY, MAKERS, google_directions, google_routes, osrm

POINTS = [Point(27.30 + 0.01 * number, -82.5) for number in range(5)]
NONSENSE = [b"", b"<html>", b"7", b"[]", b"null", {}, {"status": "OK"}, {"code": "Ok"}]


@pytest.fixture(params=MAKERS)
def provider(request: pytest.FixtureRequest, maps: Maps) -> RemoteRouting:
    return MAKERS[request.param](maps)


async def test_it_drives_through_the_points_in_their_order(provider):
    drive = await provider.drive(POINTS)
    expected = await OfflineRouting().drive(POINTS)
    assert drive.legs == expected.legs
    assert drive.line[0] == pytest.approx(POINTS[0])
    assert len(drive.line) == len(POINTS)
    assert drive.order == ()


async def test_it_knows_how_long_each_way_takes(provider):
    expected = await OfflineRouting().matrix(POINTS)
    for row, truth in zip(await provider.matrix(POINTS), expected, strict=True):
        assert row == pytest.approx(truth, abs=0.5)  # seconds; some say whole ones


async def test_two_stops_at_one_point_are_no_drive_at_all(provider):
    drive = await provider.drive([POINTS[0], POINTS[0]])
    assert (drive.legs[0].seconds, drive.legs[0].meters) == (0, 0)


@pytest.mark.parametrize(
    ("make", "requests"), [(google_routes, 8), (google_directions, 8), (osrm, 3)]
)
async def test_a_long_route_is_asked_for_in_parts(maps, make, requests):
    many = [Point(27.0 + 0.003 * number, -82.5) for number in range(201)]
    drive = await make(maps).drive(many)
    assert len(maps.asked) == requests
    assert drive.legs == (await OfflineRouting().drive(many)).legs
    assert len(drive.line) == len(many)  # where parts meet there is one point, not two


async def test_a_place_without_a_road_is_infinitely_far(provider):
    matrix = await provider.matrix([*POINTS[:2], UNREACHABLE])
    assert [row[2] for row in matrix] == [inf, inf, 0]
    assert matrix[2][:2] == (inf, inf)


@pytest.mark.parametrize(
    ("make", "status"),
    [(google_routes, "ZERO_RESULTS"), (google_directions, "ZERO_RESULTS"), (osrm, "NoRoute")],
)
async def test_no_way_there_is_an_answer_and_no_failure_of_the_service(maps, make, status):
    with pytest.raises(RouteFailed, match=rf"^Failed to calculate route: {status}$"):
        await make(maps).drive([POINTS[0], UNREACHABLE])


@pytest.mark.parametrize("body", NONSENSE, ids=repr)
async def test_nonsense_is_no_answer(provider, maps, body):
    maps.say(body)
    for question in (provider.drive, provider.matrix):
        with pytest.raises((Unavailable, RouteFailed)) as failed:
            await question(POINTS)
        assert str(failed.value).removeprefix("Failed to calculate route: ") in {
            "INVALID_RESPONSE",
            "ZERO_RESULTS",  # an empty answer of the Routes API means just that
        }


@pytest.mark.parametrize(("status", "passing"), [(500, True), (503, True), (404, False)])
async def test_a_broken_server_may_mend_and_a_wrong_address_will_not(
    provider, maps, status, passing
):
    maps.say(b"<html>", status=status)
    with pytest.raises(Unavailable) as failed:
        await provider.drive(POINTS)
    # The library for the older API does not say which of the passing troubles it was.
    assert failed.value.status in {f"HTTP_{status}", "TIMEOUT"}
    assert failed.value.passing is passing


def impatient(make: Callable[..., RemoteRouting], maps: Maps) -> RemoteRouting:
    if make is google_directions:
        return google_directions(maps, timeout=0.05)
    provider = make(maps)
    provider._client.timeout = httpx.Timeout(0.05)  # type: ignore[attr-defined]
    return provider


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
async def test_nobody_waits_for_a_slow_service(maps, make):
    maps.silent.set()
    with pytest.raises(Unavailable, match=r"^TIMEOUT$"):
        await impatient(make, maps).drive(POINTS)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
async def test_a_service_that_is_down_is_said_to_be(make):
    with socket.socket() as nobody_listens:
        nobody_listens.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody_listens.getsockname()[1]}"
        with pytest.raises(Unavailable, match=r"^UNREACHABLE$") as failed:
            await make(Maps(address)).drive(POINTS)
    assert failed.value.passing


def refusal(status: str) -> dict:
    """A refusal in the shape of both of Google's APIs at once."""
    return {"status": status, "error": {"code": 4, "status": status, "message": f"no: {KEY}"}}


@pytest.mark.parametrize("make", [google_routes, google_directions])
@pytest.mark.parametrize(
    ("status", "http", "passing"),
    [
        ("PERMISSION_DENIED", 403, False),
        ("REQUEST_DENIED", 200, False),
        ("RESOURCE_EXHAUSTED", 429, True),
        ("OVER_QUERY_LIMIT", 200, True),
        ("INVALID_ARGUMENT", 400, False),
    ],
)
async def test_a_wrong_key_stays_wrong_and_a_quota_comes_back(maps, make, status, http, passing):
    is_older = make is google_directions
    if is_older != (http == 200):
        return  # each API has its own way to say it
    maps.say(refusal(status), status=http)
    for question in (make(maps).drive, make(maps).matrix):
        with pytest.raises(Unavailable, match=rf"^{status}$") as failed:
            await question(POINTS)
        assert failed.value.passing is passing


@pytest.mark.parametrize("make", [google_routes, google_directions])
@pytest.mark.parametrize("trouble", ["down", "denied", "nonsense", "nothing"])
async def test_the_key_is_in_no_log_and_no_error(maps, make, trouble, caplog, logged):
    provider = make(Maps("http://127.0.0.1:9")) if trouble == "down" else make(maps)
    if trouble == "denied":
        maps.say(refusal("REQUEST_DENIED"), status=200 if make is google_directions else 403)
    if trouble == "nonsense":
        maps.say({"status": "OK", "routes": [{"legs": KEY}]})
    told = ""
    with caplog.at_level(logging.DEBUG):
        try:
            await provider.drive(POINTS)
        except (Unavailable, RouteFailed) as error:
            told = "".join(traceback.format_exception(error))
    assert (told == "") == (trouble == "nothing")
    text = caplog.text + str(logged)
    assert KEY not in told + text
    assert "27.3" not in text  # nor where people live


async def test_the_key_goes_to_google_in_a_header(maps):
    await google_routes(maps).drive(POINTS)
    [asked] = maps.asked
    assert {name.lower(): value for name, value in asked["headers"].items()}[
        "x-goog-api-key"
    ] == KEY
    assert asked["routingPreference"] == "TRAFFIC_AWARE"


@pytest.mark.parametrize("make", [google_routes, google_directions])
async def test_google_orders_the_points_between_the_ends(maps, make):
    shuffled = [POINTS[index] for index in (0, 3, 1, 2, 4)]
    drive = await make(maps).shortest(shuffled)
    assert drive.order == (0, 2, 3, 1, 4)
    assert drive.legs == (await OfflineRouting().drive(POINTS)).legs


@pytest.mark.parametrize("make", [google_routes, google_directions])
@pytest.mark.parametrize("count", [2, 3, 27])
async def test_google_orders_any_number_that_it_takes(maps, make, count):
    points = [Point(27.2 + 0.01 * number, -82.5) for number in range(count)]
    drive = await make(maps).shortest(points)
    assert drive.order == tuple(range(count))
    assert await make(maps).shortest([*points, *points, *POINTS * 6]) is None


async def test_osrm_orders_nothing(maps):
    assert await osrm(maps).shortest(POINTS) is None


@pytest.mark.parametrize("order", [[0, 0, 1], [0, 1], [5, 1, 2], ["a"], None])
async def test_an_order_that_is_none_is_nonsense(maps, order):
    route = {"legs": [{"duration": "1s"}] * 4, "polyline": {"encodedPolyline": ""}}
    maps.say({"routes": [route | {"optimizedIntermediateWaypointIndex": order}]})
    with pytest.raises(Unavailable, match=r"^INVALID_RESPONSE$"):
        await google_routes(maps).shortest(POINTS)


@pytest.mark.parametrize("lasts", ["-1s", "nans", "infs", "soon", "", None])
async def test_a_drive_that_takes_no_such_time_is_nonsense(maps, lasts):
    leg = {"duration": lasts, "distanceMeters": 1}
    maps.say({"routes": [{"legs": [leg] * 4, "polyline": {"encodedPolyline": ""}}]})
    with pytest.raises(Unavailable, match=r"^INVALID_RESPONSE$"):
        await google_routes(maps).drive(POINTS)


async def test_a_matrix_with_a_hole_is_nonsense(maps):
    maps.say([{"condition": "ROUTE_EXISTS", "duration": "5s"}])
    with pytest.raises(Unavailable, match=r"^INVALID_RESPONSE$"):
        await google_routes(maps).matrix(POINTS)


async def test_a_table_of_another_size_is_nonsense(maps):
    for durations in ([[1.0]], [[1.0] * 5] * 4, [[1.0] * 4] * 5):
        maps.next.clear()
        maps.say({"code": "Ok", "durations": durations})
        with pytest.raises(Unavailable, match=r"^INVALID_RESPONSE$"):
            await osrm(maps).matrix(POINTS)


async def test_osrm_is_asked_for_a_large_matrix_in_blocks(maps):
    many = [Point(27.2 + 0.002 * number, -82.5) for number in range(120)]
    matrix = await osrm(maps).matrix(many)
    assert len(maps.asked) == 9
    for row, truth in zip(matrix, await OfflineRouting().matrix(many), strict=True):
        assert row == pytest.approx(truth, abs=0.5)


async def test_the_older_api_is_asked_for_no_more_than_a_hundred_elements_at_once(maps):
    many = [Point(27.2 + 0.01 * number, -82.5) for number in range(25)]
    matrix = await google_directions(maps).matrix(many)
    assert len(maps.asked) == 7
    assert (len(matrix), len(matrix[0])) == (25, 25)


async def test_the_older_api_knows_traffic_only_on_a_drive_without_stops_between(maps):
    plain = await google_directions(maps).drive(POINTS[:2])
    assert not plain.estimated
    assert plain.legs[0].seconds == 2 * (await OfflineRouting().drive(POINTS[:2])).legs[0].seconds
    assert (await google_directions(maps).drive(POINTS)).estimated


async def test_what_comes_with_live_traffic_says_so_and_osrm_does_not(maps):
    assert not (await google_routes(maps).drive(POINTS)).estimated
    assert (await osrm(maps).drive(POINTS)).estimated

"""Google's Routes API and OSRM, played by a local server."""

import logging
import socket
import traceback
from math import inf

import httpx
import pytest

from fuel_app.dispatch.providers.base import RemoteRouting, Unavailable
from fuel_app.dispatch.providers.google import decoded
from fuel_app.dispatch.providers.offline import OfflineRouting
from fuel_app.dispatch.rules.geography import Point
from fuel_app.kit.errors import RouteFailed
from tests.helpers.maps_server import UNREACHABLE, Maps
from tests.helpers.remote_maps import KEY, MAKERS, google, osrm

POINTS = [Point(27.30 + 0.01 * number, -82.5) for number in range(5)]
NONSENSE = [b"", b"<html>", b"7", b"[]", b"null", {}, {"status": "OK"}, {"code": "Ok"}]


@pytest.fixture(params=MAKERS)
def provider(request: pytest.FixtureRequest, maps: Maps) -> RemoteRouting:
    return MAKERS[request.param](maps)


async def test_a_drive_goes_through_the_points_in_order(provider):
    drive = await provider.drive(POINTS)
    expected = await OfflineRouting().drive(POINTS)
    assert drive.legs == expected.legs
    assert drive.line[0] == pytest.approx(POINTS[0])
    assert len(drive.line) == len(POINTS)
    assert drive.order == ()


async def test_a_matrix_holds_the_seconds_of_each_drive(provider):
    expected = await OfflineRouting().matrix(POINTS)
    for row, truth in zip(await provider.matrix(POINTS), expected, strict=True):
        assert row == pytest.approx(truth, abs=0.5)  # seconds; some say whole ones


async def test_two_stops_at_one_point_take_no_driving(provider):
    drive = await provider.drive([POINTS[0], POINTS[0]])
    assert (drive.legs[0].seconds, drive.legs[0].meters) == (0, 0)


@pytest.mark.parametrize(("make", "requests"), [(google, 8), (osrm, 3)])
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
    [(google, "ZERO_RESULTS"), (osrm, "NoRoute")],
)
async def test_no_route_is_an_answer(maps, make, status):
    with pytest.raises(RouteFailed, match=rf"^Failed to calculate route: {status}$"):
        await make(maps).drive([POINTS[0], UNREACHABLE])


@pytest.mark.parametrize("body", NONSENSE, ids=repr)
async def test_nonsense_is_refused(provider, maps, body):
    maps.say(body)
    for question in (provider.drive, provider.matrix):
        with pytest.raises((Unavailable, RouteFailed)) as failed:
            await question(POINTS)
        assert str(failed.value).removeprefix("Failed to calculate route: ") in {
            "INVALID_RESPONSE",
            "ZERO_RESULTS",  # an empty answer of the Routes API means just that
        }


@pytest.mark.parametrize(("status", "passing"), [(500, True), (503, True), (404, False)])
async def test_http_500_is_passing_and_404_is_not(provider, maps, status, passing):
    maps.say(b"<html>", status=status)
    with pytest.raises(Unavailable) as failed:
        await provider.drive(POINTS)
    assert failed.value.status == f"HTTP_{status}"
    assert failed.value.passing is passing


async def test_a_slow_service_times_out(maps, provider):
    maps.silent.set()
    provider._client.timeout = httpx.Timeout(0.05)
    with pytest.raises(Unavailable, match=r"^TIMEOUT$"):
        await provider.drive(POINTS)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
async def test_a_service_that_is_down_is_unreachable(make):
    with socket.socket() as nobody_listens:
        nobody_listens.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody_listens.getsockname()[1]}"
        with pytest.raises(Unavailable, match=r"^UNREACHABLE$") as failed:
            await make(Maps(address)).drive(POINTS)
    assert failed.value.passing


def refusal(status: str) -> dict:
    return {"error": {"code": 4, "status": status, "message": f"no: {KEY}"}}


@pytest.mark.parametrize(
    ("status", "http", "passing"),
    [
        ("PERMISSION_DENIED", 403, False),
        ("RESOURCE_EXHAUSTED", 429, True),
        ("INVALID_ARGUMENT", 400, False),
    ],
)
async def test_a_wrong_key_is_lasting_and_a_used_up_quota_passing(maps, status, http, passing):
    maps.say(refusal(status), status=http)
    for question in (google(maps).drive, google(maps).matrix):
        with pytest.raises(Unavailable, match=rf"^{status}$") as failed:
            await question(POINTS)
        assert failed.value.passing is passing


@pytest.mark.parametrize("trouble", ["down", "denied", "nonsense", "nothing"])
async def test_the_key_is_in_no_log_and_no_error(maps, trouble, caplog, logged):
    provider = google(Maps("http://127.0.0.1:9") if trouble == "down" else maps)
    if trouble == "denied":
        maps.say(refusal("PERMISSION_DENIED"), status=403)
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
    await google(maps).drive(POINTS)
    [asked] = maps.asked
    assert {name.lower(): value for name, value in asked["headers"].items()}[
        "x-goog-api-key"
    ] == KEY
    assert asked["routingPreference"] == "TRAFFIC_AWARE"


async def test_google_orders_the_points_between_the_ends(maps):
    shuffled = [POINTS[index] for index in (0, 3, 1, 2, 4)]
    drive = await google(maps).shortest(shuffled)
    assert drive
    assert drive.order == (0, 2, 3, 1, 4)
    assert drive.legs == (await OfflineRouting().drive(POINTS)).legs


@pytest.mark.parametrize("count", [2, 3, 27])
async def test_google_orders_up_to_27_points(maps, count):
    points = [Point(27.2 + 0.01 * number, -82.5) for number in range(count)]
    drive = await google(maps).shortest(points)
    assert drive
    assert drive.order == tuple(range(count))
    assert await google(maps).shortest([*points, *points, *POINTS * 6]) is None


def test_a_line_of_googles_documentation_is_decoded():
    line = [(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)]
    assert list(decoded("_p~iF~ps|U_ulLnnqC_mqNvxq`@")) == [pytest.approx(p) for p in line]


@pytest.mark.parametrize("line", ["_", "_p~iF", "_p~iF~ps|U_ulL", "é", "~~~~~~~~~~?~~~~~~~~~~?"])
def test_a_cut_off_or_impossible_line_is_refused(line):
    with pytest.raises(ValueError):  # noqa: PT011
        decoded(line)


async def test_osrm_orders_nothing(maps):
    assert await osrm(maps).shortest(POINTS) is None


@pytest.mark.parametrize("order", [[0, 0, 1], [0, 1], [5, 1, 2], ["a"], None])
async def test_an_invalid_order_is_refused(maps, order):
    route = {"legs": [{"duration": "1s"}] * 4, "polyline": {"encodedPolyline": ""}}
    maps.say({"routes": [route | {"optimizedIntermediateWaypointIndex": order}]})
    with pytest.raises(Unavailable, match=r"^INVALID_RESPONSE$"):
        await google(maps).shortest(POINTS)


@pytest.mark.parametrize("lasts", ["-1s", "nans", "infs", "soon", "", None])
async def test_an_invalid_duration_is_refused(maps, lasts):
    leg = {"duration": lasts, "distanceMeters": 1}
    maps.say({"routes": [{"legs": [leg] * 4, "polyline": {"encodedPolyline": ""}}]})
    with pytest.raises(Unavailable, match=r"^INVALID_RESPONSE$"):
        await google(maps).drive(POINTS)


async def test_a_matrix_with_a_hole_is_refused(maps):
    maps.say([{"condition": "ROUTE_EXISTS", "duration": "5s"}])
    with pytest.raises(Unavailable, match=r"^INVALID_RESPONSE$"):
        await google(maps).matrix(POINTS)


async def test_a_table_of_another_size_is_refused(maps):
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


async def test_google_has_live_traffic_and_osrm_does_not(maps):
    assert not (await google(maps).drive(POINTS)).estimated
    assert (await osrm(maps).drive(POINTS)).estimated

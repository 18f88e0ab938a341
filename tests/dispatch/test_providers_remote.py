"""Google's Routes API and OSRM, played by a local server."""

import logging
import traceback
from math import inf

import httpx
import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.routing import NEAR_M, Routing, Unavailable, decode_line
from fuel_app.kit.errors import RouteFailed
from tests.dispatch.remote_maps import KEY, MAKERS, google, osrm
from tests.helpers.maps_server import AT_SEA, UNREACHABLE, Maps
from tests.servers import free_port

pytestmark = pytest.mark.slow

POINTS = [Point(27.30 + 0.01 * number, -82.5) for number in range(5)]


@pytest.fixture(params=MAKERS)
def provider(request: pytest.FixtureRequest, maps: Maps) -> Routing:
    return MAKERS[request.param](maps)


async def test_drive_goes_through_the_points_in_order(provider):
    drive = await provider.drive(POINTS, NEAR_M)
    assert drive.legs == offline.drive(POINTS).legs
    assert drive.line[0] == pytest.approx(POINTS[0])
    assert len(drive.line) == len(POINTS)
    assert drive.estimated is (provider.name == "OSRM")  # which has no live traffic


@pytest.mark.parametrize(("make", "requests"), [(google, 8), (osrm, 3)])
async def test_long_route_is_requested_in_parts(maps, make, requests):
    many = [Point(27.0 + 0.003 * number, -82.5) for number in range(201)]
    drive = await make(maps).drive(many, NEAR_M)
    assert len(maps.asked) == requests
    assert drive.legs == offline.drive(many).legs
    assert len(drive.line) == len(many)  # one point where two parts meet


@pytest.mark.parametrize(("make", "count", "requests"), [(google, 5, 1), (osrm, 120, 9)])
async def test_matrix_holds_the_seconds_of_each_drive(maps, make, count, requests):
    points = [Point(27.2 + 0.002 * number, -82.5) for number in range(count)]
    matrix = await make(maps).matrix(points, NEAR_M)
    assert len(maps.asked) == requests
    expected = await offline.matrix(points)
    assert all(
        abs(matrix[a][b] - expected[a][b]) <= 0.5 for a in range(count) for b in range(count)
    )


async def test_place_without_a_road_is_infinitely_far(provider):
    matrix = await provider.matrix([*POINTS[:2], UNREACHABLE], NEAR_M)
    assert [row[2] for row in matrix] == [inf, inf, 0]
    assert matrix[2][:2] == (inf, inf)


@pytest.mark.parametrize(("near_m", "is_far"), [(NEAR_M, True), (4_000, False)])
async def test_point_far_from_a_road_has_none(maps, near_m, is_far):
    matrix = await osrm(maps).matrix([*POINTS[:2], AT_SEA], near_m)
    assert [cell == inf for row in matrix for cell in row] == (
        [False, False, is_far] * 2 + [is_far] * 3
    )
    if is_far:
        with pytest.raises(RouteFailed, match="No road leads there"):
            await osrm(maps).drive([POINTS[0], AT_SEA], near_m)
    else:
        assert await osrm(maps).drive([POINTS[0], AT_SEA], near_m)


@pytest.mark.parametrize(("make", "status"), [(google, "ZERO_RESULTS"), (osrm, "NoRoute")])
async def test_no_route_fails_with_the_providers_status(maps, make, status):
    with pytest.raises(RouteFailed, match=rf"^Failed to calculate route: {status}$"):
        await make(maps).drive([POINTS[0], UNREACHABLE], NEAR_M)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"<html>", b"7", b"[]", b"null", {}, {"status": "OK"}, {"code": "Ok"}),
        *(b"[" * 100_000, b"\xff\xfe", b"9" * 5_000, b'{"code":', b"NaN", b'{"routes":{}}'),
    ],
    ids=lambda body: repr(body)[:20],
)
async def test_invalid_answer_is_refused(provider, maps, body):
    maps.say(body)
    for question in (provider.drive, provider.matrix):
        with pytest.raises((Unavailable, RouteFailed)) as failed:
            await question(POINTS, NEAR_M)
        assert str(failed.value).removeprefix("Failed to calculate route: ") in {
            "INVALID_RESPONSE",
            "ZERO_RESULTS",  # the Routes API's empty answer
        }


def _google_route(**more: object) -> dict:
    legs = [{"duration": "1s", "distanceMeters": 1}] * 4
    return {"routes": [{"legs": legs, "polyline": {"encodedPolyline": ""}} | more]}


def _osrm_table(**more: object) -> dict:
    near = [{"distance": 1.0}] * 5
    table = {"durations": [[1.0] * 5] * 5, "sources": near, "destinations": near}
    return {"code": "Ok"} | table | more


@pytest.mark.parametrize(
    ("make", "method", "body"),
    [
        *(
            (google, "drive", _google_route(legs=[{"duration": lasts, "distanceMeters": 1}] * 4))
            for lasts in ("-1s", "nans", "infs", "soon", "", None)
        ),
        (google, "matrix", [{"condition": "ROUTE_EXISTS", "duration": "5s"}]),
        *(
            (osrm, "matrix", _osrm_table(durations=durations))
            for durations in ([[1.0]], [[1.0] * 5] * 4, [[1.0] * 4] * 5)
        ),
        *(
            (osrm, "matrix", _osrm_table(**{side: snapped}))
            for side in ("sources", "destinations")
            for snapped in (None, [{"distance": 1}], [{"distance": -1}] * 5, [{}] * 5)
        ),
    ],
)
async def test_invalid_duration_or_matrix_is_refused(maps, make, method, body):
    maps.say(body)
    with pytest.raises(Unavailable, match=r"^INVALID_RESPONSE$"):
        await getattr(make(maps), method)(POINTS, NEAR_M)


@pytest.mark.parametrize(("status", "passing"), [(500, True), (503, True), (404, False)])
async def test_http_error_is_passing_or_lasting(provider, maps, status, passing):
    maps.say(b"<html>", status=status)
    with pytest.raises(Unavailable) as failed:
        await provider.drive(POINTS, NEAR_M)
    assert failed.value.status == f"HTTP_{status}"
    assert failed.value.passing is passing


async def test_slow_service_times_out(maps, provider):
    maps.unresponsive.set()
    provider._client.timeout = httpx.Timeout(0.05)
    with pytest.raises(Unavailable, match=r"^TIMEOUT$"):
        await provider.drive(POINTS, NEAR_M)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
async def test_service_that_is_down_is_unreachable(make):
    with pytest.raises(Unavailable, match=r"^UNREACHABLE$") as failed:
        await make(Maps(f"http://127.0.0.1:{free_port()}")).drive(POINTS, NEAR_M)
    assert failed.value.passing


def refusal(status: str) -> dict:
    return {"error": {"code": 4, "status": status, "message": f"no: {KEY}"}}


@pytest.mark.parametrize(
    ("status", "http", "passing"),
    [("PERMISSION_DENIED", 403, False), ("RESOURCE_EXHAUSTED", 429, True)],
)
async def test_wrong_key_is_lasting_and_used_up_quota_passing(maps, status, http, passing):
    maps.say(refusal(status), status=http)
    for question in (google(maps).drive, google(maps).matrix):
        with pytest.raises(Unavailable, match=rf"^{status}$") as failed:
            await question(POINTS, NEAR_M)
        assert failed.value.passing is passing


@pytest.mark.parametrize("trouble", ["down", "denied", "nonsense", "nothing"])
async def test_key_and_positions_are_in_no_log_and_no_error(maps, trouble, caplog, logged):
    provider = google(Maps("http://127.0.0.1:9") if trouble == "down" else maps)
    if trouble == "denied":
        maps.say(refusal("PERMISSION_DENIED"), status=403)
    if trouble == "nonsense":
        maps.say({"status": "OK", "routes": [{"legs": KEY}]})
    failure = ""
    with caplog.at_level(logging.DEBUG):
        try:
            await provider.drive(POINTS, NEAR_M)
        except (Unavailable, RouteFailed) as error:
            failure = "".join(traceback.format_exception(error))
    assert (failure == "") == (trouble == "nothing")
    text = caplog.text + str(logged)
    assert KEY not in failure + text
    assert "27.3" not in text


def test_polyline_of_googles_documentation_is_decoded():
    line = [(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)]
    assert list(decode_line("_p~iF~ps|U_ulLnnqC_mqNvxq`@")) == [pytest.approx(p) for p in line]


@pytest.mark.parametrize("line", ["_", "_p~iF", "_p~iF~ps|U_ulL", "é", "~~~~~~~~~~?~~~~~~~~~~?"])
def test_truncated_or_impossible_polyline_is_refused(line):
    with pytest.raises(ValueError):  # noqa: PT011
        decode_line(line)

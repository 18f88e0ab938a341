"""Routing providers in turn: retries, circuit breaker, fallback and cache."""

import asyncio
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers import routing as module
from fuel_app.dispatch.providers.offline import road_meters, seconds
from fuel_app.dispatch.providers.routing import FirstThatAnswers, Retries, Unavailable
from fuel_app.dispatch.rules.day_plan import Matrix
from fuel_app.dispatch.rules.drives import Drive, Leg
from fuel_app.kit.errors import RouteFailed

A, B, C = (Point(27.3 + 0.01 * number, -82.5) for number in range(3))
QUICK = Retries(backoff_s=0.001, open_s=60)


class Remote:
    """A provider that raises the given failures, then answers."""

    def __init__(self, name: str = "Remote", *failures: Exception) -> None:
        self.name = name
        self.matrix_points, self.estimated = 2, False
        self.failures = list(failures)
        self.asked = 0

    async def drive(self, points, near_m) -> Drive:
        self._fail()
        legs = tuple(Leg.lasting(60) for _ in points[1:])
        return Drive(legs, tuple(points), self.name)

    async def matrix(self, points, near_m) -> Matrix:
        self._fail()
        return ((0, 1), (1, 0))

    def _fail(self) -> None:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)


def first_of(*providers, retries: Retries = QUICK) -> FirstThatAnswers:
    return FirstThatAnswers(providers, retries)


def busy() -> Unavailable:
    return Unavailable("OVER_QUERY_LIMIT", passing=True)


def denied() -> Unavailable:
    return Unavailable("REQUEST_DENIED", passing=False)


async def test_passing_failures_are_retried_with_growing_backoff(monkeypatch):
    pauses = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    remote = Remote("Remote", *(busy() for _ in range(4)))
    with monkeypatch.context() as patched:
        patched.setattr(asyncio, "sleep", pause)
        drive = await first_of(remote, retries=Retries(attempts=5, backoff_s=0.2)).drive([A, B])
    assert (drive.provider, remote.asked) == ("Remote", 5)
    for pause_s, least in zip(pauses, (0.2, 0.4, 0.8, 1.6), strict=True):
        assert least <= pause_s <= least + 0.2


async def test_lasting_failure_is_not_retried_and_the_next_provider_answers(logged):
    wrong_key, other = Remote("One", denied()), Remote("Two")
    assert (await first_of(wrong_key, other).drive([A, B])).provider == "Two"
    assert wrong_key.asked == 1
    assert (logged[0]["provider"], logged[0]["status"]) == ("One", "REQUEST_DENIED")


async def test_without_providers_the_estimate_answers():
    remote = Remote("Remote", *(denied() for _ in range(2)))
    alone = first_of(remote)
    assert (await alone.drive([A, B])).provider == "Offline estimate"
    assert await alone.matrix([A, B]) is None
    assert await first_of().drive([A, B, C]) == offline.drive([A, B, C])


async def test_three_failures_open_the_circuit_breaker():
    remote = Remote("Remote", *(denied() for _ in range(3)))
    providers = first_of(remote)
    for _ in range(6):
        assert (await providers.drive([A, B])).estimated
    assert remote.asked == 3


async def test_estimate_is_not_cached_and_circuit_breaker_closes_again():
    retries = Retries(failures=1, open_s=1e-9, backoff_s=0.001)
    providers = first_of(Remote("Remote", denied()), retries=retries)
    assert (await providers.drive([A, B])).estimated
    assert not (await providers.drive([A, B])).estimated


async def test_no_route_is_final_and_opens_no_circuit_breaker():
    sure, other = Remote("Sure", *(RouteFailed("ZERO_RESULTS") for _ in range(5))), Remote("Other")
    providers = first_of(sure, other)
    for _ in range(5):
        with pytest.raises(RouteFailed, match="ZERO_RESULTS"):
            await providers.drive([A, B])
    assert other.asked == 0
    assert (await providers.drive([A, B])).provider == "Sure"


async def test_timeout_covers_all_attempts():
    class Asleep(Remote):
        async def drive(self, points, near_m):
            await asyncio.sleep(60)
            raise AssertionError

    retries = Retries(timeout_s=0.01)
    drive = await first_of(Asleep(), Remote("Next"), retries=retries).drive([A, B])
    assert drive.provider == "Next"


async def test_repeated_question_is_answered_from_the_cache():
    remote = Remote()
    providers = first_of(remote)
    assert await providers.drive([A, B]) is await providers.drive([A, B])
    assert remote.asked == 1
    await providers.matrix([A, B])
    await providers.drive([B, A])
    assert remote.asked == 3


async def test_next_provider_gets_a_matrix_too_large_for_the_first():
    small, large = Remote("Small"), Remote("Large")
    large.matrix_points = 9
    await first_of(small, large).matrix([A, B, C])
    assert (small.asked, large.asked) == (0, 1)


async def test_one_point_needs_no_provider():
    remote = Remote()
    providers = first_of(remote)
    assert await providers.matrix([A]) is None
    assert (await providers.drive([A])).legs == ()
    assert remote.asked == 0


async def test_too_large_answer_is_not_cached(monkeypatch):
    monkeypatch.setattr(module, "CACHE_NUMBERS", 6)
    remote = Remote()
    providers = first_of(remote)
    for points in ([A, B, C], [A, B, C]):
        await providers.drive(points)
    assert remote.asked == 2


OSRM = "http://localhost:5000"


async def test_drive_is_timed_by_the_provider_that_has_timed_its_plan():
    first, second = Remote("First"), Remote("Second")
    providers = first_of(first, second)
    assert (await providers.drive([A, B], timed_by="Second")).provider == "Second"
    assert (await providers.drive([A, B], timed_by=offline.OFFLINE)).provider == "Offline estimate"
    assert first.asked == 0
    for without_one in ("", "First", "Gone"):
        assert (await providers.drive([A, B], timed_by=without_one)).provider == "First"


async def test_drive_is_timed_by_the_next_provider_while_that_of_its_plan_is_away():
    first, second, third = Remote("First"), Remote("Second", denied(), denied()), Remote("Third")
    drive = await first_of(first, second, third).drive([A, B], timed_by="Second")
    assert (drive.provider, first.asked) == ("Third", 0)
    alone = await first_of(first, second).drive([A, B], timed_by="Second")
    assert (alone.provider, first.asked) == ("Offline estimate", 0)


async def test_matrix_names_its_provider():
    found = await first_of(Remote("One", denied()), Remote("Two")).matrix([A, B])
    assert found
    assert found.provider == "Two"


async def test_answers_are_kept_by_how_near_a_road_has_to_be():
    remote = Remote()
    remote.matrix_points = 500
    providers = first_of(remote)
    await providers.matrix([A, B], near_m=300)
    await providers.matrix([A, B], near_m=500)
    assert remote.asked == 2


@pytest.mark.parametrize(
    ("key", "osrm_url", "names"), [(None, None, []), ("AIza-x", OSRM, ["Google Maps", "OSRM"])]
)
def test_settings_choose_providers(monkeypatch, key, osrm_url, names):
    chosen = {"google_maps_api_key": SecretStr(key) if key else None, "osrm_url": osrm_url}
    monkeypatch.setattr(module, "settings", module.settings.model_copy(update=chosen))
    made = module.routing.__wrapped__()
    assert [each.provider.name for each in made._providers] == names


SARASOTA, BRADENTON = Point(27.3364, -82.5307), Point(27.4989, -82.5748)
meters = st.floats(0, 200_000)


def test_city_to_city_takes_half_an_hour():
    assert 20_000 < road_meters(SARASOTA, BRADENTON) < 30_000
    assert 25 * 60 < seconds(road_meters(SARASOTA, BRADENTON)) < 40 * 60


@given(meters, meters)
def test_a_detour_is_never_faster(a, b):
    assert seconds(max(a, b)) >= seconds(min(a, b))
    assert seconds(a + b) <= seconds(a) + seconds(b) + 1e-6


async def test_matrix_is_symmetric_with_a_zero_diagonal():
    points = [SARASOTA, BRADENTON, Point(27.4, -82.4)]
    matrix = await offline.matrix(points)
    for a, b in product(range(3), repeat=2):
        assert matrix[a][b] == pytest.approx(matrix[b][a])
        assert (matrix[a][b] == 0) == (a == b)
